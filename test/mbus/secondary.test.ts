/** Secondary addresses: the reader selects slaves by them, and a search finds them, on virtual time. */
import assert from "node:assert/strict";
import { parseAddress, selectFrame } from "../../modules/mbus/secondary.js";
import { STATUS_OK } from "../../modules/readout/readout.js";
import { heatReading } from "../../tools/meter/heat.js";
import { type MBusMeterOptions, type Slave, slaveTelegrams } from "../../tools/meter/mbus-meter.js";
import { textOf } from "../latin1.js";
import { recordsOf } from "../meter/records.js";
import { mbusBed, SLAVES_LIMIT, search } from "./bed.js";

/** Maker LUG, version and medium of the simulated heat meters, as in an address. */
const HEAT_METER = "a7321704";

function slaveOf(ident: number, medium = 4): Slave {
	return { address: 0, telegrams: (nowMs) => slaveTelegrams(heatReading(0, nowMs), ident, medium, false) };
}

function addresses(...texts: string[]): Uint8Array[] {
	return texts.map((text) => parseAddress(text)!);
}

describe("secondary addresses of M-Bus", () => {
	it("are 8 or 16 digits, with F for any", () => {
		assert.equal(Buffer.from(parseAddress("12345678A7321704")!).toString("hex"), "78563412a7321704");
		assert.equal(Buffer.from(parseAddress("1234FFFF")!).toString("hex"), "ffff3412ffffffff");
		for (const text of ["", "1234567", "123456789", "1234567A", "12345678A73217", "1234 678"])
			assert.equal(parseAddress(text), undefined, text);
	});
	it("select a slave with the frame of the standard", () => {
		const [address] = addresses("12345678A7321704");
		const hex = Buffer.from(selectFrame(address)).toString("hex");
		assert.equal(hex, "680b0b6853fd5278563412a7321704aa16");
	});
	it("read slaves one by one, in the order of the list", () => {
		const slaves = [slaveOf(11_111_111), slaveOf(22_222_222, 7), slaveOf(22_222_333)];
		const secondary = addresses("22222222", `22222333${HEAT_METER}`, "1FFFFFFF");
		const { readout } = mbusBed({ slaves }, { secondary }).bed.read();
		assert.deepEqual([readout?.status, textOf(readout!.meterId)], [STATUS_OK, "LUG22222222"]);
		const records = recordsOf(readout?.records);
		for (const [i, ident] of [22_222_222, 22_222_333, 11_111_111].entries())
			assert.ok(records.includes(`0-${i + 1}:96.1.0*255: ${ident}`), `${ident}`);
		for (const faults of [{ silence: 3 }, { wrongCheck: 2 }, { echoes: true }, { sleeps: true }]) {
			const [name] = Object.keys(faults);
			const single = mbusBed({ slaves, ...faults }, { secondary: secondary.slice(0, 1) }).bed.read();
			assert.equal(single.readout?.status, STATUS_OK, name);
			assert.ok(recordsOf(single.readout?.records).includes("8-0:1.0.0*255: 561.08*m3"), name);
		}
	});
	it("give no value of another slave, of several at once, or of none", () => {
		const slaves = [slaveOf(11_111_111), slaveOf(11_222_222)];
		const codeOf = (options: Partial<MBusMeterOptions>, text: string) =>
			mbusBed({ slaves, ...options }, { secondary: addresses(text) }).bed.read().failure?.code;
		assert.equal(codeOf({}, "33333333"), "mbus/silence");
		assert.equal(codeOf({}, "11FFFFFF"), "mbus/cut");
		const damage = (frame: Uint8Array) => {
			const other = frame.slice();
			other[7]++;
			other[other.length - 2]++;
			return other;
		};
		assert.equal(codeOf({ damage }, "11111111"), "mbus/cut");
	});
	it("are found by a search", () => {
		assert.deepEqual(search({ slaves: [] }).found, []);
		const one = search({ slaves: [slaveOf(12_345_678)] });
		assert.deepEqual([one.found, one.isComplete], [[`12345678${HEAT_METER}`], true]);
		assert.ok(one.seconds < 3, `${one.seconds}`);
		for (const options of [{}, { echoes: true }]) {
			const idents = [10_000_000, 10_000_001, 10_000_019, 90_000_000, 90_000_009];
			const { found, isComplete, seconds } = search({ slaves: idents.map((ident) => slaveOf(ident)), ...options });
			assert.deepEqual([found, isComplete], [idents.map((ident) => `${ident}${HEAT_METER}`), true]);
			assert.ok(seconds < 100, `${seconds}`);
		}
	});
	it("are reported as incomplete if numbers are equal, if there are too many, or after three minutes", () => {
		const twins = search({ slaves: [slaveOf(12_345_678), slaveOf(12_345_678, 7), slaveOf(90_000_000)] });
		assert.deepEqual([twins.found, twins.isComplete], [[`90000000${HEAT_METER}`], false]);
		const many = search({ slaves: Array.from({ length: 17 }, (_, i) => slaveOf(12_345_670 + i)) });
		assert.deepEqual([many.found.length, many.isComplete], [SLAVES_LIMIT, false]);
		const slow = search({ slaves: [slaveOf(12_345_678), slaveOf(12_345_679)] }, 300);
		assert.equal(slow.isComplete, false);
		assert.ok(slow.seconds > 169 && slow.seconds < 175, `${slow.seconds}`);
	});
});
