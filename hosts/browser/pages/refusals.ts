/** Texts for refused certificates, by the gateway's English message. */
import type { TextKey } from "../text/all.js";

/** Distinctive part of each message. */
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

/** Undefined if the message is unknown. */
export function refusalKey(sentence: string): TextKey | undefined {
	return REFUSALS.find(([part]) => sentence.includes(part))?.[1];
}

const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Certificates in order, then the keys, as the gateway requires. */
export function joinPEM(texts: readonly string[]): string {
	const all = texts.join("\n");
	const blocks = [...all.matchAll(PEM_BLOCK)];
	const ofKind = (kind: string) => blocks.filter(([, label]) => label.endsWith(kind)).map(([block]) => block);
	// The file of the chain often repeats the certificate.
	const wanted = [...new Set([...ofKind("CERTIFICATE"), ...ofKind("PRIVATE KEY")])];
	// A text without certificates and keys is sent unchanged, so that the gateway reports what is missing.
	return wanted.length === 0 ? all : `${wanted.join("\n")}\n`;
}
