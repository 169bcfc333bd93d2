/** Every dialog of the page: axe-core in both themes, no overflow on a phone, and a name. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Route } from "playwright-core";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { type JSONObject, PASSWORD } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { ROOT } from "../hosts/native/compile.js";
import { makeFile } from "../update/firmware-files.js";
import { violationsInBoth } from "./axe.js";
import { PHONE, say, startGateway, usePage, Visit } from "./browser.js";

const VERSION = "9.8.7";
const SOURCE = join(ROOT, "hosts", "browser");
/** Each dialog that the sources make. */
const DIALOG = /<(?:Dialog|Confirm)\b/g;
/** Age of a session whose end the page announces, ms. */
const SOON_MS = 28.5 * 60_000;

interface Row {
	/** File of the dialog, in hosts/browser. */
	readonly file: string;
	/** Title of the dialog. */
	readonly title: string;
	/** Opens the dialog. */
	readonly open: (visit: Visit, gateway: ProcessGateway) => Promise<void>;
	/** Closes the dialog; default: by Escape. */
	readonly close?: (visit: Visit) => Promise<void>;
}

const click = (visit: Visit, selector: string) => visit.page.locator(selector).first().click();
/** Opens a dialog by a button of a page. */
const by = (place: Parameters<Visit["go"]>[0], selector: string) => async (visit: Visit) => {
	await visit.go(place);
	await click(visit, selector);
};
const logInAgain = async ({ page }: Visit) => {
	await page.locator("dialog input[name=password]").fill(PASSWORD);
	await page.locator("dialog button[type=submit]").click();
};

/** The button of a running upload. */
const CANCEL = "dialog [name=cancel]";
/** Sends a file to a gateway that never answers, so that the upload lasts. */
const beginUpload = async (visit: Visit) => {
	await visit.neverAnswer("**/system/ota?**");
	await visit.go("upkeep");
	const image = makeSimulatorImage({ version: VERSION, size: 20_000 });
	const buffer = Buffer.from(makeFile(image, { chip: "pc", deviceId: 0, version: VERSION }));
	await visit.page.setInputFiles("[name=firmware]", { name: "new.ota", mimeType: "application/octet-stream", buffer });
	await click(visit, "[name=update]");
	await visit.page.locator(CANCEL).waitFor();
};
const cancelUpload = async ({ page }: Visit) => {
	await page.locator(CANCEL).click();
	await page.unroute("**/system/ota?**");
};

const ROWS: readonly Row[] = [
	{ file: "kit/states.tsx", title: say("links.title"), open: by("system", "[name=state]") },
	{
		file: "pages/certificate.tsx",
		title: say("cert.reset.ask"),
		open: by("security", "[name=certificate_reset]"),
	},
	{
		file: "pages/tokens.tsx",
		title: say("tokens.made", { name: "wall" }),
		open: async (visit) => {
			await visit.go("security");
			await visit.fill(visit.card("tokens.title"), { name: "wall" });
			await click(visit, "section:has([name=scope]) button[type=submit]");
		},
		close: (visit) => click(visit, "dialog [name=stored]"),
	},
	{
		file: "pages/tokens.tsx",
		title: say("tokens.revoke.ask", { name: "wall" }),
		open: by("security", "[name=revoke]"),
	},
	{
		file: "pages/prices.tsx",
		title: say("price.remove.ask", { price: say("price.since", { day: "January 1, 2026" }) }),
		open: by("system", "[name=remove]"),
	},
	{
		file: "pages/prices.tsx",
		title: say("price.much", { price: `${say("price.import")}: €32.17` }),
		open: async (visit) => {
			await visit.go("system");
			await visit.fill(visit.card("price.title"), { from: "2026-02-01", import_micro: "32.17" });
			await click(visit, "section:has([name=import_micro]) button[type=submit]");
		},
	},
	{
		file: "pages/meter-dlms.tsx",
		title: say("dlms.forget", { what: say("dlms.authkey") }),
		open: by("meter", "[name=forget-auth_key]"),
	},
	{ file: "pages/system.tsx", title: say("reset.ask"), open: by("system", "[name=factory_reset]") },
	{
		file: "pages/network.tsx",
		title: say("network.radio.off"),
		open: async (visit) => {
			await visit.go("network");
			await visit.button("network.radio.off").click();
		},
	},
	{ file: "pages/zigbee.tsx", title: say("zigbee.join"), open: by("zigbee", "[name=join]") },
	{
		file: "app.tsx",
		title: say("unsaved.title"),
		open: async (visit) => {
			await visit.go("network");
			await visit.page.locator("[name=ssid]").first().fill("another");
			await visit.page.evaluate(`location.hash = "#/system"`);
		},
		close: (visit) => click(visit, "dialog [name=leave]"),
	},
	{
		file: "pages/firmware.tsx",
		title: say("update.running", { version: VERSION }),
		open: beginUpload,
		close: cancelUpload,
	},
	{
		file: "app.tsx",
		title: say("update.leave"),
		open: async (visit) => {
			await beginUpload(visit);
			await visit.page.evaluate(`location.hash = "#/meter"`);
		},
		close: async (visit) => {
			await click(visit, "dialog [name=stay]");
			await cancelUpload(visit);
		},
	},
	{
		file: "frame.tsx",
		title: say("login.title"),
		open: async (visit) => {
			await visit.page.clock.fastForward(SOON_MS);
			await click(visit, "[name=renew]");
		},
		close: logInAgain,
	},
	{
		file: "app.tsx",
		title: say("login.title"),
		open: async (visit) => {
			// The reply is that of a restarted gateway, which has lost its sessions.
			await visit.page.route("**/api/v1/network/status", refuse);
			await visit.page.evaluate(`location.hash = "#/network"`);
		},
		close: async (visit) => {
			await visit.page.unroute("**/api/v1/network/status");
			await logInAgain(visit);
		},
	},
	{
		file: "app.tsx",
		title: say("login.title"),
		open: async ({ page }, gateway) => {
			// A device that stays signed in for reading opens a page of settings.
			await gateway.login();
			const { id, token } = await gateway.write("system/tokens", { name: "phone", scope: "read" });
			await page.evaluate(`localStorage.setItem("reader", '${JSON.stringify({ id, token })}')`);
			await page.evaluate("sessionStorage.clear()");
			await page.reload();
			await page.waitForSelector("main:not(.login)");
			await page.evaluate(`location.hash = "#/hub"`);
		},
		close: logInAgain,
	},
	{ file: "pages/system.tsx", title: say("again.ask"), open: by("system", "[name=restart]") },
	{
		file: "app.tsx",
		title: say("restart.title"),
		open: async (visit) => {
			await visit.page.route("**/system/reboot", (route) => route.fulfill({ body: "" }));
			await by("system", "[name=restart]")(visit);
			await click(visit, "dialog button[type=submit]");
		},
		close: (visit) => visit.page.reload().then(() => undefined),
	},
];

function refuse(route: Route): Promise<void> {
	return route.fulfill({ status: 401, json: { error: "unauthorized", message: "" } });
}

describe("Every dialog of the page", function () {
	this.timeout(180_000);
	usePage();
	let gateway: ProcessGateway;
	let visit: Visit;

	before(async () => {
		gateway = await startGateway();
		await gateway.login();
		await gateway.write("dlms/config", { auth_key: "00112233445566778899AABBCCDDEEFF" });
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("prices", { currency: "EUR", periods: [{ from: "2026-01-01", import_micro: 321_700 }] });
		visit = await Visit.begin(gateway, { width: PHONE, hurried: true });
		/** Adds members to the gateway's reply. */
		const pretend = (path: string, more: object) =>
			visit.page.route(`**/api/v1/${path}`, async (route) => {
				const response = await route.fetch();
				const json: JSONObject = response.ok() ? { ...(await response.json()), ...more } : undefined;
				await route.fulfill(json === undefined ? { response } : { response, json });
			});
		await pretend("system/certificate", { custom: true });
		await pretend("zigbee/config", { enabled: true, joined: false, state: "not_joined", role: "router" });
		await pretend("system/status", { zigbee_enabled: true, zigbee_state: "not_joined" });
		await visit.logIn();
	});

	it("is in the table of this file", () => {
		const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
			(path) => path.endsWith(".tsx") && path !== join("kit", "dialog.tsx"),
		);
		const made = files.flatMap((path) =>
			(readFileSync(join(SOURCE, path), "utf8").match(DIALOG) ?? []).map(() => path.replaceAll("\\", "/")),
		);
		// One dialog in app.tsx has two titles.
		assert.deepEqual(ROWS.map(({ file }) => file).sort(), [...made, "app.tsx"].sort());
	});

	for (const { file, title, open, close } of ROWS) {
		it(`${title}, of ${file}`, async () => {
			await open(visit, gateway);
			const dialog = visit.page.getByRole("dialog", { name: title, exact: true });
			await dialog.waitFor();
			assert.deepEqual(await violationsInBoth(visit, "dialog[open]"), []);
			assert.deepEqual(await visit.overflow(), []);
			await (close === undefined ? visit.page.keyboard.press("Escape") : close(visit));
			await dialog.waitFor({ state: "detached" });
		});
	}
});
