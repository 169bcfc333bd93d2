import assert from "node:assert/strict";
import { NONCE_LIFETIME_MS, USED_LIMIT } from "../../modules/auth/nonce.js";
import {
	DELAY_LIMIT_S,
	FORGET_MS,
	KNOWN_LIMIT,
	LoginRateLimiter,
	STRANGER_LIMIT,
} from "../../modules/auth/rate-limiter.js";
import { MARK_LIMIT } from "../../modules/auth/shared-bucket.js";
import { textCodec } from "../config/memory-storage.js";
import { HandClock, NodeCrypto } from "./fakes.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

function make(seed = 1): { clock: HandClock; limiter: LoginRateLimiter } {
	const clock = new HandClock();
	return { clock, limiter: new LoginRateLimiter(clock, new NodeCrypto(seed), textCodec) };
}

const stranger = (i: number) => `10.0.${i >> 8}.${i & 255}`;

/** Occupies all buckets but the shared one: as many unknown addresses fail once. */
function takeAll(limiter: LoginRateLimiter): void {
	for (let i = 0; i < STRANGER_LIMIT; i++) limiter.failed(stranger(1000 + i));
}

function fail(limiter: LoginRateLimiter, address: string, times: number): void {
	for (let i = 0; i < times; i++) limiter.failed(address);
}

/** Fails as often as permitted for this time; returns the number of failures. */
function guess(
	clock: HandClock,
	limiter: LoginRateLimiter,
	durationMs: number,
	addressOf: (i: number) => string,
): number {
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

describe("auth/rate-limiter", () => {
	it("lets an address try until its fifth failure, then doubles the wait from 1 s to 60 s", () => {
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

	it("ends the wait exactly to the millisecond, and reports the remaining wait in whole seconds", () => {
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

	it("never makes an address wait longer than 60 s, however often it fails", () => {
		const { limiter } = make();
		fail(limiter, "a", 1000);
		assert.equal(limiter.retryAfterS("a"), 60);
	});

	it("counts each address separately", () => {
		const { limiter } = make();
		fail(limiter, "a", 9);
		assert.equal(limiter.retryAfterS("b"), 0);
		limiter.succeeded("b");
		assert.equal(limiter.retryAfterS("a"), 16);
	});

	it("counts from zero again after a success", () => {
		const { limiter } = make();
		fail(limiter, "a", 9);
		limiter.succeeded("a");
		assert.equal(limiter.retryAfterS("a"), 0);
		fail(limiter, "a", 4);
		assert.equal(limiter.retryAfterS("a"), 0);
		limiter.failed("a");
		assert.equal(limiter.retryAfterS("a"), 1);
	});

	it("forgets failures after 15 minutes without a further one, not before", () => {
		assert.equal(FORGET_MS, 15 * 60_000);
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

	it("gives buckets of their own to sixteen failing addresses; all others get a first attempt each, then share one bucket", () => {
		assert.equal(STRANGER_LIMIT, 16);
		const { clock, limiter } = make();
		takeAll(limiter);
		for (let i = 0; i < 5; i++) fail(limiter, stranger(i), 2);
		assert.equal(limiter.retryAfterS("fresh"), 0);
		limiter.failed("fresh");
		assert.equal(limiter.retryAfterS("fresh"), 1);
		assert.equal(limiter.retryAfterS(stranger(0)), 1);
		for (let i = 0; i < STRANGER_LIMIT; i++) assert.equal(limiter.retryAfterS(stranger(1000 + i)), 0);
		clock.ms += FORGET_MS;
		for (let i = 0; i < 11; i++) limiter.failed("fresh");
		assert.equal(limiter.retryAfterS("fresh"), DELAY_LIMIT_S, "a bucket is free again");
	});

	it("counts an address of the shared bucket as known once it has logged in, and keeps the delay of the others", () => {
		const { limiter } = make();
		for (let i = 0; i < STRANGER_LIMIT; i++) fail(limiter, stranger(1000 + i), 11);
		fail(limiter, stranger(0), 8);
		limiter.succeeded("owner");
		fail(limiter, "owner", 4);
		assert.equal(limiter.retryAfterS("owner"), 0);
		assert.equal(limiter.retryAfterS(stranger(0)), 4);
		for (let i = 0; i < STRANGER_LIMIT; i++) assert.equal(limiter.retryAfterS(stranger(1000 + i)), DELAY_LIMIT_S);
	});

	it("frees the bucket of an unknown address when it logs in", () => {
		const { limiter } = make();
		takeAll(limiter);
		fail(limiter, "guesser", 8);
		assert.equal(limiter.retryAfterS("guesser"), 4);
		limiter.succeeded(stranger(1003));
		assert.equal(limiter.retryAfterS("guesser"), 0);
		assert.equal(limiter.retryAfterS(stranger(1003)), 0);
	});

	it("keeps a bucket for an address that has logged in, whatever the others do", () => {
		const { clock, limiter } = make();
		limiter.succeeded("owner");
		for (let i = 0; i < 5000; i++) {
			if (limiter.retryAfterS(stranger(i)) === 0) limiter.failed(stranger(i));
			clock.ms += 1000;
			assert.equal(limiter.retryAfterS("owner"), 0);
		}
		for (let i = 0; i < 11; i++) limiter.failed("owner");
		assert.equal(limiter.retryAfterS("owner"), DELAY_LIMIT_S);
		limiter.succeeded("owner");
		assert.equal(limiter.retryAfterS("owner"), 0);
	});

	it("knows the 8 addresses that logged in last; a repeated login makes its address the newest", () => {
		const { limiter } = make();
		assert.equal(KNOWN_LIMIT, 8);
		const known = Array.from({ length: KNOWN_LIMIT }, (_, i) => `known ${i}`);
		for (const address of known) limiter.succeeded(address);
		limiter.succeeded("known 0");
		fail(limiter, "known 1", 11);
		limiter.succeeded("ninth");
		takeAll(limiter);
		fail(limiter, "known 1", 8);
		const expected = known.map((address) => (address === "known 1" ? 4 : 0));
		assert.deepEqual(
			known.map((address) => limiter.retryAfterS(address)),
			expected,
		);
		assert.equal(limiter.retryAfterS("ninth"), 0);
	});

	it("counts the addresses of an IPv6 network as one unknown address", () => {
		for (const [same, other] of [
			[["2001:db8:0:1::5", "2001:db8:0:1:2:3:4:5", "2001:db8:0:1:8000::"], "2001:db8:0:2::5"],
			[["2001:db8::5", "2001:db8::1:2:3:4", "2001:db8:0:0:1:2:3:4"], "2001:db8:1::5"],
			[["fe80::1", "fe80::aaaa:2%eth0", "fe80::1:2:3:4%eth1"], "fe90::1"],
			[["::1", "::2", "::9:8:7:6"], "::1:0:0:0:1"],
			[["1::", "1::2"], "1:0:0:1::"],
			[["::4:5:6:7:8", "0:0:0:4:5:6:7:8"], "::5:6:7:8"],
		] as const) {
			const { limiter } = make();
			for (let i = 0; i < 11; i++) limiter.failed(same[i % same.length]);
			for (const address of same) assert.equal(limiter.retryAfterS(address), DELAY_LIMIT_S, address);
			assert.equal(limiter.retryAfterS(other), 0, other);
		}
	});

	it("knows single IPv6 addresses, so that their neighbours do not slow them down", () => {
		const { limiter } = make();
		limiter.succeeded("2001:db8::20");
		for (let i = 0; i < 11; i++) limiter.failed(`2001:db8::${i}`);
		assert.equal(limiter.retryAfterS("2001:db8::20"), 0);
		assert.equal(limiter.retryAfterS("2001:db8::21"), DELAY_LIMIT_S);
	});

	it("treats an IPv4 address written as IPv6 as the IPv4 address", () => {
		const { limiter } = make();
		for (let i = 0; i < 11; i++) limiter.failed("::ffff:192.0.2.1");
		assert.equal(limiter.retryAfterS("192.0.2.1"), DELAY_LIMIT_S);
		assert.equal(limiter.retryAfterS("::ffff:192.0.2.2"), 0);
		limiter.succeeded("::ffff:192.0.2.1");
		limiter.succeeded("192.0.2.3");
		for (let i = 0; i < 100; i++) limiter.failed(stranger(i));
		fail(limiter, stranger(99), 7);
		assert.equal(limiter.retryAfterS(stranger(99)), 4);
		assert.equal(limiter.retryAfterS(`::ffff:${stranger(99)}`), 4);
		for (const known of ["192.0.2.1", "192.0.2.3"]) {
			assert.equal(limiter.retryAfterS(known), 0);
			assert.equal(limiter.retryAfterS(`::ffff:${known}`), 0);
		}
	});

	it("does not let an attacker clear its bucket by failing from other addresses", () => {
		const { limiter } = make();
		fail(limiter, "attacker", 11);
		for (let i = 0; i < 1000; i++) limiter.failed(`spoofed ${i}`);
		assert.equal(limiter.retryAfterS("attacker"), 60);
	});

	/** Returns the times of checked guesses if these addresses try as often as permitted for this long. */
	function guessesOf(addresses: readonly string[], durationMs: number): number[] {
		const { clock, limiter } = make();
		const times: number[] = [];
		const tryAt = (address: string) => {
			limiter.failed(address);
			times.push(clock.ms);
		};
		// Each address of the shared bucket makes its first attempt, then only one continues.
		const lasting = addresses.slice(0, STRANGER_LIMIT + 1);
		for (const address of addresses.slice(0, STRANGER_LIMIT)) tryAt(address);
		for (const address of addresses.slice(STRANGER_LIMIT)) if (limiter.retryAfterS(address) === 0) tryAt(address);
		for (const endMs = clock.ms + durationMs; clock.ms < endMs; ) {
			let nextS = DELAY_LIMIT_S;
			for (const address of lasting) {
				let waitS = limiter.retryAfterS(address);
				for (; waitS === 0; waitS = limiter.retryAfterS(address)) tryAt(address);
				nextS = Math.min(nextS, waitS);
			}
			clock.ms += nextS * 1000;
		}
		return times;
	}

	it("limits an attacker with any number of addresses to 45 046 guesses in 24 hours, 2266 in the first hour, 437 in 60 s", () => {
		const remembered = STRANGER_LIMIT + MARK_LIMIT;
		const addresses = Array.from({ length: remembered + 500 }, (_, i) => stranger(i));
		assert.ok(guessesOf(addresses, HOUR_MS).length <= 2266, "more addresses than are remembered gain nothing");
		const times = guessesOf(addresses.slice(0, remembered), DAY_MS);
		assert.equal(times.length, 45_046);
		assert.equal(times.filter((ms) => ms < times[0] + HOUR_MS).length, 2266);
		let most = 0;
		for (let first = 0, last = 0; last < times.length; last++) {
			while (times[last] - times[first] > NONCE_LIFETIME_MS) first++;
			most = Math.max(most, last - first + 1);
		}
		assert.equal(most, 437);
		assert.ok(most <= USED_LIMIT, "the nonces of all these guesses are remembered");
	});

	it("limits IPv6 networks like addresses", () => {
		const networks = Array.from({ length: 5000 }, (_, i) => `2001:db8:1:${i.toString(16)}::1`);
		const { length } = guessesOf(networks, HOUR_MS);
		assert.ok(length <= 2266 && length > 2200, `${length}`);
	});

	it("allows no more guesses to an address that waits until its bucket is forgotten", () => {
		const { clock, limiter } = make();
		let tries = 0;
		for (const endMs = clock.ms + DAY_MS; clock.ms < endMs; clock.ms += FORGET_MS)
			tries += guess(clock, limiter, 64_000, () => "a");
		assert.ok(tries <= 1449, String(tries));
	});
});
