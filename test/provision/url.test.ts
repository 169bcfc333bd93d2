/** Signed settings files from a URL: fetched over TLS from a server that the owner trusts, once a day. */
import assert from "node:assert/strict";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { RESERVE } from "../../modules/io/memory.js";
import { FETCH_COST } from "../../modules/parts/provision/file-source.js";
import { RESTORE_COST } from "../../modules/parts/system/restore.js";
import { isError, type JSONObject } from "../api/gateway.js";
import { type GatewayOptions, START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { type Answer, CERTIFICATE, DDIServer, HOST } from "../hawkbit/ddi-server.js";
import { OWN_CERTIFICATE } from "../hub/bed.js";
import { eventsOf, keyOf, largestSettings, newSigner, SIGNER, signed, stateOf } from "./signed.js";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Time for a fetch after changed settings. */
const FETCH_MS = 5000;
const ZONE = { "system/timezone": { timezone: "Europe/Warsaw" } };
const PEM = Buffer.from(CERTIFICATE.certificate).toString();
const OTHER_PEM = Buffer.from(OWN_CERTIFICATE.certificate).toString();
const SETTINGS = { url: `https://${HOST}/site/cellar.smgs?key=1`, cert: PEM };

describe("Signed settings files from a URL", () => {
	let gateway: VirtualGateway;
	let server: DDIServer;
	let storage: VirtualStorage;
	/** Reply of the server, and the times of its requests, virtual ms. */
	let answer: Answer = {};
	let asked: number[] = [];

	async function start(options: GatewayOptions = {}): Promise<void> {
		await gateway?.stop();
		storage = new VirtualStorage();
		const info = { settingsKeys: keyOf(SIGNER) };
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, info, storage, radio: false, ...options });
		server = new DDIServer();
		answer = { status: 404 };
		asked = [];
		server.answer = () => {
			asked.push(server.world.time.nowMs);
			return answer;
		};
		gateway.onWorld = (world) => server.serve(world);
		gateway.onWorld(gateway.world);
		await gateway.login();
	}
	/** Saves the settings, which fetches the file. */
	async function set(settings: JSONObject = SETTINGS): Promise<void> {
		await gateway.login();
		await gateway.write("provision", settings);
		await gateway.pass(FETCH_MS);
	}
	const provision = async () => {
		await gateway.login();
		return gateway.read("provision");
	};
	const urlState = async () => (await provision()).url_state;
	const zone = async () => (await gateway.read("system/timezone")).timezone;
	const events = () => eventsOf(gateway);

	beforeEach(() => start());
	afterEach(() => gateway.stopChecked());

	it("are fetched and applied once an address is set, and reported", async () => {
		await gateway.pass(10 * MINUTE_MS);
		assert.deepEqual([server.connections, await urlState()], [0, "off"]);
		answer = { body: signed(ZONE, 3) };
		await set();
		assert.equal(await zone(), "Europe/Warsaw");
		assert.deepEqual(await stateOf(gateway), ["applied", 3]);
		const { cert_set, url, url_asked, url_state } = await provision();
		assert.deepEqual([cert_set, url, url_state], [true, SETTINGS.url, "ok"]);
		assert.ok(url_asked > START_UTC_MS / 1000 && url_asked < (START_UTC_MS + 20 * MINUTE_MS) / 1000);
		assert.deepEqual(await events(), ["provision_applied 3 by url"]);
		const [{ head, method, path }] = server.requests;
		assert.deepEqual([method, path], ["GET", "/site/cellar.smgs?key=1"]);
		assert.match(head, new RegExp(`\r\nHost: ${HOST}\r\n`));
	});

	it("are requested one to two minutes after a start, then once a day, both at random times", async () => {
		answer = { body: signed(ZONE, 3) };
		await set();
		const firsts = new Set<number>();
		const pauses = new Set<number>();
		for (let i = 0; i < 3; i++) {
			asked = [];
			await gateway.restart();
			const { nowMs } = server.world.time;
			await gateway.pass(1.3 * DAY_MS);
			assert.equal(asked.length, 2);
			firsts.add(asked[0] - nowMs);
			pauses.add(asked[1] - asked[0]);
		}
		assert.ok(firsts.size > 1 && pauses.size > 1);
		for (const ms of firsts) assert.ok(ms > 64 * SECOND_MS && ms < 126 * SECOND_MS, String(ms));
		for (const ms of pauses) assert.ok(ms >= DAY_MS && ms < 1.21 * DAY_MS, String(ms));
	});

	it("are ignored without a higher counter, and applied with one", async () => {
		answer = { body: signed(ZONE, 3) };
		await set();
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		for (const counter of [3, 2]) {
			answer = { body: signed(ZONE, counter) };
			await set({});
			assert.deepEqual(
				[await zone(), ...(await stateOf(gateway)), await urlState()],
				["Europe/Berlin", "applied", 3, "ok"],
			);
		}
		assert.deepEqual(await events(), ["provision_applied 3 by url"]);
		answer = { body: signed(ZONE, 4) };
		await gateway.pass(1.3 * DAY_MS);
		await gateway.login();
		assert.deepEqual([await zone(), ...(await stateOf(gateway))], ["Europe/Warsaw", "applied", 4]);
	});

	it("may have their greatest length, and come without a length or in pieces", async () => {
		const largest = signed(largestSettings(OTHER_PEM), 1);
		const next = signed(ZONE, 2);
		const third = signed(ZONE, 3);
		const chunked = ["Transfer-Encoding: chunked"];
		const chunk = Buffer.concat([Buffer.from(`${third.length.toString(16)}\r\n`), third, Buffer.from("\r\n0\r\n\r\n")]);
		for (const [one, counter] of [
			[{ body: largest }, 1],
			[{ status: 206, body: next, perSecond: 100 }, 2],
			[{ body: chunk, headers: chunked }, 3],
		] as const) {
			answer = one;
			await set();
			await gateway.pass(10 * SECOND_MS);
			assert.deepEqual(await stateOf(gateway), ["applied", counter]);
		}
	});

	it("are refused for the same reasons as other files, and reported once", async () => {
		await set();
		const file = signed(ZONE, 1);
		const foreign = signed(ZONE, 1, "", newSigner());
		const unknown = Buffer.from(file);
		unknown[4] = 2;
		for (const [body, code] of [
			[foreign, "provision_bad_signature"],
			[foreign, "provision_bad_signature"],
			[signed(ZONE, 1, "ANOTHER"), "provision_wrong_device"],
			[unknown, "provision_invalid"],
			[Buffer.from("<html></html>"), "provision_invalid"],
			[Buffer.alloc(0), "provision_invalid"],
			[Buffer.concat([file, Buffer.alloc(1)]), "provision_invalid"],
			[Buffer.alloc(4501, 7), "provision_invalid"],
			[Buffer.alloc(100_000, 7), "provision_invalid"],
			[signed({ mqtt: { url: "ftp://x" } }, 1), "invalid_field"],
		] as const) {
			answer = { body };
			await set();
			assert.deepEqual([...(await stateOf(gateway)), await urlState()], [code, 0, "ok"]);
		}
		assert.notEqual(await zone(), "Europe/Warsaw");
		assert.deepEqual(
			(await events()).filter((event) => !event.includes("not_found")),
			["bad_signature", "wrong_device", "invalid"]
				.map((code) => `provision_refused provision_${code} by url`)
				.concat("provision_refused invalid_field by url"),
		);
		// The gateway ends an endless reply at the first byte beyond the limit.
		answer = { body: Buffer.alloc(3000, 7), isEndless: true };
		await set();
		assert.deepEqual([...(await stateOf(gateway)), await urlState()], ["provision_invalid", 0, "ok"]);
		answer = { body: file };
		await set();
		assert.deepEqual(await stateOf(gateway), ["applied", 1]);
	});

	it("are not applied if the server's reply is invalid; the reason is reported, and the gateway tries again by itself", async () => {
		const file = signed(ZONE, 1);
		for (const [one, code] of [
			[{ status: 400 }, "rejected"],
			[{ status: 401 }, "token_rejected"],
			[{ status: 403 }, "forbidden"],
			[{ status: 404, body: file }, "not_found"],
			[{ status: 410 }, "not_found"],
			[{ status: 416 }, "rejected"],
			[{ status: 429 }, "server_busy"],
			[{ status: 500, body: "x".repeat(40_000) }, "server_busy"],
			[{ status: 301, headers: [`Location: https://${HOST}/elsewhere`], body: file }, "redirected"],
			[{ status: 302, headers: ["Location: https://elsewhere.example/"] }, "redirected"],
			[{ body: file, breaksAt: 100 }, "no_reply"],
			[{ body: file, breaksAt: 0 }, "no_reply"],
			[{ body: file, perSecond: 10 }, "no_reply"],
			[{ isSilent: true }, "no_reply"],
		] as const) {
			await start();
			answer = one;
			await set();
			await gateway.pass(20 * SECOND_MS);
			assert.equal(await urlState(), code, JSON.stringify(one).slice(0, 80));
			assert.deepEqual([...(await stateOf(gateway)), asked.length], ["none", 0, 1]);
			assert.deepEqual(await events(), [`provision_refused ${code} by url`]);
			const isOwners = ["token_rejected", "forbidden", "not_found"].includes(code);
			answer = { body: file };
			await gateway.pass(isOwners ? 50 * MINUTE_MS : 5 * MINUTE_MS);
			assert.equal(asked.length, isOwners ? 1 : 2, code);
			await gateway.pass(30 * MINUTE_MS);
			await gateway.login();
			assert.deepEqual([...(await stateOf(gateway)), await urlState()], ["applied", 1, "ok"]);
		}
	}).timeout(20_000);

	it("are not requested from a server without the stored certificate", async () => {
		answer = { body: signed(ZONE, 1) };
		await set({ ...SETTINGS, cert: OTHER_PEM });
		assert.deepEqual([await urlState(), asked.length], ["certificate_untrusted", 0]);
		await set({ ...SETTINGS, cert: "" });
		assert.deepEqual([await urlState(), asked.length], ["certificate_missing", 0]);
		assert.deepEqual(await stateOf(gateway), ["none", 0]);
	});

	it("are not applied if the address is cleared, or another one set, while they arrive", async () => {
		const claims: number[] = [];
		const memory = { suffices: (slots: number) => claims.push(slots) > 0 };
		for (const [settings, state] of [
			[{ url: "" }, "off"],
			[{ url: `https://${HOST}/other` }, "not_found"],
		] as const) {
			await start({ memory });
			answer = { body: signed(ZONE, 1), perSecond: 20 };
			await set();
			assert.deepEqual([server.connections, await urlState()], [1, "waiting"]);
			answer = { status: 404 };
			await gateway.write("provision", settings);
			await gateway.pass(MINUTE_MS);
			assert.deepEqual([...(await stateOf(gateway)), await urlState()], ["none", 0, state]);
			assert.equal(asked.length, state === "off" ? 1 : 2);
			// Memory and permit of the first fetch were given back.
			await gateway.write("provision", { url: SETTINGS.url });
			claims.length = 0;
			await gateway.pass(FETCH_MS);
			const most = Math.max(...claims);
			assert.ok(most >= RESERVE.slots + FETCH_COST.slots && most < RESERVE.slots + 2 * FETCH_COST.slots, String(most));
		}
	});

	it("wait while memory is short for the connection, or for the settings", async () => {
		const memory = { slots: 0, suffices: (slots: number) => slots <= memory.slots };
		for (const slots of [RESERVE.slots + FETCH_COST.slots - 1, RESERVE.slots + RESTORE_COST.slots - 1]) {
			memory.slots = 4000;
			await start({ memory });
			answer = { body: signed(ZONE, 1) };
			await gateway.write("provision", SETTINGS);
			memory.slots = slots;
			await gateway.pass(FETCH_MS);
			memory.slots = 4000;
			assert.deepEqual([...(await stateOf(gateway)), await urlState()], ["none", 0, "no_memory"]);
			await gateway.pass(5 * MINUTE_MS);
			assert.deepEqual([...(await stateOf(gateway)), await urlState()], ["applied", 1, "ok"]);
		}
	});

	it("can set the address and the certificate for later fetches", async () => {
		answer = { body: signed(ZONE, 2, "cellar") };
		await gateway.write("provision/file", signed({ provision: { ...SETTINGS, group: "cellar" } }, 1));
		await gateway.pass(FETCH_MS);
		assert.equal(await zone(), "Europe/Warsaw");
		// The next file moves to another address, with the certificate that is stored.
		const url = `https://${HOST}/new`;
		answer = { body: signed({ provision: { url } }, 3) };
		await set({});
		await gateway.pass(FETCH_MS);
		const { cert_set, counter, group, ...rest } = await provision();
		assert.deepEqual([cert_set, counter, group, rest.url, rest.url_state], [true, 3, "cellar", url, "ok"]);
		assert.deepEqual(
			server.requests.map(({ path }) => path),
			["/site/cellar.smgs?key=1", "/site/cellar.smgs?key=1", "/new"],
		);
	});

	it("need an address of HTTPS, and a certificate that can be read", async () => {
		for (const url of ["http://h", "ftp://h", "https://u@h", "https://[::1]/f", `https://h/${"x".repeat(119)}`])
			isError(await gateway.post("provision", { url }), 400, "invalid_field", "url");
		isError(await gateway.post("provision", { ...SETTINGS, cert: "no PEM" }), 400, "invalid_field", "cert");
		assert.equal((await provision()).url, "");
		await set();
		await set({ url: "https://192.0.2.8:8443/x" });
		const { cert_set, group, url } = await provision();
		assert.deepEqual([cert_set, group, url], [true, "", "https://192.0.2.8:8443/x"]);
		const { settings } = await gateway.read("system/backup");
		assert.deepEqual(settings.provision, { group: "", url: "https://192.0.2.8:8443/x", cert_set: true });
	});

	it("are fetched on USB power, but not on cells", async () => {
		let usb = 0;
		const power = { cells: 3, batteryVoltage: () => 4.5, usbVoltage: () => usb, temperatureC: () => undefined };
		await start({ power });
		answer = { body: signed(ZONE, 1) };
		await set();
		await gateway.pass(2 * MINUTE_MS);
		assert.equal(server.connections, 0);
		usb = 5;
		await set();
		assert.deepEqual(await stateOf(gateway), ["applied", 1]);
	});

	it("are not fetched by a firmware without a key", async () => {
		await start({ info: { settingsKeys: "" } });
		await set();
		assert.deepEqual([server.connections, await urlState()], [0, "off"]);
	});

	it("leave neither address nor certificate after a factory reset", async () => {
		await set();
		assert.ok([...storage.keys()].some((key) => key.startsWith("prov_cert")));
		await gateway.post("system/factory_reset");
		await gateway.rebooted();
		assert.deepEqual(
			[...storage.keys()].filter((key) => key.startsWith("prov")),
			[],
		);
	});
});
