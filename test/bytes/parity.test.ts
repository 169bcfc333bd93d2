import assert from "node:assert/strict";
import { addParity, hasEvenParity, ParityFilter } from "../../modules/bytes/parity.js";
import { bytesOf } from "../latin1.js";

function filtered(bytes: Uint8Array, filter = new ParityFilter()): string {
	const copy = bytes.slice();
	filter.filter(copy, 0, copy.length);
	return Buffer.from(copy).toString("hex");
}

function withParity(text: string): Uint8Array {
	const bytes = bytesOf(text);
	addParity(bytes, 0, bytes.length);
	return bytes;
}

const hex = (text: string): string => Buffer.from(text, "latin1").toString("hex");

describe("parity", () => {
	it("is even if the number of one bits is even", () => {
		for (let byte = 0; byte < 256; byte++) {
			const ones = [...byte.toString(2)].filter((digit) => digit === "1").length;
			assert.equal(hasEvenParity(byte), ones % 2 === 0, `${byte}`);
		}
	});
	it("is added to every character, whatever its bit 7 was, within the given bounds", () => {
		for (let character = 0; character < 256; character++) {
			const bytes = Uint8Array.of(character, character, character);
			addParity(bytes, 1, 2);
			assert.equal(bytes[1] & 0x7f, character & 0x7f);
			assert.ok(hasEvenParity(bytes[1]));
			assert.deepEqual([bytes[0], bytes[2]], [character, character]);
		}
	});
});

describe("the parity filter", () => {
	it("removes the parity bit, and marks a character with wrong parity", () => {
		for (let bit = 0; bit < 8; bit++) {
			const bytes = withParity("/LGZ5\r\n");
			bytes[3] ^= 1 << bit;
			const seen = filtered(bytes);
			assert.equal(seen.length, 14);
			const damaged = Number.parseInt(seen.slice(6, 8), 16);
			assert.ok(damaged >= 0x80);
			assert.equal(seen.slice(0, 6) + seen.slice(8), hex("/LG5\r\n"));
		}
	});
	it("leaves characters without a parity bit unchanged", () => {
		assert.equal(filtered(bytesOf("/LGZ5\r\n")), hex("/LGZ5\r\n"));
	});
	it("marks characters with bit 7 on a line without parity", () => {
		assert.equal(filtered(bytesOf("/L\xc7Z")), hex("/L\xc7Z"));
	});
	it("clears bit 7 of noise before the first slash", () => {
		const filter = new ParityFilter();
		assert.equal(filtered(Uint8Array.of(0xff, 0x80, 0x7f, 0x00), filter), "7f007f00");
		assert.equal(filtered(withParity("/AC"), filter), hex("/AC"));
	});
	it("does not take the echo of a sign-on for the meter, which may send no parity bits", () => {
		const filter = new ParityFilter();
		const ident = "/LGZ4ZMF100AC.M26\r\n";
		assert.equal(filtered(withParity("/?12345!\r\n"), filter), hex("/?12345!\r\n"));
		assert.equal(filtered(bytesOf(ident), filter), hex(ident));
	});
	it("recognises a line with parity even if its bytes arrive one by one", () => {
		const filter = new ParityFilter();
		let seen = "";
		for (const byte of withParity("\x00/LGZ5/TEST\r\n")) seen += filtered(Uint8Array.of(byte), filter);
		assert.equal(seen, hex("\x00/LGZ5/TEST\r\n"));
	});
	it("revises its decision if the slash that it was based on was noise or damaged", () => {
		const telegram = "/LGZ5TEST\r\n1.8.0(000123.4*kWh)\r\n2.8.0(000005.6*kWh)\r\n!\r\n";
		for (const [noise, line] of [
			[0x2f, withParity(telegram)],
			[0xaf, bytesOf(telegram)],
		] as const) {
			const filter = new ParityFilter();
			filtered(Uint8Array.of(noise), filter);
			assert.notEqual(filtered(line, filter), hex(telegram));
			assert.equal(filtered(line, filter), hex(telegram));
		}
	});
	it("keeps its decision while one in four characters is damaged, and marks each damaged one", () => {
		const line = withParity("/LGZ5TEST\r\n1.8.0(000123.4*kWh)\r\n");
		for (let i = 3; i < line.length; i += 4) line[i] ^= 0x80;
		const seen = Buffer.from(filtered(line), "hex");
		for (let i = 0; i < seen.length; i++) assert.equal(seen[i] >= 0x80, i % 4 === 3, `${i}`);
	});
	it("leaves bytes outside the given bounds unchanged", () => {
		const bytes = Uint8Array.of(0xff, 0xaf, 0xff);
		new ParityFilter().filter(bytes, 1, 2);
		assert.deepEqual([...bytes], [0xff, 0x2f, 0xff]);
	});
});
