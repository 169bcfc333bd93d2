/** The roll-out by hawkBit in the whole gateway, in virtual time. */
import assert from "node:assert/strict";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import type { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { FIRMWARE_CONFIRMED, FIRMWARE_ON_TRIAL } from "../../modules/io/flash.js";
import { RESERVE } from "../../modules/io/memory.js";
import { HAWKBIT_COST } from "../../modules/parts/hawkbit/rollout.js";
import { isError, type JSONObject } from "../api/gateway.js";
import { type GatewayOptions, START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { damaged, makeFile, makeImage, makeSlots, newSigner, VERSION } from "../update/firmware-files.js";
import { type Answer, CERTIFICATE, CONTROLLER, type DDIRequest, DDIServer, HOST, TOKEN } from "./ddi-server.js";

const MINUTE_MS = 60_000;
/** Time for a poll after changed settings, ms. */
const POLL_MS = 5000;
/** Time for a download and the restart. */
const INSTALL_MS = 60_000;
const PANIC = Object.freeze({ cause: "panic", isFault: true });
const IMAGE = makeImage(100_000);
const FILE = makeFile(IMAGE);
const BOARD_FILE = "virtual.ota";
const SETTINGS = {
	enabled: true,
	url: `https://${HOST}/fleet`,
	controller_id: "gateway-1",
	token: TOKEN,
	cert: Buffer.from(CERTIFICATE.certificate).toString(),
};

describe("The roll-out by hawkBit", () => {
	let gateway: VirtualGateway;
	let server: DDIServer;
	let slots: VirtualSlots;

	async function start(options: GatewayOptions = {}): Promise<void> {
		await gateway?.stop();
		slots = makeSlots();
		gateway = new VirtualGateway("client", { utcMs: START_UTC_MS, slots, radio: false, ...options });
		server = new DDIServer();
		gateway.onWorld = (world) => server.serve(world);
		gateway.onWorld(gateway.world);
		await gateway.login();
	}
	async function enable(settings: JSONObject = SETTINGS): Promise<void> {
		await gateway.login();
		await gateway.write("hawkbit", settings);
		await gateway.pass(POLL_MS);
	}
	const state = async (): Promise<string> => {
		await gateway.login();
		return (await gateway.read("system/status")).hawkbit_state;
	};
	const version = () => gateway.world.info.firmwareVersion;
	const deploy = (file: Uint8Array = FILE, id = "8") => {
		server.deployment = { id, files: { "gateway.ota": file } };
	};
	const downloads = () => server.requests.filter(({ path }) => path.includes("/artifacts/")).length;
	const fails = (part: string, answer: Answer) => (request: DDIRequest) =>
		request.path.includes(part) ? answer : undefined;
	/** Deploys a file and lets it be installed; the new firmware is on trial. */
	async function install(file = FILE): Promise<void> {
		deploy(file);
		await enable();
		await gateway.pass(INSTALL_MS);
		await gateway.rebooted();
		assert.deepEqual([version(), gateway.world.update!.state], [VERSION, FIRMWARE_ON_TRIAL]);
	}
	async function startInstalled(): Promise<void> {
		await start();
		await install();
	}

	afterEach(() => gateway.stopChecked());

	it("does nothing while it is off", async () => {
		await start();
		deploy();
		await gateway.pass(20 * MINUTE_MS);
		assert.deepEqual([server.connections, await state()], [0, "off"]);
		server.deployment = undefined;
		await enable();
		assert.equal(server.polls.length, 1);
		await gateway.write("hawkbit", { enabled: false });
		deploy();
		const { connections } = server;
		await gateway.pass(20 * MINUTE_MS);
		assert.deepEqual([server.connections, await state(), version()], [connections, "off", "0.0.0"]);
	});

	it("polls at the server's pace, within bounds and with jitter", async () => {
		await start();
		for (const [sleep, leastMs, mostMs, count] of [
			["00:10:00", 600_000, 720_000, 3],
			["00:00:01", 30_000, 36_000, 5],
			["72:00:00", 86_400_000, 103_680_000, 1],
			["soon", 300_000, 360_000, 3],
		] as const) {
			server.sleep = sleep;
			server.polls.length = 0;
			await enable();
			await gateway.pass(count * (mostMs + 1000));
			const pauses = server.polls.slice(1).map((ms, i) => ms - server.polls[i]);
			assert.ok(pauses.length >= count, `${sleep}: ${pauses}`);
			assert.ok(
				pauses.every((ms) => ms >= leastMs && ms <= mostMs + 1000),
				`${sleep}: ${pauses}`,
			);
			assert.equal(new Set(pauses.map((ms) => Math.round(ms / 100))).size > 1, count > 1, `${sleep}: ${pauses}`);
		}
		await gateway.login();
		const { hawkbit_polled, hawkbit_state } = await gateway.read("system/status");
		assert.equal(hawkbit_state, "ok");
		assert.ok(hawkbit_polled > START_UTC_MS / 1000);
	});

	it("sends attributes when the server asks for them", async () => {
		await start();
		server.wantsAttributes = true;
		await enable();
		const { board, model, serial, firmwareVersion } = gateway.world.info;
		assert.deepEqual(server.attributes, {
			mode: "merge",
			data: { board, model, serial, version: firmwareVersion, security_level: "0" },
		});
		// A server that takes none does not stop a deployment.
		server.wantsAttributes = true;
		server.answer = fails("configData", { status: 400, body: "{}" });
		deploy();
		await gateway.pass(10 * MINUTE_MS);
		await gateway.rebooted();
		assert.equal(version(), VERSION);
	});

	it("installs a deployment, and reports success only after the trial", async () => {
		await startInstalled();
		assert.deepEqual(server.executions, ["proceeding"]);
		assert.deepEqual(server.feedbacks[0].body.status.result, { finished: "none", progress: { cnt: 1, of: 3 } });
		await gateway.pass(MINUTE_MS - 1);
		assert.deepEqual([gateway.world.update!.state, server.results], [FIRMWARE_ON_TRIAL, []]);
		await gateway.pass(2 * MINUTE_MS);
		assert.equal(gateway.world.update!.state, FIRMWARE_CONFIRMED);
		assert.deepEqual(server.results, [`8 success: Version ${VERSION} runs and is confirmed.`]);
		assert.deepEqual(server.feedbacks.at(-1)!.path, "deploymentBase/8/feedback");
		assert.deepEqual(server.feedbacks.at(-1)!.body.id, "8");
		// The token goes to the server of the settings only, in each request.
		assert.ok(server.requests.every(({ head }) => head.includes(`Authorization: TargetToken ${TOKEN}`)));
		// Nothing is installed again.
		await gateway.pass(20 * MINUTE_MS);
		assert.deepEqual([downloads(), server.results.length], [1, 1]);
	});

	it("reports the trial as progress, and starts nothing else meanwhile", async () => {
		await startInstalled();
		await enable({ enabled: true });
		assert.equal(gateway.world.update!.state, FIRMWARE_ON_TRIAL);
		const { details, execution, result } = server.feedbacks.at(-1)!.body.status;
		assert.deepEqual([execution, details], ["proceeding", [`Version ${VERSION} is on trial.`]]);
		assert.deepEqual(result, { finished: "none", progress: { cnt: 2, of: 3 } });
		await gateway.pass(2 * MINUTE_MS);
		assert.deepEqual([server.results.length, downloads()], [1, 1]);
	});

	it("reports an image that was rolled back, after the restart", async () => {
		await startInstalled();
		await gateway.restart(undefined, PANIC);
		assert.equal(version(), "0.0.0");
		await gateway.pass(3 * MINUTE_MS);
		assert.deepEqual(server.results, [
			`8 failure: rolled_back Version ${VERSION} did not pass its trial (it ended before it was confirmed): 0.0.0 runs again.`,
		]);
		// The next deployment is installed all the same.
		deploy(FILE, "9");
		await gateway.pass(10 * MINUTE_MS);
		await gateway.rebooted();
		await gateway.pass(3 * MINUTE_MS);
		assert.equal(server.results.at(-1), `9 success: Version ${VERSION} runs and is confirmed.`);
	});

	it("reports a roll-back although the server is gone after the restart", async () => {
		await startInstalled();
		server.answer = () => ({ status: 503 });
		await gateway.restart(undefined, PANIC);
		await gateway.pass(30 * MINUTE_MS);
		assert.equal(await state(), "server_busy");
		await gateway.restart();
		server.answer = undefined;
		await gateway.pass(3 * MINUTE_MS);
		assert.match(server.results.join(), /^8 failure: rolled_back /);
		assert.equal(downloads(), 1);
	});

	it("reports that the owner has installed another firmware during the action", async () => {
		await startInstalled();
		server.answer = () => ({ status: 503 });
		await gateway.pass(2 * MINUTE_MS);
		await gateway.login();
		const other = makeFile(makeSimulatorImage({ version: "3.0.0" }), { version: "3.0.0" });
		assert.equal((await gateway.post("system/ota", other)).status, 200);
		await gateway.rebooted();
		server.answer = undefined;
		await gateway.pass(5 * MINUTE_MS);
		assert.deepEqual(server.results, [`8 failure: ota_interrupted 3.0.0 runs instead of ${VERSION}.`]);
	});

	for (const [what, file, cause] of [
		["for another board", makeFile(IMAGE, { deviceId: 2 }), "ota_wrong_device"],
		["with a foreign signature", makeFile(IMAGE, { signer: newSigner() }), "ota_bad_signature"],
		["that lacks a security fix", makeFile(IMAGE, { securityLevel: 0 }), "ota_downgrade"],
		["that is damaged", damaged(FILE, 50_000), "ota_invalid_image"],
		["that is not a firmware", Buffer.from("<html>".repeat(100)), "ota_invalid_image"],
	] as const) {
		it(`reports a file ${what} as a failure, once`, async () => {
			await start(cause === "ota_downgrade" ? { slots: makeSlots({ securityLevel: 1 }) } : {});
			deploy(file);
			await enable();
			await gateway.pass(3 * MINUTE_MS);
			assert.match(server.results.join(), new RegExp(`^8 failure: ${cause} `));
			assert.deepEqual([downloads(), version()], [1, "0.0.0"]);
			await gateway.pass(20 * MINUTE_MS);
			assert.deepEqual([downloads(), server.results.length], [1, 1]);
			await gateway.login();
			assert.equal((await gateway.read("system/status")).ota_last_error, cause);
		});
	}

	it("installs an older version too, as an upload does", async () => {
		await startInstalled();
		await gateway.pass(3 * MINUTE_MS);
		deploy(makeFile(makeSimulatorImage({ version: "0.0.1" }), { version: "0.0.1", buildNumber: 1 }), "9");
		await gateway.pass(10 * MINUTE_MS);
		await gateway.rebooted();
		await gateway.pass(3 * MINUTE_MS);
		assert.equal(server.results.at(-1), "9 success: Version 0.0.1 runs and is confirmed.");
	});

	it("continues a download that breaks, and gives up after three that fail", async () => {
		await start();
		let count = 0;
		server.answer = ({ path }) => {
			if (!path.includes("/artifacts/") || ++count > 1) return undefined;
			return { body: FILE, breaksAt: 30_000 };
		};
		await install();
		assert.equal(downloads(), 2);

		await start();
		server.answer = fails("/artifacts/", { body: FILE.subarray(0, 30_000), breaksAt: 10_000 });
		deploy();
		await enable();
		await gateway.pass(30 * MINUTE_MS);
		assert.match(server.results.join(), /^8 failure: ota_interrupted /);
		// Each of the three requests the file four times.
		assert.equal(downloads(), 12);
		assert.deepEqual(server.executions, ["proceeding", "proceeding", "proceeding", "closed"]);
	});

	it("does not wear out the flash if the server deploys one bad file after the other", async () => {
		for (const answer of [{ body: damaged(FILE, FILE.length - 1) }, { body: FILE, breaksAt: FILE.length - 1 }]) {
			await start();
			server.sleep = "00:00:30";
			let id = 1;
			server.answer = ({ path }) => {
				if (path === CONTROLLER) deploy(FILE, `${id++}`);
				return path.includes("/artifacts/") ? answer : undefined;
			};
			await enable();
			const { erases } = slots.flash.open("slot_1")!;
			await gateway.pass(60 * MINUTE_MS);
			assert.ok(erases[0] >= 4, `${erases[0]}`);
			const before = erases[0];
			await gateway.pass(24 * 60 * MINUTE_MS);
			assert.ok(erases[0] - before <= 25, `${erases[0] - before} times in a day`);
			// A good file is installed all the same.
			server.answer = undefined;
			deploy(FILE, `${id}`);
			await gateway.pass(75 * MINUTE_MS);
			await gateway.rebooted();
			assert.equal(version(), VERSION);
		}
	});

	it("reports a file that the server does not send, and follows no redirect with its token", async () => {
		for (const [answer, cause] of [
			[{ status: 404, body: "{}" }, /^8 failure: ota_not_found .* answers 404/],
			[{ status: 302, headers: ["Location: https://elsewhere.example/x.ota"] }, /^8 failure: ota_not_found .* 302/],
		] as const) {
			await start();
			server.answer = fails("/artifacts/", answer);
			deploy();
			await enable();
			await gateway.pass(20 * MINUTE_MS);
			assert.match(server.results.join(), cause);
			assert.equal(downloads(), 3);
		}
	});

	it("chooses the file of its board among several, and reports that there is none", async () => {
		await start();
		const other = makeFile(IMAGE, { deviceId: 2 });
		server.deployment = { id: "8", files: { "a.ota": other, [BOARD_FILE]: FILE, "notes.txt": other } };
		await enable();
		await gateway.pass(INSTALL_MS);
		await gateway.rebooted();
		assert.equal(version(), VERSION);

		for (const files of [{ "a.ota": other, "b.ota": other }, { "a.bin": FILE }, {}]) {
			await start();
			server.deployment = { id: "8", files };
			await enable();
			assert.match(server.results.join(), /^8 failure: ota_not_found The distribution has no file for this board/);
			assert.equal(downloads(), 0);
		}
	});

	it("waits outside the maintenance window", async () => {
		await start();
		server.deployment = { id: "8", files: { "a.ota": FILE }, update: "skip" };
		await enable();
		await gateway.pass(10 * MINUTE_MS);
		assert.deepEqual([downloads(), server.feedbacks], [0, []]);
		assert.equal(await state(), "ok");
	});

	it("cancels an action that has not begun, and refuses to cancel one that is installed", async () => {
		await start();
		deploy();
		server.cancelId = "8";
		await enable();
		assert.deepEqual(
			server.feedbacks.map(({ path }) => path),
			["cancelAction/8/feedback"],
		);
		assert.deepEqual(server.results, ["8 success: Cancelled before the installation."]);
		assert.equal(downloads(), 0);

		await startInstalled();
		server.cancelId = "8";
		await gateway.pass(4 * MINUTE_MS);
		assert.ok(server.executions.includes("rejected"), server.executions.join());
		assert.equal(server.results.at(-1), `8 success: Version ${VERSION} runs and is confirmed.`);
	});

	it("reports the reason when a poll fails, and goes on by itself", async () => {
		await start();
		await enable();
		const deep = `{"_links":${"[".repeat(50)}`;
		for (const [answer, code] of [
			[{ status: 400, body: "{}" }, "rejected"],
			[{ status: 401, body: "{}" }, "token_rejected"],
			[{ status: 403, body: "{}" }, "forbidden"],
			[{ status: 404, body: "{}" }, "not_found"],
			[{ status: 410, body: "{}" }, "not_found"],
			[{ status: 429, headers: ["Retry-After: 1"], body: "{}" }, "server_busy"],
			[{ status: 500, body: "x".repeat(40_000) }, "server_busy"],
			[{ status: 503 }, "server_busy"],
			[{ status: 301, headers: ["Location: https://elsewhere.example/"] }, "redirected"],
			[{ body: "" }, "bad_document"],
			[{ body: "<html></html>" }, "bad_document"],
			[{ body: '{"config":' }, "bad_document"],
			[{ body: deep }, "bad_document"],
			[{ body: `{"x":"${"y".repeat(100_000)}"}` }, "bad_document"],
			[{ body: '{"x":1}', breaksAt: 3 }, "bad_document"],
			[{ body: " ", isEndless: true, perSecond: 1 }, "timeout"],
			[{ body: `${" ".repeat(5000)}`, isEndless: true }, "bad_document"],
			[{ isSilent: true }, "no_reply"],
		] as const) {
			server.answer = () => answer;
			await enable({ ...SETTINGS });
			if ("isEndless" in answer || "isSilent" in answer) await gateway.pass(MINUTE_MS);
			assert.equal(await state(), code, JSON.stringify(answer).slice(0, 80));
		}
		// A rejected token is tried again after an hour, everything else sooner.
		for (const [status, ms] of [
			[401, 72 * MINUTE_MS],
			[500, 2 * MINUTE_MS],
		] as const) {
			server.answer = () => ({ status });
			await enable();
			server.answer = undefined;
			await gateway.pass(ms);
			assert.equal(await state(), "ok");
		}
		const { events } = await gateway.read("system/log");
		const logged = new Set(events.map(({ event }: JSONObject) => event));
		assert.ok(logged.has("hawkbit_failed") && logged.has("hawkbit_back"));
	});

	it("survives any links, ids and members", async () => {
		await start();
		const base = (links: unknown) => JSON.stringify({ config: { polling: { sleep: 7 } }, _links: links });
		for (const [body, code] of [
			[base({ deploymentBase: { href: "https://x" } }), "ok"],
			[base({ deploymentBase: { href: `https://x${CONTROLLER}/deploymentBase/8 HTTP/1.1` } }), "ok"],
			[base({ deploymentBase: { href: `https://x${CONTROLLER}/deploymentBase/eight` } }), "bad_document"],
			[base({ deploymentBase: { href: `https://x${CONTROLLER}/deploymentBase/${"9".repeat(30)}` } }), "bad_document"],
			[base({ deploymentBase: { href: `https://x/${"y".repeat(1000)}/8` } }), "ok"],
			[base({ deploymentBase: { href: 5 } }), "ok"],
			[base({ cancelAction: { href: "https://x/cancelAction/none" } }), "ok"],
			[base({ cancelAction: { href: "https://x/cancelAction/7" } }), "ok"],
			[base([[[[[[[{ href: "https://x/deploymentBase/8" }]]]]]]]), "ok"],
			[base("https://x"), "ok"],
			["[]", "ok"],
			["null", "ok"],
		]) {
			server.answer = ({ path }) => (path === CONTROLLER ? { body } : undefined);
			await enable();
			assert.equal(await state(), code, body.slice(0, 100));
		}
		// The document belongs to another action.
		deploy();
		server.answer = fails("deploymentBase/8?", { body: server.document({ id: "9", files: { "a.ota": FILE } }) });
		await enable();
		assert.equal(await state(), "bad_document");
		server.answer = fails("deploymentBase/8?", { status: 404, body: "{}" });
		await enable();
		assert.equal(await state(), "ok");
		assert.deepEqual([downloads(), server.feedbacks.length], [0, 0]);
	});

	it("installs nothing if the server refuses the first feedback, and repeats a result until it is accepted", async () => {
		await start();
		deploy();
		server.answer = fails("/feedback", { status: 403, body: "{}" });
		await enable();
		await gateway.pass(5 * MINUTE_MS);
		assert.deepEqual([downloads(), await state()], [0, "forbidden"]);
		server.answer = fails("/feedback", { status: 410, body: "{}" });
		await enable();
		await gateway.pass(5 * MINUTE_MS);
		assert.deepEqual([downloads(), await state()], [0, "ok"]);

		await startInstalled();
		let refusals = 0;
		server.answer = ({ path }) => (path.includes("/feedback") && ++refusals < 4 ? { status: 500 } : undefined);
		await gateway.pass(15 * MINUTE_MS);
		assert.deepEqual([refusals, downloads()], [4, 1]);
		assert.deepEqual(server.results, [`8 success: Version ${VERSION} runs and is confirmed.`]);
	});

	it("works with a server that closes each connection", async () => {
		await start();
		server.wantsAttributes = true;
		server.closes = true;
		await install();
		await gateway.pass(3 * MINUTE_MS);
		assert.equal(server.results.length, 1);
		assert.ok(server.connections >= server.requests.length);
	});

	it("sends nothing to a server that does not show the stored certificate", async () => {
		await start();
		const cert = (await import("../hub/bed.js")).OWN_CERTIFICATE.certificate;
		await enable({ ...SETTINGS, cert: Buffer.from(cert).toString() });
		assert.deepEqual([await state(), server.requests.length], ["certificate_untrusted", 0]);
		await enable({ ...SETTINGS, cert: "" });
		assert.deepEqual([await state(), server.requests.length], ["certificate_missing", 0]);
	});

	it("ends a download when it is switched off", async () => {
		await start();
		deploy();
		server.answer = fails("/artifacts/", { body: FILE, perSecond: 500 });
		await enable();
		await gateway.pass(20_000);
		await gateway.login();
		assert.equal((await gateway.read("system/status")).ota_state, "receiving");
		await gateway.write("hawkbit", { enabled: false });
		await gateway.pass(1000);
		const { ota_state, ota_last_error } = await gateway.read("system/status");
		assert.deepEqual([ota_state, ota_last_error], ["idle", "ota_interrupted"]);
		await gateway.pass(MINUTE_MS);
		assert.equal(server.results.length, 0);
	});

	it("polls on USB power, but not on cells", async () => {
		let usb = 0;
		const power = { cells: 3, batteryVoltage: () => 4.5, usbVoltage: () => usb, temperatureC: () => undefined };
		await start({ power });
		await enable();
		await gateway.pass(2 * MINUTE_MS);
		assert.equal(server.connections, 0);
		usb = 5;
		await enable();
		assert.deepEqual([server.polls.length, await state()], [1, "ok"]);
	});

	it("waits while memory is short, and claims it for a poll only", async () => {
		let isShort = false;
		const claims: number[] = [];
		const suffices = (count: number) => {
			claims.push(count);
			return !isShort || count < RESERVE.slots + HAWKBIT_COST.slots;
		};
		await start({ memory: { suffices } });
		await gateway.write("hawkbit", SETTINGS);
		isShort = true;
		await gateway.pass(POLL_MS);
		isShort = false;
		assert.deepEqual([server.connections, await state()], [0, "no_memory"]);
		await gateway.pass(20 * MINUTE_MS);
		assert.ok(server.polls.length > 3);
		// A claim that was not released would raise the next one.
		claims.length = 0;
		await gateway.pass(6 * MINUTE_MS);
		assert.ok(Math.max(...claims) < RESERVE.slots + 2 * HAWKBIT_COST.slots, String(Math.max(...claims)));
	});

	it("installs nothing in safe mode, and without update keys", async () => {
		await start({ slots: makeSlots({ keys: [] }) });
		deploy();
		await enable();
		assert.deepEqual([server.connections, await state()], [0, "unsupported"]);
	});

	it("is erased by a factory reset", async () => {
		await startInstalled();
		assert.ok(gateway.world.storage.keys().some((key) => key.startsWith("hawk")));
		await gateway.login();
		assert.equal((await gateway.post("system/factory_reset")).status, 200);
		await gateway.rebooted();
		assert.deepEqual(
			gateway.world.storage.keys().filter((key) => key.startsWith("hawk")),
			[],
		);
	});

	it("refuses invalid settings, and keeps the token from another server", async () => {
		await start();
		const post = (body: JSONObject) => gateway.post("hawkbit", body);
		isError(await post({ enabled: true }), 400, "missing_field", "url");
		isError(await post({ ...SETTINGS, token: undefined }), 400, "missing_field", "token");
		isError(await post({ ...SETTINGS, token: "" }), 400, "invalid_field", "token");
		for (const url of ["http://hawkbit.example", "hawkbit.example", "https://a@b", "https://x/?a", ""])
			isError(await post({ ...SETTINGS, url }), 400, "invalid_field", "url");
		for (const tenant of ["", "a/b", "a b", "ä"])
			isError(await post({ ...SETTINGS, tenant }), 400, "invalid_field", "tenant");
		isError(await post({ ...SETTINGS, controller_id: "a/../b" }), 400, "invalid_field", "controller_id");
		isError(await post({ ...SETTINGS, token_kind: "other" }), 400, "invalid_field", "token_kind");
		isError(await post({ ...SETTINGS, cert: "no PEM" }), 400, "invalid_field", "cert");
		assert.equal((await gateway.read("hawkbit")).enabled, false);
		await enable();
		assert.equal((await gateway.read("hawkbit")).token_set, true);
		isError(await post({ enabled: true, url: "https://other.example" }), 400, "missing_field", "token");
		await gateway.write("hawkbit", { enabled: false, url: "https://other.example" });
		const { cert_set, token_set } = await gateway.read("hawkbit");
		assert.deepEqual([cert_set, token_set], [true, false]);
	});

	it("uses the serial number and a gateway token if the settings say so", async () => {
		await start();
		server.answer = () => ({ status: 404, body: "{}" });
		await enable({ ...SETTINGS, controller_id: "", token_kind: "gateway", tenant: "metering" });
		const [{ head, path }] = server.requests;
		assert.equal(path, `/fleet/metering/controller/v1/${gateway.world.info.serial}`);
		assert.match(head, /\r\nAuthorization: GatewayToken canary-token-of-the-target\r\n/);
	});
});
