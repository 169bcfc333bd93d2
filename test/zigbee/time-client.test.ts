import assert from "node:assert/strict";
import type { Outgoing } from "../../modules/zigbee/radio.js";
import { TimeClient } from "../../modules/zigbee/time-client.js";

const BUILT_MS = Date.UTC(2026, 0, 31);
const UTC_MS = Date.UTC(2026, 10, 22, 18);
const EPOCH_MS = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;

class Bed {
	nowMs = 1000;
	utcMs: number | undefined;
	hasServer = false;
	changes = 0;
	readonly client = new TimeClient({
		clock: {
			utcMs: () => this.utcMs,
			setUTC: (utcMs) => {
				this.utcMs = utcMs;
			},
		},
		info: { builtUtcMs: BUILT_MS },
		hasTimeServer: () => this.hasServer,
		clockSet: () => this.changes++,
	});

	/** Advances time until the client sends a request; undefined: none within `limitMs`. */
	nextRequest(limitMs = 10 * DAY_MS): Buffer | undefined {
		const endMs = this.nowMs + limitMs;
		if (!this.client.isReady) {
			this.nowMs = Math.min(endMs, Math.max(this.nowMs, this.client.deadlineMs));
			this.client.advance(this.nowMs);
		}
		if (!this.client.isReady) return undefined;
		const out: Outgoing = {
			cluster: 0,
			destination: 9,
			destinationEndpoint: 9,
			bytes: new Uint8Array(80).fill(9),
			start: 9,
			end: 9,
		};
		this.client.write(out, 0x42, this.nowMs);
		assert.deepEqual([out.cluster, out.destination, out.destinationEndpoint], [0x000a, 0, 1]);
		return Buffer.from(out.bytes.subarray(out.start, out.end));
	}

	answer(records: readonly number[], { source = 0, control = 0x18, command = 1 } = {}): void {
		const bytes = Uint8Array.from([0xff, control, 0x42, command, ...records, 0xff]);
		const frame = {
			control,
			manufacturer: 0,
			sequence: 0x42,
			command,
			isBroadcast: false,
			bytes,
			start: 4,
			end: bytes.length - 1,
		};
		this.client.received(frame, source, 1, this.nowMs);
	}
}

const time = (utcMs: number) => {
	const seconds = (utcMs - EPOCH_MS) / 1000;
	return [0, 0, 0, 0xe2, seconds & 255, (seconds >> 8) & 255, (seconds >> 16) & 255, seconds >>> 24];
};
const status = (value: number) => [1, 0, 0, 0x18, value];
const UNSUPPORTED_STATUS = [1, 0, 0x86];

function joined(utcMs?: number): Bed {
	const bed = new Bed();
	bed.utcMs = utcMs;
	bed.client.joined(bed.nowMs);
	assert.equal(bed.nextRequest()?.toString("hex"), "10420000000100");
	return bed;
}

describe("Time client", () => {
	it("sets a clock that was never set", () => {
		const bed = joined();
		bed.answer([...time(UTC_MS), ...status(3)]);
		assert.deepEqual([bed.utcMs, bed.changes], [UTC_MS, 1]);
	});

	it("accepts both attributes in any order, and needs no status", () => {
		for (const records of [[...status(2), ...time(UTC_MS)], [...time(UTC_MS), ...UNSUPPORTED_STATUS], time(UTC_MS)]) {
			const bed = joined();
			bed.answer(records);
			assert.equal(bed.utcMs, UTC_MS);
		}
	});

	it("requests the time once a day, and more often without an answer", () => {
		const bed = joined();
		bed.answer([...time(UTC_MS), ...status(3)]);
		const startMs = bed.nowMs;
		assert.ok(bed.nextRequest());
		assert.equal(bed.nowMs - startMs, DAY_MS);
		const waits: number[] = [];
		for (let i = 0; i < 14; i++) {
			const beforeMs = bed.nowMs;
			assert.ok(bed.nextRequest());
			waits.push((bed.nowMs - beforeMs) / 60_000);
		}
		assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440, 1440]);
		bed.answer(time(UTC_MS));
		bed.client.left();
		assert.equal(bed.nextRequest(), undefined);
	});

	it("corrects a clock by up to 1000 s, in whole seconds", () => {
		for (const [offMs, isSet] of [
			[0, false],
			[1999, false],
			[2000, true],
			[-2000, true],
			[1_000_000, true],
			[-1_000_001, false],
			[DAY_MS, false],
		] as const) {
			const bed = joined(UTC_MS + offMs);
			bed.answer([...time(UTC_MS), ...status(3)]);
			assert.equal(bed.utcMs, isSet ? UTC_MS : UTC_MS + offMs, `${offMs} ms`);
			assert.equal(bed.changes, isSet ? 1 : 0);
		}
	});

	it("does not change a clock that a time server has set", () => {
		const bed = joined(UTC_MS + 5000);
		bed.hasServer = true;
		bed.answer([...time(UTC_MS), ...status(3)]);
		assert.equal(bed.changes, 0);
	});

	it("rejects impossible answers", () => {
		const wrong: readonly (readonly number[])[] = [
			time(BUILT_MS - 1000),
			time(EPOCH_MS),
			[0, 0, 0, 0xe2, 255, 255, 255, 255],
			time(Date.UTC(2046, 2, 1)),
			[...time(UTC_MS), ...status(0)],
			[...status(4), ...time(UTC_MS)],
			[0, 0, 0x86, ...UNSUPPORTED_STATUS],
			time(UTC_MS).slice(0, 7),
			[...time(UTC_MS), 1, 0, 0, 0x18],
			[],
		];
		for (const records of wrong) {
			const bed = joined();
			bed.answer(records);
			assert.equal(bed.utcMs, undefined, String(records));
		}
	});

	it("accepts only the coordinator's answers to its requests", () => {
		for (const how of [{ source: 0x1234 }, { control: 0x19 }, { command: 0x0a }]) {
			const bed = joined();
			bed.answer([...time(UTC_MS), ...status(3)], how);
			assert.equal(bed.utcMs, undefined);
		}
	});
});
