/**
 * Outgoing connections of the host contract (host.ts, with its rules): TCP, and TLS with verified certificates.
 *
 * A TLS handshake waits for memory and for other handshakes; `timeoutMs` includes that.
 */

/** Closed by the peer. TLS without the closing alert may end with this or CLIENT_BROKEN. */
export const CLIENT_ENDED = 1;
/** Reset, missing acknowledgement or invalid record. */
export const CLIENT_BROKEN = 2;
/** Unknown name, or no answer from the name servers. */
export const CLIENT_NO_ADDRESS = 3;
/** No listener at that address and port, or no route. */
export const CLIENT_UNREACHABLE = 4;
export const CLIENT_TIMEOUT = 5;
/** Not enough memory now; nothing was sent. */
export const CLIENT_OUT_OF_MEMORY = 6;
/** The peer has no TLS, shares no version or cipher, or has rejected this client. */
export const CLIENT_HANDSHAKE = 7;
/** The server's certificate has no chain to a trusted one. */
export const CLIENT_UNTRUSTED = 8;
/** The certificate is trusted, but for another name or address. */
export const CLIENT_WRONG_NAME = 9;
export const CLIENT_EXPIRED = 10;

/** Limit of `trusted` and of a stored session, bytes. */
export const TRUSTED_LIMIT = 12288;
export const SESSION_LIMIT = 3072;

/**
 * Value of `trusted` that accepts any certificate; for signed data and for requests without secrets only. It can't be
 * mistaken for PEM text.
 */
export const ANYBODY = "anybody";

export interface ClientOptions {
	/** DNS name of up to 253 characters, or dotted IPv4. */
	readonly host: string;
	/** 1 to 65535. */
	readonly port: number;
	/** Limit for name lookup, connection and handshake: 100 to 60000, from the constructor to the first `onWritable`. */
	readonly timeoutMs: number;
	/** Required for TLS only. */
	readonly tls?: TLSClientOptions;
	/** `count` bytes can be read. */
	onReadable?(count: number): void;
	/** `count` bytes may be written. The first call means that the connection is open and, with TLS, verified. */
	onWritable?(count: number): void;
	/** Called once with CLIENT_…, after everything was read. */
	onError?(code: number): void;
}

export interface TLSClientOptions {
	/**
	 * Trusted certificates as PEM text of up to TRUSTED_LIMIT bytes. If they are CA certificates, the server's chain
	 * must end with one of them, and its certificate must be for the expected name or address. If the server's own
	 * certificate is among them, its name does not matter. ANYBODY trusts any server. The constructor throws an Error
	 * for other text without a certificate.
	 */
	readonly trusted: Uint8Array;
	/** Expected name in the certificate; default `host`. */
	readonly name?: string;
	/** Unix time for checking certificates, ms; undefined without a set clock: dates are not checked. */
	readonly utcMs?: number | undefined;
	/** PEM text of a certificate and its key, if the server requests them. */
	readonly identity?: { readonly certificate: Uint8Array; readonly key: Uint8Array };
	/** `session` of an earlier connection with the same server and trust, to shorten the handshake. */
	readonly session?: Uint8Array | undefined;
}

export interface Client {
	/** Address of the peer; "" until known. */
	readonly remoteAddress: string;
	/** TLS session for the next connection, at most SESSION_LIMIT bytes; undefined until the server sends one. */
	readonly session: Uint8Array | undefined;
	/** True when the given TLS session shortened the handshake. */
	readonly resumed: boolean;
	/** Reads up to `end - start` bytes; returns their number, or undefined when none wait. */
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Sends what was written; cancels an opening. */
	close(): void;
}

export interface ClientPort {
	/** Throws a RangeError for options beyond their limits, and an Error for unusable ones. */
	readonly io: new (
		options: ClientOptions,
	) => Client;
	/** Options of the host, spread into ClientOptions. */
	readonly pins: object;
}
