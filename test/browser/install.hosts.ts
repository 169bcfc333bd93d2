/** The page that installs the firmware, in Chromium, with a simulated serial port and a board that does not answer. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { Page } from "playwright-core";
import { findBoard } from "../../hosts/esp32/boards.js";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { Gateway } from "../../modules/app/gateway.js";
import { keySigner } from "../../tools/ota/keys.js";
import { writeRelease } from "../../tools/release/folder.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import { VirtualConsole } from "../app/console.js";
import { writeESPBuild } from "../tools/esp-build.js";
import { DESKTOP, newContext, PHONE, usePage } from "./browser.js";

const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html",
	".js": "text/javascript",
	".css": "text/css",
	".json": "application/json",
	".svg": "image/svg+xml",
};
const boards = ["esp32c3-devkitm", "esp32-devkitc", "slzb-06"].map(findBoard);

/** Runs in the browser: a port that opens. Bytes go to `toBoard` if it exists; `fromBoard` returns its reply. */
const FAKE_SERIAL = `
	const port = {
		readable: null,
		writable: null,
		async open() {
			const write = (bytes) => window.toBoard?.([...bytes]);
			const start = (controller) => { window.fromBoard = (bytes) => controller.enqueue(Uint8Array.from(bytes)); };
			this.readable = new ReadableStream({ start });
			this.writable = new WritableStream({ write });
		},
		async close() {},
		async setSignals() {},
		getInfo: () => ({ usbVendorId: 0x10c4, usbProductId: 0xea60 }),
		addEventListener() {},
		removeEventListener() {},
	};
	Object.defineProperty(navigator, "serial", { value: { requestPort: async () => port, getPorts: async () => [] } });
`;

describe("The page that installs the firmware", function () {
	this.timeout(180_000);
	usePage();
	let server: Server;
	let folder = "";
	let base = "";
	/** All fetched addresses, and those on other servers. */
	let fetched: string[] = [];
	let complaints: string[] = [];

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "install-"));
		const built = boards.map((board) => ({ board, build: join(folder, "built", board.name) }));
		for (const { board, build } of built) writeESPBuild(build, board);
		const signer = keySigner(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
		const version = { version: "1.2.3", buildNumber: 3, builtUtcMs: Date.UTC(2026, 10, 22), isDirty: false };
		await writeRelease({
			root: ROOT,
			folder,
			version,
			built,
			signer,
			securityLevel: 0,
			sdk: undefined,
			idf: undefined,
		});
		server = createServer(({ url = "/" }, response) => {
			const path = join(folder, url === "/" ? "index.html" : url.split("?")[0]);
			try {
				const content = readFileSync(path);
				response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(content);
			} catch {
				response.writeHead(404).end();
			}
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		base = `http://localhost:${(server.address() as AddressInfo).port}/`;
	});
	after(async () => {
		server?.close();
		if (folder !== "") rmSync(folder, { recursive: true });
	});

	async function open({ width = DESKTOP, serial = FAKE_SERIAL, path = "" } = {}): Promise<Page> {
		const context = await newContext({ viewport: { width, height: 900 } });
		const page = await context.newPage();
		fetched = [];
		complaints = [];
		page.on("request", (request) => fetched.push(request.url()));
		page.on("pageerror", (error) => complaints.push(error.message));
		page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
		await page.addInitScript(serial);
		await page.goto(base + path);
		return page;
	}

	const manifestOf = (page: Page) =>
		page.locator("#installer").evaluate((element) => (element as unknown as { manifest: string }).manifest);

	it("offers the boards of the release, and selects the files of the chosen board", async () => {
		const page = await open();
		assert.deepEqual(await page.locator("#board option").allInnerTexts(), [
			"Espressif ESP32-C3-DevKitM-1 (esp32c3-devkitm)",
			"Espressif ESP32-DevKitC (esp32-devkitc)",
			"SMLIGHT SLZB-06 (slzb-06)",
		]);
		assert.equal(await manifestOf(page), `${base}esp32c3-devkitm/manifest.json`);
		await page.locator("#board").selectOption("slzb-06/manifest.json");
		assert.equal(await manifestOf(page), `${base}slzb-06/manifest.json`);
		assert.equal(await page.locator("#chip").innerText(), "ESP32, 4 MB of flash");
		const needs = await page.locator("#needs").innerText();
		assert.match(needs, /USB socket that leads to UART 0 .*GPIO 39 .*GPIO 13\. Plug in the network cable/);
		await page.getByRole("button", { name: "Connect and install" }).waitFor();
		assert.deepEqual(complaints, []);
		await page.context().close();
		const linked = await open({ path: "#esp32-devkitc" });
		assert.equal(await manifestOf(linked), `${base}esp32-devkitc/manifest.json`);
		await linked.context().close();
	});

	it("continues to the installer's choices when a port is chosen, and fetches nothing from other servers", async () => {
		const page = await open();
		await page.getByRole("button", { name: "Connect and install" }).click();
		const dialog = page.locator("ewt-install-dialog");
		await dialog.getByText("Install Smart-Meter Gateway", { exact: false }).first().waitFor({ timeout: 30_000 });
		assert.ok(fetched.includes(`${base}esp32c3-devkitm/manifest.json`));
		assert.deepEqual(
			fetched.filter((url) => !url.startsWith(base) && !url.startsWith("data:")),
			[],
		);
		// No board answers on the port.
		assert.deepEqual(
			complaints.filter((text) => !text.includes("Improv Wi-Fi Serial not detected")),
			[],
		);
		await page.context().close();
	});

	it("sets the Wi-Fi of a board that runs our firmware, and links to its page", async function () {
		// Now and then the dialogue never shows that the network is joined; the cause is not known yet.
		this.retries(2);
		const world = new VirtualWorld({
			info: { hostname: "smgw-0102ef", firmwareVersion: "1.2.2" },
			wifi: (timers) => new VirtualAir(timers, { home: { password: "secret-of-home" } }).port,
			console: (time) => new VirtualConsole(time),
		});
		const { console } = world.serial;
		assert.ok(console instanceof VirtualConsole);
		const gateway = new Gateway(world);
		gateway.start();
		const clock = setInterval(() => world.advance(200), 20);
		try {
			const page = await open();
			await page.exposeFunction("toBoard", (bytes: number[]) => console.send(Uint8Array.from(bytes)));
			console.onWritten = (piece) => void page.evaluate(`fromBoard([${[...piece]}])`);
			await page.getByRole("button", { name: "Connect and install" }).click();
			const dialog = page.locator("ewt-install-dialog");
			// The name is the same, so the installer does not ask whether to erase the board.
			await dialog.getByText("Update Smart-Meter Gateway").waitFor({ timeout: 30_000 });
			await dialog.getByText("Connect to Wi-Fi").click();
			// The strongest network is selected when the list arrives.
			await dialog.locator("ew-filled-select").getByText("home").first().waitFor({ state: "attached" });
			await dialog.locator("ew-filled-text-field[name=ssid]").waitFor({ state: "detached" });
			const password = dialog.locator("ew-filled-text-field[name=password]");
			await password.locator("input").fill("secret-of-home");
			// The component applies the typed text in a later tick.
			await password.evaluate((field) => (field as unknown as { updateComplete: Promise<unknown> }).updateComplete);
			await dialog.locator("ew-text-button", { hasText: "Connect" }).click();
			await dialog.getByText("Visit Device").waitFor({ timeout: 30_000 });
			const link = dialog.locator("ew-list-item", { hasText: "Visit Device" });
			assert.equal(await link.evaluate((item) => (item as unknown as { href: string }).href), "https://192.0.2.20");
			assert.deepEqual(complaints, []);
			await page.context().close();
		} finally {
			clearInterval(clock);
			gateway.stop();
		}
	});

	it("says what to do in a browser without serial ports", async () => {
		const page = await open({ serial: "delete Navigator.prototype.serial" });
		await page.getByText("This browser can't use USB devices.").waitFor();
		assert.ok(!(await page.getByRole("button", { name: "Connect and install" }).isVisible()));
		await page.context().close();
	});

	it("fits a phone, and passes the accessibility check", async () => {
		const page = await open({ width: PHONE });
		const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
		assert.ok(Number(overflow) <= 0);
		await page.evaluate(readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8"));
		const violations = await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))");
		assert.deepEqual(violations, []);
		await page.context().close();
	});
});
