/**
 * Outgoing connections of the host contract (host.ts): TCP, and TLS with verified certificates. Types and error codes.
 * The rules of ECMA-419 in host.ts apply here too.
 *
 * A TLS handshake starts when the host has the memory for it, and waits for other handshakes of listeners and clients.
 * All of this counts towards `timeoutMs`.
 */

/** Closed by the peer. With TLS, an end without the closing alert may be reported as this or as CLIENT_BROKEN. */
export const CLIENT_ENDED = 1;
/** Connection broken: a reset, a missing acknowledgement or an invalid record. */
export const CLIENT_BROKEN = 2;
/** Unknown name, or no answer from the name servers. */
export const CLIENT_NO_ADDRESS = 3;
/** No listener at that address and port, or no route to it. */
export const CLIENT_UNREACHABLE = 4;
/** Connection not established within `timeoutMs`. */
export const CLIENT_TIMEOUT = 5;
/** Not enough memory at present; nothing was sent. */
export const CLIENT_OUT_OF_MEMORY = 6;
/** TLS handshake failed: the peer does not support TLS, shares no version or cipher, or has rejected this client. */
export const CLIENT_HANDSHAKE = 7;
/** Server certificate without a chain to a trusted one. */
export const CLIENT_UNTRUSTED = 8;
/** Trusted certificate, but for another name or address. */
export const CLIENT_WRONG_NAME = 9;
export const CLIENT_EXPIRED = 10;

/** Maximum size of `trusted` as PEM text, and of a stored session, bytes. */
export const TRUSTED_LIMIT = 12288;
export const SESSION_LIMIT = 3072;

/**
 * Value of `trusted` that accepts any certificate. Allowed only for data with its own signature and requests without
 * secrets. It can't be confused with PEM text.
 */
export const ANYBODY = "anybody";

export interface ClientOptions {
	/** DNS name of up to 253 characters, or IPv4 address in dotted decimal. */
	readonly host: string;
	/** 1 to 65535. */
	readonly port: number;
	/** Time limit from the constructor to the first `onWritable`, 100 to 60000: name lookup, connection, handshake. */
	readonly timeoutMs: number;
	/** Required for TLS, and only used there. */
	readonly tls?: TLSClientOptions;
	/** Called when `count` bytes can be read. */
	onReadable?(count: number): void;
	/**
	 * Called when `count` bytes may be written. The first call means that the connection is open and, with TLS, verified.
	 */
	onWritable?(count: number): void;
	/** Called once with CLIENT_… at the end, after everything received has been read. */
	onError?(code: number): void;
}

export interface TLSClientOptions {
	/**
	 * Trusted certificates, PEM text of up to TRUSTED_LIMIT bytes. Either CA certificates: the server must present a
	 * chain to one of them and the expected name or address. Or the server's own certificate, which is accepted for any
	 * name. Or ANYBODY. The constructor throws an Error for other text without a certificate.
	 */
	readonly trusted: Uint8Array;
	/** Expected name in the certificate; default `host`. */
	readonly name?: string;
	/** Unix time for checking certificates, ms; undefined while the clock is not set, when dates are not checked. */
	readonly utcMs?: number | undefined;
	/** Client identity for a server that requests one: PEM text of a certificate and its key. */
	readonly identity?: { readonly certificate: Uint8Array; readonly key: Uint8Array };
	/**
	 * `session` of an earlier connection to the same server with the same trust; shortens the handshake if both sides
	 * know it.
	 */
	readonly session?: Uint8Array | undefined;
}

export interface Client {
	/** Peer address as text; "" until known. */
	readonly remoteAddress: string;
	/**
	 * TLS session for the next connection, at most SESSION_LIMIT bytes; undefined if the server has not sent one (yet).
	 */
	readonly session: Uint8Array | undefined;
	/** With TLS: true when the given session shortened the handshake. */
	readonly resumed: boolean;
	/** Copies up to `end - start` bytes into `into`; returns their number, or undefined when no bytes are waiting. */
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Sends what was written, then closes. Before the connection is open, cancels it. */
	close(): void;
}

export interface ClientPort {
	/** Throws a RangeError for options beyond their limits, and an Error for unusable ones. */
	readonly io: new (
		options: ClientOptions,
	) => Client;
	/** Host-specific options of the constructor; spread them into the options. */
	readonly pins: object;
}
