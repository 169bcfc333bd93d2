/**
 * Checks for the table "Errors" of the API text. Each check has the name of its row. Rows that take minutes or need a
 * full flash are in `slowWalkErrorChecks`, which runs on virtual time. firmware.test.ts checks the rows about the upload
 * of firmware.
 */
import assert from "node:assert/strict";
import { SCOPE_NONE } from "../../modules/auth/scope.js";
import { expectFaults } from "../faults.js";
import { resolve } from "./document.js";
import { isError, PASSWORD, proofOf, type Reply, type TestGateway, USERNAME, vectorOf } from "./gateway.js";
import { deleteTokens } from "./token-checks.js";
import type { VirtualGateway } from "./virtual-gateway.js";
import { JSON_ROUTES, pathOf, WALK } from "./walk.js";

const OPEN = { token: null };
const METER = vectorOf("landis-gyr-zmf100-m26-padded-left");
/** Telegram with an error message instead of data, with its BCC. */
const ERROR_MESSAGE = Buffer.from("/LGZ4ZMF100AC.M26\r\n\x02(ER01)\x03\x14", "latin1");

const challenge = (gateway: TestGateway) => gateway.read("system/challenge", OPEN);
const tryLogin = (gateway: TestGateway, body: object): Promise<Reply> =>
	gateway.post("system/login", { username: USERNAME, ...body }, OPEN);

async function attempt(gateway: TestGateway, password = PASSWORD): Promise<{ nonce: string; proof: string }> {
	const { nonce, salt } = await challenge(gateway);
	return { nonce, proof: proofOf(password, salt, nonce) };
}

export function walkErrorChecks(gateway: () => TestGateway): void {
	describe("error", () => {
		const login = (body: object) => tryLogin(gateway(), body);

		it("400 | JSON routes: malformed JSON, or no body at all", async () => {
			for (const { path, needsBody } of JSON_ROUTES) {
				isError(await gateway().post(path, '{"x":1'), 400, "invalid_json");
				if (needsBody) isError(await gateway().post(path), 400, "invalid_json");
			}
		});
		it("400 | JSON routes: missing fields", async () => {
			for (const { path, schema, name } of JSON_ROUTES) {
				const reply = await gateway().post(path, {});
				if ("required" in schema || "anyOf" in schema)
					assert.equal(JSON.parse(reply.text).error, "missing_field", name);
				else assert.equal(reply.status, 200, `${name}: ${reply.text}`);
			}
		});
		it("400 | JSON routes: a field failed validation", async () => {
			for (const { path, schema, example } of JSON_ROUTES) {
				for (const field of Object.keys(example)) {
					const bad = resolve(schema.properties[field]).type === "boolean" ? "false" : false;
					isError(await gateway().post(path, { ...example, [field]: bad }), 400, "invalid_field", field);
				}
			}
		});
		it("400 | POST tokens: invalid name", async () => {
			isError(await gateway().post("system/tokens", { name: "" }), 400, "invalid_field", "name");
		});
		it("400 | POST tokens: all slots in use", async () => {
			for (const name of ["one", "two", "three"]) await gateway().write("system/tokens", { name });
			isError(await gateway().post("system/tokens", { name: "four" }), 400, "token_slots_full");
			assert.equal((await gateway().read("system/tokens")).tokens.length, 3);
			await deleteTokens(gateway());
		});
		it("400 | POST certificate: file rejected; body is a plain-text reason; nothing changed", async () => {
			// An earlier test may have changed name or time, so the gateway may renew its self-signed certificate now.
			const certificate = async () => {
				const { valid_from: _from, valid_to: _to, ...rest } = await gateway().read("system/certificate");
				return rest;
			};
			const before = await certificate();
			for (const file of ["", "not PEM", "{}", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]) {
				const reply = await gateway().post("system/certificate", file);
				assert.deepEqual([reply.status, reply.headers.get("content-type")], [400, "text/plain"]);
				assert.match(reply.text, /^[A-Z].*\.\n$/);
			}
			assert.deepEqual(await certificate(), before);
		});
		it("400 | GET hub/send: integration not enabled", async () => {
			await gateway().write("hub", { enabled: false });
			isError(await gateway().get("hub/send"), 400, "hub_disabled");
		});
		it("400 | POST zigbee/map: invalid JSON structure, or a target outside the accepted set", async () => {
			const before = await gateway().read("zigbee/map");
			for (const mapping of [{}, "x", null, 7, [7], [[]], ["1.8.0"]])
				isError(await gateway().post("zigbee/map", { mapping }), 400, "invalid_field", "mapping");
			isError(await gateway().post("zigbee/map", []), 400, "invalid_json");
			const mapping = [{ obis: "1.8.0", mapping_id: "07020002" }];
			isError(await gateway().post("zigbee/map", { mapping }), 400, "invalid_field", "mapping[0].mapping_id");
			assert.deepEqual(await gateway().read("zigbee/map"), before);
		});
		it("401 | all routes except the three open ones: missing, invalid or ended token", async () => {
			const ended = gateway().token;
			assert.equal((await gateway().post("system/logout")).status, 200);
			const open: string[] = [];
			for (const route of WALK) {
				for (const token of [null, "f".repeat(64), ended]) {
					const reply = await gateway().request(route.method, pathOf(route), { token });
					if (route.scope !== SCOPE_NONE) isError(reply, 401, "unauthorized");
					else if (token === null) open.push(`${route.name} ${reply.status}`);
				}
			}
			assert.deepEqual(open, ["GET system/challenge 200", "POST system/login 400", "POST system/password 400"]);
		});
		it("401 | POST login: wrong proof", async () => {
			isError(await login(await attempt(gateway(), "wrong")), 401, "invalid_proof");
		});
		it("401 | POST login: nonce unknown, or already used", async () => {
			const body = await attempt(gateway());
			isError(await login({ ...body, nonce: "0".repeat(body.nonce.length) }), 401, "nonce_invalid");
			assert.equal((await login(body)).status, 200);
			isError(await login(body), 401, "nonce_invalid");
		});
		it("403 | POST certificate: sent over plain HTTP", async () => {
			isError(await gateway().post("system/certificate", "x", { secure: false }), 403, "https_required");
		});
		it("403 | POST password (legacy form): old_password invalid", async () => {
			const body = { old_password: "wrong", new_password: "another password" };
			isError(await gateway().post("system/password", body, OPEN), 403, "invalid_proof");
			await gateway().login();
		});
		it("404 | any: unknown route", async () => {
			for (const method of ["GET", "POST", "DELETE", "PUT"])
				for (const path of ["nothing", "system", "system/tokens/", "hub/send/x", "/api/v2/hub", "/api"])
					isError(await gateway().request(method, path), 404, "not_found");
		});
		it("404 | DELETE tokens/<id>, DELETE sessions/<id>: unknown id", async () => {
			for (const route of WALK.filter(({ name }) => name.startsWith("DELETE") && name.endsWith("<id>")))
				for (const id of ["00000000", "x", "x".repeat(200), "%20", "0".repeat(7)])
					isError(await gateway().request("DELETE", pathOf(route, id)), 404, "not_found");
		});
		it("500 | any: the device could not complete the operation", async () => {
			await gateway().connectMeter(undefined);
			isError(await gateway().get("iec62056/read"), 500, "meter_error");
		});
	});
}

/** Rows that take minutes or need simulated faults. */
export function slowWalkErrorChecks(gateway: () => VirtualGateway): void {
	describe("error", () => {
		it("401 | all routes except the three open ones: expired token", async () => {
			await gateway().pass(1_800_000);
			for (const route of WALK.filter(({ scope }) => scope !== SCOPE_NONE))
				isError(await gateway().request(route.method, pathOf(route)), 401, "unauthorized");
		});
		it("401 | POST login: nonce expired", async () => {
			const body = await attempt(gateway());
			await gateway().pass(60_000);
			isError(await tryLogin(gateway(), body), 401, "nonce_invalid");
		});
		it("500 | any: the device could not complete the operation, since its flash is full; nothing has changed", async () => {
			expectFaults(/^fault: flash: \w+: flash is full/);
			gateway().world.storage.capacity = 0;
			let refused = 0;
			for (const { path, example } of JSON_ROUTES.filter(({ path }) => /^(hub|dlms|iec62056|network)/.test(path))) {
				const before = path === "network/wifi" || path === "network/ap" ? "network/status" : path;
				const shown = await gateway().read(before);
				const reply = await gateway().post(path, example);
				// A request without a change writes nothing.
				if (reply.status !== 200) {
					isError(reply, 500, "internal");
					refused++;
				}
				assert.deepEqual(await gateway().read(before), shown, path);
			}
			assert.ok(refused >= 8, `${refused} requests failed`);
		});
		it("500 | GET iec62056/read: meter timeout", async () => {
			await gateway().connectMeter({ telegram: METER.telegram, faults: { silence: 1000 } });
			isError(await gateway().get("iec62056/read"), 500, "meter_timeout");
			assert.equal((await gateway().read("iec62056/last")).last_error, "iec62056-21/silence");
		});
		it("500 | GET iec62056/read: meter error", async () => {
			await gateway().connectMeter({ telegram: new Uint8Array(ERROR_MESSAGE) });
			isError(await gateway().get("iec62056/read"), 500, "meter_error");
			assert.equal((await gateway().untilIdle()).last_error, "iec62056-21/meter-error");
		});
	});
}
