/** Long-lived tokens (API text, Authentication 7), and the list of sessions. */
import assert from "node:assert/strict";
import { SCOPE_FULL, SCOPE_READ } from "../../modules/auth/scope.js";
import { isEmpty, isError, type JSONObject, type TestGateway } from "./gateway.js";
import { ChangedPassword } from "./password-checks.js";
import { pathOf, WALK } from "./walk.js";

const PATH = "system/tokens";
const SLOTS = 3;

export async function deleteTokens(gateway: TestGateway): Promise<void> {
	for (const { id } of (await gateway.read(PATH)).tokens) {
		assert.equal((await gateway.request("DELETE", `${PATH}/${id}`)).status, 200);
	}
}

export function tokenChecks(gateway: () => TestGateway): void {
	const make = (name = "a program"): Promise<JSONObject> => gateway().write(PATH, { name });
	const list = async (): Promise<JSONObject[]> => (await gateway().read(PATH)).tokens;
	const revoke = (id: string, token = gateway().token) => gateway().request("DELETE", `${PATH}/${id}`, { token });
	const isAlive = async (token: string) => (await gateway().get("meter/protocol", { token })).status === 200;

	describe("long-lived tokens", () => {
		beforeEach(() => deleteTokens(gateway()));
		after(async () => {
			await gateway().login();
			await deleteTokens(gateway());
		});

		it("do not exist at first, and there is room for three", async () => {
			assert.deepEqual(await gateway().read(PATH), { max: SLOTS, tokens: [] });
		});
		it("show their value when they are created, and never again", async () => {
			const made = await make("Home Assistant");
			assert.deepEqual(Object.keys(made), ["id", "name", "created", "scope", "token"]);
			assert.match(made.id, /^[0-9a-f]{8}$/);
			assert.match(made.token, /^[0-9a-f]{64}$/);
			assert.equal(made.name, "Home Assistant");
			assert.ok(Number.isInteger(made.created) && made.created >= 0);
			const { id, name, created, scope } = made;
			assert.equal(scope, "full");
			assert.deepEqual(await gateway().read(PATH), { max: SLOTS, tokens: [{ id, name, created, scope }] });
		});
		it("are accepted like the token of a session, even to manage tokens and to list sessions", async () => {
			const { token, id } = await make();
			assert.ok(await isAlive(token));
			assert.equal((await gateway().post("iec62056/control", {}, { token })).status, 200);
			assert.equal((await gateway().get("system/sessions", { token })).status, 200);
			const other = JSON.parse((await gateway().post(PATH, { name: "other" }, { token })).text);
			isEmpty(await revoke(other.id, token));
			isEmpty(await revoke(id, token));
			assert.equal(await isAlive(token), false);
		});
		it("are rejected in any other case or length", async () => {
			const { token } = await make();
			for (const wrong of [
				token.toUpperCase(),
				token.slice(1),
				token.slice(0, -1),
				`${token}0`,
				(token[0] === "0" ? "1" : "0") + token.slice(1),
				token.slice(0, -1) + (token.at(-1) === "0" ? "1" : "0"),
			]) {
				isError(await gateway().get("meter/protocol", { token: wrong }), 401, "unauthorized");
			}
			assert.ok(await isAlive(token));
		});
		it("all differ in value and id, even if their names are the same", async () => {
			const made = [await make("same"), await make("same"), await make("same")];
			assert.equal(new Set(made.map(({ token }) => token)).size, SLOTS);
			assert.equal(new Set(made.map(({ id }) => id)).size, SLOTS);
			assert.deepEqual(
				(await list()).map(({ id }) => id),
				made.map(({ id }) => id),
			);
		});
		it("are limited to three, until one is revoked", async () => {
			const made = [await make("1"), await make("2"), await make("3")];
			const before = await list();
			isError(await gateway().post(PATH, { name: "4" }), 400, "token_slots_full");
			assert.deepEqual(await list(), before);
			isEmpty(await revoke(made[1].id));
			const fourth = await make("4");
			assert.deepEqual(
				(await list()).map(({ name }) => name),
				["1", "3", "4"],
			);
			for (const { token } of [made[0], made[2], fourth]) assert.ok(await isAlive(token));
			assert.equal(await isAlive(made[1].token), false);
			isError(await gateway().post(PATH, { name: "5" }), 400, "token_slots_full");
		});
		it("can be revoked at each place in the list, and only once", async () => {
			for (let revoked = 0; revoked < SLOTS; revoked++) {
				const made = [await make("1"), await make("2"), await make("3")];
				isEmpty(await revoke(made[revoked].id));
				isError(await revoke(made[revoked].id), 404, "not_found");
				for (const [i, { token }] of made.entries()) assert.equal(await isAlive(token), i !== revoked);
				await deleteTokens(gateway());
			}
		});
		it("give 404 for an unknown id", async () => {
			const { id, token } = await make();
			for (const wrong of [
				"x",
				"00000000",
				id.slice(1),
				`${id}0`,
				token,
				"%20",
				`${id}%20`,
				"a%2Fb",
				"%C3%BC",
				"%3Cid%3E",
			]) {
				isError(await revoke(wrong), 404, "not_found");
			}
			isError(await gateway().request("DELETE", `${PATH}/`), 404, "not_found");
			isError(await gateway().request("DELETE", PATH), 405, "method_not_allowed");
			isError(await gateway().get(`${PATH}/${id}`), 405, "method_not_allowed");
			assert.equal((await list()).length, 1);
		});

		describe("of scope read", () => {
			const reader = async (): Promise<JSONObject> => gateway().write(PATH, { name: "a reader", scope: "read" });
			/** GETs of readings and state, as in the API text. */
			const READING =
				"events system/version system/status system/timezone network/status meter/history meter/profile peaks/status meter/now prices prices/dynamic metrics iec62056/last iec62056/read iec62056/schedule live-meter/status meter/backfill/status".split(
					" ",
				);

			it("are listed with that scope, even after a restart", async () => {
				await gateway().write(PATH, { name: "a writer", scope: "full" });
				const { id, scope } = await reader();
				assert.equal(scope, "read");
				const before = await list();
				assert.deepEqual(
					before.map((one) => one.scope),
					["full", "read"],
				);
				assert.equal(before[1].id, id);
				await gateway().restartAndLogin();
				assert.deepEqual(await list(), before);
			});
			it("can read readings and the state of the device, with GET and HEAD", async () => {
				await gateway().write("iec62056/control", { simulator_en: true });
				const { token } = await reader();
				const rows = WALK.filter(({ scope }) => scope === SCOPE_READ);
				const allowed = ["DELETE system/tokens/<id>", ...READING.map((path) => `GET ${path}`)];
				assert.deepEqual(rows.map(({ name }) => name).sort(), allowed.sort());
				for (const path of READING) {
					const status = path === "meter/profile" ? 404 : 200;
					assert.equal((await gateway().get(path, { token })).status, status, path);
					assert.equal((await gateway().request("HEAD", path, { token })).status, status, path);
				}
			});
			it("get 403 forbidden_scope everywhere else, whatever the body is, and change nothing", async () => {
				const { token, id } = await reader();
				for (const route of WALK.filter(({ scope }) => scope === SCOPE_FULL)) {
					const { name, method } = route;
					for (const body of method === "POST" ? ["{}", "{bad", JSON.stringify(route.example ?? {})] : [undefined]) {
						const reply = await gateway().request(method, pathOf(route, id), { token, body });
						assert.equal(reply.status, 403, name);
						isError(reply, 403, "forbidden_scope");
					}
				}
				await gateway().pass(2500);
				assert.deepEqual(
					(await list()).map((one) => one.id),
					[id],
				);
				assert.equal((await gateway().get("system/status", { token })).status, 200);
			});
			it("can revoke themselves only, and survive a logout", async () => {
				const full = await make();
				const { token, id } = await reader();
				const other = await gateway().write(PATH, { name: "another reader", scope: "read" });
				isError(await gateway().post("system/logout", undefined, { token }), 403, "forbidden_scope");
				for (const foreign of [full.id, other.id, "00000000", ""]) {
					const reply = await gateway().request("DELETE", `${PATH}/${foreign}`, { token });
					assert.equal(reply.status, foreign === "" ? 404 : 403, foreign);
				}
				assert.equal((await gateway().get("system/status", { token })).status, 200);
				isEmpty(await gateway().request("DELETE", `${PATH}/${id}`, { token }));
				isError(await gateway().get("system/status", { token }), 401, "unauthorized");
				assert.deepEqual(
					(await list()).map((one) => one.id),
					[full.id, other.id],
				);
				isEmpty(await gateway().post("system/logout", undefined, { token: full.token }));
				assert.ok(await isAlive(full.token));
				assert.equal((await gateway().get("system/status", { token: other.token })).status, 200);
			});
			it("have no effect on login and password change, which check no token", async () => {
				const { token } = await reader();
				assert.equal((await gateway().get("system/challenge", { token })).status, 200);
				isError(await gateway().post("system/login", {}, { token }), 400, "missing_field", "username");
				isError(await gateway().post("system/password", {}, { token }), 400, "missing_field", "nonce");
			});
			it("get a different error from that of invalid tokens", async () => {
				const { token } = await reader();
				isError(await gateway().get("hub", { token }), 403, "forbidden_scope");
				isError(await gateway().get("hub", { token: token.slice(1) }), 401, "unauthorized");
			});
			it("are not created if the scope is misspelt", async () => {
				for (const scope of ["", "Read", "write", "none", null, 1, true, [], ["read"], {}])
					isError(await gateway().post(PATH, { name: "x", scope }), 400, "invalid_field", "scope");
				assert.deepEqual(await list(), []);
			});
		});

		describe("field name", () => {
			it("has 1 to 32 printable ASCII characters", async () => {
				for (const name of [" ", "~", '"\\/<>&', "x".repeat(31), "x".repeat(32), "\\".repeat(32)]) {
					const made = await make(name);
					assert.equal(made.name, name);
					assert.equal((await list())[0].name, name);
					isEmpty(await revoke(made.id));
				}
			});
			it("is rejected otherwise, and no token is made", async () => {
				for (const name of [
					"",
					"x".repeat(33),
					"x".repeat(1000),
					"\u001f",
					"\u007f",
					"a\u0000",
					"\n",
					"\u00e4",
					"\u4e2d",
					"\u{1f600}",
					null,
					0,
					7.5,
					true,
					[],
					["x"],
					{},
					{ x: "x" },
				]) {
					isError(await gateway().post(PATH, { name }), 400, "invalid_field", "name");
				}
				assert.deepEqual(await list(), []);
			});
			it("is required", async () => {
				isError(await gateway().post(PATH, {}), 400, "missing_field", "name");
				isError(await gateway().post(PATH, { Name: "x", label: "x" }), 400, "missing_field", "name");
				isError(await gateway().post(PATH), 400, "invalid_json");
				isError(await gateway().post(PATH, "[]"), 400, "invalid_json");
				isError(await gateway().post(PATH, `{"name":"x"${" ".repeat(2048)}}`), 413, "too_large");
				assert.deepEqual(await list(), []);
			});
			it("is checked before the slots", async () => {
				for (let i = 0; i < SLOTS; i++) await make();
				isError(await gateway().post(PATH, { name: "" }), 400, "invalid_field", "name");
			});
			it("is accepted together with unknown fields, which are ignored", async () => {
				const made = await gateway().write(PATH, { name: "x", id: "00000000", token: "x", created: 1 });
				assert.notEqual(made.id, "00000000");
				assert.match(made.token, /^[0-9a-f]{64}$/);
			});
		});

		it("survive a restart", async () => {
			const made = [await make("1"), await make("2")];
			isEmpty(await revoke(made[0].id));
			const before = await list();
			await gateway().restart();
			assert.deepEqual((await gateway().read(PATH, { token: made[1].token })).tokens, before);
			assert.equal(await isAlive(made[0].token), false);
		});
		it("are lost if their entry in flash is damaged, without loss of other settings", async () => {
			const { token } = await make();
			await gateway().write("iec62056/config", { baudrate_max: 301 });
			await gateway().restart("tokens");
			assert.equal(await isAlive(token), false);
			await gateway().login();
			assert.deepEqual(await list(), []);
			assert.equal((await gateway().read("iec62056/config")).baudrate_max, 301);
			const again = await make();
			await gateway().restart();
			assert.ok(await isAlive(again.token));
		});
		it("survive a password change", async () => {
			const password = new ChangedPassword(gateway);
			const { token } = await make();
			try {
				await password.to("another password");
				assert.ok(await isAlive(token));
			} finally {
				await password.restore();
				await gateway().restartWithout("access");
			}
			assert.ok(await isAlive(token));
		});
	});

	describe("the list of sessions", () => {
		const sessions = async (token = gateway().token): Promise<JSONObject[]> =>
			(await gateway().read("system/sessions", { token })).sessions;
		const end = (id: string) => gateway().request("DELETE", `system/sessions/${id}`);

		beforeEach(async () => {
			await gateway().restartAndLogin();
		});

		it("has id, start, end and address of each session, and marks the one that requests it", async () => {
			const first = gateway().token;
			const second = await gateway().login();
			const seen = await sessions();
			assert.equal(seen.length, 2);
			for (const session of seen) {
				assert.deepEqual(Object.keys(session), ["id", "created", "expires_in_secs", "address", "current"]);
				assert.match(session.id, /^[0-9a-f]{8}$/);
				assert.ok(Number.isInteger(session.created) && session.created >= 0);
				assert.ok(session.expires_in_secs > 1700 && session.expires_in_secs <= 1800);
				assert.match(session.address, /^[0-9a-f.:]+$/);
				assert.ok(!first.includes(session.id) && !second.includes(session.id));
			}
			const current = (all: JSONObject[]) => all.map((session) => session.current);
			assert.deepEqual(current(seen), [false, true]);
			assert.deepEqual(current(await sessions(first)), [true, false]);
		});
		it("marks no session if a long-lived token requests it", async () => {
			const { token, id } = await make();
			const seen = await sessions(token);
			assert.equal(seen.length, 1);
			assert.equal(seen[0].current, false);
			isEmpty(await revoke(id));
		});
		it("has at most six sessions", async () => {
			for (let i = 0; i < 7; i++) await gateway().login();
			assert.equal((await sessions()).length, 6);
		});
		it("ends another session by its id, at once and only once", async () => {
			const first = gateway().token;
			await gateway().login();
			const [{ id }] = await sessions();
			isEmpty(await end(id));
			assert.equal(await isAlive(first), false);
			assert.equal((await sessions()).length, 1);
			isError(await end(id), 404, "not_found");
		});
		it("can also end the session that requests it", async () => {
			const [{ id }] = await sessions();
			isEmpty(await end(id));
			isError(await gateway().get("system/sessions"), 401, "unauthorized");
			await gateway().login();
		});
		it("replies 404 to any other id", async () => {
			const [{ id }] = await sessions();
			for (const wrong of ["x", "00000000", id.toUpperCase().replace(/\d/g, "A"), id.slice(1), gateway().token]) {
				isError(await end(wrong), 404, "not_found");
			}
			assert.equal((await sessions()).length, 1);
		});
	});
}
