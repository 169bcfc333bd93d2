/**
 * The login under attack from every address of a network. The owner's address has not logged in since the start.
 * test/http/siege/logins.test.long.linux.ts does a minute of this over HTTP.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { LOGIN_BLOCKED, LOGIN_OK } from "../../modules/auth/login.js";
import { seedOfRun } from "../fuzz/mutator.js";
import { LoginBed, PASSWORD, proofOf } from "./fakes.js";

const LIMIT_MS = 30_000;
const STEP_MS = 500;
const MINUTE_MS = 60_000;
const OWNER = "192.168.2.7";
const seed = seedOfRun();

/** Failing addresses, with the times of their next attempts. */
class Attackers {
	readonly #bed: LoginBed;
	readonly #isPatient: boolean;
	readonly #dueMs = new Map<string, number>();

	/** `isPatient`: each address obeys Retry-After; otherwise all try in every step. */
	constructor(bed: LoginBed, addresses: readonly string[], isPatient: boolean) {
		this.#bed = bed;
		this.#isPatient = isPatient;
		for (const address of addresses) this.#dueMs.set(address, 0);
	}

	/** All addresses that are due try once; then a step of time passes. */
	step(): void {
		const { clock, login } = this.#bed;
		for (const [address, dueMs] of this.#dueMs) {
			if (dueMs > clock.ms) continue;
			const { retryAfterS } = login.loginWithPassword(address, "admin", "wrong");
			if (this.#isPatient) this.#dueMs.set(address, clock.ms + retryAfterS * 1000);
		}
		clock.ms += STEP_MS;
	}

	goOn(ms: number): void {
		const { clock } = this.#bed;
		for (const endMs = clock.ms + ms; clock.ms < endMs; ) this.step();
	}
}

/** Time until the owner is logged in, with an attempt each second or after Retry-After; Infinity beyond LIMIT_MS. */
function ownerMs(bed: LoginBed, attackers: Attackers, address: string, isEachSecond: boolean): number {
	const { clock } = bed;
	const startMs = clock.ms;
	for (;;) {
		const { outcome, retryAfterS } = bed.try(PASSWORD, "admin", address);
		if (outcome === LOGIN_OK) return clock.ms - startMs;
		assert.equal(outcome, LOGIN_BLOCKED);
		if (clock.ms - startMs > LIMIT_MS) return Number.POSITIVE_INFINITY;
		attackers.goOn(isEachSecond ? 1000 : retryAfterS * 1000);
	}
}

const ipv4 = (i: number) => `192.168.1.${i + 1}`;
const ipv6 = (i: number) => `2001:db8:7:${i.toString(16)}::1`;

describe(`auth against a whole network (SEED=${seed})`, function () {
	this.timeout(60_000);

	for (const count of [60, 240])
		for (const isPatient of [false, true])
			for (const nameOf of [ipv4, ipv6]) {
				const pattern = isPatient ? "obey Retry-After" : "try without pause";
				const networks = nameOf === ipv6 ? "IPv6 networks" : "addresses";
				it(`lets the owner log in within 30 s at any time while ${count} ${networks} ${pattern}`, () => {
					// The owner arrives right after the start, while buckets and marks fill, and when they are full.
					for (const [arrivalMs, isEachSecond] of [
						[0, false],
						[1000, true],
						[5000, false],
						[MINUTE_MS, true],
						[3 * MINUTE_MS, false],
					] as const) {
						const bed = new LoginBed(seed + arrivalMs);
						const addresses = Array.from({ length: count }, (_, i) => nameOf(i));
						const attackers = new Attackers(bed, addresses, isPatient);
						attackers.goOn(arrivalMs);
						const tookMs = ownerMs(bed, attackers, OWNER, isEachSecond);
						assert.ok(tookMs <= LIMIT_MS, `after ${arrivalMs} ms of siege: ${tookMs} ms`);
					}
				});
			}

	it("lets each new address of the owner log in within 30 s, in any rhythm of attacks and pauses", () => {
		const rhythm = fc.array(
			fc.record({
				count: fc.integer({ min: 1, max: 240 }),
				attackMs: fc.integer({ min: 0, max: MINUTE_MS }),
				pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 * MINUTE_MS })),
				isPatient: fc.boolean(),
			}),
			{ minLength: 1, maxLength: 5 },
		);
		fc.assert(
			fc.property(rhythm, (waves) => {
				const bed = new LoginBed(seed);
				let owner = 0;
				for (const { count, attackMs, pauseMs, isPatient } of waves) {
					// The network is always the same, as the attacker has no other.
					const attackers = new Attackers(
						bed,
						Array.from({ length: count }, (_, i) => ipv4(i)),
						isPatient,
					);
					attackers.goOn(attackMs);
					const tookMs = ownerMs(bed, attackers, `192.168.2.${owner++}`, true);
					assert.ok(tookMs <= LIMIT_MS, `${tookMs} ms`);
					bed.clock.ms += pauseMs;
				}
			}),
			{ numRuns: 8, seed },
		);
	});

	it("keeps an unused nonce valid through 50 s of wrong proofs from 240 addresses", () => {
		const bed = new LoginBed(seed);
		const early = bed.login.challenge();
		for (let round = 0; round < 50; round++) {
			for (let i = 0; i < 240; i++) bed.try("wrong", "admin", ipv4(i));
			bed.clock.ms += 1000;
		}
		const attempt = { address: OWNER, username: "admin", nonce: early.nonce };
		const outcome = bed.login.loginWithProof({
			...attempt,
			proof: proofOf(early.salt, PASSWORD, early.nonce),
		}).outcome;
		assert.equal(outcome, LOGIN_OK, "an earlier nonce is still valid");
	});
});
