/** Options of a client (modules/io/client.ts), checked and converted for Node. */
import { createHash, type X509Certificate } from "node:crypto";
import { isIPv4 } from "node:net";
import { ANYBODY, type ClientOptions, SESSION_LIMIT, TRUSTED_LIMIT } from "../../modules/io/client.js";
import { type Identity, toIdentity } from "./certificate.js";
import { parseCertificates } from "./trust.js";

const NAME = /^[A-Za-z0-9._-]{1,253}$/;
/**
 * A stored session begins with a hash of the server's name, the trusted certificates and our own certificate. It may be
 * used only with these.
 */
const BINDING_BYTES = 16;
const TIMEOUT_MIN_MS = 100;
const TIMEOUT_MAX_MS = 60_000;

export interface TLSSettings {
	/** Trusted certificates, PEM. */
	readonly authorities: string;
	/** Trusted certificates; undefined to trust any server. */
	readonly trusted: readonly X509Certificate[] | undefined;
	readonly name: string;
	readonly utcMs: number | undefined;
	readonly identity: Identity | undefined;
	readonly session: Buffer | undefined;
}

/** Throws a RangeError for an option out of range. */
export function checkClientOptions({ host, port, timeoutMs }: ClientOptions): void {
	if (!NAME.test(host)) throw new RangeError(`"${host}" is neither a name nor an IPv4 address`);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError(`${port} is not a port`);
	if (!(timeoutMs >= TIMEOUT_MIN_MS && timeoutMs <= TIMEOUT_MAX_MS)) {
		throw new RangeError(`a client has ${TIMEOUT_MIN_MS} to ${TIMEOUT_MAX_MS} ms`);
	}
}

/**
 * Throws a RangeError for an option out of range. For an unusable certificate or key, throws an Error with a message
 * for the user.
 */
export function tlsSettingsOf({ host, tls }: ClientOptions): TLSSettings {
	if (tls === undefined) throw new Error("a TLS client needs the certificates that it trusts: the option `tls`");
	const { trusted, name = host, utcMs, identity, session } = tls;
	if (trusted.length > TRUSTED_LIMIT) throw new RangeError(`what is trusted has at most ${TRUSTED_LIMIT} bytes`);
	if (session && session.length > SESSION_LIMIT) throw new RangeError(`a session has at most ${SESSION_LIMIT} bytes`);
	if (!NAME.test(name)) throw new RangeError(`"${name}" is neither a name nor an IPv4 address`);
	const authorities = Buffer.from(trusted).toString("latin1");
	const certificates = authorities === ANYBODY ? undefined : certificatesOf(authorities);
	return {
		authorities,
		trusted: certificates,
		name,
		utcMs,
		identity: identity === undefined ? undefined : toIdentity(identity),
		session: session === undefined ? undefined : Buffer.from(session),
	};
}

/** Name for server name indication, which does not permit addresses (RFC 6066, 3). */
export function serverNameOf(name: string): string {
	return isIPv4(name) ? "" : name;
}

/** Puts the hash before the session. Undefined if the result is too long. */
export function boundSession(tls: TLSSettings, session: Uint8Array): Uint8Array | undefined {
	const whole = new Uint8Array(Buffer.concat([bindingOf(tls), session]));
	return whole.length <= SESSION_LIMIT ? whole : undefined;
}

/** Returns the session without the hash. Undefined if it was made for another name or with other certificates. */
export function unboundSession(tls: TLSSettings): Buffer | undefined {
	const { session } = tls;
	if (session === undefined || !bindingOf(tls).equals(session.subarray(0, BINDING_BYTES))) return undefined;
	return session.subarray(BINDING_BYTES);
}

function bindingOf({ authorities, identity, name }: TLSSettings): Buffer {
	const text = [name, authorities, identity?.certificate ?? ""].join("\n");
	return createHash("sha256").update(text).digest().subarray(0, BINDING_BYTES);
}

function certificatesOf(text: string): X509Certificate[] {
	let certificates: X509Certificate[];
	try {
		certificates = parseCertificates(text);
	} catch {
		throw new Error("a certificate of those that are trusted can't be read");
	}
	if (certificates.length === 0) throw new Error("there is no certificate in what is trusted");
	return certificates;
}
