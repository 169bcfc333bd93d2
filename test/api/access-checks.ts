/** Challenge, login in both forms, sessions, logout, and the limiter's first delay (API text, Authentication). */
import assert from "node:assert/strict";
import { isError, PASSWORD, proofOf, type Reply, succeeded, type TestGateway, USERNAME } from "./gateway.js";

const OPEN = { token: null };
const NO_NONCE = "0".repeat(64);

export function accessChecks(gateway: () => TestGateway): void {
	const challenge = () => gateway().read("system/challenge", OPEN);
	const tryLogin = (body: unknown): Promise<Reply> => gateway().post("system/login", body, OPEN);
	const isAlive = async (token: string) => (await gateway().get("meter/protocol", { token })).status === 200;

	async function attempt(password = PASSWORD, username = USERNAME) {
		const { nonce, salt } = await challenge();
		return { username, nonce, proof: proofOf(password, salt, nonce) };
	}

	describe("challenge", () => {
		it("has exactly the documented fields, a new nonce each time and the same salt", async () => {
			const [first, second] = [await challenge(), await challenge()];
			assert.deepEqual(Object.keys(first), ["nonce", "salt", "alg", "expires_in_secs"]);
			assert.equal(first.alg, "sha256");
			assert.equal(first.expires_in_secs, 60);
			assert.match(first.nonce, /^\S{16,}$/);
			assert.match(first.salt, /^\S+$/);
			assert.notEqual(first.nonce, second.nonce);
			assert.equal(first.salt, second.salt);
		});
		it("needs no token and ignores an invalid one", async () => {
			assert.equal((await gateway().get("system/challenge", { token: "nonsense" })).status, 200);
		});
		it("keeps a nonce valid while a hundred more are requested", async () => {
			const body = await attempt();
			for (let i = 0; i < 100; i++) await challenge();
			succeeded(await tryLogin(body));
		});
	});

	describe("login by challenge", () => {
		it("returns a token that other routes accept, and its validity of 1800 s", async () => {
			const session = succeeded(await tryLogin(await attempt()));
			assert.deepEqual(Object.keys(session), ["token", "expires_in_secs"]);
			assert.equal(session.expires_in_secs, 1800);
			assert.match(session.token, /^[\x21-\x7e]{32,}$/);
			assert.ok(await isAlive(session.token));
		});
		it("accepts a proof in upper case", async () => {
			const body = await attempt();
			succeeded(await tryLogin({ ...body, proof: body.proof.toUpperCase() }));
		});
		it("accepts a nonce only once", async () => {
			const body = await attempt();
			succeeded(await tryLogin(body));
			isError(await tryLogin(body), 401, "nonce_invalid");
		});
		it("rejects a used nonce that is sent again in upper case", async () => {
			const { nonce, salt } = await challenge();
			succeeded(await tryLogin({ username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) }));
			const again = nonce.toUpperCase();
			assert.equal(
				(await tryLogin({ username: USERNAME, nonce: again, proof: proofOf(PASSWORD, salt, again) })).status,
				401,
			);
		});
		it("uses up the nonce of a failed login too", async () => {
			const { nonce, salt } = await challenge();
			const wrong = { username: USERNAME, nonce, proof: proofOf("wrong", salt, nonce) };
			isError(await tryLogin(wrong), 401, "invalid_proof");
			isError(await tryLogin({ ...wrong, proof: proofOf(PASSWORD, salt, nonce) }), 401, "nonce_invalid");
		});
		it("rejects a nonce that was never issued or was altered", async () => {
			const { salt, nonce } = await challenge();
			const last = nonce.at(-1) === "0" ? "1" : "0";
			const first = nonce[0] === "0" ? "1" : "0";
			for (const bad of ["", "x", NO_NONCE, nonce.slice(1), nonce.slice(0, -1) + last, first + nonce.slice(1), "ä"]) {
				const reply = await tryLogin({ username: USERNAME, nonce: bad, proof: proofOf(PASSWORD, salt, bad) });
				isError(reply, 401, "nonce_invalid");
			}
			succeeded(await tryLogin({ username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) }));
		});
		it("rejects a proof that is too short, too long, empty or not hex", async () => {
			for (const change of [
				(proof: string) => proof.slice(2),
				(proof: string) => `${proof}00`,
				() => "",
				(proof: string) => proof.replace(/^./, "g"),
			]) {
				const body = await attempt();
				isError(await tryLogin({ ...body, proof: change(body.proof) }), 401, "invalid_proof");
			}
		});
		it("gives the same reply, byte for byte, for an unknown user as for a wrong proof", async () => {
			const wrongProof = await tryLogin(await attempt("wrong"));
			const wrongUser = await tryLogin(await attempt(PASSWORD, "Admin"));
			isError(wrongUser, 401, "invalid_proof");
			assert.equal(wrongUser.text, wrongProof.text);
			assert.deepEqual([...wrongUser.headers], [...wrongProof.headers]);
		});
		it("names the unit in the WWW-Authenticate header of a 401", async () => {
			const reply = await tryLogin(await attempt("wrong"));
			assert.equal(reply.headers.get("www-authenticate"), `Bearer realm="${gateway().hostname}"`);
		});
	});

	describe("plaintext login", () => {
		it("works over HTTPS", async () => {
			const session = succeeded(await tryLogin({ username: USERNAME, password: PASSWORD }));
			assert.equal(session.expires_in_secs, 1800);
			assert.ok(await isAlive(session.token));
		});
		it("gives the same reply for a wrong user, a wrong password and empty values", async () => {
			const replies = [
				await tryLogin({ username: USERNAME, password: `${PASSWORD} ` }),
				await tryLogin({ username: "ADMIN", password: PASSWORD }),
				await tryLogin({ username: "", password: PASSWORD }),
				await tryLogin({ username: USERNAME, password: "" }),
			];
			for (const reply of replies) {
				isError(reply, 401, "invalid_proof");
				assert.equal(reply.text, replies[0].text);
			}
		});
		it("is not used for a request that also has a nonce or a proof", async () => {
			const password = PASSWORD;
			isError(await tryLogin({ username: USERNAME, password, nonce: NO_NONCE }), 400, "missing_field", "proof");
			isError(await tryLogin({ username: USERNAME, password, proof: "00" }), 400, "missing_field", "nonce");
		});
	});

	describe("login fields", () => {
		const whole = { username: USERNAME, nonce: NO_NONCE, proof: "00".repeat(32) };

		it("are all required", async () => {
			const { username, nonce, proof } = whole;
			isError(await tryLogin({}), 400, "missing_field", "username");
			isError(await tryLogin({ nonce, proof }), 400, "missing_field", "username");
			isError(await tryLogin({ password: PASSWORD }), 400, "missing_field", "username");
			isError(await tryLogin({ username, proof }), 400, "missing_field", "nonce");
			isError(await tryLogin({ username, nonce }), 400, "missing_field", "proof");
			assert.equal(JSON.parse((await tryLogin({ username })).text).error, "missing_field");
		});
		for (const field of ["username", "nonce", "proof", "password"]) {
			it(`${field} must be text`, async () => {
				for (const value of [null, 0, 1.5, true, [], ["admin"], {}, { admin: "admin" }]) {
					isError(await tryLogin({ ...whole, [field]: value }), 400, "invalid_field", field);
				}
			});
		}
		it("are accepted up to their greatest length and rejected beyond it", async () => {
			for (const [field, longest] of [
				["username", 64],
				["nonce", 128],
				["proof", 128],
			] as const) {
				const body = { ...whole, [field]: "a".repeat(longest) };
				assert.equal((await tryLogin(body)).status, 401, field);
				isError(await tryLogin({ ...body, [field]: "a".repeat(longest + 1) }), 400, "invalid_field", field);
			}
			const username = USERNAME;
			isError(await tryLogin({ username, password: "a".repeat(128) }), 401, "invalid_proof");
			isError(await tryLogin({ username, password: "a".repeat(129) }), 400, "invalid_field", "password");
			isError(await tryLogin({ username, password: "ü".repeat(128) }), 401, "invalid_proof");
		});
	});

	describe("sessions", () => {
		it("are limited to six: a seventh login ends the oldest", async () => {
			const tokens: string[] = [];
			for (let i = 0; i < 7; i++) tokens.push(await gateway().login());
			assert.equal(new Set(tokens).size, 7);
			const alive: boolean[] = [];
			for (const token of tokens) alive.push(await isAlive(token));
			assert.deepEqual(alive, [false, true, true, true, true, true, true]);
		});
		it("end at once with logout, which leaves other sessions open", async () => {
			const other = await gateway().login();
			const own = await gateway().login();
			const reply = await gateway().post("system/logout");
			assert.equal(reply.status, 200);
			assert.equal(reply.text, "");
			assert.equal(reply.headers.get("content-length"), "0");
			assert.equal(await isAlive(own), false);
			assert.equal(await isAlive(other), true);
			isError(await gateway().post("system/logout"), 401, "unauthorized");
			await gateway().login();
		});
	});

	describe("five failed login attempts", () => {
		it("block logins for a second without using up a nonce or ending open sessions", async () => {
			const { nonce, salt } = await challenge();
			for (let i = 0; i < 4; i++) {
				isError(await tryLogin({ username: USERNAME, password: `guess ${i}` }), 401, "invalid_proof");
			}
			isError(await tryLogin(await attempt("guess 4")), 401, "invalid_proof");
			const body = { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
			const blocked = await tryLogin(body);
			isError(blocked, 429, "too_many_attempts");
			assert.equal(blocked.headers.get("retry-after"), "1");
			isError(await tryLogin({ username: USERNAME, password: PASSWORD }), 429, "too_many_attempts");
			assert.ok(await isAlive(gateway().token));
			await challenge();
			await gateway().pass(1050);
			succeeded(await tryLogin(body));
			// The successful login has reset the limiter.
			for (let i = 0; i < 4; i++) isError(await tryLogin({ username: "x", password: "x" }), 401, "invalid_proof");
			succeeded(await tryLogin({ username: USERNAME, password: PASSWORD }));
		});
		it("do not include requests with a bad nonce or a malformed body", async () => {
			for (let i = 0; i < 7; i++) {
				isError(await tryLogin({ username: USERNAME, nonce: NO_NONCE, proof: "" }), 401, "nonce_invalid");
				isError(await tryLogin("{"), 400, "invalid_json");
			}
			succeeded(await tryLogin({ username: USERNAME, password: PASSWORD }));
		});
	});
}
