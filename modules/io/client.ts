/**
 * Connections that the gateway makes itself, of the host contract (host.ts): TCP, and TLS on top of it that believes
 * nobody without a reason. Types, and how a connection ends. The rules of ECMA-419 in host.ts hold here as well.
 *
 * A TLS client shakes hands when the host has the memory for it; while another handshake goes on, of a listener or of a
 * client, it waits its turn. All that takes counts towards `timeoutMs`.
 */

/** The other side has closed. With TLS, an end without the closing alert may be told as this or as a break. */
export const CLIENT_ENDED = 1;
/** The connection broke: a reset, no acknowledgement, a record that makes no sense. */
export const CLIENT_BROKEN = 2;
/** There is no such name, or nobody answers for it. */
export const CLIENT_NO_ADDRESS = 3;
/** Nobody listens at that address and port, or no way leads there. */
export const CLIENT_UNREACHABLE = 4;
/** It did not stand in time. */
export const CLIENT_TIMEOUT = 5;
/** There is not the memory for it at this moment; nothing was sent. */
export const CLIENT_OUT_OF_MEMORY = 6;
/** No TLS came of it: the other side speaks none, none that is common, or has refused us. */
export const CLIENT_HANDSHAKE = 7;
/** What the server shows does not lead to anybody who is trusted. */
export const CLIENT_UNTRUSTED = 8;
/** It is a trusted one's, but for another name or address. */
export const CLIENT_WRONG_NAME = 9;
/** It has expired, or is not valid yet. */
export const CLIENT_EXPIRED = 10;

/** Bytes of PEM text that `trusted` may have, and of a session that is kept. */
export const TRUSTED_LIMIT = 12288;
export const SESSION_LIMIT = 3072;

/**
 * As the whole text of `trusted`: whoever answers is believed, with whatever certificate. Only for what proves itself by a
 * signature of its own and tells nothing that another may not hear. No text of certificates is this one by mistake.
 */
export const ANYBODY = "anybody";

export interface ClientOptions {
	/** A DNS name of up to 253 characters, or an IPv4 address in dotted decimal. */
	readonly host: string;
	/** 1 to 65535. */
	readonly port: number;
	/** From the constructor to the first `onWritable`, 100 to 60000: name, connection, handshake. */
	readonly timeoutMs: number;
	/** With TLS, and needed there. */
	readonly tls?: TLSClientOptions;
	/** Bytes can be read; `count` of them are waiting. */
	onReadable?(count: number): void;
	/** `count` bytes may be written. The first one says that the connection stands, and with TLS whom it is with. */
	onWritable?(count: number): void;
	/** It is over: CLIENT_…. Once, and after all that came before was read. */
	onError?(code: number): void;
}

export interface TLSClientOptions {
	/**
	 * Trusted certificates, PEM text of up to TRUSTED_LIMIT bytes: authorities, whose servers must show a chain that leads to
	 * them and the name (or address) that was asked for; or the server's very own certificate, which is believed whatever
	 * name it has; or ANYBODY. Other text in which there is no certificate is an Error of the constructor.
	 */
	readonly trusted: Uint8Array;
	/** What the certificate must be for; default `host`. */
	readonly name?: string;
	/** Unix time by which certificates are judged; undefined: the clock is not set, and their dates are not looked at. */
	readonly utcMs?: number | undefined;
	/** Shown to a server that asks who we are: PEM text of a certificate and its key. */
	readonly identity?: { readonly certificate: Uint8Array; readonly key: Uint8Array };
	/** `session` of one before, to the same server and with the same trust: shortens the handshake if both still know it. */
	readonly session?: Uint8Array | undefined;
}

export interface Client {
	/** The other side's address as text; "" until it is known. */
	readonly remoteAddress: string;
	/** TLS session, to be given to the next connection, at most SESSION_LIMIT bytes; undefined: the server gave none (yet). */
	readonly session: Uint8Array | undefined;
	/** With TLS: the handshake was shortened by the session that was given. */
	readonly resumed: boolean;
	/** Copies up to `end - start` bytes into `into`; returns how many, or undefined when nothing is waiting. */
	read(into: Uint8Array, start?: number, end?: number): number | undefined;
	write(bytes: Uint8Array, start?: number, end?: number): number;
	/** Sends what was written, then closes. Before the connection stands: gives up. */
	close(): void;
}

export interface ClientPort {
	/** Throws a RangeError for options beyond their limits, and an Error for what can't be used. */
	readonly io: new (
		options: ClientOptions,
	) => Client;
	/** What the constructor needs beside the settings; spread it into the options. */
	readonly pins: object;
}
