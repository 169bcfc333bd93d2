import assert from "node:assert/strict";
import { dateTime } from "../../tools/meter/dlms-data.js";
import { DrivenDLMSMeter } from "./driven-dlms-meter.js";

const aarq = (conformance = "001211", pdu = "ffff") =>
	`601da109060760857405080101be10040e01000000065f1f0400${conformance}${pdu}`;
const hex = (code: string) => Buffer.from(code.split(".").map(Number)).toString("hex");
const descriptor = (classId: number, code: string, attribute: number) =>
	`${classId.toString(16).padStart(4, "0")}${hex(code)}${attribute.toString(16).padStart(2, "0")}00`;

function associated(line = "", request = aarq()): DrivenDLMSMeter {
	const meter = new DrivenDLMSMeter(line).open();
	assert.match(meter.apdu(request), /a203020100/);
	return meter;
}

const get = (meter: DrivenDLMSMeter, classId: number, code: string, attribute = 2) =>
	meter.apdu(`c001c1${descriptor(classId, code, attribute)}`).replace(/^c401c1/, "");

/** Joins blocks, and checks that none is longer than `limit`. */
function getBlocks(meter: DrivenDLMSMeter, request: string, limit: number): { raw: string; count: number } {
	let raw = "";
	let answer = meter.apdu(request);
	for (let number = 1; ; number++) {
		assert.ok(answer.length / 2 <= limit, answer);
		const [, last, block, length, data] = /^c402c1(..)(.{8})00(81..|82.{4}|[0-7].)(.*)$/.exec(answer)!;
		assert.equal(Number.parseInt(block, 16), number);
		assert.equal(Number.parseInt(length.slice(length.length > 2 ? 2 : 0), 16), data.length / 2);
		raw += data;
		if (last === "01") return { raw, count: number };
		answer = meter.apdu(`c002c1${block}`);
	}
}

describe("The simulated DLMS meter, objects", () => {
	it("has the household's registers with scaler and unit", () => {
		const meter = associated();
		const value = (code: string) => Number.parseInt(get(meter, 3, code).slice(4), 16);
		const tariffs = value("1.0.1.8.1.255") + value("1.0.1.8.2.255");
		assert.ok(Math.abs(value("1.0.1.8.0.255") - tariffs) <= 1);
		assert.equal(get(meter, 3, "1.0.1.8.0.255", 3), "0002020f00161e");
		assert.ok(value("1.0.1.7.0.255") > 1000, "evening");
		for (const code of ["1.0.32.7.0.255", "1.0.52.7.0.255", "1.0.72.7.0.255"]) {
			assert.ok(Math.abs(value(code) - 2300) < 100);
			assert.equal(get(meter, 3, code, 3), "0002020fff1623");
		}
		assert.equal(get(meter, 1, "0.0.96.1.0.255"), `000908${Buffer.from("48151623").toString("hex")}`);
		assert.match(get(meter, 4, "1.0.1.6.0.255", 5), /^00090c07ea/);
		assert.match(get(meter, 5, "1.0.1.4.0.255", 3), /^0006/);
		assert.equal(get(meter, 5, "1.0.1.4.0.255", 8), "000600000384");
		assert.equal(get(meter, 3, "1.0.1.8.0.255", 1), `000906${hex("1.0.1.8.0.255")}`);
	});

	it("changes its values with time", () => {
		const meter = associated();
		const before = get(meter, 3, "1.0.1.8.0.255");
		meter.pass(100_000);
		assert.notEqual(get(meter, 3, "1.0.1.8.0.255"), before);
	});

	it("gives a reason for a missing value", () => {
		const line = "--deny 1.8.1,0-0:96.1.0/2 --missing 1.8.2 --result 2.8.0=11,1.7.0/3=250";
		const meter = associated(line);
		assert.equal(get(meter, 3, "1.0.1.8.1.255"), "0103");
		assert.equal(get(meter, 1, "0.0.96.1.0.255"), "0103");
		assert.match(get(meter, 1, "0.0.96.1.0.255", 1), /^00/);
		assert.equal(get(meter, 3, "1.0.1.8.2.255", 3), "0104");
		assert.equal(get(meter, 3, "1.0.2.8.0.255"), "010b");
		assert.deepEqual([get(meter, 3, "1.0.1.7.0.255", 3), get(meter, 3, "1.0.1.7.0.255").slice(0, 4)], ["01fa", "0006"]);
		assert.equal(get(meter, 3, "1.0.99.7.0.255"), "0104");
		assert.equal(get(meter, 1, "1.0.1.8.0.255"), "0109");
		const limited = associated("--public-limited");
		assert.equal(get(limited, 3, "1.0.1.8.0.255"), "0103");
		assert.equal(get(limited, 1, "0.0.43.1.0.255"), "000600000000");
	});

	it("answers GET with list if that was negotiated", () => {
		const requested = [descriptor(1, "0.0.96.1.0.255", 2), descriptor(3, "1.0.99.7.0.255", 2)];
		const list = `c003c102${requested.join("")}`;
		assert.equal(associated().apdu(list), `c403c102000908${Buffer.from("48151623").toString("hex")}0104`);
		assert.equal(associated("", aarq("001011")).apdu(list), "d80202");
		assert.equal(associated("--conformance 001011").apdu(list), "d80202");
		assert.equal(associated().apdu(list.slice(0, -2)), "d80202", "cut short");
	});

	it("sends a long reply in blocks, but only if that was negotiated", () => {
		const list = `c001c1${descriptor(15, "0.0.40.0.0.255", 2)}`;
		const whole = associated("--pdu 65535").apdu(list).slice("c401c100".length);
		assert.match(whole, /^01..0204120008110009060000010000ff0202/);
		for (const pdu of [64, 100, 200]) {
			const { raw, count } = getBlocks(associated(`--pdu ${pdu}`), list, pdu);
			assert.deepEqual([raw, count], [whole, Math.ceil(whole.length / 2 / (pdu - 12))]);
			assert.equal(getBlocks(associated("", aarq("001211", pdu.toString(16).padStart(4, "0"))), list, pdu).raw, whole);
		}
		assert.equal(associated("--pdu 100", aarq("000211")).apdu(list), "c401c10110");
		const meter = associated("--pdu 100");
		meter.apdu(list);
		assert.equal(meter.apdu("c002c100000002"), "c402c101000000020113");
		assert.equal(meter.apdu("c002c100000001"), "c402c101000000010113", "the transfer is over");
	});

	it("sends a list in blocks", () => {
		const codes = ["1.0.1.8.0.255", "1.0.2.8.0.255", "1.0.32.7.0.255", "1.0.1.7.0.255", "1.0.1.8.1.255"];
		const list = `c003c10a${codes.flatMap((code) => [descriptor(3, code, 3), descriptor(3, code, 1)]).join("")}`;
		const { raw, count } = getBlocks(associated("--pdu 64"), list, 64);
		assert.equal(count, 2);
		assert.match(raw, new RegExp(`^0a0002020f00161e000906${hex(codes[0])}00.*00`));
	});

	it("supports only GET and the ACTION of its association, and rejects the rest", () => {
		const meter = associated();
		assert.equal(meter.apdu(`c101c1${descriptor(8, "0.0.1.0.0.255", 2)}00`), "c501c103");
		assert.equal(meter.apdu(`c301c1${descriptor(8, "0.0.1.0.0.255", 1)}`), "c701c10400");
		for (const apdu of ["c004c1", "ff", "0e010601", "c8", "db"]) assert.match(meter.apdu(apdu), /^d80202$/, apdu);
		const failing = associated("--exception 1:1:1");
		assert.match(get(failing, 8, "0.0.1.0.0.255"), /^00/);
		assert.equal(get(failing, 8, "0.0.1.0.0.255"), "d80101");
	});

	it("sends the time in each of the three forms", () => {
		const at = Date.UTC(2020, 0, 5, 23, 3);
		const bytes = (deviation: "standard" | "swapped" | "none", minutes = 60) =>
			dateTime(at, { minutes, deviation }).toString("hex");
		assert.equal(bytes("standard"), "07e401060100030000ffc400");
		assert.equal(bytes("swapped"), "07e401060100030000003c00");
		assert.equal(bytes("none"), "07e401060100030000800000");
		assert.equal(bytes("standard", -90), "07e401050715210000005a00");
	});

	it("sends unusual types if its options say so", () => {
		const meter = associated("--odd-types");
		const tags = [
			"1.0.1.8.0.255",
			"1.0.1.8.1.255",
			"1.0.1.7.0.255",
			"1.0.2.7.0.255",
			"1.0.52.7.0.255",
			"1.0.72.7.0.255",
		];
		assert.deepEqual(
			tags.map((code) => get(meter, 3, code).slice(2, 4)),
			["15", "14", "17", "18", "00", "0d"],
		);
		assert.match(get(meter, 8, "0.0.1.0.0.255"), /^001907ea/);
		assert.equal(get(meter, 1, "0.0.96.5.0.255"), "000405b0");
	});
});
