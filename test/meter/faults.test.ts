import assert from "node:assert/strict";
import * as failures from "../../modules/iec62056-21/failures.js";
import { FAILURE_PORT, FAILURE_WAIT } from "../../modules/meter/failures.js";
import type { ProbeResult } from "../../modules/meter/probe.js";
import type { Failure } from "../../modules/readout/failure.js";
import { STATUS_CHECK_WRONG, STATUS_CUT, STATUS_OK } from "../../modules/readout/readout.js";
import type { MeterFaults } from "../../tools/meter/faults.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import type { MeterMode } from "../../tools/meter/telegram.js";
import { iecVectors, type Vector } from "../vectors.js";
import { packedReadings } from "./packed.js";
import { type Outcome, ReaderBed } from "./reader-bed.js";

const vectors = iecVectors();
/** A short, complete telegram with STX, ETX and a correct BCC. */
const zmf100 = vectorOf("landis-gyr-zmf100-m26-padded-left");
const logarex = vectorOf("logarex-lk13-history");
const pushed = vectorOf("ebz-dd3-push");

function vectorOf(name: string): Vector {
	const vector = vectors.find((one) => one.name === name);
	assert.ok(vector, name);
	return vector;
}

function bytes(text: string): Uint8Array {
	return new Uint8Array(Buffer.from(text, "latin1"));
}

/** BCC of a block that ends with ETX. */
function checkOf(block: string): number {
	return bytes(block).reduce((sum, byte) => sum ^ byte, 0);
}

function readWith(faults: MeterFaults, vector = logarex): Outcome & { bed: ReaderBed } {
	const bed = new ReaderBed().connect(vector.telegram, { faults });
	return { ...bed.read(), bed };
}

function isGood(outcome: Outcome, vector = logarex): void {
	assert.equal(outcome.readout?.status, STATUS_OK);
	assert.deepEqual(packedReadings(outcome.readout?.records), vector.readings);
}

describe("the reader with meters and lines that deviate from the standard", () => {
	it("reads through a head that echoes every character", () => {
		for (const hardwareParity of [true, false]) {
			const bed = new ReaderBed({}, { echo: true, hardwareParity }).connect(logarex.telegram);
			isGood(bed.read());
			assert.equal(bed.world.serial.meter.sentByGateway, 11);
		}
	});
	it("reads a meter that sends noise before the identification and after the BCC", () =>
		isGood(readWith({ noise: 7 })));
	it("reads a meter that sends ACK CR LF before STX", () => isGood(readWith({ ackLine: true })));
	it("reads a block without STX and still checks its BCC", () => isGood(readWith({ noSTX: true })));
	it("reads a block without ETX and BCC", () => isGood(readWith({ noBCC: true })));
	it("reads a block without STX, ETX and BCC", () => isGood(readWith({ noSTX: true, noBCC: true })));
	it("reads a meter that answers a little later than the standard allows", () => isGood(readWith({ lateMs: 1800 })));
	it("reads a meter that always answers after 3.5 s, and needs one session only", () => {
		const outcome = readWith({ lateMs: 3300 });
		isGood(outcome);
		assert.equal(outcome.bed.world.serial.meter.sentByGateway, 11);
	});
	it("reads a block whose BCC is a line feed", () => {
		const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%+-";
		for (const first of letters) {
			for (const second of letters) {
				const block = `1.8.0(000001.0*kWh)\r\n0.2.0(${first}${second})\r\n!\r\n\x03`;
				if (checkOf(block) !== 0x0a) continue;
				const { readout } = new ReaderBed().connect(bytes(`/LGZ4TEST\r\n\x02${block}\n`)).read();
				assert.equal(readout?.status, STATUS_OK);
				assert.equal(packedReadings(readout.records).length, 2);
				return;
			}
		}
		assert.fail("no block has this BCC");
	});

	it("requests the block again after one wrong BCC", () => {
		const outcome = readWith({ wrongBCC: 1 });
		isGood(outcome);
		assert.equal(outcome.readout?.baud, 9600);
	});
	it("returns a block with status 3 if its BCC is always wrong, and does not store it", () => {
		const outcome = readWith({ wrongBCC: 1000 }, zmf100);
		assert.equal(outcome.readout?.status, STATUS_CHECK_WRONG);
		assert.deepEqual(packedReadings(outcome.readout?.records), zmf100.readings);
		assert.equal(outcome.bed.reader.outcomes.last, undefined);
		outcome.bed.world.advance(600_000);
		assert.equal(outcome.bed.reader.running, false);
		assert.equal(outcome.bed.reader.outcomes.failure, failures.IEC_CHECK_WRONG);
	});

	for (const lieBaud of [300, 600, 1200, 2400, 4800]) {
		it(`reads a meter that offers 9600 Bd but only works at ${lieBaud} Bd, and begins with this speed next time`, () => {
			const outcome = readWith({ lieBaud });
			isGood(outcome);
			assert.equal(outcome.readout?.baud, lieBaud);
			assert.equal(outcome.bed.settings.learnedBaud, lieBaud);
			// The second readout needs one session only.
			outcome.bed.world.advance(3000);
			const before = outcome.bed.world.serial.meter.meterEvents.length;
			isGood(outcome.bed.read());
			const events = outcome.bed.world.serial.meter.meterEvents.slice(before);
			assert.equal(events.filter((event) => event === 1).length, 1);
		});
	}
	it("reads a meter that does not answer the first two sign-ons", () => isGood(readWith({ silence: 2 })));
	it("reports within 15 s that a meter does not answer at all", () => {
		const outcome = readWith({ silence: 1000 });
		assert.equal(outcome.readout, undefined);
		assert.equal(outcome.failure, failures.IEC_SILENCE);
		assert.ok(outcome.tookMs < 15_000, `${outcome.tookMs} ms`);
	});
	it("reports a head that echoes while no meter answers", () => {
		const { failure } = new ReaderBed({}, { echo: true }).read();
		assert.equal(failure, failures.IEC_ECHO_ONLY);
	});
	it("returns a block that always breaks off to the caller, but keeps the stored readout", () => {
		const bed = new ReaderBed().connect(logarex.telegram);
		isGood(bed.read());
		const before = bed.reader.outcomes.last;
		bed.connect(logarex.telegram, { faults: { cut: 300 } });
		const outcome = bed.read();
		assert.equal(outcome.readout?.status, STATUS_CUT);
		const shown = packedReadings(outcome.readout?.records);
		assert.ok(shown.length > 3);
		assert.deepEqual(shown, logarex.readings.slice(0, shown.length));
		bed.world.advance(200_000);
		assert.equal(bed.reader.running, false);
		assert.equal(bed.reader.outcomes.last, before);
		assert.equal(bed.reader.outcomes.failure, failures.IEC_CUT);
	});
	it("reports an error message of the meter", () => {
		const error = "(ER01)\x03";
		const check = String.fromCharCode(checkOf(error));
		const bed = new ReaderBed().connect(bytes(`/LGZ4TEST\r\n\x02${error}${check}`));
		const { failure, readout } = bed.read();
		assert.equal(readout, undefined);
		assert.equal(failure, failures.IEC_METER_ERROR);
	});
	it("reads a battery meter only after waking it", () => {
		const bed = new ReaderBed({ battery: true }).connect(logarex.telegram, { battery: true });
		isGood(bed.read());
		const { readout, failure } = new ReaderBed().connect(logarex.telegram, { battery: true }).read();
		assert.deepEqual([readout, failure], [undefined, failures.IEC_SILENCE]);
		assert.match(failures.IEC_SILENCE.message, /battery/);
	});
	it("reads a meter that only answers to its device address", () => {
		const deviceAddress = bytes("0012345678");
		isGood(new ReaderBed({ deviceAddress }).connect(logarex.telegram, { address: "12345678" }).read());
		const wrong = new ReaderBed({ deviceAddress: bytes("99") }).connect(logarex.telegram, { address: "12345678" });
		const { readout, failure } = wrong.read();
		assert.deepEqual([readout, failure], [undefined, failures.IEC_SILENCE_ADDRESSED]);
		assert.match(failures.IEC_SILENCE_ADDRESSED.message, /device_address.*battery/);
	});
	it("reads a meter that only answers to a non-standard sign-on", () => {
		const heat = vectorOf("landis-gyr-2wr5-heat");
		const meter = { address: "/#", battery: true, mode: "B" } as const;
		const waking = new ReaderBed({ deviceAddress: bytes("/#"), battery: true }).connect(heat.telegram, meter);
		assert.deepEqual(packedReadings(waking.read().readout?.records), heat.readings);
		const silent = new ReaderBed({ battery: true }).connect(heat.telegram, meter).read();
		assert.equal(silent.failure, failures.IEC_SILENCE);
	});
	it("never returns a wrong value from a line that sometimes damages a character", () => {
		for (let seed = 1; seed <= 40; seed++) {
			const bed = new ReaderBed({}, { noise: 400, seed });
			bed.connect(logarex.telegram);
			const { readout } = bed.read();
			if (readout?.status !== STATUS_OK) continue;
			assert.deepEqual(packedReadings(readout.records), logarex.readings, `seed ${seed}`);
		}
	});
	it("reports a port that is pulled out during a session, and reads again when it is back", () => {
		const bed = new ReaderBed().connect(logarex.telegram);
		bed.world.timers.set(() => bed.world.serial.meter.unplug(), 900);
		assert.equal(bed.read().failure, FAILURE_PORT);
		assert.equal(bed.read().failure, FAILURE_PORT);
		bed.world.serial.meter.plugIn();
		bed.world.advance(3000);
		isGood(bed.read());
	});
	it("reports a timeout to the caller after a minute, finishes the readout and stores it", () => {
		const long = vectorOf("iskraemeco-mt174-15-billing-periods");
		const bed = new ReaderBed({ baudMax: 300 }).connect(long.telegram);
		const { failure, tookMs } = bed.read();
		assert.equal(failure, FAILURE_WAIT);
		assert.equal(tookMs, 60_000);
		assert.equal(bed.reader.running, true);
		bed.world.advance(300_000);
		assert.deepEqual(packedReadings(bed.reader.outcomes.last?.records), long.readings);
		assert.equal(bed.reader.outcomes.last?.status, STATUS_OK);
	});
	it("ends an endless readout after ten minutes and stores nothing that was not checked", () => {
		const line = "1.8.0*01(000001.0*kWh)\r\n";
		const bed = new ReaderBed({ baudMax: 300 }).connect(bytes(`/LGZ0TEST\r\n\x02${line.repeat(1200)}!\r\n\x03\x00`));
		bed.read();
		bed.world.advance(700_000);
		assert.equal(bed.reader.running, false);
		assert.equal(bed.reader.outcomes.last, undefined);
		assert.equal(bed.reader.outcomes.failure, failures.IEC_CUT);
	});
	it("stores as many readings of an overlong block as fit, with status 2", () => {
		let block = "";
		for (let i = 0; i < 3000; i++) block += `1.8.${i % 60}*${i % 100}(${String(i).padStart(9, "0")}*kWh)\r\n`;
		block += "!\r\n\x03";
		const check = String.fromCharCode(checkOf(block));
		const bed = new ReaderBed().connect(bytes(`/LGZ5TEST\r\n\x02${block}${check}`));
		bed.read();
		bed.world.advance(200_000);
		assert.equal(bed.reader.outcomes.last?.status, STATUS_CUT);
		const shown = packedReadings(bed.reader.outcomes.last?.records);
		assert.ok(shown.length > 500);
		assert.ok(shown.every((reading, i) => reading.value1_number === i));
	});
});

describe("meters with modes A and B, and the speed limit", () => {
	for (const mode of ["A", "B"] as MeterMode[]) {
		it(`mode ${mode} is read without an acknowledgement`, () => {
			const ident = mode === "A" ? "/LGZ!TEST" : "/LGZCTEST";
			const body = Buffer.from(zmf100.telegram)
				.toString("latin1")
				.replace(/^[^\n]*\n/, `${ident}\r\n`);
			const bed = new ReaderBed().connect(bytes(body), { mode });
			const { readout } = bed.read();
			assert.deepEqual(packedReadings(readout?.records), zmf100.readings);
			assert.equal(readout?.baud, mode === "A" ? 300 : 2400);
			assert.equal(bed.world.serial.meter.sentByGateway, 5);
		});
	}
	it("the BCC may be the sum of the characters, but only that of a Kamstrup meter", () => {
		// After the report aquaticus/piggymeter_esphome_yaml 4: a Kamstrup 382; values and number are our own.
		const block =
			"0.0(00000000)\r\n1.20(0083038*kWh)\r\n1.20.1(0083038*kWh)\r\n1.20.2(0000000*kWh)\r\n1.31(0160249*h)\r\n" +
			"1.26(0000000)\r\n1.6(000007,4*kW)\r\n1.6*1(000013,0)!\r\n\x03";
		const sum = bytes(block).reduce((all, byte) => (all + byte) & 0x7f, 0);
		assert.deepEqual([sum, checkOf(block)], [0x56, 0x1c]);
		for (const [ident, check, status] of [
			["KAM 685-382-QR-10", sum, STATUS_OK],
			["KAM 685-382-QR-10", checkOf(block), STATUS_OK],
			["KAM 685-382-QR-10", sum + 1, STATUS_CHECK_WRONG],
			["LGZ 685-382-QR-10", sum, STATUS_CHECK_WRONG],
		] as const) {
			const telegram = bytes(`/${ident}\r\n\x02${block}${String.fromCharCode(check)}`);
			const { readout } = new ReaderBed().connect(telegram, { mode: "A" }).read();
			assert.equal(readout?.status, status, `${ident} ${check}`);
			assert.equal(packedReadings(readout?.records).length, 8);
		}
	});
	it("a meter that offers mode C but sends its block at once is read", () => {
		const bed = new ReaderBed().connect(zmf100.telegram, { mode: "A" });
		const { readout } = bed.read();
		assert.equal(readout?.status, STATUS_OK);
		assert.equal(readout.baud, 300);
	});
	it("a speed limit between two standard speeds selects the lower", () => {
		for (const [baudMax, baud] of [
			[300, 300],
			[599, 300],
			[600, 600],
			[9599, 4800],
			[19200, 9600],
		]) {
			assert.equal(new ReaderBed({ baudMax }).connect(logarex.telegram).read().readout?.baud, baud);
		}
	});
});

describe("mode D", () => {
	function listen(telegram: Uint8Array, options: Record<string, unknown> = {}): ReaderBed {
		const bed = new ReaderBed({ modeD: true, modeDBaud: 2400 });
		return bed.connect(telegram, { mode: "D", pushBaud: 2400, ...options });
	}

	it("keeps the last telegram up to date without a request", () => {
		const bed = listen(pushed.telegram);
		bed.world.advance(10_000);
		const first = bed.reader.outcomes.last;
		assert.deepEqual(packedReadings(first?.records), pushed.readings);
		bed.world.advance(10_000);
		assert.notEqual(bed.reader.outcomes.last, first);
	});
	it("reads telegrams that follow each other without a gap, even if it begins to listen in the middle of one", () => {
		const bed = listen(pushed.telegram, { pushMs: 1 });
		bed.reader.stop();
		bed.world.advance(700);
		bed.reader.reconfigure();
		const { readout } = bed.read();
		assert.deepEqual(packedReadings(readout?.records), pushed.readings);
	});
	it("drops a telegram that the next one cuts short", () => {
		for (let cut = 20; cut < pushed.telegram.length - 4; cut += 3) {
			const twice = new Uint8Array([...pushed.telegram.subarray(0, cut), ...pushed.telegram]);
			const { readout } = listen(twice).read();
			assert.equal(readout?.status, STATUS_OK, `cut at ${cut}`);
			assert.deepEqual(packedReadings(readout.records), pushed.readings, `cut at ${cut}`);
		}
	});
	it("accepts a slash inside the data", () => {
		const telegram = bytes("/EBZ5TEST\r\n\r\n0.9.2(21/04/10)\r\n/SX330\r\n1.8.0(1.5*kWh)\r\n!\r\n");
		const { readout } = listen(telegram).read();
		assert.deepEqual(
			packedReadings(readout?.records).map((reading) => reading.value1),
			["21/04/10", "1.5"],
		);
	});
	it("returns a telegram with a wrong CRC to the caller after a minute, with status 3, and stores none", () => {
		const dsmr = vectorOf("iskraemeco-mt382-dsmr4");
		const bed = listen(dsmr.telegram);
		const { readout, tookMs } = bed.read();
		assert.equal(readout?.status, STATUS_CHECK_WRONG);
		assert.equal(tookMs, 60_000);
		assert.equal(bed.reader.outcomes.last, undefined);
	});
	it("reports that no telegram came if the meter sends nothing", () => {
		assert.equal(new ReaderBed({ modeD: true }).read().failure, failures.IEC_NO_TELEGRAM);
	});
	it("applies a change of the settings", () => {
		const bed = listen(pushed.telegram);
		bed.settings.modeDBaud = 9600;
		bed.reader.reconfigure();
		bed.world.advance(10_000);
		assert.deepEqual([bed.reader.outcomes.last], [undefined]);
		bed.settings.modeDBaud = 2400;
		bed.reader.reconfigure();
		bed.world.advance(10_000);
		assert.equal(bed.reader.outcomes.last?.status, STATUS_OK);
		bed.settings.modeD = false;
		bed.reader.reconfigure();
		bed.connect(logarex.telegram);
		isGood(bed.read());
	});
	it("listens again when a lost port is back", () => {
		const bed = listen(pushed.telegram);
		bed.world.advance(5000);
		bed.world.serial.meter.unplug();
		bed.world.advance(1000);
		bed.world.serial.meter.plugIn();
		const before = bed.reader.outcomes.last;
		bed.world.advance(30_000);
		assert.notEqual(bed.reader.outcomes.last, before);
	});
	it("tries to open a lost port every ten seconds", () => {
		const bed = listen(pushed.telegram);
		bed.world.advance(5000);
		bed.world.serial.meter.unplug();
		const fails = () => bed.world.traced.filter((line) => line.startsWith("meter: ")).length;
		bed.world.advance(0);
		const before = fails();
		bed.world.advance(9998);
		assert.equal(fails(), before);
		bed.world.advance(4);
		assert.equal(fails(), before + 1);
		bed.world.advance(9998);
		bed.world.advance(4);
		assert.equal(fails(), before + 2);
	});
	it("completes a long readout after it stopped listening for pushes while its port was missing", () => {
		const long = vectorOf("iskraemeco-mt174-15-billing-periods");
		const bed = listen(pushed.telegram);
		bed.world.serial.meter.unplug();
		bed.world.advance(1000);
		bed.settings.modeD = false;
		bed.settings.baudMax = 300;
		bed.reader.reconfigure();
		bed.world.serial.meter.plugIn();
		bed.connect(logarex.telegram);
		isGood(bed.read());
		bed.world.advance(400_000);
		bed.connect(long.telegram);
		bed.read();
		bed.world.advance(330_000);
		assert.equal(bed.reader.outcomes.last?.status, STATUS_OK);
		assert.deepEqual(packedReadings(bed.reader.outcomes.last.records), long.readings);
	});
});

describe("several callers of the reader", () => {
	it("share one session, and all are notified", () => {
		const bed = new ReaderBed().connect(logarex.telegram);
		const reported: (Failure | undefined)[] = [];
		for (let i = 0; i < 3; i++) bed.reader.read({ finished: (_, failure) => reported.push(failure) });
		isGood(bed.read());
		assert.deepEqual(reported, [undefined, undefined, undefined]);
		assert.equal(bed.world.serial.meter.sentByGateway, 11);
	});
	it("may cancel: they are not notified, and the readout is stored", () => {
		const bed = new ReaderBed().connect(logarex.telegram);
		const waiter = { finished: () => assert.fail("notified after it had cancelled") };
		bed.reader.read(waiter);
		bed.reader.cancel(waiter);
		bed.world.advance(10_000);
		assert.equal(bed.reader.outcomes.last?.status, STATUS_OK);
	});
});

describe("a probe", () => {
	it("started right after a readout waits until the meter accepts another sign-on, then returns its identification", () => {
		const bed = new ReaderBed().connect(logarex.telegram);
		isGood(bed.read());
		const results: (Failure | string)[] = [];
		const finished = ({ failure, ident }: ProbeResult) =>
			results.push(failure ?? Buffer.from(ident).toString("latin1"));
		assert.equal(bed.reader.probe({ finished }), true);
		bed.world.advance(5000);
		assert.deepEqual(results, [logarex.meterId]);
		isGood(bed.read());
	});
	describe("that is quick", () => {
		/** Code of the failure or identification, and number of characters, of a quick probe; and its duration, ms. */
		function probeQuickly(bed: ReaderBed): [outcome: string, received: number, tookMs: number] {
			let result: ProbeResult | undefined;
			const { clock } = bed.world;
			const beganMs = clock.monotonicMs();
			assert.equal(bed.reader.probe({ finished: (one) => (result = one) }, true), true);
			while (result === undefined && clock.monotonicMs() < beganMs + 60_000) bed.world.advance(10);
			assert.ok(result);
			const outcome = result.failure?.code ?? Buffer.from(result.ident).toString("latin1");
			return [outcome, result.received, clock.monotonicMs() - beganMs];
		}

		it("returns the identification of a meter that answers, again and again", () => {
			const bed = new ReaderBed().connect(logarex.telegram);
			for (let i = 0; i < 3; i++) assert.equal(probeQuickly(bed)[0], logarex.meterId);
		});
		it("shows within two seconds that nothing comes back, each time", () => {
			const bed = new ReaderBed().connect(logarex.telegram, { faults: { silence: 1000 } });
			for (let i = 0; i < 4; i++) {
				const [outcome, received, tookMs] = probeQuickly(bed);
				assert.deepEqual([outcome, received], ["meter/silence", 0]);
				assert.ok(tookMs <= 2000, `${tookMs} ms`);
			}
			assert.equal(bed.reader.running, false);
		});
		it("shows that only its own light comes back", () => {
			const bed = new ReaderBed({}, { echo: true }).connect(logarex.telegram, { faults: { silence: 1000 } });
			assert.deepEqual(probeQuickly(bed).slice(0, 2), ["meter/echo-only", 5]);
		});
		it("shows that something else comes, and ends when it pauses or after four seconds", () => {
			const bed = new ReaderBed();
			const { meter } = bed.world.serial;
			const noise = (pushMs: number) => new PushMeter({ source: () => bytes("....."), baud: 300, pushMs }, 0);
			meter.connect(noise(200));
			const [outcome, received, tookMs] = probeQuickly(bed);
			assert.equal(outcome, "meter/no-ident");
			assert.ok(received > 50 && tookMs >= 4000 && tookMs < 4100, `${received} characters, ${tookMs} ms`);
		});
		it("waits for the end of an identification that has begun", () => {
			const bed = new ReaderBed().connect(logarex.telegram, { faults: { lateMs: 1300 } });
			assert.equal(probeQuickly(bed)[0], logarex.meterId);
		});
		it("returns a telegram that the meter pushes meanwhile", () => {
			const bed = new ReaderBed({ modeD: true, modeDBaud: 9600 });
			bed.connect(pushed.telegram, { mode: "D", pushBaud: 9600, pushMs: 1000 });
			assert.deepEqual(probeQuickly(bed)[0], pushed.meterId);
		});
		it("does not count among the probes after which the gateway listens for a call", () => {
			const bed = new ReaderBed().connect(logarex.telegram, { faults: { silence: 1000 } });
			for (let i = 0; i < 3; i++) probeQuickly(bed);
			let trying = "";
			bed.reader.probe({ finished: () => {} });
			for (let ms = 0; ms < 30_000; ms += 100) {
				bed.world.advance(100);
				trying += ` ${bed.reader.borrower?.trying}`;
			}
			assert.ok(!trying.includes("amis") && trying.includes("kmp"), trying);
		});
		it("gives the line back for a readout", () => {
			const bed = new ReaderBed().connect(logarex.telegram, { faults: { silence: 1 } });
			assert.equal(probeQuickly(bed)[0], "meter/silence");
			isGood(bed.read());
		});
	});
	it("is rejected during a session", () => {
		const bed = new ReaderBed().connect(logarex.telegram);
		bed.reader.read({ finished: () => {} });
		assert.equal(bed.reader.probe({ finished: () => assert.fail("finished was called") }), false);
	});
});
