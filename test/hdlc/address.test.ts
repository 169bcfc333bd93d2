import assert from "node:assert/strict";
import {
	ADDRESS_BAD,
	addressEnd,
	encodeClientAddress,
	encodeServerAddress,
	isAllStations,
	serverAddressLength,
} from "../../modules/hdlc/address.js";
import { hex, unhex } from "./frames.js";

function server(logical: number, physical: number, length = 0): string {
	const into = new Uint8Array(8).fill(0xee);
	const end = encodeServerAddress(into, 2, { client: 16, logical, physical, length });
	if (end === ADDRESS_BAD) {
		assert.equal(hex(into), "ee".repeat(8));
		return "";
	}
	assert.equal(hex(into.subarray(0, 2)) + hex(into.subarray(end)), "ee".repeat(10 - end));
	return hex(into.subarray(2, end));
}

describe("an HDLC address", () => {
	it("is one byte for a logical device up to 127 without a physical device", () => {
		assert.equal(server(1, 0), "03");
		assert.equal(server(0, 0), "01");
		assert.equal(server(127, 0), "ff");
	});
	it("is two bytes with a physical device if both parts are at most 127", () => {
		assert.equal(server(1, 17), "0223");
		assert.equal(server(1, 127), "02ff");
		assert.equal(server(127, 1), "fe03");
	});
	it("is four bytes if a part is above 127", () => {
		assert.equal(server(145, 1), "02220003");
		assert.equal(server(1, 128), "00020201");
		assert.equal(server(128, 0), "02000001");
		assert.equal(server(1, 5481), "000254d3");
		assert.equal(server(16383, 16383), "fefefeff");
	});
	it("has the configured length if the parts fit into it", () => {
		assert.equal(server(1, 0, 1), "03");
		assert.equal(server(1, 0, 2), "0201");
		assert.equal(server(1, 17, 2), "0223");
		assert.equal(server(1, 17, 4), "00020023");
		assert.equal(server(1, 0, 4), "00020001");
	});
	it("does not exist if the parts do not fit, or a part or the length is invalid", () => {
		assert.equal(server(1, 17, 1), "");
		assert.equal(server(128, 0, 1), "");
		assert.equal(server(128, 1, 2), "");
		assert.equal(server(1, 128, 2), "");
		assert.equal(server(16384, 1), "");
		assert.equal(server(1, 16384), "");
		assert.equal(server(-1, 0), "");
		assert.equal(server(1, -1), "");
		assert.equal(server(1, 1, 3), "");
		assert.equal(serverAddressLength({ client: 16, logical: 1, physical: 1, length: 3 }), 0);
	});
	it("is one byte for a client, up to 127", () => {
		const encoded = (client: number) => {
			const into = new Uint8Array(2);
			const end = encodeClientAddress(into, 0, { client, logical: 1, physical: 0, length: 0 });
			return end === ADDRESS_BAD ? "" : hex(into.subarray(0, end));
		};
		assert.deepEqual([0, 1, 16, 32, 127, 128, 16383, -1].map(encoded), ["01", "03", "21", "41", "ff", "", "", ""]);
	});
	it("means all stations if all bits of the last part are 1", () => {
		const all = (logical: number, physical: number, length = 0) =>
			isAllStations({ client: 16, logical, physical, length });
		assert.ok(all(127, 0) && all(1, 127) && all(1, 16383) && all(16383, 0));
		assert.ok(!all(1, 0) && !all(127, 1) && !all(1, 126) && !all(1, 127, 4) && !all(127, 0, 4) && !all(1, 16382));
	});
	it("ends with its first odd byte, which must be the first, second or fourth", () => {
		const end = (text: string) => addressEnd(unhex(text), 0, text.length / 2);
		assert.deepEqual([end("03ff"), end("0223"), end("02220003ff")], [1, 2, 4]);
		assert.deepEqual([end("020203"), end("02020202"), end("0202020203")], [ADDRESS_BAD, ADDRESS_BAD, ADDRESS_BAD]);
		assert.deepEqual([end(""), end("02"), end("0202"), end("020202")], [0, 0, 0, 0]);
	});
});
