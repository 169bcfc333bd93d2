/**
 * Checks for the table "States and transitions" of the API text. Each check has the name of its row. `pass` waits for
 * the gateway's own clock, so rows that take more than a few seconds are in `slowTransitionChecks`, for virtual time.
 * This file has the rows about login, sessions and tokens. The rows about certificate, device, Wi-Fi and clock are
 * tested with their routes, under titles that begin with `transition`.
 */
import assert from "node:assert/strict";
import { isError, PASSWORD, proofOf, type Reply, succeeded, type TestGateway, USERNAME } from "./gateway.js";
import { ChangedPassword } from "./password-checks.js";
import { deleteTokens } from "./token-checks.js";

const OPEN = { token: null };

async function challengeBody(gateway: TestGateway) {
	const { nonce, salt } = await gateway.read("system/challenge", OPEN);
	return { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
}

const tryLogin = (gateway: TestGateway, body: unknown): Promise<Reply> => gateway.post("system/login", body, OPEN);
const isAlive = async (gateway: TestGateway, token: string) =>
	(await gateway.get("meter/protocol", { token })).status === 200;

export function transitionChecks(gateway: () => TestGateway): void {
	describe("transition of", () => {
		const alive = (token: string) => isAlive(gateway(), token);
		const make = (name: string) => gateway().write("system/tokens", { name });

		afterEach(async () => {
			await gateway().login();
			await deleteTokens(gateway());
		});

		it("login nonce: issued, by GET challenge, to valid", async () => {
			const { nonce, expires_in_secs } = await gateway().read("system/challenge", OPEN);
			assert.ok(nonce);
			assert.equal(expires_in_secs, 60);
			succeeded(await tryLogin(gateway(), await challengeBody(gateway())));
		});
		it("login nonce: valid, by its first use in a login, to consumed", async () => {
			const body = await challengeBody(gateway());
			succeeded(await tryLogin(gateway(), body));
			isError(await tryLogin(gateway(), body), 401, "nonce_invalid");
		});
		it("login nonce: valid, by its first use in a password change, to consumed", async () => {
			const password = new ChangedPassword(gateway);
			const body = await password.body(PASSWORD);
			assert.equal((await password.post(body)).status, 200);
			isError(await password.post(body), 401, "nonce_invalid");
			isError(await tryLogin(gateway(), { ...body, username: USERNAME }), 401, "nonce_invalid");
			await gateway().restartWithout("access");
		});
		it("session token: none, by a login that succeeds, to valid", async () => {
			const { token, expires_in_secs } = succeeded(await tryLogin(gateway(), await challengeBody(gateway())));
			assert.equal(expires_in_secs, 1800);
			assert.ok(await alive(token));
		});
		it("session token: valid, by logout, to invalid at once", async () => {
			const token = await gateway().login();
			assert.equal((await gateway().post("system/logout")).status, 200);
			isError(await gateway().get("meter/protocol", { token }), 401, "unauthorized");
		});
		it("long-lived token: none, by POST tokens, to active", async () => {
			const { token } = await make("one");
			assert.ok(await alive(token));
			await make("two");
			await make("three");
			isError(await gateway().post("system/tokens", { name: "four" }), 400, "token_slots_full");
			isError(await gateway().post("system/tokens", { name: "" }), 400, "invalid_field", "name");
		});
		it("long-lived token: active, by DELETE tokens/<id>, to revoked", async () => {
			const { token, id } = await make("one");
			assert.equal((await gateway().request("DELETE", `system/tokens/${id}`)).status, 200);
			assert.equal(await alive(token), false);
			isError(await gateway().request("DELETE", `system/tokens/${id}`), 404, "not_found");
		});
		it("long-lived token: active, by factory_reset, to deleted at once", async () => {
			const { token } = await make("one");
			assert.equal((await gateway().post("system/factory_reset")).status, 200);
			isError(await gateway().get("meter/protocol", { token }), 401, "unauthorized");
			await gateway().rebooted();
			assert.equal(await alive(token), false);
			await gateway().login();
			assert.deepEqual((await gateway().read("system/tokens")).tokens, []);
		});
		it("long-lived token: active, by logout with it, to active", async () => {
			const session = gateway().token;
			const { token } = await make("one");
			assert.equal((await gateway().post("system/logout", undefined, { token })).status, 200);
			assert.ok(await alive(token));
			assert.ok(await alive(session));
		});
	});
}

export function slowTransitionChecks(gateway: () => TestGateway): void {
	describe("transition of", () => {
		it("login nonce: valid, by 60 s unused, to expired", async () => {
			const [early, late] = [await challengeBody(gateway()), await challengeBody(gateway())];
			const password = new ChangedPassword(gateway);
			const change = await password.body(PASSWORD);
			await gateway().pass(59_999);
			succeeded(await tryLogin(gateway(), early));
			await gateway().pass(1);
			isError(await tryLogin(gateway(), late), 401, "nonce_invalid");
			isError(await password.post(change), 401, "nonce_invalid");
		});
		it("session token: valid, by its validity elapsing, to expired", async () => {
			const token = await gateway().login();
			await gateway().pass(1_799_999);
			assert.ok(await isAlive(gateway(), token));
			await gateway().pass(1);
			isError(await gateway().get("meter/protocol", { token }), 401, "unauthorized");
		});
		it("long-lived token: active, by years, to active", async () => {
			const { token } = await gateway().write("system/tokens", { name: "for years" });
			// Years of scheduled readouts would take too long.
			await gateway().write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 15 });
			for (let year = 0; year < 3; year++) {
				await gateway().pass(365 * 24 * 3_600_000);
				assert.ok(await isAlive(gateway(), token));
			}
		});
	});
}
