/** An attack on the login from many addresses of the loopback network. Times of the limiter are tested in test/auth. */
import assert from "node:assert/strict";
import { isError, PASSWORD, proofOf, type Reply, succeeded, type TestGateway, USERNAME } from "./gateway.js";

const TRIES = 600;
const ADDRESSES = 60;
/** Number of attempts that use the challenge; they come first. */
const PROOFS = 360;
/** Shortest interval between two attempts from one address, ms. */
const ROUND_MS = 700;
/** Most attempts that modules/auth/rate-limiter.ts checks in a minute. */
const CHECKED_LIMIT = 437;
/** Longest wait of an address that has logged in before, s. */
const KNOWN_LIMIT_S = 5;
/** Longest wait of a new address, s. */
const NEW_LIMIT_S = 15;
const NEW = "127.0.2.1";

export function crowdChecks(gateway: () => TestGateway): void {
	const tryLogin = (body: unknown, from?: string): Promise<Reply> =>
		gateway().post("system/login", body, { token: null, ...(from === undefined ? {} : { from }) });
	const challenge = () => gateway().read("system/challenge", { token: null });

	async function proof(password: string) {
		const { nonce, salt } = await challenge();
		return { username: USERNAME, nonce, proof: proofOf(password, salt, nonce) };
	}

	/** Repeats the login after each Retry-After until it succeeds; returns the seconds waited. */
	async function secondsUntilIn(body: unknown, from?: string): Promise<number> {
		for (let waitedS = 0; ; ) {
			const reply = await tryLogin(body, from);
			if (reply.status === 200) return waitedS;
			isError(reply, 429, "too_many_attempts");
			const waitS = Number(reply.headers.get("retry-after"));
			await gateway().pass(waitS * 1000 + 50);
			waitedS += waitS;
			assert.ok(waitedS <= 60, `not logged in after ${waitedS} s`);
		}
	}

	describe(`${TRIES} wrong logins from ${ADDRESSES} addresses`, function () {
		this.timeout(120_000);

		let checked = 0;
		let proofs = 0;
		let tookMs = 0;
		let knownS = 0;
		let knownByProofS = 0;
		let newS = 0;
		let newBody: unknown;

		before(async () => {
			await gateway().login();
			// The attack occupies all buckets, raises the shared one to its longest delay, and uses up the nonces.
			const startMs = Date.now();
			for (let i = 0; i < TRIES; i++) {
				const isProof = i < PROOFS;
				const body = isProof ? await proof("wrong") : { username: USERNAME, password: "wrong" };
				const reply = await tryLogin(body, `127.0.1.${1 + (i % ADDRESSES)}`);
				if (i % ADDRESSES === 0) await gateway().pass(ROUND_MS);
				if (reply.status === 429) continue;
				isError(reply, 401, "invalid_proof");
				checked++;
				if (isProof) proofs++;
			}
			tookMs = Date.now() - startMs;
			// These waits are measured here, because the suite logs in before each check below, which would change
			// them.
			knownS = await secondsUntilIn({ username: USERNAME, password: PASSWORD });
			knownByProofS = await secondsUntilIn(await proof(PASSWORD));
			newBody = await proof(PASSWORD);
			newS = await secondsUntilIn(newBody, NEW);
		});
		it(`are compared with the password at most ${CHECKED_LIMIT} times a minute`, () => {
			assert.ok(proofs > 64, `${proofs} proofs were checked`);
			assert.ok(checked <= CHECKED_LIMIT * Math.ceil(tookMs / 60_000), `${checked} attempts were checked`);
		});
		it("delay a known address by at most 5 s, in both forms of login", () => {
			assert.ok(knownS <= KNOWN_LIMIT_S, `${knownS} s`);
			assert.ok(knownByProofS <= KNOWN_LIMIT_S, `${knownByProofS} s`);
		});
		it("let a new address log in within 15 s with its first nonce", async () => {
			assert.ok(newS <= NEW_LIMIT_S, `${newS} s`);
			isError(await tryLogin(newBody, NEW), 401, "nonce_invalid");
			// The address has logged in, so it is known now.
			succeeded(await tryLogin({ username: USERNAME, password: PASSWORD }, NEW));
			assert.equal((await gateway().get("meter/protocol")).status, 200);
		});
	});
}
