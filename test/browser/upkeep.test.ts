/** The page's maintenance: an update and what becomes of it. The gateway's part of it is played by the routes of the test. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Route } from "playwright-core";
import { PASSWORD } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { violationsOf } from "./axe.js";
import { needBrowser, say, Visit } from "./browser.js";

/** Of the firmware that runs. */
const BUILD = 41;
const IMAGE_BYTES = 1_040_000;

/** A firmware file (docs/firmware-files.md) as far as the page looks into it. */
function firmwareFile({ board, build, version }: { board: number; build: number; version: string }): Buffer {
	const file = Buffer.alloc(288 + IMAGE_BYTES);
	file.writeUInt32LE(0x0beef11e, 0);
	file.writeUInt16LE(56, 6);
	file.writeUInt32LE(file.length, 52);
	file.writeUInt16LE(0xf001, 56);
	file.writeUInt32LE(220, 58);
	const metadata = file.subarray(62, 282);
	metadata.writeUInt8(1, 0);
	metadata.writeUInt16LE(board, 2);
	metadata.write("smart-meter-gw", 4);
	metadata.write("esp32c3", 20);
	metadata.writeUInt32LE(build, 36);
	metadata.write(version, 40);
	metadata.writeUInt32LE(IMAGE_BYTES, 76);
	return file;
}

describe("The page's maintenance", function () {
	this.timeout(90_000);
	let browser: Browser;
	let gateway: ProcessGateway;
	let visit: Visit;
	let card: Locator;
	/** What the gateway says beside its own status and version. */
	let state: object = {};
	let running: object = { build_number: BUILD };
	/** How it deals with an upload. */
	let receive: (route: Route) => Promise<void>;
	let board: number;

	before(async function () {
		browser = await needBrowser(this);
		gateway = await ProcessGateway.start("node");
		await gateway.login();
		board = (await gateway.read("system/version")).device.device_id;
		visit = await Visit.begin(browser, gateway, { hurried: true });
		const { page } = visit;
		await page.route("**/system/status", async (route) => {
			const response = await route.fetch();
			await route.fulfill({ response, json: { ...(await response.json()), ota_state: "idle", ...state } });
		});
		await page.route("**/system/version", async (route) => {
			const response = await route.fetch();
			await route.fulfill({ response, json: { ...(await response.json()), ...running } });
		});
		await page.route("**/system/ota", (route) => receive(route));
		await visit.logIn();
		await visit.go("upkeep");
		card = visit.card("update.title");
	});
	after(async () => {
		await browser?.close();
		await gateway?.stop();
		if (visit !== undefined) assert.deepEqual(visit.complaints, []);
	});

	const choose = (buffer: Buffer, name = "new.ota") =>
		card.locator("[name=firmware]").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
	const next = () => firmwareFile({ board, build: BUILD + 1, version: "9.8.7-test" });
	const install = () => card.locator("[name=update]");

	it("says what a file is before it is sent, and sends none that can't be meant for this gateway", async () => {
		await choose(Buffer.from("no firmware"), "photo.jpg");
		await card.getByText(say("update.foreign")).waitFor();
		await choose(firmwareFile({ board: board + 1, build: BUILD + 1, version: "9.8.7-test" }));
		await card.getByText(say("error.ota_wrong_device")).waitFor();
		await choose(next().subarray(0, -1));
		await card.getByText(say("error.ota_invalid_image")).waitFor();
		assert.equal(await install().count(), 0);
		for (const [number, key] of [
			[BUILD, "update.same"],
			[BUILD - 1, "update.older"],
		] as const) {
			await choose(firmwareFile({ board, build: number, version: "1.2.3-old" }));
			await card.getByText(say(key)).waitFor();
			await card.getByText("1.2.3-old", { exact: true }).waitFor();
			assert.equal(await install().count(), 1);
		}
		await choose(next());
		await install().waitFor();
		assert.equal(await card.locator(".notice").count(), 0);
		assert.deepEqual(await violationsOf(visit), []);
	});

	it("takes a file that is dropped", async () => {
		await choose(Buffer.from("none"));
		const path = join(gateway.folder, "dropped.ota");
		writeFileSync(path, next());
		const field = await card.locator("[name=firmware]").boundingBox();
		assert.ok(field);
		const session = await visit.context.newCDPSession(visit.page);
		const data = { items: [], files: [path], dragOperationsMask: 1 };
		const at = { x: field.x + field.width / 2, y: field.y + field.height / 2, data };
		for (const type of ["dragEnter", "dragOver", "drop"] as const)
			await session.send("Input.dispatchDragEvent", { type, ...at });
		await card.getByText("9.8.7-test", { exact: true }).waitFor();
	});

	it("shows how much has arrived, asks before it is left, and is broken off", async () => {
		await choose(next());
		let held: Route | undefined;
		receive = async (route) => {
			held = route;
			state = { ota_state: "receiving", ota_received: IMAGE_BYTES / 4, ota_total: IMAGE_BYTES };
		};
		await install().click();
		const dialog = visit.page.getByRole("dialog", { name: say("update.running", { version: "9.8.7-test" }) });
		await dialog.getByText(say("update.sending")).waitFor();
		await visit.hurry(dialog.getByText("24 %"));
		assert.deepEqual(await violationsOf(visit), []);
		await visit.page.evaluate(`location.hash = "#/meter"`);
		const question = visit.page.getByRole("dialog", { name: say("update.leave") });
		await question.locator("[name=stay]").click();
		assert.ok(await dialog.isVisible());
		state = { ota_state: "verifying" };
		await visit.hurry(dialog.getByText(say("update.checking")));
		assert.equal(await dialog.locator("[name=cancel]").isDisabled(), true);
		state = { ota_state: "receiving", ota_received: IMAGE_BYTES / 2, ota_total: IMAGE_BYTES };
		await visit.hurry(dialog.getByText("49 %"));
		await dialog.locator("[name=cancel]").click();
		await card.locator(".notice.info").getByText(say("update.unchanged")).waitFor();
		await held?.abort().catch(() => undefined);
		state = {};
	});

	it("says why a file was refused, even where the connection broke off with it", async () => {
		const refused = (error: string) => async (route: Route) => {
			await route.fulfill({ status: 500, json: { error, message: "A sentence." } });
		};
		const { page } = visit;
		for (const code of ["ota_bad_signature", "ota_downgrade", "ota_low_power", "ota_write_failed"] as const) {
			receive = refused(code);
			await install().click();
			await card.getByText(`${say(`error.${code}`)} ${say("update.unchanged")}`).waitFor();
		}
		receive = async (route) => {
			state = { ota_last_error: "ota_invalid_image" };
			await route.abort("connectionreset");
		};
		await install().click();
		await visit.hurry(card.getByText(`${say("error.ota_invalid_image")} ${say("update.unchanged")}`));
		state = {};
		assert.equal(await page.evaluate("onbeforeunload"), null);
	});

	/** The gateway takes the file and is back at once; the page asks for the login, and is where it was. */
	async function update(): Promise<void> {
		await choose(next());
		receive = (route) => route.fulfill({ status: 200, body: "" });
		await install().click();
		await visit.page.getByText(say("restart.update")).waitFor();
		const login = visit.page.locator("[name=password]");
		await visit.hurry(login);
		await visit.page.getByText(say("ending.update")).waitFor();
		await visit.logIn(PASSWORD);
		await visit.page.getByRole("heading", { level: 1, name: say("nav.upkeep") }).waitFor();
	}

	it("is back after the restart, follows the trial, and says that the new version stays", async () => {
		state = { ota_state: "trial" };
		running = { build_number: BUILD + 1 };
		await update();
		const { version } = (await gateway.read("system/version")).firmware;
		await card.getByText(say("update.trial", { version })).waitFor();
		assert.deepEqual(await violationsOf(visit), []);
		state = {};
		await visit.hurry(card.getByText(say("update.done", { version })));
	});

	it("says that the gateway went back, even when that happens during the trial", async () => {
		state = { ota_state: "trial" };
		await update();
		await card.getByText(say("update.trial", { version: "" }).split("  ")[1]).waitFor();
		const loaded = visit.page.waitForEvent("load");
		state = { ota_last_error: "rolled_back" };
		running = { build_number: BUILD };
		await visit.page.clock.fastForward(5_000);
		await loaded;
		const { version } = (await gateway.read("system/version")).firmware;
		await card.getByText(say("error.rolled_back", { version })).waitFor();
		state = {};
	});

	it("tells of a newer version", async () => {
		await visit.page.evaluate("sessionStorage.removeItem('update')");
		state = { upgrade_version: "9.9.9" };
		await visit.go("dashboard");
		await visit.go("upkeep");
		await visit.hurry(card.getByText(say("update.newer", { version: "9.9.9" })));
	});
});
