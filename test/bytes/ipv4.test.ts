import assert from "node:assert/strict";
import { isHostAddress, isSameNetwork, parseIPv4, prefixOf } from "../../modules/bytes/ipv4.js";

describe("bytes/ipv4", () => {
	it("reads dotted decimal and nothing else", () => {
		assert.equal(parseIPv4("0.0.0.0"), 0);
		assert.equal(parseIPv4("255.255.255.255"), 2 ** 32 - 1);
		assert.equal(parseIPv4("192.168.4.1"), 0xc0a80401);
		for (const text of [
			"",
			"1",
			"1.2.3",
			"1.2.3.4.5",
			"1.2.3.256",
			"01.2.3.4",
			"1.2.3.04",
			"1.2.3.4 ",
			"+1.2.3.4",
			"0x1.2.3.4",
			"1.2.3.1000",
		])
			assert.equal(parseIPv4(text), -1, text);
	});
	it("accepts only network masks of 8 to 30 leading one bits", () => {
		for (let length = 0; length <= 32; length++) {
			const mask = 2 ** 32 - 2 ** (32 - length);
			assert.equal(prefixOf(mask), length >= 8 && length <= 30 ? length : -1);
		}
		for (const text of ["255.0.255.0", "0.255.255.0", "255.255.255.1", "255.255.253.0"])
			assert.equal(prefixOf(parseIPv4(text)), -1, text);
	});
	it("distinguishes addresses of hosts from others", () => {
		const is = (text: string, prefix = 24) => isHostAddress(parseIPv4(text), prefix);
		for (const text of ["1.0.0.1", "126.0.0.1", "128.0.0.1", "223.255.255.254"]) assert.ok(is(text), text);
		for (const text of ["0.1.2.3", "127.0.0.1", "224.0.0.1", "240.0.0.1", "10.0.0.0", "10.0.0.255"])
			assert.ok(!is(text), text);
		assert.ok(is("10.0.0.255", 16));
		assert.ok(!is("10.0.255.255", 16));
	});
	it("tells whether two addresses are in the same network", () => {
		const same = (a: string, b: string, prefix: number) => isSameNetwork(parseIPv4(a), parseIPv4(b), prefix);
		assert.ok(same("10.0.0.1", "10.0.0.254", 24));
		assert.ok(!same("10.0.0.1", "10.0.1.1", 24));
		assert.ok(same("200.0.0.1", "200.255.0.1", 8));
		assert.ok(!same("10.0.0.1", "10.0.0.5", 30));
	});
});
