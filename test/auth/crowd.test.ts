/**
 * The login under attack from many addresses: guesses and wasted nonces must not lock out a client with the password.
 * The timed client retries when Retry-After allows it.
 */
import assert from "node:assert/strict";
import { LOGIN_BLOCKED, LOGIN_INVALID_PROOF, LOGIN_OK, type LoginResult } from "../../modules/auth/login.js";
import { HOME, LoginBed, PASSWORD, proofOf } from "./fakes.js";

/** Longest time until a login succeeds from an address that has logged in before. */
const KNOWN_LIMIT_MS = 5000;
/** Longest time until a login succeeds from a new address. */
const NEW_LIMIT_MS = 15_000;
const NEW = "192.168.1.77";
/** Interval between the attempts of a continuing crowd, ms. */
const STEP_MS = 100;

type Form = (bed: LoginBed, address: string, password?: string) => LoginResult;

const FORMS: readonly [name: string, form: Form][] = [
	["by challenge", (bed, address, password = PASSWORD) => bed.try(password, "admin", address)],
	["in plain text", ({ login }, address, password = PASSWORD) => login.loginWithPassword(address, "admin", password)],
];

const strangers = (count: number) => Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}`);

/** Time until the owner has logged in from this address, ms; `meanwhile` runs every STEP_MS. */
function timeToLogin(bed: LoginBed, form: Form, address: string, meanwhile?: () => void): number {
	const { clock } = bed;
	const startMs = clock.ms;
	for (;;) {
		const { outcome, retryAfterS } = form(bed, address);
		if (outcome === LOGIN_OK) return clock.ms - startMs;
		assert.equal(outcome, LOGIN_BLOCKED);
		const endMs = clock.ms + retryAfterS * 1000;
		while (clock.ms < endMs) {
			clock.ms += STEP_MS;
			meanwhile?.();
		}
		assert.ok(clock.ms - startMs < 3_600_000, "still not logged in after an hour");
	}
}

for (const [name, form] of FORMS) {
	describe(`auth against a crowd, ${name}`, () => {
		it("lets a new address log in within 15 s while another address of its bucket fails 2.7 times a minute", () => {
			for (let arrivalMs = 0; arrivalMs < 60_000; arrivalMs += 3700) {
				const bed = new LoginBed();
				const crowd = strangers(17);
				for (const address of crowd) form(bed, address, "wrong");
				// The last address shares its bucket with all new ones.
				for (let i = 0; i < 12; i++) {
					const { retryAfterS } = form(bed, crowd[16], "wrong");
					bed.clock.ms += retryAfterS * 1000;
				}
				const startMs = bed.clock.ms;
				const attack = () => {
					if ((bed.clock.ms - startMs) % 22_200 < STEP_MS) form(bed, crowd[16], "wrong");
				};
				while (bed.clock.ms < startMs + arrivalMs) {
					bed.clock.ms += STEP_MS;
					attack();
				}
				assert.ok(timeToLogin(bed, form, NEW, attack) <= NEW_LIMIT_MS, `after ${arrivalMs} ms`);
			}
		});

		for (const [pace, addresses, tries, everyMs] of [
			["at one moment", 60, 600, 0],
			["in a second", 64, 600, 1000 / 600],
			["10 a second", 60, 600, 100],
			["one a second", 60, 600, 1000],
		] as const) {
			it(`lets the owner log in after ${tries} wrong logins from ${addresses} addresses, ${pace}`, () => {
				for (const [address, limitMs] of [
					[HOME, KNOWN_LIMIT_MS],
					[NEW, NEW_LIMIT_MS],
				] as const) {
					const bed = new LoginBed();
					assert.equal(form(bed, HOME).outcome, LOGIN_OK);
					const crowd = strangers(addresses);
					for (let i = 0; i < tries; i++) {
						assert.notEqual(form(bed, crowd[i % addresses], "wrong").outcome, LOGIN_OK);
						bed.clock.ms += everyMs;
					}
					const tookMs = timeToLogin(bed, form, address);
					assert.ok(tookMs <= limitMs, `${address}: ${tookMs} ms`);
				}
			});
		}

		it("lets a known address log in at once while the crowd continues", () => {
			const bed = new LoginBed();
			assert.equal(form(bed, HOME).outcome, LOGIN_OK);
			const crowd = strangers(60);
			for (let i = 0; i < 6000; i++) {
				form(bed, crowd[i % 60], "wrong");
				bed.clock.ms += STEP_MS;
				if (i % 100 === 0) assert.equal(form(bed, HOME).outcome, LOGIN_OK);
			}
		});
	});
}

describe("auth against a crowd", () => {
	it("lets a new address log in, on average, after its fair share of waiting while others try ten times a second", () => {
		// Number of addresses that share a bucket; 16 more have a bucket of their own.
		for (const others of [1, 5]) {
			const tookMs: number[] = [];
			for (let seed = 0; seed < 20; seed++) {
				const bed = new LoginBed(seed);
				const crowd = strangers(16 + others);
				const attack = () => {
					for (const address of crowd) bed.login.loginWithPassword(address, "admin", "wrong");
				};
				for (let i = 0; i < 100; i++) {
					attack();
					bed.clock.ms += STEP_MS;
				}
				tookMs.push(timeToLogin(bed, FORMS[seed % 2][1], NEW, attack));
			}
			const mean = tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length;
			// One of the waiting addresses is drawn every 4 s.
			const fairMs = (others + 1) * 4000;
			assert.ok(mean <= 1.5 * fairMs, `${others} others: ${mean} ms on average`);
		}
	});

	it("keeps a nonce valid despite the wrong proofs of others", () => {
		const bed = new LoginBed();
		assert.equal(bed.try(PASSWORD).outcome, LOGIN_OK);
		const { nonce, salt } = bed.login.challenge();
		const crowd = strangers(64);
		let checked = 0;
		for (let round = 0; round < 100; round++) {
			for (const address of crowd) if (bed.try("wrong", "admin", address).outcome === LOGIN_INVALID_PROOF) checked++;
			bed.clock.ms += 599;
		}
		assert.ok(checked > 128, `${checked} proofs were checked`);
		const attempt = { address: HOME, username: "admin", nonce, proof: proofOf(salt, PASSWORD, nonce) };
		assert.equal(bed.login.loginWithProof(attempt).outcome, LOGIN_OK);
	});
});
