import assert from "node:assert/strict";
import { addParity } from "../../modules/bytes/parity.js";
import {
	DEVICE_ADDRESS_LIMIT,
	encodeAcknowledge,
	encodeBreak,
	encodeHandOver,
	encodeRepeatRequest,
	encodeSignOn,
	MESSAGE_LIMIT,
	WAKE_UP_LENGTH,
	WAKE_UP_PAUSE_MS,
} from "../../modules/iec62056-21/acknowledge.js";
import { bytesOf, textOf } from "../latin1.js";

function hex(write: (into: Uint8Array) => number, into = new Uint8Array(MESSAGE_LIMIT)): string {
	return Buffer.from(into.subarray(0, write(into))).toString("hex");
}

describe("messages of a reader to a meter", () => {
	it("include the sign-on of the standard: /?! CR LF", () => {
		assert.equal(
			hex((into) => encodeSignOn(into, new Uint8Array(0))),
			"2f3f210d0a",
		);
	});
	it("include the acknowledgement of mode E for each speed: ACK 2 Z 2 CR LF", () => {
		for (let number = 0; number < 7; number++)
			assert.equal(
				hex((into) => encodeHandOver(into, number)),
				`06323${number}320d0a`,
			);
	});
	it("get their parity bits from software on a port without parity", () => {
		const into = new Uint8Array(MESSAGE_LIMIT);
		const length = encodeSignOn(into, new Uint8Array(0));
		addParity(into, 0, length);
		assert.equal(Buffer.from(into.subarray(0, length)).toString("hex"), "af3f218d0a");
	});
	it("carry a device address of up to 32 characters in the sign-on", () => {
		for (const length of [1, DEVICE_ADDRESS_LIMIT - 1, DEVICE_ADDRESS_LIMIT, DEVICE_ADDRESS_LIMIT + 1]) {
			const into = new Uint8Array(100).fill(0xee);
			const written = encodeSignOn(into, bytesOf("7".repeat(length)));
			assert.equal(textOf(into, 0, written), `/?${"7".repeat(Math.min(length, DEVICE_ADDRESS_LIMIT))}!\r\n`);
			assert.ok(written <= MESSAGE_LIMIT);
			assert.equal(into[written], 0xee);
		}
	});
	it("include the acknowledgement of mode C for each speed: ACK 0 Z 0 CR LF", () => {
		assert.equal(
			hex((into) => encodeAcknowledge(into, 5)),
			"063035300d0a",
		);
		for (let number = 0; number <= 6; number++) {
			assert.equal(
				hex((into) => encodeAcknowledge(into, number)),
				`06303${number}300d0a`,
			);
		}
	});
	it("request a repetition with NAK", () => assert.equal(hex(encodeRepeatRequest), "15"));
	it("include the break, SOH B0 ETX q, with a correct BCC", () => {
		assert.equal(hex(encodeBreak), "0142300371");
		assert.equal(0x42 ^ 0x30 ^ 0x03, 0x71);
	});
	it("wake a battery meter for 2.1 to 2.3 s at 300 Bd, followed by a pause of 1.5 to 1.7 s", () => {
		const ms = (WAKE_UP_LENGTH * 10 * 1000) / 300;
		assert.ok(ms >= 2100 && ms <= 2300, `${ms} ms`);
		assert.ok(WAKE_UP_PAUSE_MS >= 1500 && WAKE_UP_PAUSE_MS <= 1700);
	});
});
