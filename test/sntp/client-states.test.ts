import assert from "node:assert/strict";
import { DATAGRAM_LIMIT } from "../../modules/io/host.js";
import {
	SYNC_ASKING,
	SYNC_FINDING,
	SYNC_OFF,
	SYNC_RESTING,
	TIME_BAD_REPLY,
	TIME_NO_ADDRESS,
	TIME_NO_REPLY,
	TIME_WELL,
	TimeSync,
} from "../../modules/sntp/client.js";
import { seededCrypto } from "../dns/bed.js";

const NOW_MS = 1000;
const BUILT_MS = Date.UTC(2026, 0, 31);
const UTC_MS = Date.UTC(2026, 10, 21);
const LENGTH = 48;
const SERVER = { remoteAddress: "10.0.0.1", remotePort: 123 };

/** A client of the servers "a" and "b", without a network. */
class Bed {
	nowMs = NOW_MS;
	utcMs: number | undefined = UTC_MS - 60_000;
	readonly buffer = Buffer.alloc(DATAGRAM_LIMIT);
	readonly sync = new TimeSync({
		clock: {
			utcMs: () => this.utcMs,
			setUTC: (utcMs) => {
				this.utcMs = utcMs;
			},
		},
		crypto: seededCrypto(5),
		info: { timeServers: "a,b", builtUtcMs: BUILT_MS },
		buffer: this.buffer,
		trace: () => {},
	});

	/** A reply to the current request from `source`, correct except for `change`. */
	reply(change: (bytes: Buffer) => void = () => {}, source = SERVER): void {
		const question = Buffer.from(this.buffer.subarray(0, this.sync.putQuestion()));
		this.buffer.fill(0);
		this.buffer[0] = 0x24;
		this.buffer[1] = 2;
		question.copy(this.buffer, 24, 40, LENGTH);
		for (const at of [32, 40]) this.buffer.writeUInt32BE(UTC_MS / 1000 + 2_208_988_800, at);
		change(this.buffer);
		this.sync.received(LENGTH, source, this.nowMs);
	}
}

function bedIn(state: number): Bed {
	const bed = new Bed();
	const { sync } = bed;
	if (state !== SYNC_OFF) sync.start(NOW_MS);
	if (state === SYNC_ASKING || state === SYNC_RESTING) sync.found(sync.generation, "10.0.0.1", NOW_MS);
	if (state === SYNC_RESTING) bed.reply();
	assert.equal(sync.state, state);
	return bed;
}

const STATES = [SYNC_OFF, SYNC_FINDING, SYNC_ASKING, SYNC_RESTING] as const;
const NAMES = ["OFF", "FINDING", "ASKING", "RESTING"];

interface Row {
	readonly what: string;
	change(bed: Bed): void;
	/** Next states from OFF, FINDING, ASKING and RESTING. */
	readonly expected: readonly number[];
	/** Names that are resolved next, from each state. */
	readonly names?: readonly string[];
	/** Reported error, from each state; default: none. */
	readonly errors?: readonly number[];
}

const ROWS: readonly Row[] = [
	{
		what: "the network",
		change: ({ sync, nowMs }) => sync.start(nowMs),
		expected: [SYNC_FINDING, SYNC_FINDING, SYNC_FINDING, SYNC_FINDING],
		names: ["a", "a", "a", "a"],
	},
	{
		what: "a lost network",
		change: ({ sync }) => sync.stop(),
		expected: [SYNC_OFF, SYNC_OFF, SYNC_OFF, SYNC_OFF],
	},
	{
		what: "an address",
		change: ({ sync, nowMs }) => sync.found(sync.generation, "10.0.0.1", nowMs),
		expected: [SYNC_OFF, SYNC_ASKING, SYNC_ASKING, SYNC_RESTING],
	},
	{
		what: "an address for the previous request",
		change: ({ sync, nowMs }) => sync.found(sync.generation - 1, "10.0.0.66", nowMs),
		expected: STATES,
	},
	{
		what: "an unknown name",
		change: ({ sync, nowMs }) => sync.found(sync.generation, undefined, nowMs),
		expected: STATES,
		names: ["", "b", "", ""],
		errors: [TIME_WELL, TIME_NO_ADDRESS, TIME_WELL, TIME_WELL],
	},
	{
		what: "a good reply",
		change: (bed) => bed.reply(),
		expected: [SYNC_OFF, SYNC_FINDING, SYNC_RESTING, SYNC_RESTING],
	},
	{
		what: "a reply of a server whose clock is not set",
		change: (bed) => bed.reply((bytes) => bytes.writeUInt8(0xe4, 0)),
		expected: [SYNC_OFF, SYNC_FINDING, SYNC_FINDING, SYNC_RESTING],
		names: ["", "a", "b", ""],
		errors: [TIME_WELL, TIME_WELL, TIME_BAD_REPLY, TIME_WELL],
	},
	{
		what: "a reply from another address",
		change: (bed) => bed.reply(undefined, { remoteAddress: "10.0.0.66", remotePort: 123 }),
		expected: STATES,
	},
	{
		what: "an empty reply without an address",
		change: (bed) => bed.reply((bytes) => bytes.fill(0), { remoteAddress: "", remotePort: 0 }),
		expected: STATES,
	},
	{
		what: "a lost port",
		change: ({ sync, nowMs }) => sync.lost(nowMs),
		expected: [SYNC_OFF, SYNC_FINDING, SYNC_FINDING, SYNC_RESTING],
		names: ["", "a", "b", ""],
		errors: [TIME_WELL, TIME_WELL, TIME_NO_REPLY, TIME_WELL],
	},
	{
		what: "a call that is too early",
		change: ({ sync, nowMs }) => sync.advance(nowMs + 4999),
		expected: STATES,
	},
	{
		what: "the state's deadline",
		change: (bed) => {
			bed.nowMs = Math.min(bed.sync.deadlineMs, 10 ** 9);
			bed.sync.advance(bed.nowMs);
		},
		expected: [SYNC_OFF, SYNC_FINDING, SYNC_FINDING, SYNC_FINDING],
		names: ["", "b", "b", "a"],
		errors: [TIME_WELL, TIME_NO_ADDRESS, TIME_NO_REPLY, TIME_WELL],
	},
];

describe("sntp/client: states", () => {
	for (const { what, change, expected, names, errors } of ROWS) {
		it(`handles ${what} in every state`, () => {
			for (const state of STATES) {
				const bed = bedIn(state);
				const { sync } = bed;
				const before = [sync.generation, sync.deadlineMs];
				change(bed);
				const from = `from ${NAMES[state]}`;
				assert.equal(NAMES[sync.state], NAMES[expected[state]], from);
				if (names !== undefined) assert.equal(sync.name, names[state], from);
				assert.equal(sync.lastError, errors?.[state] ?? TIME_WELL, from);
				// An ignored event changes nothing; any other event begins a new request or wait.
				const isIgnored = expected[state] === state && (names?.[state] ?? sync.name) === bedIn(state).sync.name;
				if (isIgnored && !/network/.test(what)) assert.deepEqual([sync.generation, sync.deadlineMs], before, from);
				else assert.notEqual(sync.generation, before[0], from);
				assert.equal(sync.deadlineMs === Number.POSITIVE_INFINITY, sync.state === SYNC_OFF, from);
				assert.equal(sync.address !== "", sync.state === SYNC_ASKING, from);
				// After that event the client still gets the time.
				sync.start(bed.nowMs);
				sync.found(sync.generation, "10.0.0.1", bed.nowMs);
				bed.reply();
				assert.deepEqual([sync.state, sync.lastSuccessMs], [SYNC_RESTING, bed.nowMs], from);
			}
		});
	}

	it("sends a request to both servers before it pauses, and begins with the first one again", () => {
		const bed = bedIn(SYNC_FINDING);
		const { sync } = bed;
		const seen: string[] = [];
		for (let i = 0; i < 6; i++) {
			seen.push(`${NAMES[sync.state]} ${sync.name}`.trim());
			bed.nowMs = sync.deadlineMs;
			sync.advance(bed.nowMs);
		}
		assert.deepEqual(seen, ["FINDING a", "FINDING b", "RESTING", "FINDING a", "FINDING b", "RESTING"]);
	});
});
