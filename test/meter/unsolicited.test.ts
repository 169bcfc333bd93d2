/** Meters that send unsolicited data, read and probed with unsuitable settings, on a modelled line and virtual time. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { stepCRC16ARC } from "../../modules/bytes/crc16-arc.js";
import { FORMAT_8E1, FORMAT_8N1, type SerialFormat } from "../../modules/io/host.js";
import type { Machine, Output } from "../../modules/io/machine.js";
import { parseDLMSOptions } from "../../tools/meter/dlms-options.js";
import { Household } from "../../tools/meter/household.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { makeDLMSMeter } from "../../tools/meter/make-dlms-meter.js";
import { lineChange, noOutput, transmission } from "../../tools/meter/outputs.js";
import { p1Telegram } from "../../tools/meter/p1-telegram.js";
import { hdlcPush } from "../../tools/meter/push-frames.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { dlmsTelegram } from "../../tools/meter/push-telegrams.js";
import { smlTelegram } from "../../tools/meter/sml-telegram.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { TIC_BAUD, type TICMode, ticTelegram } from "../../tools/meter/tic-telegram.js";
import { iecVectors } from "../vectors.js";
import { dlmsSettings, ReaderBed, type Settings } from "./reader-bed.js";
import { cipheredP1 } from "./telegrams.js";

const household = new Household({ utcMs: Date.UTC(2026, 10, 20, 6), mode: "C", baud: 9600 });
const ebz = iecVectors().find(({ name }) => name === "ebz-dd3-push")!;
const zmf = iecVectors().find(({ name }) => name === "landis-gyr-zmf100-m26-padded-left")!;

function modeD(pushBaud: number, pushMs: number): Machine {
	return new IECMeter({ source: () => splitTelegram(ebz.telegram), mode: "D", pushBaud, pushMs });
}
function sml(pushMs: number, baud = 9600): Machine {
	return new PushMeter({ source: (nowMs) => smlTelegram(household.reading(nowMs)), baud, pushMs });
}
/** A TIC meter: the pause between frames is 20 ms or more. */
function tic(mode: TICMode): Machine {
	const source = (nowMs: number) => ticTelegram(household.reading(nowMs), mode);
	const frameMs = (source(0).length * 10_000) / TIC_BAUD[mode];
	return new PushMeter({ source, baud: TIC_BAUD[mode], pushMs: Math.ceil(frameMs) + 20 });
}
function p1(baud: number, pushMs = 1000): Machine {
	return new PushMeter({ source: (nowMs) => p1Telegram(household.reading(nowMs)), baud, pushMs });
}
function dlms(
	framing: "hdlc" | "mbus" | "wrapper",
	baud: number,
	pushMs: number,
	format: SerialFormat = FORMAT_8N1,
): Machine {
	const source = (nowMs: number) => dlmsTelegram(household.reading(nowMs), { framing });
	return new PushMeter({ source, baud, pushMs, format });
}

function cipheredDLMS(baud: number, pushMs: number): Machine {
	let counter = 0;
	return new PushMeter({ source: () => cipheredP1(++counter), baud, pushMs });
}

/** Flickering light: random characters, `gapMs` apart on average. */
class Lamp implements Machine {
	deadlineMs = 0;
	readonly #random = new SeededRandom(7);
	readonly #gapMs: number;
	#outputs: Output[] = [lineChange(9600, FORMAT_8N1)];

	constructor(gapMs: number) {
		this.#gapMs = gapMs;
	}
	receive(): void {}
	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = nowMs + 1 + this.#random.below(2 * this.#gapMs);
		this.#outputs.push(transmission(this.#random.bytes(1)));
	}
	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}
}

function bedOf(meter: Machine, settings: Partial<Settings> = {}, hardwareParity = true): ReaderBed {
	const bed = new ReaderBed(settings, { hardwareParity });
	bed.world.serial.meter.connect(meter);
	return bed;
}

const SETTINGS: readonly [name: string, settings: () => Partial<Settings>][] = [
	["default settings", () => ({})],
	["protocol dlms", () => ({ protocol: "dlms" })],
	["protocol dlms, opening direct", () => ({ protocol: "dlms", dlms: dlmsSettings({ opening: 2 }) })],
	["mode D at 300 Bd", () => ({ modeD: true, modeDBaud: 300 })],
];
/** The settings for SML; with them the other meters of this file are unexpected. */
const SML_SETTINGS = () => ({ protocol: "sml" });

const PUSHERS: readonly [
	name: string,
	make: () => Machine,
	code: string,
	kind: string,
	baud: number,
	framing: string,
][] = [
	["ASCII at 9600 Bd each 2 s", () => modeD(9600, 2000), "unasked/ascii", "ascii", 9600, "7E1"],
	["ASCII at 2400 Bd each 5 s", () => modeD(2400, 5000), "unasked/ascii", "ascii", 2400, "7E1"],
	["a P1 port", () => p1(115_200), "unasked/ascii", "ascii", 115_200, "8N1"],
	["a P1 port at 57600 Bd", () => p1(57_600), "unasked/ascii", "ascii", 57_600, "8N1"],
	["a P1 port at 38400 Bd", () => p1(38_400), "unasked/ascii", "ascii", 38_400, "8N1"],
	["SML each second", () => sml(1000), "unasked/sml", "sml", 9600, "8N1"],
	["SML each 4 s", () => sml(4000), "unasked/sml", "sml", 9600, "8N1"],
	["DLMS in HDLC", () => dlms("hdlc", 9600, 2500), "unasked/dlms", "dlms_hdlc", 9600, "8N1"],
	["DLMS in M-Bus", () => dlms("mbus", 2400, 5000), "unasked/dlms", "dlms_mbus", 2400, "8N1"],
	["DLMS in M-Bus, 8E1", () => dlms("mbus", 2400, 5000, FORMAT_8E1), "unasked/dlms", "dlms_mbus", 2400, "8E1"],
	["DLMS in no frame", () => cipheredDLMS(115_200, 1000), "unasked/dlms", "dlms_bare", 115_200, "8N1"],
	["TIC, standard", () => tic("standard"), "unasked/tic", "tic", 9600, "7E1"],
	["TIC, historic", () => tic("historic"), "unasked/tic", "tic", 1200, "7E1"],
	["DLMS in the wrapper", () => dlms("wrapper", 19200, 2000), "unasked/dlms", "dlms_wrapper", 19200, "8N1"],
];

describe("a meter with unsolicited data", function () {
	this.timeout(120_000);
	for (const [where, settings] of SETTINGS) {
		for (const [what, make, code, kind, baud, framing] of PUSHERS) {
			it(`${what}: a readout with ${where} recognises it within the caller's minute`, () => {
				const bed = bedOf(make(), settings());
				const { readout, failure, tookMs } = bed.read();
				assert.equal(readout, undefined);
				assert.equal(failure?.code, code);
				assert.deepEqual(
					[failure?.finding?.kind, failure?.finding?.baud, failure?.finding?.framing],
					[kind, baud, framing],
				);
				assert.match(failure?.message ?? "", new RegExp(`at ${baud} Bd, ${framing}\\.`));
				assert.equal(bed.reader.outcomes.failure, failure);
				assert.ok(tookMs < 60_000);
			});
			it(`${what}: a probe with ${where} recognises it`, () => {
				const bed = bedOf(make(), settings());
				const { failure, ident, bytes } = bed.probe();
				assert.equal(failure?.code, code);
				assert.deepEqual([failure?.finding?.kind, failure?.finding?.baud], [kind, baud]);
				assert.equal(ident.length, 0);
				assert.ok(bytes.length > 0);
			});
		}
	}

	it("is listened to again after the port could not be opened once because it was in use", () => {
		const bed = bedOf(modeD(9600, 2000), SML_SETTINGS());
		const line = bed.world.serial.meter;
		const open = line.open.bind(line);
		let opened = 0;
		line.open = (serial) => {
			// The meter is recognised during the first opening. The second opening, to listen again, fails.
			if (++opened === 2) throw new Error("The serial port is in use.");
			open(serial);
		};
		assert.equal(bed.read().failure?.code, "unasked/ascii");
		assert.deepEqual([opened, line.isOpen], [2, false]);
		bed.world.advance(11_000);
		assert.deepEqual([opened, line.isOpen], [3, true]);
	});

	it("is recognised on a port without hardware parity too", () => {
		for (const [, make, code, kind] of PUSHERS) {
			const { failure } = bedOf(make(), {}, false).read();
			assert.deepEqual([failure?.code, failure?.finding?.kind], [code, kind]);
		}
	});
	it("is recognised if it sends only every ten seconds", () => {
		const read = bedOf(sml(10_000)).read();
		assert.deepEqual([read.failure?.code, read.tookMs < 60_000], ["unasked/sml", true]);
		const bed = bedOf(modeD(2400, 10_000));
		assert.equal(bed.read().failure?.code, "unasked/ascii");
	});
	for (const [what, make, kind, baud] of [
		["SML", () => sml(10_000), "sml", 9600],
		["ASCII in 7E1", () => modeD(2400, 10_000), "ascii", 2400],
		["a P1 port", () => p1(115_200, 10_000), "ascii", 115_200],
		["DLMS in M-Bus", () => dlms("mbus", 2400, 10_000), "dlms_mbus", 2400],
	] as const) {
		it(`is recognised by one probe if it sends every ten seconds, whenever the probe begins: ${what}`, () => {
			for (let startMs = 0; startMs < 10_000; startMs += 1250) {
				const bed = bedOf(make());
				bed.world.advance(startMs);
				const { failure, tookMs } = bed.probe();
				assert.deepEqual([failure?.finding?.kind, failure?.finding?.baud], [kind, baud], `begun at ${startMs} ms`);
				assert.ok(tookMs < 50_000, `${tookMs}`);
			}
		});
	}
	describe("on an inverted line", () => {
		/** A P1 port, with or without an inverter between meter and gateway. */
		function p1Bed(settings: Partial<Settings>, canInvert: boolean, isInverted: boolean, pushMs = 1000): ReaderBed {
			const bed = new ReaderBed(settings, { canInvert });
			bed.world.serial.meter.receivesInverted = isInverted;
			bed.world.serial.meter.connect(p1(115_200, pushMs));
			return bed;
		}

		it("is recognised by probe and readout, whatever the setting is, and read with the suggested settings", () => {
			for (const pushMs of [1000, 10_000])
				for (const rxInverted of [false, true])
					for (const how of ["probe", "read"]) {
						const bed = p1Bed({ rxInverted }, true, !rxInverted, pushMs);
						const { failure } = how === "probe" ? bed.probe() : bed.read();
						const where = `${how}, each ${pushMs} ms, rx_inverted ${rxInverted}`;
						assert.deepEqual([failure?.finding?.kind, failure?.finding?.baud], ["ascii", 115_200], where);
						const advice = { protocol: "iec62056", modeD: true, modeDBaud: 115_200, isFlipped: true };
						assert.deepEqual(failure?.advice, advice, where);
						assert.match(
							failure?.message ?? "",
							/at 115200 Bd, 8N1\. The line is inverted: change rx_inverted\. Turn mode_d_enabled on, and set/,
						);
						assert.deepEqual(bed.world.serial.meter.inverts, [rxInverted, false], where);
						Object.assign(bed.settings, { modeD: true, modeDBaud: 115_200, rxInverted: !rxInverted });
						bed.reader.reconfigure();
						assert.equal(bed.read().failure, undefined, where);
					}
		});
		it("is listened to with the other level as soon as the setting changes", () => {
			const bed = p1Bed({ modeD: true, modeDBaud: 115_200, rxInverted: true }, true, false);
			bed.reader.reconfigure();
			bed.world.advance(5000);
			assert.equal(bed.reader.outcomes.readouts, 0);
			bed.settings.rxInverted = false;
			bed.reader.reconfigure();
			bed.world.advance(5000);
			assert.ok(bed.reader.outcomes.readouts >= 3);
		});
		it("has its own level again in the next session if the port fails while it has the other one", () => {
			for (let ms = 0; ms < 30_000; ms += 700) {
				const bed = p1Bed({}, true, true, 10_000);
				const line = bed.world.serial.meter;
				bed.reader.probe({ finished: () => {} });
				bed.world.advance(ms);
				line.unplug();
				line.plugIn();
				bed.world.advance(1);
				bed.reader.probe({ finished: () => {} });
				assert.deepEqual(line.inverts, [false, false], `${ms}`);
			}
		});
		it("is noise on a port that can't invert", () => {
			assert.deepEqual(p1Bed({}, false, true).probe().failure?.finding?.kind, "noise");
		});
		it("is answered on a line that is inverted to the meter, too", () => {
			const bed = new ReaderBed({ txInverted: true }, { canInvert: true });
			const line = bed.world.serial.meter;
			line.sendsInverted = true;
			line.connect(new IECMeter({ source: () => splitTelegram(zmf.telegram) }));
			assert.equal(bed.read().failure, undefined);
			bed.settings.txInverted = false;
			assert.equal(bed.read().failure?.code, "iec62056-21/silence");
		});
	});
	for (const [what, make, baud, meterId] of [
		["in 7E1", () => modeD(4800, 3000), 4800, ebz.meterId],
		["at a P1 port", () => p1(115_200), 115_200, "GWS5\\2HOUSE-3P"],
		["at an old P1 port", () => p1(9600, 10_000), 9600, "GWS5\\2HOUSE-3P"],
	] as const) {
		it(`${what}: is read with the suggested settings`, () => {
			const bed = bedOf(make());
			const { advice } = bed.read().failure!;
			assert.deepEqual(advice, { protocol: "iec62056", modeD: true, modeDBaud: baud });
			bed.settings.modeD = true;
			bed.settings.modeDBaud = baud;
			bed.reader.reconfigure();
			const { readout, failure } = bed.read();
			assert.equal(failure, undefined);
			assert.deepEqual([readout!.baud, Buffer.from(readout!.meterId).toString("latin1")], [baud, meterId]);
			assert.equal(bed.probe().failure, undefined);
		});
	}
	it("is read with the suggested settings and the keys if it sends DLMS without a frame", () => {
		const bed = bedOf(cipheredDLMS(115_200, 1000));
		const { advice } = bed.read().failure!;
		assert.deepEqual(advice, { protocol: "dlms", pushBaud: 115_200 });
		const keys = { encryptionKey: new Uint8Array(16).fill(0xaa), authenticationKey: new Uint8Array(16).fill(0xbb) };
		bed.settings.protocol = "dlms";
		bed.settings.dlms = dlmsSettings({ pushBaud: 115_200, ...keys });
		bed.reader.reconfigure();
		const { readout, failure } = bed.read();
		assert.equal(failure, undefined);
		assert.deepEqual([readout?.protocol, readout?.baud, readout?.status], ["DLMS/COSEM", 115_200, 0]);
	});
	it("is read with the suggested protocol if it sends SML", () => {
		const bed = bedOf(sml(2000));
		const { advice, message } = bed.read().failure!;
		assert.deepEqual(advice, { protocol: "sml" });
		assert.match(message, /Choose the protocol sml\.$/);
		bed.settings.protocol = "sml";
		bed.reader.reconfigure();
		const { readout, failure } = bed.read();
		assert.equal(failure, undefined);
		assert.deepEqual([readout?.protocol, readout?.baud], ["SML", 9600]);
		assert.equal(Buffer.from(readout!.meterId).toString("latin1"), "1SMG0000074565");
		const { failure: none, ident } = bed.probe();
		assert.deepEqual([none, Buffer.from(ident).toString("latin1")], [undefined, "1SMG0000074565"]);
	});
	it("is listened to for a minute with protocol sml if its SML is damaged", () => {
		const source = () => smlTelegram(household.reading(0)).subarray(0, 60);
		const cut = () => bedOf(new PushMeter({ source, baud: 9600, pushMs: 2000 }), SML_SETTINGS());
		const { failure, tookMs } = cut().read();
		assert.deepEqual([failure?.code, Math.round(tookMs)], ["sml/no-telegram", 60_000]);
		assert.equal(cut().probe().failure?.code, "unasked/sml");
	});
	it("is searched for by a probe that reports each attempt and its speed", () => {
		const bed = bedOf(modeD(2400, 3000));
		const tried: string[] = [];
		bed.live.changed = () => bed.world.timers.set(() => tried.push(bed.reader.borrower?.trying ?? ""), 1);
		assert.equal(bed.probe().failure?.finding?.baud, 2400);
		bed.world.advance(10);
		assert.deepEqual([...new Set(tried)], ["iec62056 300", "unasked 9600", "unasked 2400", ""]);
		assert.equal(bed.reader.borrower, undefined);
		const silent = bedOf(new IECMeter({ source: () => splitTelegram(zmf.telegram), faults: { silence: 9 } }));
		const attempts = new Set<string>();
		silent.live.changed = () => silent.world.timers.set(() => attempts.add(silent.reader.borrower?.trying ?? ""), 1);
		silent.probe();
		assert.deepEqual([...attempts], ["iec62056 300", "dlms 9600", "kmp 1200", "mbus 2400"]);
	});
	it("is recognised without a key if it sends ciphered DLMS/COSEM; a probe accepts it with the suggested settings", () => {
		const keys = { encryption: new Uint8Array(16), authentication: new Uint8Array(16).fill(1) };
		const protection = { keys, title: Buffer.from("4757530000bc614e", "hex"), control: 0x30, isDedicated: false };
		let counter = 0;
		const source = (nowMs: number) =>
			dlmsTelegram(household.reading(nowMs), { framing: "mbus", protection }, ++counter);
		const bed = bedOf(new PushMeter({ source, baud: 2400, pushMs: 5000 }));
		assert.deepEqual(bed.read().failure?.advice, { protocol: "dlms", pushBaud: 2400 });
		bed.settings.protocol = "dlms";
		bed.settings.dlms = dlmsSettings({ pushBaud: 2400 });
		bed.reader.reconfigure();
		assert.equal(bed.read().failure?.code, "dlms-push/no-key");
		const { failure, received, tookMs } = bed.probe();
		assert.equal(failure, undefined, "the head is placed correctly");
		assert.ok(received > 0 && tookMs < 6000, `${received} in ${tookMs} ms`);
	});
	it("is recognised with a slash in its identification, and read with the suggested settings", () => {
		const tariffs = [1, 2, 3, 4].map(
			(tariff) => `1-0:1.8.${tariff}(0000173${tariff}.629*kWh)\r\n1-0:2.8.${tariff}(0*kWh)\r\n`,
		);
		const text = `/HLY5/D545-METER\r\n\r\n1-3:0.2.8(50)\r\n0-0:1.0.0(220203113815W)\r\n${tariffs.join("").repeat(3)}!`;
		const crc = stepCRC16ARC(0, Buffer.from(text), 0, text.length).toString(16).padStart(4, "0");
		const telegram = Buffer.from(`${text}${crc}\r\n`);
		const bed = bedOf(new PushMeter({ source: () => telegram, baud: 115_200, pushMs: 5000 }));
		assert.deepEqual(bed.probe().failure?.advice, { protocol: "iec62056", modeD: true, modeDBaud: 115_200 });
		bed.settings.modeD = true;
		bed.settings.modeDBaud = 115_200;
		bed.reader.reconfigure();
		const { readout, failure } = bed.read();
		assert.equal(failure, undefined);
		assert.equal(Buffer.from(readout?.meterId ?? []).toString(), "HLY5/D545-METER");
	});
	it("gives no readout if it sends DLMS/COSEM without OBIS codes, because only the clock is understood; the failure says so", () => {
		const body = "02 03 09 08 31 36 38 32 30 30 30 35 06 00 00 05 71 12 09 4b";
		const plain = Buffer.from(
			`0f 00 00 00 01 0c 07 e5 09 1b 01 09 2f 0f 00 ff 88 80 ${body}`.replaceAll(" ", ""),
			"hex",
		);
		const meter = new PushMeter({ source: () => hdlcPush(plain), baud: 9600, pushMs: 5000 });
		const bed = bedOf(meter, { protocol: "dlms", dlms: dlmsSettings({ pushBaud: 9600 }) });
		for (const { failure, tookMs } of [bed.read(), bed.probe()]) {
			assert.equal(failure?.code, "dlms-push/no-codes");
			assert.ok(tookMs < 6000, `${tookMs}`);
		}
		assert.equal(bed.reader.outcomes.last, undefined);
	});
	it("is recognised under protocol sml if it uses another protocol, and the failure suggests the right settings", () => {
		const bed = bedOf(modeD(9600, 2000), SML_SETTINGS());
		assert.deepEqual(bed.read().failure?.advice, { protocol: "iec62056", modeD: true, modeDBaud: 9600 });
		const attempts = new ReaderBed(SML_SETTINGS()).connect(zmf.telegram);
		assert.equal(attempts.probe().failure?.code, "iec62056-21/answers");
		assert.equal(new ReaderBed(SML_SETTINGS()).probe().failure?.code, "sml/silence");
	});
	it("gets no suggestion if this gateway can't read its kind or its speed", () => {
		for (const meter of [dlms("wrapper", 9600, 1000), sml(1000, 2400)]) {
			const { failure } = bedOf(meter).read();
			assert.equal(failure?.advice, undefined);
			assert.match(failure?.message ?? "", /This gateway can't read such data yet\.$/);
		}
	});
	it("is listened to for a minute in mode D if its telegrams are damaged", () => {
		const damaged = new IECMeter({
			source: () => splitTelegram(ebz.telegram),
			mode: "D",
			pushBaud: 9600,
			pushMs: 2000,
			faults: { cut: 60 },
		});
		const { failure, tookMs } = bedOf(damaged, { modeD: true, modeDBaud: 9600 }).read();
		assert.deepEqual([failure?.code, Math.round(tookMs)], ["iec62056-21/no-telegram", 60_000]);
	});
	it("is recognised within 20 s in a second request, which does not wait for silence for another minute", () => {
		const bed = bedOf(sml(1000));
		bed.read();
		const { failure, tookMs } = bed.read();
		assert.equal(failure?.code, "unasked/sml");
		assert.ok(tookMs < 20_000, `${tookMs}`);
		const probed = bed.probe();
		assert.equal(probed.failure?.code, "unasked/sml");
		assert.ok(probed.tookMs < 20_000, `${probed.tookMs}`);
	});
});

describe("light on the head", function () {
	this.timeout(120_000);
	for (const gapMs of [4, 30]) {
		it(`every ${gapMs} ms is reported as noise by a readout and by a probe`, () => {
			const { failure } = bedOf(new Lamp(gapMs)).read();
			assert.equal(failure?.code, "unasked/noise");
			assert.deepEqual(failure?.finding, { kind: "noise", baud: 0, framing: "", isSupported: false });
			assert.equal(bedOf(new Lamp(gapMs)).probe().failure?.code, "unasked/noise");
		});
	}
	it("does not prevent a readout if the lamp is turned off meanwhile", () => {
		const bed = bedOf(new Lamp(30));
		let isRead = false;
		bed.reader.read({ finished: (readout) => (isRead = readout !== undefined) });
		bed.world.advance(9000);
		bed.connect(zmf.telegram);
		bed.world.advance(50_000);
		assert.equal(isRead, true);
	});
});

describe("a meter that must be polled", function () {
	this.timeout(120_000);
	const meterOf = (line: string) => makeDLMSMeter(parseDLMSOptions(line.split(" "))!, { utcMs: 0, clocked: true });

	it("is found by a probe in mode D, which suggests polling", () => {
		const bed = new ReaderBed({ modeD: true }).connect(zmf.telegram);
		const { failure, ident } = bed.probe();
		assert.equal(failure?.code, "iec62056-21/answers");
		assert.deepEqual(failure?.advice, { protocol: "iec62056", modeD: false });
		assert.equal(Buffer.from(ident).toString("latin1"), zmf.meterId);
	});
	it("is found by a probe whose opening is HDLC without a sign-on", () => {
		const bed = new ReaderBed({ protocol: "dlms", dlms: dlmsSettings({ opening: 2 }) }).connect(zmf.telegram);
		assert.equal(bed.probe().failure?.code, "iec62056-21/answers");
	});
	it("is found by a probe with protocol iec62056 if it uses HDLC; the suggestion is dlms", () => {
		const bed = bedOf(meterOf("--protocol dlms"));
		const { failure } = bed.probe();
		assert.equal(failure?.code, "hdlc/answers");
		assert.deepEqual(failure?.advice, { protocol: "dlms", pushBaud: 0 });
	});
	it("is found by a probe in mode D if it uses HDLC", () => {
		assert.equal(bedOf(meterOf("--protocol dlms"), { modeD: true }).probe().failure?.code, "hdlc/answers");
	});
	it("leads to the suggestion iec62056 if it offers no DLMS/COSEM", () => {
		const { failure } = new ReaderBed({ protocol: "dlms" }).connect(zmf.telegram).read();
		assert.equal(failure?.code, "iec62056-21/no-mode-e");
		assert.deepEqual(failure?.advice, { protocol: "iec62056" });
	});
	it("is polled repeatedly while it is silent, for as long as a telegram sent every ten seconds could take to arrive", () => {
		const bed = new ReaderBed().connect(zmf.telegram, { faults: { silence: 1000 } });
		const { failure, tookMs } = bed.probe();
		assert.equal(failure?.code, "iec62056-21/silence");
		assert.ok(tookMs > 11_000 && tookMs < 14_000, `${tookMs}`);
	});
	it("is read in the next session if its identification arrives damaged", () => {
		const bed = new ReaderBed({}, {}).connect(zmf.telegram, { faults: { noise: 20 } });
		const { readout, tookMs } = bed.read();
		assert.ok(readout !== undefined);
		assert.ok(tookMs < 30_000);
	});
});
