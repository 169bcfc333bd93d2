import assert from "node:assert/strict";
import fc from "fast-check";
import {
	NONCE_FULL,
	NONCE_INVALID,
	NONCE_LENGTH,
	NONCE_LIFETIME_MS,
	NONCE_OK,
	Nonces,
	USED_LIMIT,
} from "../../modules/auth/nonce.js";
import { HandClock, NodeCrypto } from "./fakes.js";

function make(): { clock: HandClock; nonces: Nonces } {
	const clock = new HandClock();
	return { clock, nonces: new Nonces(new NodeCrypto(), clock) };
}

describe("auth/nonce", () => {
	it("gives a different text of lower-case hex each time", () => {
		const { nonces } = make();
		const texts = Array.from({ length: 200 }, () => Buffer.from(nonces.issue()).toString("latin1"));
		for (const text of texts) assert.match(text, /^[0-9a-f]{64}$/);
		assert.equal(new Set(texts).size, 200);
		assert.equal(NONCE_LENGTH, 64);
	});

	it("takes a nonce once", () => {
		const { nonces } = make();
		const nonce = nonces.issue();
		assert.equal(nonces.take(nonce), NONCE_OK);
		assert.equal(nonces.take(nonce), NONCE_INVALID);
	});

	it("doesn't take a used nonce again in capitals", () => {
		const { nonces } = make();
		const nonce = nonces.issue();
		assert.equal(nonces.take(nonce), NONCE_OK);
		assert.equal(nonces.take(Buffer.from(Buffer.from(nonce).toString("latin1").toUpperCase())), NONCE_INVALID);
	});

	it("takes a nonce until its 60 s are over", () => {
		assert.equal(NONCE_LIFETIME_MS, 60_000);
		for (const [ageMs, outcome] of [
			[0, NONCE_OK],
			[59_999, NONCE_OK],
			[60_000, NONCE_INVALID],
			[60_001, NONCE_INVALID],
			[2 ** 32, NONCE_INVALID],
			[2 ** 32 + 1, NONCE_INVALID],
		]) {
			const { clock, nonces } = make();
			const nonce = nonces.issue();
			clock.ms += ageMs;
			assert.equal(nonces.take(nonce), outcome, String(ageMs));
		}
	});

	it("knows a used nonce as long as it could be replayed, at parts of a millisecond too", () => {
		const { clock, nonces } = make();
		clock.ms = 1000.25;
		const nonce = nonces.issue();
		clock.ms += 59_999.5;
		assert.equal(nonces.take(nonce), NONCE_OK);
		nonces.take(nonces.issue());
		assert.equal(nonces.take(nonce), NONCE_INVALID);
		clock.ms += 0.5;
		assert.equal(nonces.take(nonce), NONCE_INVALID);
	});

	it("takes no nonce that somebody else issued, or that was changed in any bit", () => {
		const { nonces } = make();
		assert.equal(nonces.take(make().nonces.issue()), NONCE_INVALID);
		const nonce = Buffer.from(Buffer.from(nonces.issue()).toString("latin1"), "hex");
		for (let bit = 0; bit < nonce.length * 8; bit++) {
			const forged = Buffer.from(nonce);
			forged[bit >> 3] ^= 1 << (bit & 7);
			assert.equal(nonces.take(Buffer.from(forged.toString("hex"))), NONCE_INVALID, `bit ${bit}`);
		}
		assert.equal(nonces.take(Buffer.from(nonce.toString("hex"))), NONCE_OK);
	});

	it("takes no text of another length and no garbage", () => {
		const { nonces } = make();
		const nonce = nonces.issue();
		for (const text of [nonce.subarray(0, 63), Buffer.concat([nonce, nonce]), Buffer.from([...nonce, 0x30])])
			assert.equal(nonces.take(text), NONCE_INVALID);
		fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (text) => assert.equal(nonces.take(text), NONCE_INVALID)));
		assert.equal(nonces.take(nonce), NONCE_OK);
	});

	it("asks for patience at the 65th use instead of forgetting one of 64, and doesn't use that nonce up", () => {
		assert.equal(USED_LIMIT, 64);
		const { clock, nonces } = make();
		const used: Uint8Array[] = [];
		for (let i = 0; i < 64; i++) {
			used.push(nonces.issue());
			assert.equal(nonces.retryAfterMs, 0);
			assert.equal(nonces.take(used[i]), NONCE_OK);
			clock.ms += 100;
		}
		const late = nonces.issue();
		assert.equal(nonces.take(late), NONCE_FULL);
		assert.equal(nonces.retryAfterMs, 60_000 - 6400);
		for (const nonce of used) assert.equal(nonces.take(nonce), NONCE_INVALID);
		assert.equal(nonces.take(late), NONCE_FULL);

		clock.ms += 60_000 - 6400 - 1;
		assert.equal(nonces.take(late), NONCE_FULL);
		clock.ms += 1;
		assert.equal(nonces.retryAfterMs, 0);
		assert.equal(nonces.take(late), NONCE_OK);
		for (const nonce of [...used, late]) assert.equal(nonces.take(nonce), NONCE_INVALID);
	});

	it("finds room again wherever in the table the expired ones stand", () => {
		fc.assert(
			fc.property(fc.array(fc.nat(59_000), { minLength: 64, maxLength: 64 }), (ages) => {
				const { clock, nonces } = make();
				clock.ms = 100_000;
				const issued = ages.map((age) => {
					clock.ms = 100_000 - age;
					return nonces.issue();
				});
				clock.ms = 100_000;
				for (const nonce of issued) assert.equal(nonces.take(nonce), NONCE_OK);
				clock.ms = 130_000;
				const expired = ages.filter((age) => age >= 30_000).length;
				for (let i = 0; i < expired; i++) assert.equal(nonces.take(nonces.issue()), NONCE_OK);
				assert.equal(nonces.take(nonces.issue()), NONCE_FULL);
				for (const nonce of issued) assert.equal(nonces.take(nonce), NONCE_INVALID);
			}),
			{ numRuns: 30 },
		);
	});
});
