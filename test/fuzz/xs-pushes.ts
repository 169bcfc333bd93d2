/**
 * The hostile pushes and telegrams of pushes.ts, sent to the whole gateway in XS. The gateway keeps working, shows the
 * good transmission after each hostile one, and leaks no slots.
 */
import assert from "node:assert/strict";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { METER_PUSH } from "../../tools/meter/iec-meter.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { checkFaults } from "../faults.js";
import { HostilePusher, KEYS } from "./hostile-pusher.js";
import { type Mutator, runAll } from "./mutator.js";
import { oddSML, SML_TELEGRAMS, TIC_FRAMES } from "./pushes.js";

/** Allowed growth of live slots. */
const SLOTS_MARGIN = 8;
/** Additional growth for each failure code that occurs, because it then has a counter of its own. */
const SLOTS_OF_CODE = 3;
/** Time for the longest transmission and a silence, ms. */
const PUSH_MS = 4000;
/** Time within which every connection is closed, ms. */
const REST_MS = 62_000;
const PIECE_MS = 40;

interface Kind {
	readonly baud: number;
	/** Paths of the API with their bodies. */
	readonly settings: readonly (readonly [path: string, body: object])[];
	odd(mutator: Mutator): Uint8Array;
	good(mutator: Mutator): Uint8Array;
	/** Checks that the last readout is that of the good transmission. */
	// biome-ignore lint/suspicious/noExplicitAny: JSON of the API
	check(last: any): void;
}

/** DLMS/COSEM, with both keys. */
function pushes(): Kind {
	const meter = new HostilePusher();
	const [block_cipher_key, auth_key] = [KEYS.encryption.toString("hex"), KEYS.authentication.toString("hex")];
	return {
		baud: 115_200,
		settings: [
			["dlms/config", { push_baudrate: 115_200, block_cipher_key, auth_key }],
			["meter/protocol", { protocol: "dlms" }],
		],
		odd: (mutator) => meter.odd(mutator),
		good: (mutator) => meter.good(mutator),
		check: ({ status, readings }) =>
			assert.deepEqual([status, readings.length, readings[0].value1], [0, 1, `${meter.counter}`]),
	};
}

function sml(): Kind {
	const [good] = SML_TELEGRAMS;
	return {
		baud: 9600,
		settings: [["meter/protocol", { protocol: "sml" }]],
		odd: (mutator) => oddSML(mutator).sent,
		good: () => good,
		check: ({ status, meter_id, readings }) => {
			assert.deepEqual([status, meter_id], [0, "1SMG0000074565"]);
			assert.ok(readings.some(({ obis }: { obis: string }) => obis === "1.8.0"));
		},
	};
}

/** Two good frames are sent together: the first only shows the listener the length. */
function tic(): Kind {
	const [good] = TIC_FRAMES;
	return {
		baud: 9600,
		settings: [["meter/protocol", { protocol: "tic" }]],
		// A good frame behind the damaged one keeps the listener at its speed.
		odd: (mutator) => Uint8Array.from([...mutator.mutate(good, mutator.pick(TIC_FRAMES)), ...good]),
		good: () => Uint8Array.from([...good, ...good]),
		check: ({ status, meter_id, readings }) => {
			assert.deepEqual([status, meter_id], [0, "041876543210"]);
			assert.ok(readings.some(({ obis }: { obis: string }) => obis === "9.7.0"));
		},
	};
}

export async function fuzzPushesInXS(seed: number, runs: number): Promise<void> {
	for (const kind of [pushes(), sml(), tic()]) await fuzz(kind, seed, runs);
}

async function fuzz(kind: Kind, seed: number, runs: number): Promise<void> {
	const xs = await XSWorld.start({ seed, pieceMs: PIECE_MS });
	try {
		await xs.login();
		for (const [path, body] of kind.settings) assert.equal((await xs.request(path, { body })).status, 200);
		let next: Uint8Array = new Uint8Array(0);
		const { world } = xs;
		const { meter } = world.serial;
		meter.connect(new PushMeter({ source: () => next, baud: kind.baud, pushMs: PUSH_MS }, world.time.nowMs));
		const send = async (bytes: Uint8Array) => {
			next = bytes;
			const count = () => meter.meterEvents.filter((event) => event === METER_PUSH).length;
			const before = count();
			await xs.until(() => count() > before);
			next = new Uint8Array(0);
			await xs.advance(PUSH_MS - 500);
		};
		const slots = async () => {
			await xs.advance(REST_MS);
			const metrics = await xs.request("metrics");
			assert.equal(metrics.status, 200);
			return (await xs.slots()) - (metrics.text.split("readout_failures_total{").length - 1) * SLOTS_OF_CODE;
		};
		let alive: number | undefined;
		await runAll("pushes in XS", seed, runs, async (mutator, run) => {
			// A session's token expires after half an hour.
			if (run % 100 === 0) await xs.login();
			if (run > 0) await send(kind.odd(mutator));
			await send(kind.good(mutator));
			kind.check((await xs.request("iec62056/last")).json());
			checkFaults();
			if (run !== 1 && run !== runs - 1) return;
			const count = await slots();
			alive ??= count;
			assert.ok(count <= alive + SLOTS_MARGIN, `${count} slots are alive, ${alive} at first`);
		});
	} finally {
		await xs.stop();
	}
}
