/** Maintenance on the page: updates and their results, backup and restore, and the report for the manufacturer. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Download, Locator } from "playwright-core";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { IMAGE_FAILS } from "../../hosts/simulated/image.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { makeFile, newSigner, SIGNER } from "../update/firmware-files.js";
import { violationsOf } from "./axe.js";
import { say, startGateway, usePage, Visit } from "./browser.js";

const NEXT = "9.8.7-test";
const NEWER = "9.9.9";
const BENCH = { chip: "pc", deviceId: 0 };
/** Bytes per second of a network that is slow enough to see the progress. */
const SLOW = 30_000;

/** Time for at least one poll of the status by the page, ms. */
const LATER_MS = 10_000;

/** A signed file for the simulator; `size` is that of its image. */
function fileOf(
	version: string,
	own: Parameters<typeof makeFile>[1] = {},
	image: { size?: number; flags?: number } = {},
) {
	return Buffer.from(makeFile(makeSimulatorImage({ version, size: 20_000, ...image }), { ...BENCH, version, ...own }));
}

describe("Maintenance on the page", function () {
	this.timeout(180_000);
	usePage();
	const folder = mkdtempSync(join(tmpdir(), "upkeep-"));
	let gateway: ProcessGateway;
	let visit: Visit;
	/** Members that replace those of the gateway's status. */
	let state: object = {};

	before(async () => {
		const key = join(folder, "key.pem");
		writeFileSync(key, publicKeyOf(SIGNER.point).export({ format: "pem", type: "spki" }));
		gateway = await startGateway({ args: ["--update-key", key, "--report-key", key] });
		await gateway.login();
		visit = await Visit.begin(gateway, { hurried: true });
		await visit.page.route("**/system/status", async (route) => {
			const response = await route.fetch();
			if (response.ok()) await route.fulfill({ response, json: { ...(await response.json()), ...state } });
			else await route.fulfill({ response });
		});
		await visit.logIn();
		await visit.go("upkeep");
	});
	after(async () => {
		rmSync(folder, { recursive: true });
	});

	/** Clicks the button of this card; returns the file that the browser saves. */
	async function savedBy(card: Locator): Promise<Download> {
		const [download] = await Promise.all([visit.page.waitForEvent("download"), card.locator("[name=save]").click()]);
		return download;
	}

	describe("update", () => {
		const card = () => visit.card("update.title");
		const choose = (buffer: Buffer, name = "new.ota") =>
			card().locator("[name=firmware]").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
		const install = () => card().locator("[name=update]");

		it("describes a file before it is sent, and sends only files for this gateway", async () => {
			const { firmware } = await gateway.read("system/version");
			await choose(Buffer.from("no firmware"), "photo.jpg");
			await card().getByText(say("update.foreign")).waitFor();
			await choose(fileOf(NEXT, { deviceId: 7, chip: "esp32c3" }));
			await card().getByText(say("error.ota_wrong_device")).waitFor();
			await card().getByText("esp32c3 (7)").waitFor();
			await choose(fileOf(NEXT).subarray(0, -1));
			await card().getByText(say("error.ota_invalid_image")).waitFor();
			assert.equal(await install().count(), 0);
			for (const [version, key] of [
				[firmware.version, "update.same"],
				["0.0.99-old", "update.older"],
			] as const) {
				await choose(fileOf(version));
				await card().getByText(say(key)).waitFor();
				await install().waitFor();
			}
			await choose(fileOf("0.10.0"));
			await card().getByText("0.10.0", { exact: true }).waitFor();
			assert.equal(await card().locator(".notice").count(), 0);
			assert.deepEqual(await violationsOf(visit), []);
		});

		it("shows how much has arrived, warns before the page is left, and can be cancelled", async () => {
			const session = await visit.context.newCDPSession(visit.page);
			const network = { offline: false, latency: 0, downloadThroughput: -1 };
			await session.send("Network.emulateNetworkConditions", { ...network, uploadThroughput: SLOW });
			await choose(fileOf(NEXT, {}, { size: 1_000_000 }));
			await install().click();
			const dialog = visit.page.getByRole("dialog", { name: say("update.running", { version: NEXT }) });
			await visit.hurry(dialog.getByText(/^[1-9]\d?% · /));
			assert.equal((await gateway.read("system/status")).ota_state, "receiving");
			assert.deepEqual(await violationsOf(visit), []);
			await visit.page.evaluate(`location.hash = "#/meter"`);
			await visit.page
				.getByRole("dialog", { name: say("update.leave") })
				.locator("[name=stay]")
				.click();
			const [question] = await Promise.all([
				visit.page.waitForEvent("dialog"),
				visit.page.close({ runBeforeUnload: true }),
			]);
			assert.equal(question.type(), "beforeunload");
			await question.dismiss();
			state = { ota_state: "verifying" };
			await visit.hurry(dialog.getByText(say("update.checking")));
			assert.equal(await dialog.locator("[name=cancel]").isDisabled(), true);
			state = {};
			await visit.hurry(dialog.getByText(say("update.sending")));
			await dialog.locator("[name=cancel]").click();
			await card().locator(".notice.info").getByText(say("update.unchanged")).waitFor();
			assert.equal((await gateway.read("system/status")).ota_state, "idle");
			await session.send("Network.emulateNetworkConditions", { ...network, uploadThroughput: -1 });
		});

		it("shows the progress of a file that arrives another way, for example over Zigbee", async () => {
			const coming = card()
				.locator(".notice.info")
				.filter({ hasText: say("update.coming") });
			state = { ota_state: "receiving", ota_received: 500_000, ota_total: 2_000_000 };
			await visit.hurry(coming);
			await coming.getByText("25% · 0.50 MB / 2.00 MB").waitFor();
			assert.equal(await coming.getByRole("progressbar").getAttribute("value"), "500000");
			assert.deepEqual(await violationsOf(visit), []);
			// Until the file's length is known, there is no percentage.
			state = { ota_state: "receiving", ota_received: 0, ota_total: 0 };
			await visit.hurry(coming.locator("progress:not([value])"));
			state = { ota_state: "verifying", ota_received: 2_000_000, ota_total: 2_000_000 };
			await visit.hurry(card().getByText(say("update.checking")));
			state = {};
			await visit.page.clock.fastForward(LATER_MS);
			await card().locator("progress").waitFor({ state: "detached" });
		});

		it("gives the reason for a refusal, even if the connection broke off with it", async () => {
			const refused = (key: Parameters<typeof say>[0]) =>
				card().getByText(`${say(key)} ${say("update.unchanged")}`, { exact: true });
			await choose(fileOf(NEXT, { signer: newSigner() }, { size: 1_000_000 }));
			await install().click();
			await visit.hurry(refused("error.ota_bad_signature"));
			await choose(fileOf(NEXT));
			for (const code of ["ota_downgrade", "ota_low_power", "ota_write_failed", "busy"] as const) {
				const status = code === "busy" ? 503 : 500;
				await visit.page.route(/system\/ota\?/, (route) =>
					route.fulfill({ status, json: { error: code, message: "A sentence." } }),
				);
				await install().click();
				await refused(`error.${code}`).waitFor();
			}
			await visit.page.route(/system\/ota\?/, async (route) => {
				state = { ota_last_error: "ota_interrupted" };
				await route.abort("connectionreset");
			});
			await install().click();
			await visit.hurry(refused("error.ota_interrupted"));
			await visit.page.unroute(/system\/ota\?/);
			state = {};
		});

		/** Sends the file; checks that after the restart the page shows the login, and then the same place as before. */
		async function update(file: Buffer): Promise<void> {
			await choose(file);
			await install().click();
			await isUpdated();
		}

		async function isUpdated(): Promise<void> {
			await visit.hurry(visit.page.getByText(say("restart.update")));
			await gateway.rebooted();
			await visit.hurry(visit.page.locator("[name=password]"));
			await visit.page.getByText(say("ending.update")).waitFor();
			await visit.logIn();
			await visit.page.getByRole("heading", { level: 1, name: say("nav.upkeep") }).waitFor();
		}

		it("returns after the restart, follows the trial, and says that the new version stays", async () => {
			await update(fileOf(NEXT));
			await card()
				.getByText(say("update.trial", { version: NEXT }))
				.waitFor();
			await card().getByText(NEXT, { exact: true }).waitFor();
			assert.deepEqual(await violationsOf(visit), []);
			// The trial takes less than a minute: a client that requests a restart by the network has reached the device.
			await gateway.login();
			while (!(await gateway.read("network/status")).connected) await gateway.pass(100);
			await gateway.post("system/reboot");
			await gateway.rebooted();
			const login = visit.page.getByRole("dialog").locator("[name=password]");
			await visit.hurry(login);
			await visit.logIn();
			await visit.hurry(card().getByText(say("update.done", { version: NEXT })));
		});

		it("says that the gateway has rolled back", async () => {
			await update(fileOf("9.9.0-bad", {}, { flags: IMAGE_FAILS }));
			await card()
				.getByText(say("error.rolled_back", { version: NEXT }))
				.waitFor();
		});

		it("becomes the page of the old version when the gateway rolls back during the trial", async () => {
			state = { ota_state: "trial", ota_last_error: "" };
			await visit.hurry(card().getByText(say("update.trial", { version: NEXT })));
			const loaded = visit.page.waitForEvent("load");
			state = {};
			await visit.page.clock.fastForward(5_000);
			await loaded;
			await card()
				.getByText(say("error.rolled_back", { version: NEXT }))
				.waitFor();
		});

		it("reports a newer version in the list of states, with a link to the update", async () => {
			await visit.page.evaluate("sessionStorage.removeItem('update')");
			state = { upgrade_version: NEWER, ota_last_error: "" };
			await visit.go("dashboard");
			const chip = await visit.state(NEWER);
			await visit.hurry(chip);
			await chip.click();
			await card()
				.getByText(say("update.newer", { version: NEWER }))
				.waitFor();
		});

		it("makes the gateway install a newer version by one click, or gives reason and advice", async () => {
			const address = "https://firmware.example/pc.ota";
			await gateway.login();
			await gateway.write("system/upgrade", { upgrade_url: address, upgrade_check_enabled: false });
			await visit.page.reload();
			const button = card().locator("[name=fetch]");
			// The status is the test's; this gateway knows no newer version.
			await button.click();
			await card().getByText(say("error.no_upgrade")).waitFor();
			const requests: string[] = [];
			await visit.page.route("**/system/upgrade/install", (route) => {
				requests.push(route.request().method());
				state = { upgrade_version: NEWER, ota_state: "receiving", ota_received: 500_000, ota_total: 2_000_000 };
				return route.fulfill({ status: 200 });
			});
			await button.click();
			await card().getByText(say("update.coming")).waitFor();
			await card().getByText("25% · 0.50 MB / 2.00 MB").waitFor();
			assert.equal(await button.count(), 0);
			state = { upgrade_version: NEWER, ota_state: "idle", ota_last_error: "ota_unreachable" };
			await visit.hurry(card().getByText(say("error.ota_unreachable")));
			const link = card().getByRole("link", { name: say("update.fetch") });
			assert.equal(await link.getAttribute("href"), address);
			assert.deepEqual([...(await violationsOf(visit)), ...(await visit.overflow())], []);
			await button.click();
			await card().getByText(say("update.coming")).waitFor();
			state = { upgrade_version: NEWER, ota_state: "restarting", ota_last_error: "" };
			await visit.hurry(visit.page.getByText(say("restart.update")));
			state = {};
			await visit.hurry(visit.page.locator("[name=password]"));
			await visit.page.getByText(say("ending.update")).waitFor();
			await visit.logIn();
			assert.deepEqual(requests, ["POST", "POST"]);
			await visit.page.unroute("**/system/upgrade/install");
		});
	});

	it("sets the address of newer versions, whether to check it, and whether security updates install themselves", async () => {
		const card = visit.card("upgrade.title");
		const url = "https://firmware.example/{board}.ota";
		const settings = { upgrade_url: url, upgrade_check_enabled: true, security_updates: true };
		await visit.save(card, settings);
		assert.deepEqual(await gateway.read("system/upgrade"), settings);
		await visit.fill(card, { upgrade_url: "http://firmware.example/new.ota" });
		await visit.submit(card);
		await card.locator("[name=upgrade_url][aria-invalid=true]").waitFor();
		await visit.save(card, { upgrade_check_enabled: false });
		assert.equal((await gateway.read("system/upgrade")).upgrade_check_enabled, false);
	});

	it("sets a hawkBit server, keeps its token and certificate, and says why it can't be asked", async () => {
		const card = visit.card("hawkbit.title");
		const pair = makeCertificate({ names: ["127.0.0.1"], validFromMs: Date.now() - 1000, validToMs: Date.now() + 1e9 });
		const cert = Buffer.from(pair.certificate).toString();
		await visit.fill(card, { enabled: true, url: "https://127.0.0.1:1/?", token: "token-of-the-target", cert });
		await visit.submit(card);
		await card.locator("[name=url][aria-invalid=true]").waitFor();
		await visit.save(card, { url: "https://127.0.0.1:1", token_kind: "gateway" });
		// Nothing listens there.
		await card.getByText(say("out.unreachable")).waitFor();
		assert.deepEqual(await violationsOf(visit), []);
		await visit.save(card, { token_kind: "target" });
		const { cert_set, token_kind, token_set, url } = await gateway.read("hawkbit");
		assert.deepEqual([cert_set, token_kind, token_set, url], [true, "target", true, "https://127.0.0.1:1"]);
		await visit.save(card, { enabled: false });
		assert.equal((await gateway.read("hawkbit")).enabled, false);
	});

	describe("backup", () => {
		const card = () => visit.card("backup.title");
		const choose = (file: object) => {
			const buffer = Buffer.from(JSON.stringify(file));
			return card().locator("[name=restore]").setInputFiles({ name: "b.json", mimeType: "application/json", buffer });
		};
		const restore = () => card().locator("[name=put_back]");

		it("is saved as a file, and restored; the remaining steps are shown until they are dismissed", async () => {
			await gateway.login();
			await gateway.write("system/timezone", { timezone: "Europe/Warsaw" });
			const download = await savedBy(card());
			assert.match(download.suggestedFilename(), /^[\w-]+-20\d\d-\d\d-\d\d\.json$/);
			const backup = JSON.parse(readFileSync(await download.path(), "utf8"));
			assert.equal(backup.version, NEXT);
			await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
			const hub = { ...backup.settings.hub, enabled: true, url: "https://hub.example:8123", token_set: true };
			await choose({ ...backup, settings: { ...backup.settings, hub, "later/thing": { on: true } } });
			for (const text of [NEXT, backup.board]) await card().getByText(text, { exact: true }).waitFor();
			await card()
				.getByText(new RegExp(`${say("nav.meter")}.*${say("nav.hub")}.*${say("nav.system")}`))
				.waitFor();
			await restore().click();
			await card().getByText(say("restore.again")).waitFor();
			assert.equal((await gateway.read("system/timezone")).timezone, "Europe/Warsaw");
			assert.equal(await restore().count(), 0);
			await card().getByText(/later/).waitFor();
			assert.deepEqual(await violationsOf(visit), []);
			const todo = card()
				.getByRole("listitem")
				.filter({ hasText: say("hub.token") });
			await todo.getByRole("link", { name: say("nav.hub") }).click();
			await visit.settled();
			await visit.go("upkeep");
			await todo.waitFor();
			await card().locator("[name=seen]").click();
			assert.equal(await todo.count(), 0);
		});

		it("rejects a file that is not a backup, and shows what the gateway rejects", async () => {
			await choose({ some: "thing" });
			await card().getByText(say("restore.foreign")).waitFor();
			await choose({ backup: 1, product: "smart-meter-gw", settings: { "system/timezone": { timezone: "No/Where" } } });
			await restore().click();
			await card()
				.getByText(`system/timezone.timezone ${say("update.unchanged")}`)
				.waitFor();
		});
	});

	it("turns on the session log for the manufacturer's report, and saves the report as a file", async () => {
		const card = visit.card("report.title");
		const record = card.getByRole("switch");
		await record.check();
		await card.locator("input[role=switch]:checked").waitFor();
		assert.equal((await gateway.read("iec62056/control")).log_en, true);
		const download = await savedBy(card);
		const { device } = await gateway.read("system/version");
		assert.equal(download.suggestedFilename(), `smgw-${device.serial}.report`);
		assert.equal(readFileSync(await download.path(), "latin1").slice(0, 8), "SMGWDIAG");
	});
});
