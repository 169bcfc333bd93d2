/** Texts for refused certificates, by the English message of the gateway. */
import type { TextKey } from "../text/all.js";

/** Distinctive part of each message, and its text. */
const REFUSALS: readonly (readonly [part: string, key: TextKey])[] = [
	["too large", "refusal.large"],
	["No certificate", "refusal.none"],
	["is damaged", "refusal.damaged"],
	["chain is too long", "refusal.chain"],
	["No private key", "refusal.key"],
	["is encrypted", "refusal.encrypted"],
	["does not match", "refusal.mismatch"],
	["not supported", "refusal.type"],
	["order is wrong", "refusal.order"],
	["has expired", "refusal.expired"],
];

/** Returns undefined if the message is unknown. */
export function refusalKey(sentence: string): TextKey | undefined {
	return REFUSALS.find(([part]) => sentence.includes(part))?.[1];
}

const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Joins PEM texts in the order that the gateway requires: first the certificates, in their order, then the keys. */
export function joinPEM(texts: readonly string[]): string {
	const all = texts.join("\n");
	const blocks = [...all.matchAll(PEM_BLOCK)];
	const ofKind = (kind: string) => blocks.filter(([, label]) => label.endsWith(kind)).map(([block]) => block);
	// The set removes duplicates, because the file with the chain often contains the certificate again.
	const wanted = [...new Set([...ofKind("CERTIFICATE"), ...ofKind("PRIVATE KEY")])];
	// If the text has neither certificates nor keys, it is sent unchanged, so that the gateway reports what is missing.
	return wanted.length === 0 ? all : `${wanted.join("\n")}\n`;
}
