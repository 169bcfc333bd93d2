import assert from "node:assert/strict";
import fc from "fast-check";
import { CRC16_START, crc16, stepCRC16 } from "../../modules/bytes/crc16.js";

/** The CRC bit by bit from the definition of its polynomial. */
function slowCRC16(bytes: Uint8Array): number {
	let register = 0xffff;
	for (const byte of bytes) {
		register ^= byte;
		for (let bit = 0; bit < 8; bit++) register = register & 1 ? (register >> 1) ^ 0x8408 : register >> 1;
	}
	return register ^ 0xffff;
}

describe("bytes/crc16", () => {
	it("gives the published check values", () => {
		assert.equal(crc16(new TextEncoder().encode("123456789"), 0, 9), 0x906e);
		assert.equal(crc16(new Uint8Array(0), 0, 0), 0);
		// Frame headers seen on the wire: the check follows, low byte first.
		assert.equal(crc16(Uint8Array.of(0xa0, 0x07, 0x03, 0x21, 0x93), 0, 5), 0x010f);
	});

	it("agrees with the bitwise definition on any bytes from any start", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(10), (bytes, skip) => {
				const start = Math.min(skip, bytes.length);
				assert.equal(crc16(bytes, start, bytes.length), slowCRC16(bytes.subarray(start)));
			}),
		);
	});

	it("leaves the residue F0B8 after bytes followed by their check value", () => {
		const bytes = Uint8Array.of(0xa0, 0x07, 0x03, 0x21, 0x93, 0x0f, 0x01);
		assert.equal(bytes.reduce(stepCRC16, CRC16_START), 0xf0b8);
	});
});
