/** The client's end of a WebSocket (RFC 6455), for tests of our server. */
import assert from "node:assert/strict";

/** Fields of the handshake, with the key of the example in clause 1.3. */
export const CLIENT_HEADERS = Object.freeze({
	Upgrade: "websocket",
	Connection: "keep-alive, Upgrade",
	"Sec-WebSocket-Version": "13",
	"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
});

const MASK = Buffer.from([7, 130, 0, 255]);

/** A frame of a client, masked unless `isMasked` is false. `first`: FIN, RSV and opcode. */
export function clientFrame(first: number, payload: string | Uint8Array, isMasked = true): Buffer {
	const bytes = Buffer.from(payload);
	const bit = isMasked ? 0x80 : 0;
	const { length } = bytes;
	const head = Buffer.from(length < 126 ? [first, bit | length] : [first, bit | 126, length >> 8, length & 255]);
	if (!isMasked) return Buffer.concat([head, bytes]);
	return Buffer.concat([head, MASK, bytes.map((byte, i) => byte ^ MASK[i & 3])]);
}

/** Returns the whole frames of a server at the start of the bytes, as first bytes and payloads, and where they end. */
export function takeServerFrames(bytes: Buffer): [frames: [first: number, payload: string][], end: number] {
	const frames: [number, string][] = [];
	let at = 0;
	while (at + 4 <= bytes.length || (at + 2 <= bytes.length && bytes[at + 1] < 126)) {
		const isLong = bytes[at + 1] === 126;
		assert.ok(bytes[at + 1] <= 126, "not masked, and not too long");
		const start = at + (isLong ? 4 : 2);
		const end = start + (isLong ? bytes.readUInt16BE(at + 2) : bytes[at + 1]);
		if (end > bytes.length) break;
		frames.push([bytes[at], bytes.toString("utf8", start, end)]);
		at = end;
	}
	return [frames, at];
}
