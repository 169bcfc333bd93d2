import assert from "node:assert/strict";
import { OPENING_AUTO, OPENING_DIRECT } from "../../modules/cosem/settings.js";
import { Driver } from "../../modules/io/driver.js";
import { FAILURE_PORT } from "../../modules/meter/failures.js";
import { LiveMode } from "../../modules/meter/live-mode.js";
import { LIVE_COST, READOUT_COST } from "../../modules/meter/protocols.js";
import type { Readout } from "../../modules/readout/readout.js";
import { parseDLMSOptions } from "../../tools/meter/dlms-options.js";
import { COUNTER_REFUSED } from "../../tools/meter/dlms-security.js";
import { ANSWERED, ASSOCIATED, ASSOCIATION_REFUSED, RELEASED } from "../../tools/meter/dlms-server.js";
import { LINK_CLOSED } from "../../tools/meter/hdlc-station.js";
import { makeDLMSMeter } from "../../tools/meter/make-dlms-meter.js";
import { AK, GUEK } from "../cosem/meters.js";
import { packedReadings } from "./packed.js";
import { dlmsSettings, type Outcome, ReaderBed, type Settings, type WritableDLMSSettings } from "./reader-bed.js";

const NOON = Date.UTC(2026, 10, 20, 11);
const MINUTE = 60_000;

class Bed {
	readonly readerBed: ReaderBed;
	readonly mode: LiveMode;
	/** Readouts that were reported, with their monotonic time. */
	readonly reported: { readout: Readout; atMs: number }[] = [];
	isWanted = true;
	readonly wantedToMs = 0;

	constructor(line = "", dlms: Partial<WritableDLMSSettings> = {}, settings: Partial<Settings> = {}) {
		const all = dlmsSettings({ physical: 17, opening: OPENING_DIRECT, ...dlms });
		this.readerBed = new ReaderBed({ protocol: "dlms", dlms: all, ...settings }, { utcMs: NOON });
		this.connect(line);
		const { clock, timers } = this.readerBed.world;
		const { ledger, reader } = this.readerBed;
		this.readerBed.live.measured = () => {
			this.reported.push({ readout: this.readerBed.reader.outcomes.last!, atMs: clock.monotonicMs() });
		};
		const driver = new Driver({ clock, timers, guard: (_, run) => run() });
		this.mode = new LiveMode({ clock, driver, ledger, live: this, saving: undefined }, reader);
		this.mode.periodMs = 2000;
	}

	/** Connects a meter with moving values. */
	connect(line: string): void {
		const options = parseDLMSOptions(line === "" ? [] : line.split(" "))!;
		this.readerBed.world.serial.meter.connect(makeDLMSMeter(options, { utcMs: NOON, clocked: true }));
	}

	/** Clients of the event stream. */
	get clients(): number[] {
		return this.isWanted ? [1] : [];
	}

	changes = 0;

	changed(): void {
		this.changes++;
	}

	pass(ms: number): this {
		this.readerBed.world.advance(ms);
		return this;
	}

	/** Lets the full readout and the first rounds pass. */
	begin(): this {
		this.pass(8000);
		assert.equal(this.mode.state, "on");
		return this;
	}

	/** Number of the meter's events `code` since the last `clear`. */
	count(code: number): number {
		return this.readerBed.world.serial.meter.meterEvents.filter((event) => event === code).length;
	}

	clear(): this {
		this.readerBed.world.serial.meter.meterEvents.length = 0;
		this.reported.length = 0;
		return this;
	}

	get isOpen(): boolean {
		return this.mode.isOpen;
	}

	read(): Outcome {
		return this.readerBed.read();
	}
}

function shown({ records }: Readout, obis: string): string | undefined {
	return JSON.stringify(packedReadings(records).find((reading) => JSON.stringify(reading).includes(obis)));
}

describe("live mode", () => {
	it("reads the meter in full first, and then only the powers, in one association", () => {
		const bed = new Bed().begin();
		const [full] = bed.reported;
		assert.equal(full.readout.liveUtcMs, undefined);
		bed.clear().pass(60_000);
		assert.ok(bed.reported.length >= 29 && bed.reported.length <= 31, String(bed.reported.length));
		assert.equal(bed.count(ASSOCIATED), 0);
		// One GET with a list for each round.
		assert.ok(Math.abs(bed.count(ANSWERED) - bed.reported.length) <= 1);
		const { readout } = bed.reported[10];
		assert.equal(packedReadings(readout.records).length, packedReadings(full.readout.records).length);
		assert.equal(shown(readout, "1.8.0"), shown(full.readout, "1.8.0"));
		assert.notEqual(shown(readout, "1-0:2.7.0"), shown(full.readout, "1-0:2.7.0"));
		assert.equal(readout.utcMs, full.readout.utcMs);
		const { atMs } = bed.reported[10];
		assert.equal(
			readout.liveUtcMs,
			bed.readerBed.world.clock.utcMs()! - bed.readerBed.world.clock.monotonicMs() + atMs,
		);
	});
	it("claims memory for its beginning, and only for a round once it has begun, however it ends", () => {
		const bed = new Bed();
		const claims = new Set<number>();
		for (let ms = 0; ms < 20_000; ms += 10) {
			bed.pass(10);
			if (bed.isOpen) claims.add(bed.readerBed.claimedSlots);
		}
		assert.deepEqual([...claims], [READOUT_COST.slots, LIVE_COST.slots]);
		for (const end of [() => (bed.isWanted = false), () => bed.readerBed.world.serial.meter.unplug()]) {
			bed.isWanted = true;
			bed.pass(30_000);
			assert.equal(bed.readerBed.claimedSlots, LIVE_COST.slots);
			end();
			bed.pass(120_000);
			assert.equal(bed.isOpen, false);
			assert.equal(bed.readerBed.claimedSlots, 0);
		}
	});
	it("releases the association when no client requests values any more, and opens it again when one does", () => {
		const bed = new Bed("", { release: true }).begin();
		bed.isWanted = false;
		bed.clear().pass(29_000);
		assert.ok(bed.isOpen, "some clients ask once in half a minute");
		bed.pass(5000);
		assert.deepEqual([bed.isOpen, bed.mode.state], [false, "waiting"]);
		assert.deepEqual([bed.count(RELEASED), bed.count(LINK_CLOSED)], [1, 1]);
		bed.clear().pass(MINUTE);
		assert.equal(bed.reported.length, 0);
		bed.isWanted = true;
		bed.pass(5000);
		assert.ok(bed.isOpen && bed.reported.length > 0);
	});
	it("ends when it is turned off, and says so", () => {
		const bed = new Bed("", { release: true }).begin();
		bed.mode.periodMs = 0;
		bed.clear().pass(3000);
		assert.deepEqual([bed.isOpen, bed.mode.state, bed.count(RELEASED)], [false, "off", 1]);
		bed.pass(MINUTE);
		assert.equal(bed.isOpen, false);
	});
	it("gives the line back to a caller after 20 s, although the meter does not answer", () => {
		const bed = new Bed("", { receiveTimeoutMs: 30_000 }).begin();
		bed.connect("--missing 1.7.0");
		bed.readerBed.world.serial.meter.connect(undefined);
		bed.pass(3000);
		const tookMs = bed.readerBed.world.clock.monotonicMs();
		bed.readerBed.reader.probe({ finished: () => {} });
		while (bed.isOpen) bed.pass(100);
		assert.ok(bed.readerBed.world.clock.monotonicMs() - tookMs <= 20_200);
	});
	it("keeps the values young while they come, and no longer", () => {
		const bed = new Bed();
		bed.readerBed.freshness.freshSecs = 60;
		bed.begin().pass(10 * MINUTE);
		assert.deepEqual([bed.isOpen, bed.readerBed.reader.outcomes.isOld], [true, false]);
		bed.isWanted = false;
		bed.pass(2 * MINUTE);
		assert.equal(bed.readerBed.reader.outcomes.isOld, true);
	});
	it("is closed by DISC alone if RLRQ is not configured", () => {
		const bed = new Bed().begin().clear();
		bed.isWanted = false;
		bed.pass(40_000);
		assert.deepEqual([bed.isOpen, bed.count(RELEASED), bed.count(LINK_CLOSED)], [false, 0, 1]);
	});
	it("keeps the period, with single GETs if the meter has no lists", () => {
		for (const [line, periodMs, rounds] of [
			["--conformance 001015", 2000, 30],
			["", 1000, 60],
			["", 5000, 12],
		] as const) {
			const bed = new Bed(line);
			bed.mode.periodMs = periodMs;
			bed.begin().clear().pass(MINUTE);
			const count = bed.reported.length;
			assert.ok(Math.abs(count - rounds) <= 2, `${line} ${periodMs}: ${count} rounds`);
		}
	});
	it("reads only powers that the last readout had", () => {
		const bed = new Bed("--missing 2.7.0").begin().clear().pass(20_000);
		assert.ok(bed.reported.length >= 9);
		assert.ok(bed.isOpen);
		assert.equal(shown(bed.reported[0].readout, "1-0:2.7.0"), undefined);
	});
	it("waits if the last readout has no power", () => {
		const bed = new Bed("--missing 1.7.0,2.7.0").pass(20_000);
		assert.deepEqual([bed.isOpen, bed.mode.state], [false, "live/refused"]);
		assert.equal(bed.count(ASSOCIATED), 1);
	});
	it("waits longer each time that the meter ends the association, and forgets that with time", () => {
		const bed = new Bed("--request-limit 25").begin();
		const opened: number[] = [];
		let before = bed.count(ASSOCIATED);
		for (let s = 0; s < 3600; s++) {
			bed.pass(1000);
			const now = bed.count(ASSOCIATED);
			if (now > before) opened.push(s);
			before = now;
		}
		const gaps = opened.slice(1).map((at, i) => at - opened[i]);
		assert.ok(gaps.length >= 4 && gaps.length <= 8, gaps.join());
		for (let i = 1; i < gaps.length; i++) assert.ok(gaps[i] > gaps[i - 1] + 20, gaps.join());
		assert.equal(bed.mode.state, "dlms/lost");
		// Readouts still succeed.
		assert.equal(bed.read().failure, undefined);
	});
	it("discards a round if the meter refuses a value", () => {
		const bed = new Bed().begin();
		bed.connect("--result 1.7.0=2");
		bed.clear().pass(20_000);
		bed.clear().pass(35_000);
		assert.deepEqual(bed.reported, []);
		assert.deepEqual([bed.isOpen, bed.mode.state], [false, "live/refused"]);
	});
	it("discards a round from another meter", () => {
		const bed = new Bed().begin();
		const { outcomes } = bed.readerBed.reader;
		outcomes.last = { ...outcomes.last!, meterId: Buffer.from("OTHER") };
		bed.clear().pass(50_000);
		assert.deepEqual(bed.reported, []);
		assert.equal(bed.mode.state, "live/refused");
	});
	it("lets readouts in between, which release the association first, and continues", () => {
		const bed = new Bed("--keep-association", { release: true }).begin().clear();
		const { failure, readout, tookMs } = bed.read();
		assert.equal(failure, undefined);
		assert.equal(readout?.liveUtcMs, undefined);
		assert.ok(tookMs < 8000, String(tookMs));
		assert.equal(bed.count(RELEASED), 2);
		bed.clear().pass(10_000);
		assert.ok(bed.isOpen && bed.reported.length >= 3);
		assert.equal(bed.count(ASSOCIATED), 1);
	});
	it("lets a readout in between that is requested during a round, or during the opening", () => {
		for (let ms = 0; ms < 3000; ms += 97) {
			const bed = new Bed("--keep-association", { release: true }).begin();
			bed.isWanted = false;
			bed.pass(40_000);
			bed.isWanted = true;
			bed.pass(1000 + ms);
			assert.equal(bed.read().failure, undefined, `after ${ms} ms`);
		}
	});
	it("refuses a probe once, and permits the next", () => {
		const bed = new Bed().begin();
		const results: boolean[] = [];
		const probe = () => bed.readerBed.reader.probe({ finished: ({ failure }) => results.push(failure === undefined) });
		assert.equal(probe(), false);
		bed.pass(1000);
		assert.equal(probe(), false, "a meter needs a second after DISC");
		bed.pass(1500);
		assert.equal(probe(), true);
		bed.pass(5000);
		assert.deepEqual(results, [true]);
		bed.pass(15_000);
		assert.ok(bed.isOpen);
	});
	it("ends when the settings change, and reads with the new settings", () => {
		const bed = new Bed("--lls-client 32", { client: 16 }).begin();
		Object.assign(bed.readerBed.settings.dlms, { client: 32, auth: 1, password: Buffer.from("12345678") });
		bed.readerBed.reader.forget();
		bed.pass(3000).clear().pass(15_000);
		assert.ok(bed.isOpen && bed.reported.length > 3);
	});
	it("is not supported in mode C, nor by a meter with a battery, nor by one that pushes", () => {
		for (const [dlms, settings] of [
			[{}, { protocol: "iec62056" }],
			[{}, { battery: true }],
			[{ pushBaud: 9600 }, {}],
			[{}, { protocol: "sml" }],
		] as const) {
			const bed = new Bed("", dlms, settings).pass(30_000);
			assert.deepEqual([bed.isOpen, bed.mode.state, bed.reported.length], [false, "unsupported", 0]);
		}
	});
	it("works in mode E after a sign-on, also with the protocol iec62056", () => {
		for (const settings of [{}, { protocol: "iec62056", usesModeE: true }]) {
			const bed = new Bed("--mode-e", { opening: OPENING_AUTO }, settings).pass(30_000).clear();
			assert.equal(bed.mode.state, "on");
			bed.pass(MINUTE);
			assert.ok(bed.reported.length > 20, String(bed.reported.length));
			assert.equal(bed.read().failure, undefined);
		}
	});
	it("waits while the line is pulled, and continues when it is back", () => {
		const bed = new Bed().begin();
		bed.readerBed.world.serial.meter.connect(undefined);
		bed.clear().pass(20_000);
		assert.deepEqual([bed.isOpen, bed.reported], [false, []]);
		assert.match(bed.mode.state, /^hdlc\//);
		bed.connect("");
		bed.pass(35_000);
		assert.deepEqual([bed.isOpen, bed.mode.state], [true, "on"]);
	});
	it("waits while the port is gone", () => {
		const bed = new Bed().begin();
		bed.readerBed.world.serial.meter.unplug();
		bed.clear().pass(10_000);
		assert.deepEqual([bed.isOpen, bed.mode.state], [false, FAILURE_PORT.code]);
		assert.equal(bed.readerBed.reader.outcomes.failure, FAILURE_PORT);
		assert.equal(bed.changes, 1);
		bed.readerBed.world.serial.meter.plugIn();
		bed.pass(40_000);
		assert.ok(bed.isOpen);
	});
	it("shows no wrong value on a line that flips bits", () => {
		const bed = new Bed("--at 2026-06-21T18:30:00Z --damage 1500");
		const right = new Bed("--at 2026-06-21T18:30:00Z").begin().reported[0].readout;
		bed.pass(10 * MINUTE);
		assert.ok(bed.reported.length > 50, String(bed.reported.length));
		for (const { readout } of bed.reported) assert.deepEqual(readout.records, right.records);
	});
	describe("with keys", () => {
		const keys = { auth: 2, ciphered: true, client: 1, encryptionKey: GUEK, authenticationKey: AK };

		it("uses each invocation counter once, and few blocks of them", () => {
			const bed = new Bed("", keys).begin();
			const { storage } = bed.readerBed.world;
			const writes = storage.writes;
			bed.clear().pass(30 * MINUTE);
			assert.ok(bed.reported.length > 850);
			// 900 requests: a block of 100, then one of 1000.
			assert.ok(storage.writes - writes <= 2, String(storage.writes - writes));
			assert.equal(bed.count(COUNTER_REFUSED), 0);
			assert.equal(bed.count(ASSOCIATED), 0);
			assert.equal(bed.read().failure, undefined);
		});
		it("wastes no more counters on short sessions than on readouts", () => {
			const bed = new Bed("", keys).begin();
			const stored = () => Buffer.from(bed.readerBed.world.storage.get("dlms_counters")!).readUInt32BE(8);
			const before = stored();
			for (let i = 0; i < 5; i++) {
				bed.isWanted = false;
				bed.pass(MINUTE);
				bed.isWanted = true;
				bed.pass(10_000);
			}
			assert.equal(stored() - before, 500);
			assert.equal(bed.count(COUNTER_REFUSED), 0);
		});
		it("waits an hour before it asks a meter again that has rejected the key", () => {
			const bed = new Bed("", keys).begin();
			bed.connect(`--guek ${"07".repeat(16)}`);
			bed.pass(5 * MINUTE);
			assert.equal(bed.mode.state, "dlms/authentication");
			bed.clear().pass(50 * MINUTE);
			assert.equal(bed.count(ASSOCIATION_REFUSED), 0);
			bed.pass(20 * MINUTE);
			assert.ok(bed.count(ASSOCIATION_REFUSED) > 0);
		});
		it("reads a new counter if another client has raised the meter's", () => {
			const bed = new Bed("", keys).begin();
			bed.connect("--invocation-counter 5000");
			bed.pass(3 * MINUTE);
			assert.equal(bed.mode.state, "on");
		});
	});
});
