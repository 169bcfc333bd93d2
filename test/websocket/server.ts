/** The server's end of a WebSocket (RFC 6455), for tests; it checks that the client masks. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const HEAD_END = "\r\n\r\n";

/** A client of the virtual world, or a SocketPeer. */
export type Peer = Pick<VirtualClient, "discard" | "onReceived" | "received" | "reset" | "send" | "text">;

/** The client at the other end of a socket of this computer. */
export class SocketPeer implements Peer {
	onReceived: (() => void) | undefined;
	received: Buffer = Buffer.alloc(0);
	readonly #socket: Duplex;

	/** `head`: bytes that were received already. */
	constructor(socket: Duplex, head: Buffer) {
		this.#socket = socket;
		this.received = head;
		socket.on("error", () => {});
		socket.on("end", () => socket.end());
		socket.on("data", (bytes: Buffer) => {
			this.received = Buffer.concat([this.received, bytes]);
			this.onReceived?.();
		});
	}

	get text(): string {
		return this.received.toString();
	}

	send(bytes: Uint8Array | string): void {
		if (!this.#socket.destroyed) this.#socket.write(bytes);
	}

	discard(count: number): void {
		this.received = this.received.subarray(count);
	}

	reset(): void {
		this.#socket.destroy();
	}
}

export interface ClientFrame {
	readonly code: number;
	readonly payload: Buffer;
}

/** Head of the reply that agrees to a handshake. */
export function agreement(request: string, more = ""): string {
	const key = /^Sec-WebSocket-Key: (\S+)\r$/m.exec(request)?.[1];
	assert.ok(key, request);
	assert.equal(Buffer.from(key, "base64").length, 16);
	const accept = createHash("sha1").update(`${key}${GUID}`).digest("base64");
	return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${more}\r\n`;
}

/** A frame of the server. `first`: FIN, RSV and opcode. */
export function frame(first: number, payload: string | Uint8Array): Buffer {
	const bytes = Buffer.from(payload);
	const head = bytes.length < 126 ? [first, bytes.length] : [first, 126, bytes.length >> 8, bytes.length & 255];
	return Buffer.concat([Buffer.from(head), bytes]);
}

/** Takes the handshake's request if it is complete. */
export function takeRequest(peer: Peer): string | undefined {
	const end = peer.text.indexOf(HEAD_END);
	if (end < 0) return undefined;
	const request = peer.text.slice(0, end + HEAD_END.length);
	peer.discard(request.length);
	return request;
}

/** Takes the client's next frame if it is complete. */
export function takeFrame(peer: Peer): ClientFrame | undefined {
	const bytes = Buffer.from(peer.received);
	if (bytes.length < 6) return undefined;
	assert.equal(bytes[0] & 0xf0, 0x80, "FIN, and no reserved bit");
	assert.equal(bytes[1] & 0x80, 0x80, "masked");
	const short = bytes[1] & 127;
	assert.ok(short < 127);
	const maskAt = short === 126 ? 4 : 2;
	const length = short === 126 ? bytes.readUInt16BE(2) : short;
	assert.ok(short < 126 || length > 125, "the shortest form of the length");
	if (bytes.length < maskAt + 4 + length) return undefined;
	const mask = bytes.subarray(maskAt, maskAt + 4);
	const payload = bytes.subarray(maskAt + 4, maskAt + 4 + length).map((byte, i) => byte ^ mask[i & 3]);
	peer.discard(maskAt + 4 + length);
	return { code: bytes[0] & 15, payload: Buffer.from(payload) };
}
