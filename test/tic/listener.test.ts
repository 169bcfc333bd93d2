import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { encodeCharacter } from "../../hosts/node/wire-character.js";
import { EVENT_END, EVENT_READOUT } from "../../modules/readout/protocol.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { ticGroup } from "../../tools/meter/tic-telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { type Feedable, feeds, REFUSED } from "../feeds.js";
import { Bed, frameOf, type ReportedEvent } from "./bed.js";

const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const withParity = (bytes: Uint8Array) => bytes.map((character) => encodeCharacter(character));
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const meaningOf = ({ meterId, isCut, records }: ReportedEvent) => (isCut ? REFUSED : [meterId, ...records].join(" "));
/** Events for `bytes` from a meter that has first sent `before`, a frame with as many groups. */
function eventsAfter(before: Uint8Array, bytes: Uint8Array): ReportedEvent[] {
	const bed = new Bed();
	assert.deepEqual(bed.receive(before), []);
	return bed.receive(bytes);
}
const only = (frame: Uint8Array): ReportedEvent => {
	const events = eventsAfter(frame, frame);
	assert.equal(events.length, 1);
	return events[0];
};
/** Records of a frame with these groups. */
const shown = (...groups: string[]) => only(bytesOf(`\x02${groups.join("")}\x03`)).records;
const standard = (...fields: string[]) => ticGroup("standard", ...fields);
const historic = (...fields: string[]) => ticGroup("historic", ...fields);

const FED = {
	standard: [
		standard("ADSC", "041876543210"),
		standard("DATE", "E260720060000", ""),
		standard("EAST", "012572239"),
		standard("SMAXSN", "H260120060000", "06100"),
		standard("STGE", "003A4001"),
	],
	historic: [historic("ADCO", "041876543210"), historic("HCHC", "004150902"), historic("OPTARIF", "BBR( ")],
};

for (const mode of ["standard", "historic"] as const) {
	for (const isWithParity of [true, false]) {
		const plain = bytesOf(`\x02${FED[mode].join("")}\x03`);
		const frame = isWithParity ? withParity(plain) : plain;
		feeds(`a frame of TIC, ${mode}, ${isWithParity ? "with parity" : "whose parity an adapter has removed"}`, {
			open: (): Feedable => {
				const bed = new Bed();
				let nowMs = 0;
				bed.receive(join(frame, frame));
				let events: ReportedEvent[] = [];
				return {
					take: (bytes, start, end) => events.push(...bed.receive(bytes.subarray(start, end), nowMs)),
					settle: () => {
						nowMs += 2000;
						events.push(...bed.advance(nowMs));
						const meanings = events.map(meaningOf);
						events = [];
						return meanings;
					},
				};
			},
			frame,
			meaning: meaningOf(only(frame)),
			bits: isWithParity ? 8 : 7,
			checked: isWithParity,
			streams: true,
			garbage: [bytesOf("\x00\xff"), bytesOf("\x02"), bytesOf("\x02\n"), bytesOf("\x03\x04\r\n"), frame.subarray(40)],
		});
	}
}

describe("frames of TIC", () => {
	for (const name of vectorNames("tic")) {
		it(`are read from ${name}`, () => {
			const { meter_id, cut, first, last } = JSON.parse(readFileSync(vectorPath("tic", name, "json"), "utf8"));
			for (const bytes of [readTelegram(vectorPath("tic", name)), withParity(readTelegram(vectorPath("tic", name)))]) {
				const events = new Bed().receive(bytes);
				assert.deepEqual(
					events.map(({ isCut }) => isCut),
					cut,
				);
				assert.ok(events.every(({ event, meterId }) => event === EVENT_READOUT && meterId === meter_id));
				assert.deepEqual(events[0].records, first);
				assert.deepEqual(events.at(-1)?.records, last);
			}
		});
	}
});

describe("groups of TIC", () => {
	it("get the OBIS code of their quantity; apparent power is in VA", () => {
		assert.deepEqual(
			shown(
				standard("EAST", "080490250"),
				standard("EASF01", "041733418"),
				standard("EASF10", "000000001"),
				standard("EAIT", "003626872"),
				standard("ERQ3", "000017300"),
				standard("IRMS1", "007"),
				standard("URMS2", "236"),
				standard("SINSTS", "01234"),
				standard("SINSTS3", "00567"),
				standard("SINSTI", "01675"),
				standard("NTARF", "02"),
				standard("PRM", "14999999999998"),
			),
			[
				"1-0:1.8.0*255: 080490250*Wh",
				"1-0:1.8.1*255: 041733418*Wh",
				"1-0:1.8.10*255: 000000001*Wh",
				"1-0:2.8.0*255: 003626872*Wh",
				"1-0:7.8.0*255: 000017300*varh",
				"1-0:31.7.0*255: 007*A",
				"1-0:52.7.0*255: 236*V",
				"1-0:9.7.0*255: 01234*VA",
				"1-0:69.7.0*255: 00567*VA",
				"1-0:10.7.0*255: 01675*VA",
				"0-0:96.14.0*255: 02",
				"0-0:96.1.10*255: 14999999999998",
			],
		);
	});
	it("get the tariff numbers of a Linky in the historic form, and a single phase becomes L1", () => {
		assert.deepEqual(
			shown(
				historic("BASE", "012345678"),
				historic("HCHC", "000000001"),
				historic("HCHP", "000000002"),
				historic("BBRHPJR", "000844115"),
				historic("EJPHPM", "000000003"),
				historic("IINST", "012"),
				historic("IINST3", "013"),
				historic("IMAX2", "090"),
				historic("PAPP", "02840"),
				historic("PMAX", "06000"),
			),
			[
				"1-0:1.8.0*255: 012345678*Wh",
				"1-0:1.8.1*255: 000000001*Wh",
				"1-0:1.8.2*255: 000000002*Wh",
				"1-0:1.8.6*255: 000844115*Wh",
				"1-0:1.8.2*255: 000000003*Wh",
				"1-0:31.7.0*255: 012*A",
				"1-0:71.7.0*255: 013*A",
				"1-0:51.6.0*255: 090*A",
				"1-0:9.7.0*255: 02840*VA",
				"1-0:1.6.0*255: 06000*W",
			],
		);
	});
	it("have their time after their value, with the season's letter as on P1 ports", () => {
		for (const [season, expected] of [
			["H", "W"],
			["E", "S"],
			["h", "w"],
			["e", "s"],
			[" ", ""],
		]) {
			assert.deepEqual(
				shown(
					standard("DATE", `${season}250307134349`, ""),
					standard("SMAXSN1", `${season}250307060708`, "09835"),
					standard("UMOY1", `${season}250307134000`, "237"),
					standard("SMAXSN-1", `${season}250306072928`, "12717"),
				),
				[
					`0-0:1.0.0*255: 250307134349${expected}`,
					`1-0:29.6.0*255: 09835*VA, 250307060708${expected}`,
					`1-0:32.5.0*255: 237*V, 250307134000${expected}`,
					`SMAXSN-1: 12717, 250306072928${expected}`,
				],
			);
		}
	});
	it("keep their label if they have no code, and keep blanks in their text", () => {
		assert.deepEqual(
			shown(
				standard("NGTF", "H PLEINE/CREUSE "),
				standard("STGE", "003AC701"),
				historic("OPTARIF", "BBR( "),
				historic("DEMAIN", "----"),
			),
			["NGTF: H PLEINE/CREUSE ", "STGE: 003AC701", "OPTARIF: BBR( ", "DEMAIN: ----"],
		);
	});
	it("keep their label if its number is out of range", () => {
		assert.deepEqual(shown(standard("IRMS4", "007"), standard("EASF11", "000000007"), standard("ERQ5", "000000007")), [
			"IRMS4: 007",
			"EASF11: 000000007",
			"ERQ5: 000000007",
		]);
	});
	it("may have a blank as their checksum", () => {
		const group = standard("SMAXSN-1", "H250316044335", "06731");
		assert.equal(group.at(-2), " ");
		assert.deepEqual(shown(group), ["SMAXSN-1: 06731, 250316044335W"]);
	});
	it("are dropped one by one if they are damaged, and the readout is marked as cut", () => {
		const good = [standard("EAST", "080490250"), standard("EAIT", "003626872"), standard("URMS1", "236")];
		const frame = (groups: readonly string[]) => bytesOf(`\x02${groups.join("")}\x03`);
		const records = only(frame(good)).records;
		for (const bad of [
			"\nEAIT\t003626873\t'\r",
			"\nEAIT\t003\x1a26872\t'\r",
			"\nEAIT\t003\x0226872\t'\r",
			`\nEAIT\t${"0".repeat(200)}\t'\r`,
			"\n\r",
			"\nE\r",
			"\nEAIT\r",
			standard("EAIT", "00362687"),
			standard("EAIT", "0036268720"),
			standard("EAIT", "00362687A"),
			standard("EAIT", ""),
			standard("EAIT", "H250307134349", "00362687A"),
			standard("EAIT", "X250307134349", "003626872"),
			standard("EAIT", "H25030713434", "003626872"),
			standard("EAIT", "H25030713434x", "003626872"),
			standard("STGE", "H250307134349", "003626872", "1"),
			standard("eait", "003626872"),
			standard("LABELSSSSS", "003626872"),
			standard("00", "003626872"),
			"\0EAIT\t003626872\t'\r",
		]) {
			const damaged = frame([good[0], bad, good[2]]);
			const events = eventsAfter(frame(good), join(damaged, damaged));
			// The first frame of another length is dropped as a whole.
			assert.equal(events.length, bad.length === good[1].length ? 2 : 1, JSON.stringify(bad));
			for (const one of events)
				assert.deepEqual([one.isCut, one.records], [true, [records[0], records[2]]], JSON.stringify(bad));
		}
	});
	it("without a code are dropped in a frame with a damaged group, which may hide that blanks were added", () => {
		const groups = [
			standard("ADSC", "041876543210"),
			standard("EAST", "080490250"),
			standard("MSG1", "PAS DE MESSAGE"),
		];
		const frame = (text: string) => bytesOf(`\x02${text}\x03`);
		const good = frame(groups.join(""));
		const damaged = frame(groups.join("").replace("080490250", "08049").replace("DE ", "DE     "));
		assert.equal(damaged.length, good.length);
		const [event] = eventsAfter(good, damaged);
		assert.deepEqual([event.isCut, event.records], [true, ["0-0:96.1.0*255: 041876543210"]]);
	});
	it("are missed if only their end is left, even if another group has taken their place", () => {
		const frame = (...groups: string[]) => bytesOf(`\x02${groups.join("")}\x03`);
		const [first, second] = [standard("EAST", "080490250"), standard("EAIT", "003626872")];
		const good = frame(first, second);
		const damaged = frame(first, second.slice(-5), standard("URMS1", "236"));
		assert.equal(damaged.length, good.length);
		const [event] = eventsAfter(good, damaged);
		assert.equal(event.isCut, true);
	});
	it("are dropped in pairs if the end between them is lost", () => {
		const groups = [standard("EAST", "080490250"), standard("EAIT", "003626872"), standard("URMS1", "236")];
		const frame = (text: string) => bytesOf(`\x02${text}\x03`);
		const [event] = eventsAfter(frame(groups.join("")), frame(groups.join("").replace("'\r", "'\0")));
		assert.deepEqual([event.isCut, event.records], [true, ["1-0:1.8.0*255: 080490250*Wh"]]);
	});
	it("are dropped if a character has the wrong parity", () => {
		const frame = withParity(frameOf("standard"));
		const at = Buffer.from(frameOf("standard")).indexOf("EAST") + 6;
		const damaged = frame.slice();
		damaged[at] ^= 0x80;
		const [event] = eventsAfter(frame, damaged);
		assert.equal(event.isCut, true);
		assert.ok(!event.records.some((record) => record.startsWith("1-0:1.8.0")));
	});
});

describe("a line of TIC", () => {
	const frame = frameOf("standard");

	it("gives a frame if it is as long as the previous frame, or as the last accepted one", () => {
		const bed = new Bed();
		const short = bytesOf(`\x02${standard("EAST", "080490250")}\x03`);
		const count = (bytes: Uint8Array) => bed.receive(bytes).length;
		assert.deepEqual([frame, frame, short, frame, short, short, short].map(count), [0, 1, 0, 1, 0, 1, 1]);
	});
	it("does without groups that only one frame had, from the second frame without them on", () => {
		const frame = (...groups: string[]) => bytesOf(`\x02${groups.join("")}\x03`);
		const good = frame(standard("EAST", "080490250"), standard("MSG1", "x".repeat(32)));
		const other = frame(standard("EAST", "080490250"), standard("URMS1", "236"), standard("MSG1", "x".repeat(19)));
		assert.equal(other.length, good.length);
		const events = eventsAfter(good, join(good, other, good, good));
		assert.deepEqual(
			events.map(({ isCut }) => isCut),
			[false, false, true, false],
		);
	});
	it("marks the short frames of a meter in overload as cut, because they have no counters", () => {
		const long = [historic("ADCO", "041876543210"), historic("BASE", "004150902"), historic("IINST1", "012")];
		const short = [historic("ADIR1", "061"), historic("ADCO", "041876543210"), historic("IINST1", "061")];
		const [first, second] = [long, short].map((groups) => bytesOf(`\x02${groups.join("")}\x03`));
		const events = eventsAfter(first, join(first, second, second, first, first));
		assert.deepEqual(
			events.map(({ isCut }) => isCut),
			[false, true, false],
		);
	});
	it("drops a frame that is interrupted (EOT), cut, or begun again", () => {
		const half = frame.subarray(0, 300);
		for (const before of [join(half, bytesOf("\x04")), half.subarray(0, half.lastIndexOf(13) + 1)]) {
			const events = eventsAfter(frame, join(before, frame));
			assert.deepEqual(events.map(meaningOf), [meaningOf(only(frame))]);
		}
		assert.deepEqual(eventsAfter(frame, join(frame.subarray(0, 500), bytesOf("\x04"))), []);
	});
	it("keeps the previous serial number if that of a frame is damaged", () => {
		const damaged = frame.slice();
		damaged[Buffer.from(frame).indexOf("ADSC") + 6] ^= 3;
		const [event] = eventsAfter(frame, damaged);
		assert.deepEqual([event.meterId, event.isCut], ["041876543210", true]);
	});
	it("is tried at the other speed after each 2 s without a correct group while characters arrive", () => {
		const bed = new Bed();
		bed.advance(60_000);
		assert.deepEqual(bed.bauds, []);
		for (let nowMs = 60_000; nowMs < 66_000; nowMs += 100) {
			bed.receive(bytesOf("\xfe\x80\x0d\x7e"), nowMs);
			bed.advance(nowMs);
		}
		assert.deepEqual(bed.bauds, [1200, 9600]);
		bed.advance(66_200);
		assert.deepEqual(bed.bauds, [1200, 9600, 1200]);
		bed.advance(99_000);
		assert.equal(bed.bauds.length, 3);
		bed.receive(frameOf("historic"), 100_000);
		assert.equal(bed.receive(frameOf("historic"), 101_900).length, 1);
		bed.advance(103_900);
		assert.equal(bed.bauds.length, 3);
		bed.receive(new Uint8Array(64).fill(0x7e), 103_900);
		bed.advance(105_899);
		assert.equal(bed.bauds.length, 3);
		bed.advance(105_900);
		assert.equal(bed.listener.baud, 9600);
	});
	it("reports at its end whether no character, no group or no frame was received", () => {
		for (const [bytes, code] of [
			[bytesOf(""), "tic/silence"],
			[bytesOf("\x02\nEAST\t080490250\t?\r\x03/KFM5\r\n"), "tic/no-start"],
			[frame.subarray(0, 300), "tic/frame"],
			[join(frame, frame), undefined],
		] as const) {
			const bed = new Bed();
			bed.receive(bytes);
			bed.listener.abort(0);
			bed.listener.abort(0);
			assert.deepEqual(
				bed.take().map((event) => [event.event, event.code]),
				[[EVENT_END, code]],
			);
			assert.deepEqual(bed.receive(join(frame, frame)), []);
			assert.equal(bed.listener.deadlineMs, Number.POSITIVE_INFINITY);
		}
	});
});
