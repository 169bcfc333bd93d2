/**
 * Outgoing connections of the host contract: TCP, and TLS with verified certificates.
 *
 * A TLS handshake begins when memory is available and no other handshake is in progress. `timeoutMs` includes this
 * wait.
 */

/** The peer closed the connection. If TLS ends without a closing alert, the code is this one or CLIENT_BROKEN. */
export const CLIENT_ENDED = 1;
/** The peer reset the connection, an acknowledgement did not arrive, or a TLS record is invalid. */
export const CLIENT_BROKEN = 2;
/** The name is unknown, or the name servers do not answer. */
export const CLIENT_NO_ADDRESS = 3;
export const CLIENT_UNREACHABLE = 4;
export const CLIENT_TIMEOUT = 5;
/** Too little memory is free; nothing was sent. */
export const CLIENT_OUT_OF_MEMORY = 6;
/** The peer does not support TLS, has no version or cipher in common with the host, or received damaged messages. */
export const CLIENT_HANDSHAKE = 7;
/** No chain leads from the server's certificate to a trusted one. */
export const CLIENT_UNTRUSTED = 8;
/** The certificate is trusted, but for another name or address. */
export const CLIENT_WRONG_NAME = 9;
export const CLIENT_EXPIRED = 10;
/** The server requires a client certificate that it trusts. The client sent a different certificate or none. */
export const CLIENT_REFUSED = 11;

/** Maximum lengths of `trusted` and of a stored TLS session, bytes. */
export const TRUSTED_LIMIT = 12288;
export const SESSION_LIMIT = 3072;

/** Value of `trusted` that accepts any certificate. Use it only for signed data and for requests without secrets. */
export const ANYBODY = "anybody";

export interface ClientOptions {
	/** DNS name of up to 253 characters, or dotted IPv4. */
	readonly host: string;
	/** 1 to 65535. */
	readonly port: number;
	/**
	 * Time limit for name lookup, connection and handshake together, ms: 100 to 60000. The time runs from the constructor
	 * to the first `onWritable`.
	 */
	readonly timeoutMs: number;
	/** Required for TLS only. */
	readonly tls?: TLSClientOptions;
	onReadable?(count: number): void;
	/** `count` bytes may be written. The first call means that the connection is open and, with TLS, verified. */
	onWritable?(count: number): void;
	/** Called once with CLIENT_…, after all received bytes have been read. */
	onError?(code: number): void;
}

export interface TLSClientOptions {
	/**
	 * Trusted certificates as PEM text of up to TRUSTED_LIMIT bytes. If they are CA certificates, the server's chain must
	 * end with one of them, and the server's certificate must be for the expected name or address. If the server's own
	 * certificate is among them, the name in it does not matter. The constructor throws an Error for text without a
	 * certificate.
	 */
	readonly trusted: Uint8Array;
	/** Name that the certificate must be for; default `host`. */
	readonly name?: string;
	/** Unix ms for checking the validity of certificates; undefined: validity is not checked. */
	readonly utcMs?: number | undefined;
	/** PEM texts of the client's certificate and its key. If one text contains both, pass it as both members. */
	readonly identity?: { readonly certificate: Uint8Array; readonly key: Uint8Array };
	/** TLS session of an earlier connection to the same server with the same trusted certificates. */
	readonly session?: Uint8Array | undefined;
}

export interface Client {
	readonly remoteAddress: string;
	/** TLS session for the next connection, at most SESSION_LIMIT bytes; undefined until the server sends one. */
	readonly session: Uint8Array | undefined;
	/** True if the given TLS session has shortened the handshake. */
	readonly resumed: boolean;
	/** Returns the number of bytes, or undefined if there are none. */
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Sends what was written, then closes. If the connection is still being opened, the attempt is cancelled. */
	close(): void;
}

export interface ClientPort {
	/** Throws a RangeError for options beyond their limits, and an Error for unusable ones. */
	readonly io: new (
		options: ClientOptions,
	) => Client;
	/** Host-specific options. The caller spreads them into ClientOptions. */
	readonly pins: object;
}
