/**
 * Decides whether the simulator's TLS clients trust a server. Node's own decision depends on the computer's clock and
 * ignores pinned certificates. Therefore certificates (RFC 5280) and the server's name (RFC 6125) are checked here as
 * well.
 *
 * At most CHAIN_LIMIT certificates may form the chain from the server to the authority.
 */
import { X509Certificate } from "node:crypto";
import { isIPv4 } from "node:net";
import type { TLSSocket } from "node:tls";
import { CLIENT_EXPIRED, CLIENT_UNTRUSTED, CLIENT_WRONG_NAME } from "../../modules/io/client.js";

const CHAIN_LIMIT = 8;
const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
/** Extended key usages that permit a server: TLS server (RFC 5280, 4.2.1.12), and any usage. */
const SERVER_USAGES = ["1.3.6.1.5.5.7.3.1", "2.5.29.37.0"];

export interface TrustQuestion {
	readonly shown: readonly X509Certificate[];
	/** Trusted certificates, or undefined if any server is trusted. */
	readonly trusted: readonly X509Certificate[] | undefined;
	readonly name: string;
	/** Time for the check of dates, Unix ms, or undefined if dates are ignored. */
	readonly utcMs: number | undefined;
}

/** Throws an Error if a certificate is damaged. */
export function parseCertificates(text: string): X509Certificate[] {
	return [...text.matchAll(PEM)].map(([block]) => new X509Certificate(block));
}

/** Returns the server's own certificate first, then each issuer that the server has shown. */
export function shownBy(socket: TLSSocket): X509Certificate[] {
	const shown: X509Certificate[] = [];
	let one = socket.getPeerCertificate(true);
	// Without a certificate, Node returns an empty object.
	while (one?.raw && !shown.some(({ raw }) => raw.equals(one.raw)) && shown.length <= CHAIN_LIMIT) {
		shown.push(new X509Certificate(one.raw));
		one = one.issuerCertificate;
	}
	return shown;
}

/** True if the server's own certificate is among the trusted ones. Its name does not matter then. */
export function isPinned({ shown, trusted }: Pick<TrustQuestion, "shown" | "trusted">): boolean {
	return shown.length > 0 && trusted !== undefined && trusted.some((one) => one.raw.equals(shown[0].raw));
}

export function validate(question: TrustQuestion): number {
	const { shown, trusted, name, utcMs } = question;
	if (trusted === undefined) return 0;
	if (shown.length === 0) return CLIENT_UNTRUSTED;
	const [own] = shown;
	if (isPinned(question)) return isValidAt(own, utcMs) ? 0 : CLIENT_EXPIRED;
	let isExpired = false;
	let isAnchored = false;
	for (const path of pathsOf(question, [own])) {
		isAnchored = true;
		isExpired = !path.every((one) => isValidAt(one, utcMs));
		if (!isExpired) break;
	}
	if (!isAnchored || !isForServers(own)) return CLIENT_UNTRUSTED;
	if (!(isIPv4(name) ? own.checkIP(name) : own.checkHost(name))) return CLIENT_WRONG_NAME;
	return isExpired ? CLIENT_EXPIRED : 0;
}

/** Yields the chains from the last certificate of `path` to a trusted one. */
function* pathsOf(question: TrustQuestion, path: X509Certificate[]): Generator<X509Certificate[]> {
	const last = path[path.length - 1];
	for (const issuer of question.trusted ?? []) if (hasSigned(issuer, last)) yield [...path, issuer];
	if (path.length >= CHAIN_LIMIT) return;
	for (const issuer of question.shown.slice(0, CHAIN_LIMIT)) {
		if (!path.includes(issuer) && hasSigned(issuer, last)) yield* pathsOf(question, [...path, issuer]);
	}
}

function hasSigned(issuer: X509Certificate, certificate: X509Certificate): boolean {
	return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isForServers({ keyUsage }: X509Certificate): boolean {
	// Node calls the extended key usage `keyUsage`.
	return keyUsage === undefined || keyUsage.some((usage) => SERVER_USAGES.includes(usage));
}

function isValidAt({ validFrom, validTo }: X509Certificate, utcMs: number | undefined): boolean {
	return utcMs === undefined || (Date.parse(validFrom) <= utcMs && utcMs <= Date.parse(validTo));
}
