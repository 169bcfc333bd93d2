/** Hub routes: the settings, the streamed certificate, and `hub/send`. */

import assert from "node:assert/strict";
import { isError, type JSONObject, type TestGateway } from "./gateway.js";
import { lastingPair } from "./server-identity.js";

const HUB = "hub";
const LIMIT = 10239;
const DEFAULT_HUB = Object.freeze({
	enabled: false,
	cert_max_size: LIMIT,
	lang: "en",
	statistics: false,
	token_set: false,
	cert_set: false,
});
const NO_TEXT = [0, 1, true, null, [], ["x"], {}];
const URL = "https://homeassistant.local:8123";
const TOKEN = "canary-hub-token.eyJhbGciOiJIUzI1NiJ9";

const pair = lastingPair("homeassistant.local");
const CERTIFICATE = Buffer.from(pair.certificate).toString("latin1");
const KEY = Buffer.from(pair.key).toString("latin1");

/** The certificate, preceded by text that extends it to `length` bytes. */
function padded(length: number): string {
	return `${"#".repeat(length - CERTIFICATE.length - 1)}\n${CERTIFICATE}`;
}

export function hubChecks(gateway: () => TestGateway): void {
	describe("the hub", () => {
		const good = { enabled: true, url: URL, token: TOKEN };
		const shown = { ...DEFAULT_HUB, enabled: true, url: URL, token_set: true };
		const reasonOf = async (cert: unknown): Promise<string> =>
			JSON.parse((await gateway().post(HUB, { ...good, cert })).text).message;
		const refused = async (body: JSONObject, code: string, field: string) => {
			const before = await gateway().read(HUB);
			const reply = await gateway().post(HUB, body);
			isError(reply, 400, code, field);
			assert.deepEqual(await gateway().read(HUB), before);
		};

		before(() => gateway().plant(TOKEN));
		beforeEach(async () => {
			const cleared = { enabled: false, url: "", token: "", lang: "en", statistics: false, cert: "" };
			assert.deepEqual(await gateway().write(HUB, cleared), DEFAULT_HUB);
		});

		it("is shown as off, and hub/send is rejected while it is off", async () => {
			assert.deepEqual(await gateway().read(HUB), DEFAULT_HUB);
			isError(await gateway().get("hub/send"), 400, "hub_disabled");
		});
		it("can be enabled, and the reply is what GET shows, without token and certificate", async () => {
			assert.deepEqual(await gateway().write(HUB, good), shown);
			assert.deepEqual(await gateway().read(HUB), shown);
			const full = { ...good, lang: "pl", cert: CERTIFICATE };
			assert.deepEqual(await gateway().write(HUB, full), { ...shown, lang: "pl", cert_set: true });
			assert.deepEqual(
				await gateway().write(HUB, good),
				{ ...shown, lang: "pl" },
				"a missing certificate clears the stored one",
			);
		});
		it("can be tested, and the reply names the error; a second test within ten seconds gets 503", async () => {
			await gateway().write(HUB, good);
			const reply = await gateway().get("hub/send");
			assert.equal(reply.status, 200);
			const { message, ...rest } = JSON.parse(reply.text);
			assert.deepEqual(rest, { retcode: 4, http_status_code: 0, code: "certificate_missing" });
			assert.match(message, /^An https address needs a certificate/);
			const again = await gateway().get("hub/send");
			isError(again, 503, "busy");
			assert.equal(again.headers.get("retry-after"), "10");
			const { hub_state, hub_sent } = await gateway().read("system/status");
			assert.deepEqual([hub_state, hub_sent], ["certificate_missing", 0]);
		});
		it("needs a new token if its address or certificate changes while it is off", async () => {
			await gateway().write(HUB, { ...good, cert: CERTIFICATE });
			assert.equal((await gateway().write(HUB, { enabled: false, url: URL, lang: "de" })).token_set, true);
			assert.equal((await gateway().write(HUB, { enabled: false, url: "http://elsewhere.lan" })).token_set, false);
			for (const cert of [CERTIFICATE, ""]) {
				await gateway().write(HUB, good);
				assert.equal((await gateway().write(HUB, { enabled: false, cert })).token_set, false);
			}
			await gateway().write(HUB, good);
			assert.equal((await gateway().write(HUB, { enabled: false, url: "http://new.lan", token: "t" })).token_set, true);
		});
		it("keeps the settings that a request to disable it omits, and hides its address", async () => {
			await gateway().write(HUB, { ...good, lang: "de", cert: CERTIFICATE });
			const off = { ...DEFAULT_HUB, lang: "de", token_set: true, cert_set: true };
			assert.deepEqual(await gateway().write(HUB, { enabled: false }), off);
		});
		it("requires the field enabled, and url and token if it is true", async () => {
			await refused({}, "missing_field", "enabled");
			await refused({ url: URL, token: TOKEN }, "missing_field", "enabled");
			await refused({ ...good, url: undefined }, "missing_field", "url");
			await refused({ ...good, token: undefined }, "missing_field", "token");
			await gateway().write(HUB, good);
			await refused({ ...good, token: undefined }, "missing_field", "token");
			for (const enabled of [0, 1, "true", null, [], {}])
				await refused({ ...good, enabled }, "invalid_field", "enabled");
		});
		it("has an http or https address of 1 to 255 characters", async () => {
			for (const url of [
				URL,
				"http://10.0.0.2",
				"http://h",
				"HTTP://H:1/",
				"https://hub.lan:65535/api/",
				"http://[fd00::1]:8123/x",
				`http://h/${"p".repeat(246)}`,
			])
				assert.equal((await gateway().write(HUB, { ...good, url })).url, url);
			for (const url of [
				...NO_TEXT,
				"",
				"hub",
				"ftp://hub",
				"http://",
				"http:///x",
				"http://hub:0",
				"http://hub:65536",
				"http://hub:",
				"http://user@hub",
				"http://user:pass@hub",
				"http://hub/?a=b",
				"http://hub/#a",
				"http://hub /",
				"http://h\u00fcb",
				" http://hub",
				`http://h/${"p".repeat(247)}`,
			]) {
				await refused({ ...good, url }, "invalid_field", "url");
				if (url !== "") await refused({ ...good, enabled: false, url }, "invalid_field", "url");
			}
		});
		it("has a token of 1 to 512 characters without spaces", async () => {
			for (const token of ["t", "~!", "t".repeat(511), "t".repeat(512)])
				assert.deepEqual(await gateway().write(HUB, { ...good, token }), shown);
			for (const token of [...NO_TEXT, "", "t".repeat(513), "t t", "t\n", "t\u00fc"])
				await refused({ ...good, token }, "invalid_field", "token");
		});
		it("has English, German or Polish texts", async () => {
			for (const lang of ["de", "pl", "en"])
				assert.deepEqual(await gateway().write(HUB, { ...good, lang }), { ...shown, lang });
			for (const lang of [...NO_TEXT, "", "EN", "fr", "en "]) await refused({ ...good, lang }, "invalid_field", "lang");
		});
		it(`accepts a certificate of up to ${LIMIT} bytes anywhere in the body`, async () => {
			for (const cert of [
				CERTIFICATE,
				CERTIFICATE + CERTIFICATE,
				padded(2048),
				padded(2049),
				padded(LIMIT - 1),
				padded(LIMIT),
			]) {
				assert.equal((await gateway().write(HUB, { ...good, cert })).cert_set, true);
				assert.equal((await gateway().write(HUB, { cert, ...good })).cert_set, true);
			}
			const most = CERTIFICATE.repeat(Math.floor(LIMIT / CERTIFICATE.length));
			assert.ok(most.split("BEGIN").length > 8);
			assert.equal((await gateway().write(HUB, { ...good, cert: most })).cert_set, true);
			const spoilt = most.slice(0, -40);
			assert.match(await reasonOf(spoilt), /^A certificate in cert is damaged/);
			for (const cert of [padded(LIMIT + 1), padded(14_000)]) await refused({ ...good, cert }, "invalid_field", "cert");
		});
		it("says what is wrong with a certificate", async () => {
			const many = CERTIFICATE.repeat(7);
			for (const [cert, reason] of [
				[7, "cert must be a text of at most 10239 bytes."],
				[padded(LIMIT + 1), "cert must be a text of at most 10239 bytes."],
				["x", "cert has no certificate in it: PEM text is needed."],
				[KEY, "cert has a private key in it: only certificates belong there."],
				[many + KEY, "cert has a private key in it: only certificates belong there."],
				[CERTIFICATE.slice(0, -40), "A certificate in cert is damaged or incomplete."],
			] as const)
				assert.equal(await reasonOf(cert), reason);
		});
		it("rejects an invalid certificate, and one with a private key", async () => {
			await gateway().write(HUB, { ...good, cert: CERTIFICATE });
			for (const cert of [
				...NO_TEXT,
				"x",
				KEY,
				CERTIFICATE + KEY,
				CERTIFICATE.slice(0, -40),
				CERTIFICATE.replace(/\n(.{20})/, "\nAAAA$1"),
				"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
			])
				await refused({ ...good, cert }, "invalid_field", "cert");
			assert.equal((await gateway().read(HUB)).cert_set, true);
		});
		it("keeps its certificate if a request with another is rejected", async () => {
			await gateway().write(HUB, { ...good, cert: CERTIFICATE });
			const other = JSON.stringify(padded(9000));
			await refused({ ...good, cert: padded(9000), lang: "fr" }, "invalid_field", "lang");
			isError(await gateway().post(HUB, `{"cert":${other},"enabled":tru}`), 400, "invalid_json");
			isError(await gateway().post(HUB, `{"cert":${other.slice(0, -1)}`), 400, "invalid_json");
			isError(await gateway().post(HUB, `{"cert":${other},"cert":7,"enabled":false}`), 400, "invalid_field", "cert");
			isError(await gateway().post(HUB, `{"cert":${other}${" ".repeat(8000)}}`), 413, "too_large");
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read(HUB), { ...shown, cert_set: true });
		});
		it("uses the last of two certificates", async () => {
			const two = (first: string, second: string) =>
				gateway().post(HUB, `{"enabled":false,"cert":${JSON.stringify(first)},"cert":${JSON.stringify(second)}}`);
			assert.equal(JSON.parse((await two("x", CERTIFICATE)).text).cert_set, true);
			isError(await two(CERTIFICATE, "x"), 400, "invalid_field", "cert");
			assert.equal(JSON.parse((await two(CERTIFICATE, "")).text).cert_set, false);
		});
		it("survives a restart; damaged settings become those of a new unit, and a damaged certificate is dropped", async () => {
			const full = { ...shown, lang: "de", cert_set: true };
			await gateway().write(HUB, { ...good, lang: "de", cert: padded(LIMIT) });
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read(HUB), full);
			await gateway().write(HUB, { ...good, cert: CERTIFICATE });
			for (const slot of [0, 1]) {
				await gateway().restartAndLogin(`hub_cert_${slot}_0`);
			}
			assert.deepEqual(await gateway().read(HUB), { ...full, cert_set: false });
			await gateway().restartAndLogin("hub");
			assert.deepEqual(await gateway().read(HUB), DEFAULT_HUB);
			assert.equal((await gateway().write(HUB, { ...good, cert: CERTIFICATE })).cert_set, true);
		});
	});
}
