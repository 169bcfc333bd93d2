/**
 * The login against a crowd, through all of the gateway: from addresses of the loopback network,
 * which are all this computer's. What the limiter does in time is in test/auth.
 */
import assert from "node:assert/strict";
import { isError, PASSWORD, proofOf, type Reply, succeeded, type TestGateway, USERNAME } from "./gateway.js";

const TRIES = 600;
const ADDRESSES = 60;
/** So many of them are looked at in a minute, by modules/auth/limiter.ts. */
const LOOKED_LIMIT = 181;
/** From an address that has logged in, and from one that has never been here. */
const KNOWN_LIMIT_S = 5;
const NEW_LIMIT_S = 15;

export function crowdChecks(gateway: () => TestGateway): void {
	const tryLogin = (body: unknown, from?: string): Promise<Reply> =>
		gateway().post("system/login", body, { token: null, ...(from === undefined ? {} : { from }) });
	const challenge = () => gateway().read("system/challenge", { token: null });

	async function proof(password: string) {
		const { nonce, salt } = await challenge();
		return { username: USERNAME, nonce, proof: proofOf(password, salt, nonce) };
	}

	/** Comes again when Retry-After says so, with the same body; how many seconds that took. */
	async function secondsUntilIn(body: unknown, from?: string): Promise<number> {
		for (let waitedS = 0; ; ) {
			const reply = await tryLogin(body, from);
			if (reply.status === 200) return waitedS;
			isError(reply, 429, "too_many_attempts");
			const waitS = Number(reply.headers.get("retry-after"));
			await gateway().pass(waitS * 1000 + 50);
			waitedS += waitS;
			assert.ok(waitedS <= 60, `kept out for ${waitedS} s`);
		}
	}

	describe(`${TRIES} wrong logins from ${ADDRESSES} addresses`, function () {
		this.timeout(120_000);

		let looked = 0;
		let proofs = 0;
		let tookMs = 0;

		before(async () => {
			await gateway().login();
			// They take all buckets, bring the shared one to its longest delay, and use up all the nonces that they can.
			const startMs = Date.now();
			for (let i = 0; i < TRIES; i++) {
				const isProof = i % 7 === 0;
				const body = isProof ? await proof("wrong") : { username: USERNAME, password: "wrong" };
				const reply = await tryLogin(body, `127.0.1.${1 + (i % ADDRESSES)}`);
				if (reply.status === 429) continue;
				isError(reply, 401, "invalid_proof");
				looked++;
				if (isProof) proofs++;
			}
			tookMs = Date.now() - startMs;
		});
		it("are mostly turned away without being looked at", () => {
			assert.ok(proofs > 5);
			assert.ok(looked <= LOOKED_LIMIT * Math.ceil(tookMs / 60_000), `${looked} were looked at`);
		});
		it("leave a known address alone, in both forms", async () => {
			assert.ok((await secondsUntilIn({ username: USERNAME, password: PASSWORD })) <= KNOWN_LIMIT_S);
			assert.ok((await secondsUntilIn(await proof(PASSWORD))) <= KNOWN_LIMIT_S);
		});
		it("let a new address in within 15 s, with the nonce that it had at first", async () => {
			const body = await proof(PASSWORD);
			assert.ok((await secondsUntilIn(body, "127.0.2.1")) <= NEW_LIMIT_S);
			isError(await tryLogin(body, "127.0.2.1"), 401, "nonce_invalid");
			// It is known now.
			succeeded(await tryLogin({ username: USERNAME, password: PASSWORD }, "127.0.2.1"));
			assert.equal((await gateway().get("meter/protocol")).status, 200);
		});
	});
}
