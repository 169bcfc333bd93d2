import assert from "node:assert/strict";
import fc from "fast-check";
import { NONCE_LENGTH, NONCE_LIFETIME_MS, Nonces, USED_LIMIT } from "../../modules/auth/nonce.js";
import { HandClock, NodeCrypto } from "./fakes.js";

function make(): { clock: HandClock; nonces: Nonces } {
	const clock = new HandClock();
	return { clock, nonces: new Nonces(new NodeCrypto(), clock) };
}

describe("auth/nonce", () => {
	it("issues a different text of lower-case hex each time", () => {
		const { nonces } = make();
		const texts = Array.from({ length: 200 }, () => Buffer.from(nonces.issue()).toString("latin1"));
		for (const text of texts) assert.match(text, /^[0-9a-f]{64}$/);
		assert.equal(new Set(texts).size, 200);
		assert.equal(NONCE_LENGTH, 64);
	});

	it("accepts a nonce once", () => {
		const { nonces } = make();
		const nonce = nonces.issue();
		assert.equal(nonces.take(nonce), true);
		assert.equal(nonces.take(nonce), false);
	});

	it("does not accept a used nonce again in upper case", () => {
		const { nonces } = make();
		const nonce = nonces.issue();
		assert.equal(nonces.take(nonce), true);
		assert.equal(nonces.take(Buffer.from(Buffer.from(nonce).toString("latin1").toUpperCase())), false);
	});

	it("accepts a nonce for 60 s", () => {
		assert.equal(NONCE_LIFETIME_MS, 60_000);
		for (const [ageMs, outcome] of [
			[0, true],
			[59_999, true],
			[60_000, false],
			[60_001, false],
			[2 ** 32, false],
			[2 ** 32 + 1, false],
		] as const) {
			const { clock, nonces } = make();
			const nonce = nonces.issue();
			clock.ms += ageMs;
			assert.equal(nonces.take(nonce), outcome, String(ageMs));
		}
	});

	it("remembers a used nonce as long as it could be replayed, even with fractions of a millisecond", () => {
		const { clock, nonces } = make();
		clock.ms = 1000.25;
		const nonce = nonces.issue();
		clock.ms += 59_999.5;
		assert.equal(nonces.take(nonce), true);
		nonces.take(nonces.issue());
		assert.equal(nonces.take(nonce), false);
		clock.ms += 0.5;
		assert.equal(nonces.take(nonce), false);
	});

	it("rejects a nonce of another issuer, and one with a changed bit", () => {
		const { nonces } = make();
		assert.equal(nonces.take(make().nonces.issue()), false);
		const nonce = Buffer.from(Buffer.from(nonces.issue()).toString("latin1"), "hex");
		for (let bit = 0; bit < nonce.length * 8; bit++) {
			const forged = Buffer.from(nonce);
			forged[bit >> 3] ^= 1 << (bit & 7);
			assert.equal(nonces.take(Buffer.from(forged.toString("hex"))), false, `bit ${bit}`);
		}
		assert.equal(nonces.take(Buffer.from(nonce.toString("hex"))), true);
	});

	it("accepts no text of another length and no garbage", () => {
		const { nonces } = make();
		const nonce = nonces.issue();
		for (const text of [nonce.subarray(0, 63), Buffer.concat([nonce, nonce]), Buffer.from([...nonce, 0x30])])
			assert.equal(nonces.take(text), false);
		fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (text) => assert.equal(nonces.take(text), false)));
		assert.equal(nonces.take(nonce), true);
	});

	it("remembers 512 used nonces; when it forgets one, it rejects all nonces that were issued before that one was used", () => {
		assert.equal(USED_LIMIT, 512);
		const { clock, nonces } = make();
		const [early, unused] = [nonces.issue(), nonces.issue()];
		const used: Uint8Array[] = [];
		for (let i = 0; i < USED_LIMIT; i++) {
			used.push(nonces.issue());
			assert.equal(nonces.take(used[i]), true);
			clock.ms += 100;
		}
		const late = nonces.issue();
		for (const nonce of used) assert.equal(nonces.take(nonce), false);
		// No nonce has been forgotten yet.
		assert.equal(nonces.take(early), true);
		assert.equal(nonces.take(unused), false);
		const [untilFirst, afterSecond] = [nonces.issue(), nonces.issue()];
		assert.equal(nonces.take(untilFirst), true);
		for (const nonce of [early, ...used, untilFirst]) assert.equal(nonces.take(nonce), false);
		assert.equal(nonces.take(late), true);
		assert.equal(nonces.take(afterSecond), true);
	});

	it("accepts no nonce twice, in any order and at any times of issue and use", () => {
		const steps = fc.array(fc.tuple(fc.nat(400), fc.nat(30)), { minLength: 1200, maxLength: 1400 });
		fc.assert(
			fc.property(steps, (moves) => {
				const { clock, nonces } = make();
				const issued: Uint8Array[] = [];
				const taken = new Set<Uint8Array>();
				for (const [passMs, back] of moves) {
					clock.ms += passMs / 4;
					issued.push(nonces.issue());
					const nonce = issued[Math.max(0, issued.length - 1 - back)];
					const isTaken = nonces.take(nonce);
					assert.ok(!isTaken || !taken.has(nonce));
					if (isTaken) taken.add(nonce);
				}
				for (const nonce of taken) assert.equal(nonces.take(nonce), false);
				assert.ok(taken.size > USED_LIMIT);
			}),
			{ numRuns: 10 },
		);
	});

	it("remembers each used nonce for its lifetime, in any rhythm of use", () => {
		const rhythm = fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 100_000 })), {
			minLength: 1,
			maxLength: 12,
		});
		fc.assert(
			fc.property(rhythm, (bursts) => {
				const { clock, nonces } = make();
				let used: { readonly nonce: Uint8Array; readonly ms: number }[] = [];
				for (const [count, pauseMs] of bursts) {
					for (let i = 0; i < count; i++) {
						// The time of use is kept in steps of 100 ms.
						used = used.filter(({ ms }) => clock.ms - ms < NONCE_LIFETIME_MS + 100);
						// More used nonces may be forgotten.
						if (used.length >= USED_LIMIT) break;
						const nonce = nonces.issue();
						clock.ms += 3;
						assert.equal(nonces.take(nonce), true);
						used.push({ nonce, ms: clock.ms });
					}
					const early = nonces.issue();
					for (const { nonce } of used) assert.equal(nonces.take(nonce), false);
					clock.ms += pauseMs;
					if (used.length < USED_LIMIT && pauseMs < NONCE_LIFETIME_MS) {
						assert.equal(nonces.take(early), true, "no used nonce that still matters was forgotten");
						used.push({ nonce: early, ms: clock.ms });
					}
				}
			}),
			{ numRuns: 30 },
		);
	});

	it("forgets expired nonces by itself, and thus never rejects unused ones at the permitted rate", () => {
		const { clock, nonces } = make();
		for (let i = 0; i < 5 * USED_LIMIT; i++) {
			const early = nonces.issue();
			clock.ms += NONCE_LIFETIME_MS / USED_LIMIT;
			if (i % 2 === 0) assert.equal(nonces.take(early), true);
			else assert.equal(nonces.take(nonces.issue()), true);
		}
	});
});
