import assert from "node:assert/strict";
import { ADDRESS_LIMIT, FORGET_MS, LoginLimiter } from "../../modules/auth/limiter.js";
import { HandClock } from "./fakes.js";

function make(): { clock: HandClock; limiter: LoginLimiter } {
	const clock = new HandClock();
	return { clock, limiter: new LoginLimiter(clock) };
}

function fail(limiter: LoginLimiter, address: string, times: number): void {
	for (let i = 0; i < times; i++) limiter.failed(address);
}

/** Fails as often as it is let, for so long; returns how often. */
function guess(clock: HandClock, limiter: LoginLimiter, durationMs: number, addressOf: (i: number) => string): number {
	const endMs = clock.ms + durationMs;
	let tries = 0;
	for (let i = 0; clock.ms < endMs; i++) {
		const address = addressOf(i);
		if (limiter.retryAfterS(address) === 0) {
			limiter.failed(address);
			tries++;
		} else {
			clock.ms += 250;
		}
	}
	return tries;
}

describe("auth/limiter", () => {
	it("lets everybody try until the fifth failure, then doubles the wait from 1 s to 60 s", () => {
		const { clock, limiter } = make();
		const waits: number[] = [];
		for (let i = 0; i < 14; i++) {
			limiter.failed("10.0.0.1");
			const wait = limiter.retryAfterS("10.0.0.1");
			waits.push(wait);
			clock.ms += wait * 1000;
			assert.equal(limiter.retryAfterS("10.0.0.1"), 0);
		}
		assert.deepEqual(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
	});

	it("ends the wait to the millisecond and tells what is left in whole seconds", () => {
		const { clock, limiter } = make();
		fail(limiter, "a", 7);
		assert.equal(limiter.retryAfterS("a"), 4);
		clock.ms += 1;
		assert.equal(limiter.retryAfterS("a"), 4);
		clock.ms += 2999;
		assert.equal(limiter.retryAfterS("a"), 1);
		clock.ms += 999;
		assert.equal(limiter.retryAfterS("a"), 1);
		clock.ms += 1;
		assert.equal(limiter.retryAfterS("a"), 0);
	});

	it("never waits longer than 60 s, however often it fails", () => {
		const { limiter } = make();
		fail(limiter, "a", 1000);
		assert.equal(limiter.retryAfterS("a"), 60);
	});

	it("keeps addresses apart", () => {
		const { limiter } = make();
		fail(limiter, "a", 9);
		assert.equal(limiter.retryAfterS("b"), 0);
		limiter.succeeded("b");
		assert.equal(limiter.retryAfterS("a"), 16);
	});

	it("starts anew after a success", () => {
		const { limiter } = make();
		fail(limiter, "a", 9);
		limiter.succeeded("a");
		assert.equal(limiter.retryAfterS("a"), 0);
		fail(limiter, "a", 4);
		assert.equal(limiter.retryAfterS("a"), 0);
		limiter.failed("a");
		assert.equal(limiter.retryAfterS("a"), 1);
	});

	it("forgets after 15 minutes without a failure, not before", () => {
		for (const [quietMs, wait] of [
			[FORGET_MS - 1, 60],
			[FORGET_MS, 0],
			[FORGET_MS + 1, 0],
		]) {
			const { clock, limiter } = make();
			fail(limiter, "a", 11);
			clock.ms += quietMs;
			limiter.failed("a");
			assert.equal(limiter.retryAfterS("a"), wait, String(quietMs));
		}
	});

	it("gives the seventeenth failing address a bucket together with all further ones", () => {
		const { limiter } = make();
		for (let i = 0; i < ADDRESS_LIMIT; i++) limiter.failed(`own ${i}`);
		for (let i = 0; i < 4; i++) limiter.failed(`other ${i}`);
		assert.equal(limiter.retryAfterS("fresh"), 0);
		limiter.failed("other 4");
		assert.equal(limiter.retryAfterS("fresh"), 1);
		assert.equal(limiter.retryAfterS("other 0"), 1);
		for (let i = 0; i < ADDRESS_LIMIT; i++) assert.equal(limiter.retryAfterS(`own ${i}`), 0);
		limiter.succeeded("own 3");
		assert.equal(limiter.retryAfterS("fresh"), 0);
	});

	it("doesn't let an attacker clear his own bucket by failing from other addresses", () => {
		const { limiter } = make();
		fail(limiter, "attacker", 11);
		for (let i = 0; i < 1000; i++) limiter.failed(`spoofed ${i}`);
		assert.equal(limiter.retryAfterS("attacker"), 60);
	});

	it("bounds an attacker with any number of addresses, and one who waits to be forgotten", () => {
		const hour = 3_600_000;
		const one = make();
		assert.ok(guess(one.clock, one.limiter, hour, () => "a") <= 71);
		const many = make();
		assert.ok(guess(many.clock, many.limiter, hour, (i) => `address ${i}`) <= 17 * 71);
		const patient = make();
		let tries = 0;
		const endMs = patient.clock.ms + hour;
		while (patient.clock.ms < endMs) {
			tries += guess(patient.clock, patient.limiter, 64_000, () => "a");
			patient.clock.ms += FORGET_MS;
		}
		assert.ok(tries <= 71, String(tries));
	});

	it("doesn't keep out an address that has its own bucket, whatever the crowd does", () => {
		const { clock, limiter } = make();
		limiter.failed("owner");
		guess(clock, limiter, 600_000, (i) => `crowd ${i % 100}`);
		assert.equal(limiter.retryAfterS("owner"), 0);
	});
});
