/** Unsolicited DLMS/COSEM: the listener with captures and with pushes made here. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { DLMS_PUSH } from "../../modules/cosem/push.js";
import { FORMAT_8E1, FORMAT_8N1 } from "../../modules/io/host.js";
import { OUTPUT_LINE } from "../../modules/io/machine.js";
import { EVENT_END, EVENT_POOR } from "../../modules/readout/protocol.js";
import { type Readout, STATUS_OK, STATUS_UNCHECKED } from "../../modules/readout/readout.js";
import { protect } from "../../tools/meter/dlms-cipher.js";
import { blockPush, hdlcPush, mbusPush } from "../../tools/meter/push-frames.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { type Capture, captures } from "../dlms/vectors.js";
import { feeds, REFUSED } from "../feeds.js";
import type { WritableDLMSSettings } from "../meter/reader-bed.js";
import { dlmsSettings, ReaderBed } from "../meter/reader-bed.js";
import { recordsOf } from "../meter/records.js";
import { cipheredP1 } from "../meter/telegrams.js";
import { PushBed } from "./push-bed.js";

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const KEY = hex("000102030405060708090a0b0c0d0e0f");
const AK = hex("d0d1d2d3d4d5d6d7d8d9dadbdcdddedf");
const TITLE = hex("4b464d6750000009");
const BOTH = { encryptionKey: KEY, authenticationKey: AK };
/** A push with its time, then code, value, scaler and unit. */
const PLAIN = hex("0f00000001 0c07e5091b01092f0f00ff8880 0203 09060100010800ff 0600003289 02020f00161e");
const RECORDS = ["0-0:1.0.0*255: 2021-09-27T09:47:15+02:00", "1-0:1.8.0*255: 12937*Wh"];

interface Sealing {
	readonly control?: number;
	readonly counter?: number;
	readonly title?: Uint8Array;
	readonly tag?: number;
	readonly key?: Uint8Array;
}

/** The message `plain` in general-glo-ciphering. */
function sealed(
	plain: Uint8Array,
	{ control = 0x30, counter = 1, title = TITLE, tag = 0xdb, key = KEY }: Sealing = {},
) {
	const body = protect({ encryption: key, authentication: AK }, { title, counter }, control, plain);
	const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
	return Uint8Array.from([tag, title.length, ...title, ...length, ...body]);
}

/** The code of each failure, or the records of each readout. */
function resultsOf(outcomes: readonly (Readout | string)[]) {
	return outcomes.map((one) => (typeof one === "string" ? one : recordsOf(one.records)));
}

function statusOf(outcomes: readonly (Readout | string)[]): number {
	const [first] = outcomes;
	assert.ok(typeof first === "object", `${first}`);
	return first.status;
}

function keysOf(capture: Capture): Partial<WritableDLMSSettings> {
	const { key, authentication_key: authenticationKey } = capture;
	return {
		...(key === undefined ? {} : { encryptionKey: hex(key) }),
		...(authenticationKey ? { authenticationKey: hex(authenticationKey) } : {}),
	};
}

describe("captured pushes of DLMS/COSEM", () => {
	for (const capture of captures()) {
		const { push, apdu, name } = capture;
		const forms = {
			"one frame": hdlcPush(apdu),
			segments: hdlcPush(apdu, 100),
			blocks: blockPush(apdu, 99),
			"M-Bus": mbusPush(apdu),
		};
		for (const [form, bytes] of Object.entries(forms)) {
			it(`${name} gives its recorded result in this form: ${form}`, () => {
				const outcomes = new PushBed(keysOf(capture)).take(bytes);
				assert.equal(outcomes.length, 1);
				const [first] = outcomes;
				if (typeof first === "string") assert.equal(first, push.failure);
				else {
					assert.equal(Buffer.from(first.meterId).toString("latin1"), push.meter_id);
					assert.equal(first.status, push.status);
					assert.deepEqual(recordsOf(first.records), push.records);
					assert.equal(first.protocol, "DLMS/COSEM");
					assert.equal(first.baud, 9600);
				}
			});
		}
	}

	/** Captures as sent, with their frames. */
	const lines: [string, Uint8Array][] = [
		...vectorNames("hdlc")
			.filter((name) => name.includes("push"))
			.map((name): [string, Uint8Array] => [name, readTelegram(vectorPath("hdlc", name))]),
		...vectorNames("mbus").map((name): [string, Uint8Array] => [name, readTelegram(vectorPath("mbus", name))]),
	];
	/** Results of captures that fail their checks or need a key. */
	const REFUSALS: Record<string, (string | undefined)[]> = {
		"landis-gyr-zmf100-push": [],
		"landis-gyr-e450-push-broken": [],
		"elster-kmswest-general-glo": ["dlms-push/no-key"],
	};
	for (const [name, bytes] of lines) {
		it(`${name} gives readouts, or its expected failure, in its captured frames`, () => {
			const capture = captures().find(({ key }) => key !== undefined && bytes.join().includes(hex(key).join()));
			assert.equal(capture, undefined, "no frame contains a key");
			const isCiphered = name.includes("ciphered") || name.includes("general-glo");
			const bed = new PushBed();
			const outcomes = [...bed.take(bytes), ...bed.silence()];
			const expected = REFUSALS[name] ?? (isCiphered ? ["dlms-push/no-key"] : undefined);
			if (expected !== undefined) assert.deepEqual(outcomes, expected);
			else
				assert.ok(outcomes.length > 0 && outcomes.every((one) => typeof one === "object"), resultsOf(outcomes).join());
		});
	}
});

describe("bodies of pushes", () => {
	const head = "0f 00000001 00";
	const cases: Record<string, { body: string; records: string[] }> = {
		"structures of code, value, scaler and unit": {
			body: "0101 0203 09060100020800ff 0600000064 0202 0f01 161e",
			records: ["1-0:2.8.0*255: 1000*Wh"],
		},
		"scaler and unit before the value": {
			body: "0203 09060100200700ff 0202 0fff 1623 1208fc",
			records: ["1-0:32.7.0*255: 230.0*V"],
		},
		"class and attribute with the code": {
			body: "0101 0204 120003 09060100010700ff 0f02 0600000064",
			records: ["1-0:1.7.0*255: 100"],
		},
		"another attribute than the value": {
			body: "0101 0204 120046 0906000060030aff 0f03 1601",
			records: ["0-0:96.3.10*255: 1"],
		},
		"a value that looks like a code": {
			body: "0202 0906000060 0101ff 0906 313630343536",
			records: ["0-0:96.1.1*255: 160456"],
		},
		"the list's own code, which does not belong to the value after it": {
			body: "0203 09060006190900ff 0904 31323334 0202 09060100010800ff 0600000064",
			records: ["1-0:1.8.0*255: 100"],
		},
		"a code without a value": { body: "0203 09060100010700ff 00 09060100020700ff", records: [] },
	};
	for (const [name, { body, records }] of Object.entries(cases)) {
		it(`${name}: ${records.length > 0 ? "accepted" : "refused"}`, () => {
			const outcomes = resultsOf(new PushBed().take(hdlcPush(hex(head + body))));
			assert.deepEqual(outcomes, [records.length > 0 ? records : "dlms-push/unknown"]);
		});
	}

	for (const [name, body] of [
		["numbers without codes", "0203 0908 3136383230303035 0600000571 12094b"],
		["numbers without codes after the list's own code", "0203 09060006190900ff 0600000571 0600000001"],
		["nothing but a name", "0201 0908 3136383230303035"],
	]) {
		it(`${name}: refused as dlms-push/no-codes, plain and ciphered, although the push has a time`, () => {
			const plain = hex(`0f 00000001 0c07e5091b01092f0f00ff8880 ${body}`);
			assert.deepEqual(new PushBed().take(hdlcPush(plain)), ["dlms-push/no-codes"]);
			const bed = new PushBed(BOTH);
			assert.deepEqual(bed.take(mbusPush(sealed(plain))), ["dlms-push/no-codes"]);
			assert.equal(bed.opening.records.kept, undefined);
		});
	}

	it("values without scalers: accepted, with the scalers of a known maker in the system title", () => {
		const plain = hex(`${head} 0204 09060100010800ff 0600000064 09060100200700ff 1208fc`);
		const read = (push: Uint8Array) => resultsOf(new PushBed(BOTH).take(mbusPush(push)));
		assert.deepEqual(read(sealed(plain)), [["1-0:1.8.0*255: 100*Wh", "1-0:32.7.0*255: 230.0*V"]]);
		const other = sealed(plain, { title: hex("5858580000000001") });
		assert.deepEqual(read(other), [["1-0:1.8.0*255: 100", "1-0:32.7.0*255: 2300"]]);
	});

	it("fewer or more values than objects: refused", () => {
		const objects = "0102 0204 120003 09060100010800ff 0f02 120000 0204 120003 09060100020800ff 0f02 120000";
		for (const [count, values] of [
			["01", ""],
			["02", "0600000001"],
			["04", "0600000001 0600000002 0600000003"],
		]) {
			assert.deepEqual(new PushBed().take(hdlcPush(hex(`${head} 02${count} ${objects} ${values}`))), [
				"dlms-push/unknown",
			]);
		}
		const both = hex(`${head} 0203 ${objects} 0600000001 0600000002`);
		assert.deepEqual(resultsOf(new PushBed().take(hdlcPush(both))), [["1-0:1.8.0*255: 1*Wh", "1-0:2.8.0*255: 2*Wh"]]);
	});
});

describe("the protection of pushes", () => {
	it("a push with a correct tag is accepted with both keys, in suites 0 and 1, glo and ded", () => {
		for (const tag of [0xdb, 0xdc]) {
			for (const control of [0x30, 0x31]) {
				const outcomes = new PushBed(BOTH).take(hdlcPush(sealed(PLAIN, { tag, control })));
				assert.deepEqual(resultsOf(outcomes), [RECORDS]);
				assert.equal(statusOf(outcomes), STATUS_OK);
			}
		}
	});

	it("a push without a tag, or without a key to check its tag, has the status unchecked", () => {
		for (const control of [0x20, 0x30]) {
			const outcomes = new PushBed({ encryptionKey: KEY }).take(hdlcPush(sealed(PLAIN, { control })));
			assert.deepEqual(resultsOf(outcomes), [RECORDS]);
			assert.equal(statusOf(outcomes), STATUS_UNCHECKED);
		}
	});

	it("a push under the broadcast key is accepted if that key is configured", () => {
		const cases: [Partial<WritableDLMSSettings>, number, number][] = [
			[BOTH, 0x70, STATUS_OK],
			[BOTH, 0x71, STATUS_OK],
			[{ encryptionKey: KEY }, 0x70, STATUS_UNCHECKED],
			[{ encryptionKey: KEY }, 0x60, STATUS_UNCHECKED],
		];
		for (const [keys, control, status] of cases) {
			const outcomes = new PushBed(keys).take(hdlcPush(sealed(PLAIN, { control })));
			assert.deepEqual(resultsOf(outcomes), [RECORDS]);
			assert.equal(statusOf(outcomes), status);
		}
	});

	const refused: Record<string, [Partial<WritableDLMSSettings>, Uint8Array, string]> = {
		"without a key": [{}, sealed(PLAIN), "dlms-push/no-key"],
		"with a wrong key": [{ encryptionKey: AK }, sealed(PLAIN, { control: 0x20 }), "dlms-push/key"],
		"with a wrong key and a tag": [{ ...BOTH, encryptionKey: AK }, sealed(PLAIN), "dlms/tag"],
		"with a wrong authentication key": [{ ...BOTH, authenticationKey: KEY }, sealed(PLAIN), "dlms/tag"],
		"without a tag where there is a key for it": [BOTH, sealed(PLAIN, { control: 0x20 }), "dlms-push/no-tag"],
		"without a tag under the broadcast key": [BOTH, sealed(PLAIN, { control: 0x60 }), "dlms-push/no-tag"],
		"under a broadcast key that is not the key": [
			{ encryptionKey: AK },
			sealed(PLAIN, { control: 0x60 }),
			"dlms-push/broadcast-key",
		],
		"under a broadcast key that is not the key, with a tag": [
			{ ...BOTH, encryptionKey: AK },
			sealed(PLAIN, { control: 0x70 }),
			"dlms-push/broadcast-key",
		],
		"unencrypted although there is a key": [BOTH, PLAIN, "dlms-push/open"],
		"of security suite 2": [BOTH, sealed(PLAIN, { control: 0x32 }), "dlms/security-suite-2"],
		"with the gateway's own system title": [
			BOTH,
			sealed(PLAIN, { title: Uint8Array.from(Buffer.from("SMG12345")) }),
			"dlms/meter-title",
		],
		"with a title of another length": [BOTH, sealed(PLAIN, { title: hex("4b464d") }), "dlms/meter-title"],
		"with another APDU inside": [BOTH, sealed(hex("c401c100")), "dlms-push/key"],
		"cut short": [{}, PLAIN.subarray(0, 30), "dlms-push/unknown"],
		"with bytes after it": [{}, Uint8Array.from([...PLAIN, 0]), "dlms-push/unknown"],
	};
	for (const [name, [settings, apdu, code]] of Object.entries(refused)) {
		it(`a push ${name} is refused, and nothing of it is shown`, () => {
			const bed = new PushBed(settings);
			assert.deepEqual(bed.take(mbusPush(apdu)), [code]);
			assert.equal(bed.opening.records.kept, undefined);
			assert.equal(bed.settings.learnedPush.length, 0);
		});
	}

	it("a push with any bit changed is refused", () => {
		const apdu = sealed(PLAIN);
		for (let bit = 0; bit < apdu.length * 8; bit++) {
			const changed = apdu.slice();
			changed[bit >> 3] ^= 1 << (bit & 7);
			const outcomes = new PushBed(BOTH).take(mbusPush(changed));
			assert.ok(
				outcomes.every((one) => typeof one === "string"),
				`bit ${bit}`,
			);
		}
	});

	for (const control of [0x20, 0x30]) {
		it(`a replayed push is refused, security control ${control.toString(16)}`, () => {
			const settings = control === 0x30 ? BOTH : { encryptionKey: KEY };
			const bed = new PushBed(settings);
			const push = (counter: number) =>
				bed
					.take(hdlcPush(sealed(PLAIN, { control, counter })))
					.map((one) => (typeof one === "string" ? one : one.status));
			const good = control === 0x30 ? STATUS_OK : STATUS_UNCHECKED;
			assert.deepEqual(push(7), [good]);
			assert.deepEqual(push(7), ["dlms-push/replay"]);
			assert.deepEqual(push(6), ["dlms-push/replay"]);
			assert.deepEqual(push(8), [good]);
			// Another listener continues from the memory of the first, as after a probe.
			const next = new PushBed(bed.settings, bed.opening.memory);
			assert.deepEqual(next.take(hdlcPush(sealed(PLAIN, { control, counter: 8 }))), ["dlms-push/replay"]);
			// After a restart only the counters in flash are known: the first one and every 200th.
			const afterRestart = (counter: number) =>
				resultsOf(new PushBed(bed.settings).take(hdlcPush(sealed(PLAIN, { control, counter }))));
			assert.deepEqual(afterRestart(7), ["dlms-push/replay"]);
			for (let counter = 9; counter <= 400; counter++) assert.deepEqual(push(counter), [good]);
			assert.deepEqual(afterRestart(206), ["dlms-push/replay"]);
			assert.deepEqual(afterRestart(207), ["dlms-push/replay"]);
			assert.deepEqual(afterRestart(208), [RECORDS], "a restart forgets only the counters since the last one in flash");
		});
	}

	it("a forged push with a high counter does not lock the meter out", () => {
		const bed = new PushBed({ encryptionKey: KEY });
		const forged = sealed(PLAIN, { control: 0x20, key: AK, counter: 0xffff_ffff });
		assert.deepEqual(bed.take(hdlcPush(forged)), ["dlms-push/key"]);
		assert.equal(statusOf(bed.take(hdlcPush(sealed(PLAIN, { control: 0x20, counter: 3 })))), STATUS_UNCHECKED);
	});

	it("a push with another system title is refused under the same keys until the settings change", () => {
		const bed = new PushBed(BOTH);
		const title = hex("4b464d6750000010");
		assert.equal(statusOf(bed.take(hdlcPush(sealed(PLAIN, { counter: 900 })))), STATUS_OK);
		for (const next of [bed, new PushBed(bed.settings)])
			assert.deepEqual(next.take(hdlcPush(sealed(PLAIN, { counter: 901, title }))), ["dlms-push/other-meter"]);
		assert.equal(statusOf(bed.take(hdlcPush(sealed(PLAIN, { counter: 902 })))), STATUS_OK);
		DLMS_PUSH.forget?.(bed.opening.settings);
		const restarted = new PushBed(bed.settings);
		assert.equal(statusOf(restarted.take(hdlcPush(sealed(PLAIN, { counter: 5, title })))), STATUS_OK);
		assert.deepEqual([...bed.settings.learnedPush.subarray(0, 8)], [...title]);
	});

	it("a replayed push is refused even if it encodes the length of its title differently", () => {
		const bed = new PushBed(BOTH);
		const apdu = sealed(PLAIN, { counter: 7 });
		const longer = Uint8Array.from([apdu[0], 0x81, ...apdu.subarray(1)]);
		assert.equal(statusOf(bed.take(hdlcPush(apdu))), STATUS_OK);
		assert.deepEqual(bed.take(hdlcPush(longer)), ["dlms-push/replay"]);
		assert.deepEqual(new PushBed(bed.settings).take(hdlcPush(longer)), ["dlms-push/replay"]);
	});

	it("flash is written once in 200 pushes, however fast the counter grows", () => {
		for (const step of [1, 7, 1000]) {
			const bed = new PushBed(BOTH);
			let writes = 0;
			const { learnPush } = bed.settings;
			bed.settings.learnPush = (push) => {
				writes++;
				learnPush.call(bed.settings, push);
			};
			for (let i = 0; i < 1000; i++) bed.take(hdlcPush(sealed(PLAIN, { counter: 5 + i * step })));
			assert.ok(writes >= 5 && writes <= 6, `${writes} writes with steps of ${step}`);
		}
	});
});

function openPlain() {
	const bed = new PushBed();
	const outcomes: (Readout | string)[] = [];
	return {
		take: (bytes: Uint8Array, start: number, end: number) => {
			outcomes.push(...bed.take(bytes, start, end));
		},
		settle: () => {
			outcomes.push(...bed.silence());
			return outcomes.splice(0).map((one) => (typeof one === "string" ? REFUSED : recordsOf(one.records).join()));
		},
	};
}
const FEED = { open: openPlain, meaning: RECORDS.join(), bits: 8, checked: true, streams: false };
const GARBAGE = [hex("7e7e7e"), hex("6868"), hex("68fafa68ff"), hex("7ea0")];
feeds("a push in HDLC", { ...FEED, frame: Uint8Array.from(hdlcPush(PLAIN, 20)), spare: 1, garbage: GARBAGE });
feeds("a push in blocks", { ...FEED, frame: Uint8Array.from(blockPush(PLAIN, 20)), spare: 1 });
// The 8-bit sum of M-Bus misses 1 of 256 damaged frames, but none with a single flipped bit.
feeds("a push in M-Bus", {
	...FEED,
	frame: Uint8Array.from(mbusPush(PLAIN, 20)),
	garbage: [hex("68"), hex("16"), hex("7ea0")],
});

describe("a ciphered P1 telegram without a frame", () => {
	const P1_KEYS = { encryptionKey: new Uint8Array(16).fill(0xaa), authenticationKey: new Uint8Array(16).fill(0xbb) };
	const named = ([first]: (Readout | string)[]) => {
		assert.ok(typeof first === "object", `${first}`);
		const records = recordsOf(first.records);
		assert.ok(records.some((record) => record.startsWith("0-1:24.2.1")));
		return [Buffer.from(first.meterId).toString("latin1"), first.status, records.length];
	};

	it("is read like the plain telegram that it contains, in pieces of any size", () => {
		for (const piece of [1, 13, 64, 5000]) {
			const bed = new PushBed(P1_KEYS);
			const outcomes: (Readout | string)[] = [];
			const telegram = cipheredP1();
			for (let at = 0; at < telegram.length; at += piece)
				outcomes.push(...bed.take(telegram, at, Math.min(telegram.length, at + piece)));
			assert.deepEqual(named(outcomes), ["GWS5\\2HOUSE-3P", STATUS_OK, 35]);
			assert.equal(outcomes.length, 1);
		}
	});

	it("is read again and again after a late start, with or without a silence between telegrams", () => {
		const bed = new PushBed(P1_KEYS);
		assert.deepEqual(bed.take(cipheredP1(1).subarray(300)), []);
		bed.nowMs += 900;
		assert.equal(bed.take(Buffer.concat([cipheredP1(2), cipheredP1(3)])).length, 2);
		bed.nowMs += 900;
		assert.equal(named(bed.take(cipheredP1(4)))[1], STATUS_OK);
		assert.deepEqual(bed.take(cipheredP1(4)), ["dlms-push/replay"]);
	});

	it("has the status unchecked without an authentication key, and is refused if truncated or the keys are wrong", () => {
		const { encryptionKey } = P1_KEYS;
		assert.equal(named(new PushBed({ encryptionKey }).take(cipheredP1()))[1], STATUS_UNCHECKED);
		assert.deepEqual(new PushBed().take(cipheredP1()), ["dlms-push/no-key"]);
		assert.deepEqual(new PushBed(BOTH).take(cipheredP1()), ["dlms/tag"]);
		assert.deepEqual(new PushBed({ encryptionKey: KEY }).take(cipheredP1()), ["dlms-push/key"]);
		const bed = new PushBed(P1_KEYS);
		assert.deepEqual([...bed.take(cipheredP1().subarray(0, 500)), ...bed.silence()], []);
		assert.equal(named(bed.take(cipheredP1()))[1], STATUS_OK);
	});

	it("is refused if its CRC is wrong, and gives one result for many small telegrams in one APDU", () => {
		const text = (telegram: string) => sealed(Uint8Array.from(Buffer.from(telegram.padEnd(200))));
		assert.deepEqual(new PushBed(BOTH).take(text("/AAA5x\r\n\r\n1-0:1.8.0(1*kWh)\r\n!0000\r\n")), ["dlms-push/key"]);
		const many = sealed(Uint8Array.from(Buffer.from("/AAA5x\n1.8.0(1)\n!\n".repeat(70))));
		assert.equal(new PushBed(BOTH).take(many).length, 1);
	});

	it("is not accepted unciphered in an HDLC frame", () => {
		assert.deepEqual(new PushBed().take(hdlcPush(Uint8Array.from(Buffer.from("/AAA5x\n1.8.0(1)\n!\n")))), []);
	});
});

describe("a listener to pushes", () => {
	it("adds 256 to the wrong length byte of Sagemcom meters", () => {
		const many = Array.from(
			{ length: 16 },
			(_, i) => `0203 09060100${(i + 1).toString(16).padStart(2, "0")}0800ff 0600000001 02020f00161e`,
		);
		const plain = hex(`0f00000001 00 0110 ${many.join("")}`);
		const bytes = mbusPush(plain, 252);
		assert.equal(bytes[1], 1);
		const [first] = new PushBed().take(bytes);
		assert.ok(typeof first === "object");
		assert.equal(recordsOf(first.records).length, 16);
	});

	it("drops a push that is longer than its buffer, and reads the next", () => {
		const long = hex(`0f00000001 00 0101 0202 09060000600100ff 098207d0 ${"41".repeat(2000)}`);
		const bed = new PushBed();
		for (const bytes of [hdlcPush(long, 500), hdlcPush(long, 2000), blockPush(long, 120), mbusPush(long)]) {
			assert.deepEqual(
				resultsOf(bed.take(bytes)).filter((one) => one !== "dlms-push/unknown"),
				[],
			);
			bed.silence();
			assert.deepEqual(resultsOf(bed.take(hdlcPush(PLAIN))), [RECORDS]);
		}
	});

	it("ignores a head that announces more bytes than its buffer has, and reads the push directly after it", () => {
		const head = [0xdb, TITLE.length, ...TITLE, 0x82, 0x0b, 0xb8, 0x30, 0, 0, 0, 1];
		const bed = new PushBed();
		const bytes = Uint8Array.from([...head, ...hdlcPush(PLAIN)]);
		assert.deepEqual(resultsOf(bed.take(bytes)).at(-1), RECORDS);
	});

	it("shows an M-Bus push correctly or not at all if it contains the head of an HDLC frame", () => {
		const head = hdlcPush(hex("00".repeat(60))).subarray(0, 9);
		const value = `09${(head.length + 40).toString(16)}${head.toString("hex")}${"42".repeat(40)}`;
		const plain = hex(`0f00000001 00 0202 0202 09060000600101ff ${value} 0202 09060100010800ff 0600000007`);
		const bed = new PushBed();
		const good = resultsOf(new PushBed().take(hdlcPush(plain)));
		assert.equal(good.length, 1);
		for (const size of [245, 40]) {
			const outcomes = resultsOf(bed.take(mbusPush(plain, size)));
			if (outcomes.length > 0) assert.deepEqual(outcomes, good);
			bed.silence();
			assert.deepEqual(resultsOf(bed.take(mbusPush(PLAIN))), [RECORDS]);
		}
	});

	it("drops an M-Bus APDU if one of its frames has a wrong end byte", () => {
		const bytes = mbusPush(PLAIN, 30);
		const first = bytes[1] + 6;
		const damaged = Uint8Array.from(bytes);
		damaged[first - 1] ^= 1;
		const bed = new PushBed();
		assert.deepEqual(bed.take(damaged), []);
		assert.deepEqual(resultsOf(bed.take(bytes)), [RECORDS]);
	});

	it("never accepts a push without its first segment", () => {
		const first = hdlcPush(PLAIN, 20);
		const length = (first[2] | ((first[1] & 7) << 8)) + 1;
		assert.deepEqual(resultsOf(new PushBed().take(Buffer.concat([first.subarray(0, 1), first.subarray(length)]))), []);
	});

	it("never throws on a damaged push, and reads the next after a silence", () => {
		const sources = [hdlcPush(PLAIN, 20), mbusPush(sealed(PLAIN), 30), blockPush(sealed(PLAIN), 20)];
		const edit = fc.record({ at: fc.nat(200), byte: fc.nat(255), cut: fc.boolean() });
		fc.assert(
			fc.property(
				fc.constantFrom(...sources),
				fc.array(edit, { maxLength: 6 }),
				fc.integer({ min: 1, max: 50 }),
				(source, edits, piece) => {
					let bytes: number[] = [...source];
					for (const { at, byte, cut } of edits) {
						if (cut) bytes.splice(at % bytes.length, 1);
						else bytes[at % bytes.length] = byte;
					}
					const bed = new PushBed(BOTH);
					for (let at = 0; at < bytes.length; at += piece) bed.take(Uint8Array.from(bytes.slice(at, at + piece)));
					bed.silence();
					bytes = [];
					assert.deepEqual(resultsOf(bed.take(hdlcPush(sealed(PLAIN, { counter: 9 })))), [RECORDS]);
				},
			),
			{ numRuns: 300 },
		);
	});

	it("handles meaningless calls in each state without harm", () => {
		const states: Record<string, (bed: PushBed) => void> = {
			hunting: () => undefined,
			"in a frame": (bed) => void bed.take(hdlcPush(PLAIN).subarray(0, 12)),
			"between segments": (bed) => void bed.take(hdlcPush(PLAIN, 20).subarray(0, 40)),
			"between blocks": (bed) => void bed.take(blockPush(PLAIN, 20).subarray(0, 45)),
			"in M-Bus": (bed) => void bed.take(mbusPush(PLAIN).subarray(0, 9)),
			"after a push": (bed) => void bed.take(hdlcPush(PLAIN)),
			ended: (bed) => bed.session.abort(0),
		};
		for (const [name, reach] of Object.entries(states)) {
			const bed = new PushBed();
			reach(bed);
			const { session } = bed;
			bed.take(new Uint8Array(0));
			session.advance(-1);
			session.poll();
			assert.equal(session.readout(EVENT_POOR, 1), undefined);
			assert.equal(session.readout(EVENT_END, 1), undefined);
			bed.silence();
			if (name !== "ended") assert.deepEqual(resultsOf(bed.take(mbusPush(PLAIN))), [RECORDS], name);
			session.abort(bed.nowMs);
			assert.deepEqual(
				bed.events().filter((one) => one !== "end"),
				[],
			);
			session.abort(bed.nowMs);
			assert.deepEqual(bed.take(mbusPush(PLAIN)), []);
			assert.equal(session.deadlineMs, Number.POSITIVE_INFINITY);
		}
	});

	it("is read if its M-Bus frames are more than a second apart, and reported if the second one does not come", () => {
		const push = mbusPush(PLAIN, 20);
		const second = 4 + 5 + 20 + 2;
		const halves = [push.subarray(0, second), push.subarray(second)];
		assert.ok(halves.every((half) => half[0] === 0x68 && half.at(-1) === 0x16));
		const bed = new PushBed();
		assert.deepEqual(bed.take(halves[0]), []);
		bed.nowMs += 1200;
		assert.equal(bed.session.deadlineMs > bed.nowMs, true);
		assert.equal(bed.take(halves[1]).length, 1);
		assert.deepEqual(bed.take(halves[0]), []);
		bed.nowMs += 2000;
		assert.deepEqual(bed.silence(), ["dlms-push/unknown"]);
		assert.equal(bed.take(push).length, 1, "the next one is read");
	});

	it("is read after a silence, although half an M-Bus push and half an HDLC frame were received before it", () => {
		const push = mbusPush(PLAIN, 20);
		const noise = Buffer.concat([push.subarray(0, 4 + 5 + 20 + 2), hdlcPush(PLAIN).subarray(0, 12)]);
		const bed = new PushBed();
		assert.deepEqual(bed.take(noise), []);
		assert.deepEqual(bed.silence(), ["dlms-push/unknown"]);
		const outcomes = Array.from(push, (byte) => bed.take(Uint8Array.of(byte))).flat();
		assert.deepEqual(resultsOf(outcomes), [RECORDS]);
	});

	it("is read without frames although half an M-Bus push was received a second before it", () => {
		const bed = new PushBed(BOTH);
		const apdu = sealed(PLAIN);
		assert.deepEqual(bed.take(mbusPush(apdu, 20).subarray(0, 4 + 5 + 20 + 2)), []);
		bed.nowMs += 1000;
		assert.deepEqual(resultsOf(bed.take(apdu)), [RECORDS]);
	});

	it("fails after an abort with a code for what it has received", () => {
		const ends = (bytes: Uint8Array, settings = {}) => {
			const bed = new PushBed(settings);
			bed.take(bytes);
			bed.session.abort(0);
			return bed.session.failure?.code;
		};
		assert.equal(ends(new Uint8Array(0)), "dlms-push/silence");
		assert.equal(ends(hex("010203")), "dlms-push/unknown");
		assert.equal(ends(hdlcPush(sealed(PLAIN))), "dlms-push/no-key");
		assert.equal(ends(hdlcPush(PLAIN)), undefined);
	});
});

describe("the reader with a meter that pushes DLMS/COSEM", () => {
	class Pusher {
		deadlineMs = 500;
		readonly #apdu: (nth: number) => Uint8Array;
		#queue: Uint8Array[] = [];
		#nth = 0;
		#isSet = false;

		constructor(apdu: (nth: number) => Uint8Array) {
			this.#apdu = apdu;
		}

		receive(): void {}

		advance(nowMs: number): void {
			if (nowMs < this.deadlineMs) return;
			this.deadlineMs = nowMs + 5000;
			this.#queue.push(hdlcPush(this.#apdu(this.#nth++), 40));
		}

		poll() {
			const output = { kind: 0, bytes: new Uint8Array(0), start: 0, end: 0, baud: 9600, format: FORMAT_8N1, code: 0 };
			if (!this.#isSet) {
				this.#isSet = true;
				return { ...output, kind: 2 };
			}
			const bytes = this.#queue.shift();
			return bytes === undefined ? output : { ...output, kind: 1, bytes, end: bytes.length };
		}
	}

	function readerBed(settings: Partial<WritableDLMSSettings>, apdu: (nth: number) => Uint8Array): ReaderBed {
		const made = new ReaderBed({ protocol: "dlms", dlms: dlmsSettings({ pushBaud: 9600, ...settings }) });
		made.world.serial.meter.connect(new Pusher(apdu) as never);
		return made;
	}

	it("returns the next push with its status when a readout is requested", () => {
		const { readout } = readerBed({ encryptionKey: KEY }, (nth) =>
			sealed(PLAIN, { control: 0x20, counter: nth + 1 }),
		).read();
		assert.deepEqual(recordsOf(readout?.records), RECORDS);
		assert.equal(readout?.status, STATUS_UNCHECKED);
	});

	it("keeps an unchecked push as the last readout", () => {
		const made = readerBed({ encryptionKey: KEY }, (nth) => sealed(PLAIN, { control: 0x20, counter: nth + 1 }));
		made.read();
		assert.equal(made.reader.outcomes.last?.status, STATUS_UNCHECKED);
	});

	it("reports at once why a push is refused, and does not keep it", () => {
		const made = readerBed({}, (nth) => sealed(PLAIN, { counter: nth + 1 }));
		const { readout, failure, tookMs } = made.read();
		assert.equal(readout, undefined);
		assert.equal(failure?.code, "dlms-push/no-key");
		assert.ok(tookMs < 6000);
		assert.equal(made.reader.outcomes.last, undefined);
	});

	it("never shows a replayed push", () => {
		const made = readerBed(BOTH, () => sealed(PLAIN, { counter: 5 }));
		assert.equal(made.read().readout?.status, STATUS_OK);
		assert.equal(made.read().failure?.code, "dlms-push/replay");
		made.reader.forget();
		assert.equal(made.read().readout?.status, STATUS_OK, "accepted after a change of the settings");
	});

	it("detects pushes when it expects answers to requests, and suggests the right settings", () => {
		const made = readerBed({ pushBaud: 0 }, (nth) => sealed(PLAIN, { counter: nth + 1 }));
		const { failure } = made.read();
		assert.equal(failure?.code, "unasked/dlms");
		assert.deepEqual(failure?.advice, { protocol: "dlms", pushBaud: 9600 });
	});
});

describe("a line of pushes in 8E1, the format of M-Bus ports", () => {
	const mbusMeter = (format: typeof FORMAT_8E1 | typeof FORMAT_8N1, bad = 0) => {
		let pushes = 0;
		const source = () => (pushes++ < bad ? mbusPush(PLAIN).map((byte) => byte ^ 0x10) : mbusPush(PLAIN));
		return new PushMeter({ source, baud: 2400, pushMs: 5000, format });
	};
	const readerBedOf = (meter: PushMeter) => {
		const readerBed = new ReaderBed({ protocol: "dlms", dlms: dlmsSettings({ pushBaud: 2400 }) });
		readerBed.world.serial.meter.connect(meter);
		return readerBed;
	};

	it("is detected after two pushes, and remembered for the next session", () => {
		const readerBed = readerBedOf(mbusMeter(FORMAT_8E1));
		readerBed.reader.reconfigure();
		readerBed.world.advance(14_000);
		const last = () => recordsOf(readerBed.reader.outcomes.last?.records);
		assert.deepEqual(last(), []);
		readerBed.world.advance(2000);
		assert.deepEqual(last(), RECORDS);
		readerBed.world.serial.meter.unplug();
		readerBed.world.advance(10);
		readerBed.world.serial.meter.plugIn();
		readerBed.world.advance(11_000);
		const again = readerBed.read();
		assert.deepEqual([recordsOf(again.readout?.records), again.tookMs < 5500], [RECORDS, true]);
	});
	it("is replaced by 8N1 again if only the first pushes were damaged", () => {
		const { readout } = readerBedOf(mbusMeter(FORMAT_8N1, 2)).read();
		assert.deepEqual(recordsOf(readout?.records), RECORDS);
	});
	it("is not assumed after a good push, a single damaged push or a few bytes", () => {
		const good = mbusPush(PLAIN);
		const damaged = good.map((byte) => byte ^ 0x10);
		const isChanged = (...pushes: Uint8Array[]) => {
			const { session } = new PushBed();
			let changed = false;
			pushes.forEach((push, i) => {
				session.receive(push, 0, push.length, 5000 * i);
				session.advance(5000 * i + 1000);
				for (let output = session.poll(); output.kind !== 0; output = session.poll())
					if (output.kind === OUTPUT_LINE) changed = true;
			});
			return changed;
		};
		const few = damaged.subarray(0, 31);
		assert.equal(isChanged(damaged, damaged), true);
		assert.equal(isChanged(good, damaged, damaged, damaged), false);
		assert.equal(isChanged(damaged, good, damaged), false);
		assert.equal(isChanged(damaged, few), false);
	});
});
