import assert from "node:assert/strict";
import fc from "fast-check";
import { RECEIVED, TRANSMITTED } from "../../modules/io/link.js";
import {
	LineLog,
	LOG_LIMIT,
	LOG_LINE,
	LOG_RECEIVED,
	LOG_TRANSMITTED,
	LogCursor,
} from "../../modules/meter/line-log.js";
import { bytesOf } from "../latin1.js";

interface Entry {
	readonly kind: number;
	readonly timeMs: number;
	data: number[];
}

const HEAD = 6;
const ENTRY_LIMIT = 255;
const JOIN_MS = 100;

/** A session log, and a complete copy of its entries. */
class RecordedLog {
	nowMs = 0;
	readonly log = new LineLog();
	readonly all: Entry[] = [];

	bytes(direction: number, data: readonly number[]): void {
		this.log.bytes(direction, Uint8Array.from([0xee, ...data, 0xee]), 1, 1 + data.length, this.nowMs);
		const kind = direction === TRANSMITTED ? LOG_TRANSMITTED : LOG_RECEIVED;
		let rest = [...data];
		const last = this.all.at(-1);
		if (last?.kind === kind && this.nowMs - last.timeMs <= JOIN_MS) {
			const room = ENTRY_LIMIT - last.data.length;
			last.data.push(...rest.slice(0, room));
			rest = rest.slice(room);
		}
		for (; rest.length > 0; rest = rest.slice(ENTRY_LIMIT)) {
			this.all.push({ kind, timeMs: this.nowMs, data: rest.slice(0, ENTRY_LIMIT) });
		}
	}

	line(baud: number): void {
		this.log.line(baud, this.nowMs);
		this.all.push({ kind: LOG_LINE, timeMs: this.nowMs, data: [baud & 0xff, (baud >> 8) & 0xff, baud >> 16] });
	}

	get entries(): Entry[] {
		const cursor = new LogCursor(this.log.copy());
		const entries: Entry[] = [];
		while (cursor.next()) {
			const { kind, timeMs, bytes, start, end } = cursor;
			entries.push({ kind, timeMs, data: [...bytes.subarray(start, end)] });
		}
		return entries;
	}

	/**
	 * Checks that the log holds the newest entries, whole and in order, and has dropped none that would have fitted.
	 */
	check(): void {
		const { entries, all, log } = this;
		const size = log.copy().length;
		assert.ok(size <= LOG_LIMIT);
		assert.equal(log.dropped + entries.length, all.length);
		assert.deepEqual(entries, all.slice(log.dropped));
		if (log.dropped > 0) assert.ok(size + HEAD + all[log.dropped - 1].data.length > LOG_LIMIT);
	}
}

describe("the session log", () => {
	it("keeps sent and received bytes and the line's speed, each with its time", () => {
		const recorded = new RecordedLog();
		recorded.line(300);
		recorded.nowMs = 100;
		recorded.bytes(TRANSMITTED, [...bytesOf("/?!\r\n")]);
		recorded.nowMs = 500;
		recorded.bytes(RECEIVED, [0x2f, 0x80, 0xff]);
		recorded.line(19_200);
		recorded.line(115_200);
		assert.deepEqual(recorded.entries, [
			{ kind: LOG_LINE, timeMs: 0, data: [0x2c, 0x01, 0] },
			{ kind: LOG_TRANSMITTED, timeMs: 100, data: [...bytesOf("/?!\r\n")] },
			{ kind: LOG_RECEIVED, timeMs: 500, data: [0x2f, 0x80, 0xff] },
			{ kind: LOG_LINE, timeMs: 500, data: [0x00, 0x4b, 0] },
			{ kind: LOG_LINE, timeMs: 500, data: [0x00, 0xc2, 1] },
		]);
	});
	it("joins pieces that begin within 100 ms, up to 255 characters", () => {
		const recorded = new RecordedLog();
		for (const ms of [0, 50, 100, 101, 202]) {
			recorded.nowMs = ms;
			recorded.bytes(RECEIVED, [1, 2]);
		}
		assert.deepEqual(
			recorded.entries.map(({ data }) => data.length),
			[6, 2, 2],
		);
		recorded.check();
		for (const length of [248, 1, 1, 600])
			recorded.bytes(
				RECEIVED,
				Array.from({ length }, (_, i) => i & 0xff),
			);
		recorded.check();
	});
	it("joins sent pieces too, but not across bytes of the other direction", () => {
		const recorded = new RecordedLog();
		for (const direction of [RECEIVED, TRANSMITTED, TRANSMITTED, RECEIVED]) recorded.bytes(direction, [1]);
		assert.deepEqual(
			recorded.entries.map(({ data }) => data.length),
			[1, 2, 1],
		);
		recorded.check();
	});
	it("adds no entry for an empty piece", () => {
		const recorded = new RecordedLog();
		recorded.bytes(RECEIVED, []);
		assert.deepEqual(recorded.entries, []);
	});
	it("continues when its 32-bit clock overflows", () => {
		const recorded = new RecordedLog();
		recorded.nowMs = 2 ** 32 - 50;
		recorded.log.bytes(RECEIVED, Uint8Array.of(1), 0, 1, recorded.nowMs);
		recorded.nowMs = 2 ** 32 + 50;
		recorded.log.bytes(RECEIVED, Uint8Array.of(2), 0, 1, recorded.nowMs);
		recorded.nowMs = 2 ** 32 + 51;
		recorded.log.bytes(RECEIVED, Uint8Array.of(3), 0, 1, recorded.nowMs);
		assert.deepEqual(
			recorded.entries.map(({ timeMs, data }) => [timeMs, data.length]),
			[
				[2 ** 32 - 50, 2],
				[51, 1],
			],
		);
	});
	it("keeps the newest entries whole wherever the buffer wraps", () => {
		for (let first = 1; first <= 255; first += 3) {
			const recorded = new RecordedLog();
			recorded.bytes(
				TRANSMITTED,
				Array.from({ length: first }, (_, i) => i),
			);
			for (let i = 0; i < 40; i++) {
				recorded.nowMs += 1000;
				recorded.bytes(
					TRANSMITTED,
					Array.from({ length: 1 + ((i * 83) % 255) }, (_, at) => (at + i) & 0xff),
				);
				recorded.check();
			}
		}
	});
	it("keeps the newest entries whole for random input", () => {
		const step = fc.record({
			kind: fc.nat(2),
			waitMs: fc.constantFrom(0, 1, 60, 100, 101, 5000),
			data: fc.array(fc.nat(255), { maxLength: 700 }),
		});
		fc.assert(
			fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
				const recorded = new RecordedLog();
				for (const { kind, waitMs, data } of steps) {
					recorded.nowMs += waitMs;
					if (kind === LOG_LINE) recorded.line(300 + data.length);
					else recorded.bytes(kind === LOG_TRANSMITTED ? TRANSMITTED : RECEIVED, data);
				}
				recorded.check();
			}),
			{ numRuns: 60 },
		);
	}).timeout(120_000);
});
