import assert from "node:assert/strict";
import fc from "fast-check";
import {
	MARK_LIMIT,
	SHARED_DELAY_LIMIT_S,
	SHARED_FORGET_MS,
	SharedBucket,
	TURN_MS,
} from "../../modules/auth/shared-bucket.js";
import { textCodec } from "../config/memory-storage.js";
import { HandClock, NodeCrypto } from "./fakes.js";

const DAY_MS = 86_400_000;

function make(seed = 1): { clock: HandClock; bucket: SharedBucket } {
	const clock = new HandClock();
	return { clock, bucket: new SharedBucket(clock, new NodeCrypto(seed), textCodec) };
}

const stranger = (i: number) => `10.0.${i >> 8}.${i & 255}`;

/** Lets the first `count` addresses fail until the delay is at its longest. */
function failAll(bucket: SharedBucket, count: number): void {
	for (let i = 0; i < count; i++) bucket.failed(stranger(i));
	for (let i = 0; i < 7; i++) bucket.failed(stranger(i % count));
}

describe("auth/shared-bucket", () => {
	it("allows the first attempt of an address at once, and marks the address if the attempt fails", () => {
		const { bucket } = make();
		failAll(bucket, 10);
		for (let i = 0; i < MARK_LIMIT - 10; i++) {
			const address = stranger(1000 + i);
			assert.equal(bucket.retryAfterS(address), 0, address);
			assert.equal(bucket.retryAfterS(address), 0, "the query is not an attempt");
			bucket.failed(address);
			assert.equal(bucket.retryAfterS(address), 4, address);
		}
		assert.equal(bucket.retryAfterS("one too many"), 4);
	});

	it("does not lengthen the delay of the others when a new address fails for the first time", () => {
		const { clock, bucket } = make();
		failAll(bucket, 10);
		clock.ms += 3000;
		bucket.failed("new");
		assert.equal(bucket.retryAfterS(stranger(0)), 1);
	});

	it("delays attempts by at most 4 s", () => {
		const { clock, bucket } = make();
		bucket.failed("a");
		const waits: number[] = [];
		for (let i = 0; i < 40; i++) {
			bucket.failed("a");
			const wait = bucket.retryAfterS("a");
			if (i < 10) waits.push(wait);
			assert.ok(wait <= SHARED_DELAY_LIMIT_S);
			clock.ms += wait * 1000;
			assert.equal(bucket.retryAfterS("a"), 0);
		}
		assert.deepEqual(waits, [0, 0, 0, 0, 1, 2, 4, 4, 4, 4]);
	});

	it("reserves the next attempt for 8 s for the address that was drawn, then lets any address try", () => {
		const { clock, bucket } = make();
		failAll(bucket, 7);
		const asking = [1, 2, 3, 4, 5].map(stranger);
		const late = stranger(6);
		for (let round = 0; round < 10; round++) {
			for (const address of asking) assert.equal(bucket.retryAfterS(address), 4);
		}
		assert.equal(TURN_MS, 8000);
		const whoMay = () => [...asking, late].filter((address) => bucket.retryAfterS(address) === 0);
		clock.ms += 3999;
		assert.deepEqual(whoMay(), []);
		clock.ms += 1;
		const drawn = whoMay();
		assert.equal(drawn.length, 1);
		assert.equal(bucket.retryAfterS(late), 1);
		clock.ms += TURN_MS - 1;
		assert.deepEqual(whoMay(), drawn);
		clock.ms += 1;
		assert.equal(whoMay().length, 6);
	});

	it("reserves nothing if no address was turned away, nor after the reserved attempt was used", () => {
		for (const use of ["failed", "succeeded"] as const) {
			const { clock, bucket } = make();
			failAll(bucket, 7);
			const [late, other] = [stranger(5), stranger(6)];
			clock.ms += 4000;
			assert.equal(bucket.retryAfterS(late), 0);
			bucket.failed(late);
			assert.equal(bucket.retryAfterS(other), 4);
			clock.ms += 4000;
			assert.equal(bucket.retryAfterS(late), 1);
			assert.equal(bucket.retryAfterS(other), 0);
			bucket[use](other);
			clock.ms += use === "failed" ? 4000 : 0;
			assert.equal(bucket.retryAfterS(late), 0, use);
		}
	});

	it("keeps the reservation when a new address logs in or fails", () => {
		const { clock, bucket } = make();
		failAll(bucket, 7);
		assert.equal(bucket.retryAfterS(stranger(1)), 4);
		clock.ms += 4000;
		assert.equal(bucket.retryAfterS("new"), 0);
		bucket.succeeded("new");
		bucket.failed("another");
		assert.equal(bucket.retryAfterS(stranger(2)), 1);
		assert.equal(bucket.retryAfterS(stranger(1)), 0);
	});

	it("draws evenly, however often an address asks", () => {
		const { clock, bucket } = make();
		failAll(bucket, 7);
		const wins = [0, 0, 0, 0];
		for (let round = 0; round < 400; round++) {
			for (let who = 0; who < 4; who++) {
				for (let times = 0; times < 1 + who * 10; times++) bucket.retryAfterS(stranger(who));
			}
			clock.ms += 4000;
			const winner = [0, 1, 2, 3].findIndex((who) => bucket.retryAfterS(stranger(who)) === 0);
			wins[winner]++;
			bucket.failed(stranger(winner));
		}
		for (const count of wins) assert.ok(count > 70 && count < 130, wins.join(" "));
	});

	it("is forgotten after 20 minutes without a failure, not before, whichever address failed last", () => {
		assert.equal(SHARED_FORGET_MS, 20 * 60_000);
		for (const last of ["new", stranger(0)]) {
			const { clock, bucket } = make();
			failAll(bucket, 10);
			clock.ms += SHARED_FORGET_MS - 1;
			assert.equal(bucket.isForgotten, false);
			bucket.failed(last);
			clock.ms += SHARED_FORGET_MS - 1;
			assert.equal(bucket.isForgotten, false);
			clock.ms += 1;
			assert.equal(bucket.isForgotten, true);
		}
	});

	it("allows no more guesses if the attacker waits until it is forgotten: 21 862 in 24 hours at most", () => {
		const rhythm = fc.record({ seed: fc.nat(), busyMs: fc.integer({ min: 0, max: 7_200_000 }) });
		fc.assert(
			fc.property(rhythm, ({ seed, busyMs }) => {
				const clock = new HandClock();
				const crypto = new NodeCrypto(seed);
				let guesses = 0;
				for (const endMs = clock.ms + DAY_MS; clock.ms < endMs; clock.ms += SHARED_FORGET_MS) {
					const bucket = new SharedBucket(clock, crypto, textCodec);
					const pauseMs = Math.min(endMs, clock.ms + busyMs);
					for (let i = 0; i < MARK_LIMIT; i++, guesses++) bucket.failed(stranger(i));
					do {
						const waitS = bucket.retryAfterS(stranger(0));
						clock.ms += waitS * 1000;
						if (clock.ms > pauseMs) break;
						bucket.failed(stranger(0));
						guesses++;
					} while (clock.ms <= pauseMs);
				}
				assert.ok(guesses <= 21_862, `${guesses} guesses, busy for ${busyMs} ms`);
			}),
			{ numRuns: 10 },
		);
	});
});
