/** DLMS/COSEM sessions of the reader over a modelled line: openings, retries, counters, stored readouts. */
import assert from "node:assert/strict";
import { InvocationCounters } from "../../modules/cosem/counters.js";
import { FAILURE_COUNTERS, FAILURE_NO_SIGN_ON } from "../../modules/cosem/failures.js";
import { DLMS_COSEM } from "../../modules/cosem/read-session.js";
import { MissingCursor } from "../../modules/cosem/records.js";
import { OPENING_AUTO, OPENING_DIRECT, OPENING_MODE_E } from "../../modules/cosem/settings.js";
import { HDLC_SILENCE, SIGNED_ON_SILENCE } from "../../modules/hdlc/failures.js";
import { IEC_MODE_E_ALONE, IEC_SILENCE } from "../../modules/iec62056-21/failures.js";
import { LineLog, LOG_LINE, LogCursor } from "../../modules/meter/line-log.js";
import type { ProbeResult } from "../../modules/meter/probe.js";
import { PROTOCOL_IEC62056_21, STATUS_CUT, STATUS_OK } from "../../modules/readout/readout.js";
import { ANSWERED, ASSOCIATED } from "../../tools/meter/dlms-server.js";
import { LINK_CLOSED, LINK_OPENED } from "../../tools/meter/hdlc-station.js";
import { METER_SIGNED_ON } from "../../tools/meter/iec-meter.js";
import { packedReadings } from "../meter/packed.js";
import { Bed, GMAC, REGISTERS } from "./bed.js";
import { announcingMeter, iecMeter } from "./meters.js";

const PASSWORD = "pass w0rd";
const LOW = { auth: 1, client: 32, password: Uint8Array.from(Buffer.from(PASSWORD)) };

describe("a DLMS/COSEM session", () => {
	describe("opening", () => {
		for (const [what, line, opening, other] of [
			["opens with mode E", "--mode-e", OPENING_MODE_E, 0],
			["opens at a fixed speed", "", OPENING_DIRECT, 2500],
		] as const) {
			it(`${what} although no opening is configured, and tries this opening first the next time`, () => {
				const bed = new Bed({ opening: OPENING_AUTO }).meter(line);
				const first = bed.succeed();
				assert.equal(bed.readerBed.settings.dlms.learnedOpening, opening);
				bed.readerBed.world.advance(10_000);
				const next = bed.succeed();
				assert.ok(next.tookMs + other <= first.tookMs, `${first.tookMs} ms, then ${next.tookMs}`);
			});
			it(`${what} although another opening was learned, and forgets the learned one`, () => {
				const learnedOpening = opening === OPENING_DIRECT ? OPENING_MODE_E : OPENING_DIRECT;
				const bed = new Bed({ opening: OPENING_AUTO, learnedOpening }).meter(line);
				bed.succeed();
				assert.equal(bed.readerBed.settings.dlms.learnedOpening, opening);
			});
		}
		it("opens with mode E at no more than baudrate_max, and at a lower speed if the meter is silent", () => {
			const bed = new Bed({ opening: OPENING_MODE_E }, { baudMax: 4800 }).meter("--mode-e --drop 1-4 --inactivity 3");
			assert.equal(bed.succeed().readout?.baud, 2400);
		});
		it("signs on again if the meter has left HDLC after the request for its counter", () => {
			const bed = new Bed({ opening: OPENING_MODE_E, ...GMAC }).meter("--mode-e");
			bed.succeed();
			assert.equal(bed.count(METER_SIGNED_ON), 2);
		});
		it("signs on once if the meter has stayed in HDLC after the request for its counter", () => {
			const bed = new Bed({ opening: OPENING_MODE_E, ...GMAC }).meter("--mode-e --linger 60000");
			bed.succeed();
			assert.deepEqual([bed.count(METER_SIGNED_ON), bed.count(LINK_OPENED)], [1, 2]);
		});
		it("fails within 40 s if the meter is silent, whatever the opening", () => {
			for (const opening of [OPENING_AUTO, OPENING_MODE_E, OPENING_DIRECT]) {
				const bed = new Bed({ opening });
				const { failure, tookMs } = bed.read();
				assert.equal(failure, opening === OPENING_MODE_E ? FAILURE_NO_SIGN_ON : HDLC_SILENCE);
				assert.ok(tookMs < 40_000, `${tookMs} ms`);
			}
		});
	});

	describe("under the protocol iec62056 with mode_e_dlms", () => {
		const iec = { protocol: "iec62056", usesModeE: true };

		it("is used with a meter that announces mode E", () => {
			const { readout } = new Bed({}, iec).meter("--mode-e").succeed();
			assert.deepEqual([readout?.protocol, readout?.mode], [DLMS_COSEM, 0x45]);
		});
		it("is not used with a meter that does not announce mode E", () => {
			const bed = new Bed({}, iec);
			bed.readerBed.world.serial.meter.connect(iecMeter());
			const { readout } = bed.read();
			assert.deepEqual([readout?.protocol, readout?.mode, readout?.status], [PROTOCOL_IEC62056_21, 0x43, STATUS_OK]);
		});
		it("falls back to mode C if the meter announces mode E but does not support it", () => {
			const bed = new Bed({}, iec);
			bed.readerBed.world.serial.meter.connect(announcingMeter());
			const { readout } = bed.read();
			assert.deepEqual([readout?.protocol, readout?.mode, readout?.status], [PROTOCOL_IEC62056_21, 0x43, STATUS_OK]);
		});
		it("reports its failure if the meter has no mode C either", () => {
			const { failure } = new Bed({ physical: 18 }, iec).meter("--mode-e-only").read();
			assert.equal(failure, SIGNED_ON_SILENCE);
		});
	});

	describe("under the protocol iec62056 without mode_e_dlms", () => {
		const iec = { protocol: "iec62056" };

		for (const line of ["--mode-e-only", "--mode-e-only --no-confirm"]) {
			it(`is tried only to detect, within 11 s, that the meter has no mode but E: ${line}`, () => {
				const bed = new Bed({}, iec).meter(line);
				const { failure, readout, tookMs } = bed.read();
				assert.deepEqual([failure, readout], [IEC_MODE_E_ALONE, undefined]);
				assert.ok(tookMs < 11_000, `${tookMs} ms`);
				assert.deepEqual([bed.count(LINK_OPENED), bed.count(LINK_CLOSED), bed.count(ASSOCIATED)], [1, 1, 0]);
			});
		}
		it("is reported as the meter's only mode although the trial gets no answer", () => {
			const { failure, tookMs } = new Bed({ physical: 18 }, iec).meter("--mode-e-only").read();
			assert.equal(failure, IEC_MODE_E_ALONE);
			assert.ok(tookMs < 60_000, `${tookMs} ms`);
		});
		it("is not tried after a single silence of the meter", () => {
			const bed = new Bed({}, iec).meter("--mode-e-only");
			bed.readerBed.world.timers.set(() => bed.meter("--mode-e"), 3000);
			const { readout } = bed.read();
			assert.deepEqual([readout?.mode, readout?.baud, bed.count(LINK_OPENED)], [0x43, 9600, 0]);
		});
		it("gives way to mode C at a lower speed with a meter that announces a speed that it can't use", () => {
			const { readout } = new Bed({}, iec).meter("--mode-e --lie 4800").read();
			assert.deepEqual([readout?.mode, readout?.baud, readout?.status], [0x43, 4800, STATUS_OK]);
		});
		it("gives way to mode C at a lower speed with a meter that announces mode E without having it", () => {
			const bed = new Bed({}, iec);
			bed.readerBed.world.serial.meter.connect(announcingMeter({ lieBaud: 4800 }));
			const { readout } = bed.read();
			assert.deepEqual([readout?.mode, readout?.baud, readout?.status], [0x43, 4800, STATUS_OK]);
		});
	});

	describe("stored results", () => {
		it("keeps scalers between readouts, and requests them again when the list of objects changes", () => {
			const bed = new Bed({}).meter("");
			bed.succeed();
			const first = bed.count(ANSWERED);
			bed.clear().succeed();
			assert.ok(bed.count(ANSWERED) < first);
			bed.readerBed.settings.dlms = {
				...bed.readerBed.settings.dlms,
				objects: Uint8Array.of(1, 1, 0, 1, 8, 0, 255, 3, 2),
			};
			const { readout } = bed.read();
			assert.deepEqual(
				packedReadings(readout?.records).map(({ value1, value1_unit }) => `${value1} ${value1_unit}`),
				["12572239 Wh"],
			);
		});
		it("keeps what was read before the meter fell silent for good, with status 2", () => {
			const { readout, failure } = new Bed({}).meter("--drop 5-").read();
			assert.deepEqual([readout?.status, failure], [STATUS_CUT, undefined]);
			const { length } = packedReadings(readout?.records);
			assert.ok(length > 0 && length < REGISTERS, `${length} readings`);
		});
		it("keeps which objects the meter refused, with the reasons", () => {
			const { readout } = new Bed({}).meter("--missing 1-0:71.7.0 --deny 1-0:51.7.0 --result 1-0:1.8.2=2").read();
			assert.equal(readout?.status, STATUS_OK);
			assert.equal(packedReadings(readout?.records).length, REGISTERS - 3);
			const missing = new MissingCursor(readout?.missing ?? new Uint8Array(0));
			const found: string[] = [];
			while (missing.next()) {
				const code = Buffer.from(missing.text.subarray(0, missing.length)).toString();
				found.push(`${code} ${missing.classId} ${missing.attribute} ${missing.reason}`);
			}
			assert.deepEqual(found, ["1-0:1.8.2 3 2 2", "1-0:51.7.0 3 2 3", "1-0:71.7.0 3 2 4"]);
		});
	});

	it("requests at most ten attributes at a time once the meter has not answered a request for more", () => {
		const bed = new Bed({}).meter("--hdlc-info 512 --drop 3-6");
		bed.succeed();
		assert.equal(bed.count(ASSOCIATED), 2);
		// 24 attributes (the name, eleven scalers and twelve values) are read in one request, which fails, then in
		// three.
		assert.equal(bed.count(ANSWERED), 1 + 3);
		bed.clear().succeed();
		assert.deepEqual([bed.count(ASSOCIATED), bed.count(ANSWERED)], [1, 2]);
	});

	it("requests one attribute at a time once the meter has not answered a request for several", () => {
		const bed = new Bed({}).meter("--drop 4-7");
		bed.succeed();
		assert.equal(bed.count(ASSOCIATED), 2);
		assert.ok(bed.count(ANSWERED) > REGISTERS);
	});

	describe("with keys", () => {
		for (const reaction of ["aare", "exception", "decipher-exception", "silence", "dm"]) {
			it(`finds a valid counter if the meter answers a counter that is too low with ${reaction}`, () => {
				const bed = new Bed(GMAC).meter("");
				bed.succeed();
				bed.meter(`--invocation-counter 70000 --on-low-counter ${reaction}`).succeed();
				// The learned counter is kept.
				bed.clear().succeed();
				assert.equal(bed.count(LINK_OPENED), 1);
			});
		}
		it("requests its counter from the meter once and then never again", () => {
			const bed = new Bed(GMAC).meter("--invocation-counter 123");
			bed.succeed();
			assert.equal(bed.count(LINK_OPENED), 2);
			for (let i = 0; i < 3; i++) {
				bed.clear().succeed();
				assert.equal(bed.count(LINK_OPENED), 1);
			}
		});
		it("begins at counter 1 if the meter does not give its counter to the public client", () => {
			const bed = new Bed(GMAC).meter("--missing 0-0:43.1.0,0-0:43.1.1");
			bed.succeed();
			// A hundred counters are reserved in flash at once.
			const { storage, crypto } = bed.readerBed.world;
			const { encryptionKey, title } = bed.readerBed.settings.dlms;
			assert.equal(new InvocationCounters(storage, crypto, encryptionKey, title).next, 101);
		});
		it("ends if its counters can't be stored", () => {
			const bed = new Bed(GMAC).meter("");
			bed.readerBed.world.storage.capacity = 0;
			assert.equal(bed.read().readout, undefined);
			assert.equal(bed.readerBed.reader.outcomes.failure, FAILURE_COUNTERS);
		});
	});

	describe("in the log", () => {
		for (const echo of [false, true]) {
			it(`shows all but the password${echo ? ", also in the head's echo" : ""}`, () => {
				const bed = new Bed(LOW).meter(`--password hex:${Buffer.from(PASSWORD).toString("hex")}`);
				bed.readerBed.world.serial.meter.echo = echo;
				const log = new LineLog();
				bed.readerBed.reader.log = log;
				bed.succeed();
				const cursor = new LogCursor(log.copy());
				let all = Buffer.alloc(0);
				while (cursor.next())
					if (cursor.kind !== LOG_LINE) all = Buffer.concat([all, cursor.bytes.subarray(cursor.start, cursor.end)]);
				assert.equal(log.dropped, 0);
				const text = all.toString("latin1");
				for (let i = 0; i + 3 <= PASSWORD.length; i++) assert.ok(!text.includes(PASSWORD.slice(i, i + 3)), text);
				assert.ok(text.includes("*".repeat(PASSWORD.length)));
				assert.ok(text.includes("\xe6\xe6\x00\x60") && text.includes("48151623"));
			});
		}
	});

	describe("probe", () => {
		const probe = (bed: Bed): ProbeResult => bed.readerBed.probe();

		it("detects the meter with a sign-on or with an HDLC connection", () => {
			const ident = Buffer.from(probe(new Bed({ opening: OPENING_AUTO }).meter("--mode-e")).ident).toString();
			assert.equal(ident, "LGZ5\\2ZMD3104");
			for (const opening of [OPENING_AUTO, OPENING_DIRECT]) {
				const bed = new Bed({ opening }).meter("");
				const { failure, received } = probe(bed);
				assert.deepEqual([failure, received > 10], [undefined, true]);
				bed.succeed();
			}
		});
		it("reports why it found no meter", () => {
			assert.equal(probe(new Bed({ opening: OPENING_AUTO })).failure, HDLC_SILENCE);
			assert.equal(probe(new Bed({ opening: OPENING_MODE_E }).meter("")).failure, IEC_SILENCE);
			assert.equal(probe(new Bed({ physical: 18 }).meter("")).failure, HDLC_SILENCE);
		});
	});

	for (const hardwareParity of [true, false]) {
		for (const echo of [false, true]) {
			const port = `a port of ${hardwareParity ? "7E1" : "eight bits"}${echo ? " under a head that echoes" : ""}`;
			it(`reads the meter over ${port}`, () => {
				for (const [line, opening] of [
					["--mode-e", OPENING_AUTO],
					["--mode-e --no-confirm", OPENING_MODE_E],
					["", OPENING_AUTO],
				] as const) {
					const bed = new Bed({ ...GMAC, opening }, {}, { hardwareParity, echo }).meter(line);
					bed.succeed();
				}
			});
		}
	}

	it("is ended after ten minutes if the meter sends each answer as late as permitted", () => {
		const bed = new Bed({ receiveTimeoutMs: 30_000 }).meter("--late 29000 --conformance 001010");
		const waits = bed.read();
		assert.ok(waits.tookMs <= 61_000);
		bed.readerBed.world.advance(599_000 - waits.tookMs);
		assert.equal(bed.readerBed.reader.running, true);
		bed.readerBed.world.advance(32_000);
		assert.equal(bed.readerBed.reader.running, false);
		assert.equal(bed.readerBed.reader.outcomes.last?.status, STATUS_CUT);
	});
});
