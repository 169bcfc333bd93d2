/**
 * The web page in Chromium (Debian's package, driven by playwright-core) as a person uses it, for this folder's tests.
 *
 * A visit records script errors, console messages (which include violations of the content security policy), and
 * requests to other servers than the gateway; its end fails if there were any. It ignores the messages about failed
 * requests, which the page handles, and advice about forms, which assumes that each password is an account's.
 */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import {
	type Browser,
	type BrowserContext,
	type BrowserContextOptions,
	chromium,
	type Locator,
	type Page,
	type Request,
} from "playwright-core";
import { TEXTS, type TextKey } from "../../hosts/browser/text/all.js";
import type { Language } from "../../hosts/browser/text/translations.js";
import { CHROMIUM, NO_CHROMIUM } from "../../tools/page/chromium.js";
import { type MeterSetup, PASSWORD } from "../api/gateway.js";
import { type EngineName, ProcessGateway, type ProcessOptions } from "../api/process-gateway.js";
import { skipBecause } from "../hosts/native/compile.js";

/** Longest wait for anything on the page, ms; sufficient for a busy computer. */
const WAIT_MS = 45_000;
/** Longest time that `hurry` waits, ms; a restarting gateway is back within it. */
const HURRY_LIMIT_MS = 60_000;

export const EVENTS = "/api/v1/events";

/** Selector of elements that are not loaded yet, or wait for their width. */
const PENDING = "main .pending, main .curve:empty";

/** Step of the page's time in `hurry`, ms. */
const HURRY_MS = 400;

/** Widths for a small phone and a desktop. */
export const PHONE = 360;
export const DESKTOP = 1200;
const HEIGHTS: Readonly<Record<number, number>> = { [PHONE]: 740 };
const HEIGHT = 800;

/** All pages behind the login, by the fragment of their URLs. */
export const PLACES = [
	...["dashboard", "use", "readings", "meter", "network", "zigbee", "hub", "batteries", "security", "events"],
	...["system", "upkeep"],
	"setup",
] as const;

/** The page's English text with each `{name}` replaced, so that tests do not repeat texts. */
export function say(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
	return TEXTS[key][0].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

function anyAge(): RegExp {
	return new RegExp(`^(${say("now.title")}|${say("now.at", { time: ".+" })}|${say("now.then", { age: ".+" })})$`);
}

/** Notice that is shown while the gateway does not answer, without the time in it. */
export const LOST = say("lost.text", { time: "" }).split(";")[0].trim();

/** Chromium of this process, which ends with it. A new context is as empty as a new browser. */
let browser: Browser | undefined;

async function startBrowser(): Promise<void> {
	if (browser?.isConnected()) return;
	browser = await chromium.launch({
		executablePath: CHROMIUM,
		// Chromium's own sandbox does not work for root.
		chromiumSandbox: process.getuid?.() !== 0,
		// Resolve a unit's name to this computer. Browsers trust such a name no more than others, unlike localhost.
		args: ["--host-resolver-rules=MAP *.local 127.0.0.1", "--disable-gpu"],
	});
}

/** Context of a browser that has seen nothing yet. Needs `usePage`. */
export function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
	return browser!.newContext(options);
}

const openVisits = new Set<Visit>();
const gateways = new Set<ProcessGateway>();

/** Starts a gateway, which `usePage` stops. */
export async function startGateway(options: ProcessOptions = {}, engine: EngineName = "node"): Promise<ProcessGateway> {
	const gateway = await ProcessGateway.start(engine, options);
	gateways.add(gateway);
	return gateway;
}

/** Starts a gateway with this meter, and logs in; `usePage` stops it. */
export async function startWithMeter(meter: MeterSetup, options?: ProcessOptions): Promise<ProcessGateway> {
	const gateway = await startGateway(options);
	await gateway.connectMeter(meter);
	await gateway.login();
	return gateway;
}

/**
 * For a `describe` whose tests visit the page, before its other hooks. Skips it without Chromium, prints what its
 * gateways have said if a test fails, and in the end closes its visits and stops its gateways. A test that fails is tried
 * once more, because Chromium on a busy computer can be late for a short notice; the output then names the test.
 */
export function usePage(): void {
	before(async function () {
		if (CHROMIUM === "") skipBecause(this, NO_CHROMIUM);
		this.test?.parent?.eachTest((test) => void test.retries(1));
		await startBrowser();
	});
	after(async () => {
		const visits = [...openVisits];
		for (const { context } of visits) await context.close();
		for (const gateway of gateways) {
			gateways.delete(gateway);
			await gateway.stop();
		}
		for (const { complaints } of visits) assert.deepEqual(complaints, []);
	});
	afterEach(function () {
		const { currentTest: test } = this;
		if (test?.state === "failed") for (const { diagnosis } of gateways) console.error(diagnosis);
		if ((test as unknown as { currentRetry(): number }).currentRetry() > 0)
			console.error(`second attempt: ${test?.fullTitle()}, ${test?.state}`);
	});
}

/** Holds back the requests with this URL until the returned function is called. */
export async function holdRequests(sender: Page | BrowserContext, url: string): Promise<() => void> {
	let release = () => {};
	const released = new Promise<void>((resolve) => {
		release = resolve;
	});
	await sender.route(url, async (route) => {
		await released;
		await route.continue();
	});
	return release;
}

export interface VisitOptions {
	readonly language?: Language;
	readonly width?: number;
	readonly theme?: "light" | "dark";
	/** Uses plain HTTP, as in the network of the access point. */
	readonly plain?: boolean;
	/** Lets the test control the page's time, which `hurry` needs. */
	readonly hurried?: boolean;
	/** The page uses the gateway's event stream. Default: the stream is refused, and the page polls. */
	readonly live?: boolean;
	/** Path and fragment of the URL; default: the dashboard in the browser's language. */
	readonly path?: string;
}

export class Visit {
	readonly page: Page;
	readonly context: BrowserContext;
	readonly base: string;
	/** Other origins than the gateway's that the page may send requests to. */
	readonly elsewhere = new Set<string>();
	/** Errors seen during the visit. */
	readonly complaints: string[] = [];
	/** All requests of the browser. */
	readonly requests: Request[] = [];
	/** Highest number of simultaneous requests to the API. */
	mostAtOnce = 0;
	readonly #running = new Set<Request>();

	private constructor(context: BrowserContext, page: Page, base: string) {
		this.context = context;
		this.page = page;
		this.base = base;
		openVisits.add(this);
		context.on("close", () => openVisits.delete(this));
		page.setDefaultTimeout(WAIT_MS);
		page.on("pageerror", (error) => this.complaints.push(`script: ${error.stack ?? error.message}`));
		page.on("console", (message) => {
			const text = message.text();
			if (!/^Failed to load resource:|^\[DOM\] /.test(text)) this.complaints.push(`console: ${text}`);
		});
		page.on("request", (request) => {
			const url = new URL(request.url());
			this.requests.push(request);
			// The event stream has no end.
			if (url.pathname !== EVENTS) this.#running.add(request);
			const toAPI = [...this.#running].filter((running) => running.url().includes("/api/"));
			this.mostAtOnce = Math.max(this.mostAtOnce, toAPI.length);
			if (
				url.origin !== base &&
				!this.elsewhere.has(url.origin) &&
				url.protocol !== "data:" &&
				url.protocol !== "blob:"
			)
				this.complaints.push(`elsewhere: ${request.url()}`);
		});
		const done = (request: Request) => void this.#running.delete(request);
		page.on("requestfinished", done).on("requestfailed", done);
	}

	/** Opens the page of this gateway, in a browser that has never seen it. */
	static async begin(gateway: ProcessGateway, options: VisitOptions = {}): Promise<Visit> {
		const { language = "en", width = DESKTOP, theme = "light", plain = false } = options;
		const context = await newContext({
			ignoreHTTPSErrors: true,
			acceptDownloads: true,
			locale: language,
			timezoneId: "UTC",
			colorScheme: theme,
			reducedMotion: "reduce",
			viewport: { width, height: HEIGHTS[width] ?? HEIGHT },
		});
		const port = gateway.authority(!plain).split(":")[1];
		const base = plain ? `http://${gateway.hostname}.local:${port}` : `https://localhost:${port}`;
		const visit = new Visit(context, await context.newPage(), base);
		if (options.live !== true) await context.route(`**${EVENTS}`, (route) => route.fulfill({ status: 503 }));
		if (options.hurried) await visit.page.clock.install();
		await visit.page.goto(`${base}${options.path ?? "/#/dashboard"}`);
		await visit.started();
		return visit;
	}

	/** Waits until the page's script has taken over the login that the document shows. */
	async started(): Promise<void> {
		await this.page.waitForSelector("#app > [role=status]", { state: "attached" });
	}

	/** Logs in by the form, and waits for the first page after the login. */
	async logIn(password = PASSWORD): Promise<this> {
		await this.page.fill("input[name=password]", password);
		await this.page.press("input[name=password]", "Enter");
		await this.page.waitForSelector("main:not(.login)");
		await this.settled();
		return this;
	}

	/** Goes to one of PLACES by its URL. */
	async go(place: (typeof PLACES)[number]): Promise<void> {
		await this.page.evaluate(`location.hash = "#/${place}"`);
		const link = place === "setup" ? "main.wizard" : `nav a[aria-current][href="#/${place}"]`;
		await this.page.waitForSelector(link, { state: "attached" });
		await this.settled();
	}

	/** Waits until nothing is being loaded and everything is drawn; fails with the requests that do not end. */
	async settled(): Promise<void> {
		await this.started();
		await this.page.waitForSelector("main");
		for (const limitMs = Date.now() + WAIT_MS; Date.now() < limitMs; ) {
			await this.page.waitForSelector(PENDING, { state: "detached" });
			// The last drawing may start further requests.
			await this.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
			if (this.#running.size > 0) await this.#forgetLoaded();
			if (this.#running.size === 0 && (await this.page.locator(PENDING).count()) === 0) return;
		}
		throw new Error(`not settled: ${[...this.#running].map((request) => `${request.method()} ${request.url()}`)}`);
	}

	/** Files that the page has loaded do not run any more: Chromium sometimes never reports their end. */
	async #forgetLoaded(): Promise<void> {
		const loaded = await this.page.evaluate<string[]>(
			"performance.getEntriesByType('resource').map(({ name }) => name)",
		);
		for (const request of this.#running)
			if (request.url().includes("/assets/") && loaded.includes(request.url())) this.#running.delete(request);
	}

	/** Leaves requests with this URL without a reply. `settled` does not wait for them: Chromium may never report their end. */
	async neverAnswer(url: string): Promise<void> {
		await this.page.route(url, (route) => void this.#running.delete(route.request()));
	}

	/** The card with this heading. That of the power says how old it is. */
	card(title: TextKey): Locator {
		const name = title === "now.title" ? anyAge() : say(title);
		const heading = this.page.getByRole("heading", { level: 2, name, exact: true });
		return this.page.locator("section.card").filter({ has: heading });
	}

	/** Opens the list of states, and returns the chip of this part. */
	async state(name: string): Promise<Locator> {
		const dialog = this.page.getByRole("dialog", { name: say("links.title") });
		if ((await dialog.count()) === 0) await this.page.click("[name=state]");
		return dialog.locator(".chip").filter({ hasText: name });
	}

	/** Shows this day, week, month or year on the page "use", and goes back by this number of them. */
	async turn(unit: "day" | "week" | "month" | "year", back = 0): Promise<void> {
		const segment = `.segments a[href^="#/use/${unit}"]`;
		await this.page.click(segment);
		await this.page.waitForSelector(`${segment}[aria-current=true]`);
		for (let i = 0; i < back; i++) await this.step("back");
		await this.settled();
	}

	/** Goes one day, week, month or year back or on there. */
	async step(way: "back" | "on"): Promise<void> {
		await this.turned(() => this.page.click(`button[name=${way}]`));
	}

	/** Waits until the page shows another time after `act`. It follows its address, a moment later. */
	async turned(act: () => Promise<unknown>): Promise<void> {
		const heading = this.page.locator(".turns h3");
		const text = await heading.innerText();
		await act();
		await heading.filter({ hasNotText: new RegExp(`^${text}$`) }).waitFor();
		await this.settled();
	}

	/** A button on the page, or on one of its cards. */
	button(label: TextKey, within: Locator | Page = this.page): Locator {
		return within.getByRole("button", { name: say(label), exact: true });
	}

	/** Fills in fields by their names, which are the API's. */
	async fill(within: Locator, values: Readonly<Record<string, string | number | boolean>>): Promise<void> {
		for (const [name, value] of Object.entries(values)) {
			const field = within.locator(`[name="${name}"]`);
			await field.evaluate((element) => element.closest("details")?.setAttribute("open", ""));
			if (typeof value === "boolean") await field.setChecked(value);
			else if ((await field.evaluate((element) => element.tagName)) === "SELECT")
				await field.selectOption(String(value));
			else await field.fill(String(value));
		}
	}

	/** Fills in the card's form and submits it; waits until the card reports success. */
	async save(card: Locator, values: Readonly<Record<string, string | number | boolean>>): Promise<void> {
		await this.fill(card, values);
		// The report of an earlier success may still be shown.
		const replied = this.page.waitForResponse((response) => response.request().method() === "POST");
		await this.submit(card);
		await replied;
		await card.locator(".notice.good").waitFor();
	}

	/** Presses the card's own button, or that of the bar which saves the page. */
	async submit(card: Locator): Promise<void> {
		const own = card.locator(".button[type=submit]");
		await ((await own.count()) > 0 ? own : this.page.locator(".saves [name=save]")).click();
	}

	/** Lets the page's time run faster until `wanted` is visible. Needs the visit's option `hurried`. */
	async hurry(wanted: Locator): Promise<void> {
		for (const limitMs = Date.now() + HURRY_LIMIT_MS; Date.now() < limitMs; ) {
			if (await wanted.isVisible()) return;
			await this.page.clock.fastForward(HURRY_MS);
			// Give the gateway real time for its replies.
			await setTimeout(HURRY_MS / 6);
		}
		throw new Error(`${wanted} is not seen`);
	}

	/** Value that the page stores for this tab. */
	async stored(name: string): Promise<string | null> {
		return this.page.evaluate(`sessionStorage.getItem(${JSON.stringify(name)})`);
	}

	async isFocused(element: Locator): Promise<boolean> {
		return element.evaluate((here) => here === here.ownerDocument.activeElement);
	}

	/** Elements that reach beyond the right edge. */
	async overflow(): Promise<string[]> {
		return this.page.evaluate(OVERFLOW);
	}

	/** Closes the visit; fails if the browser reported errors. */
	async end(): Promise<void> {
		await this.context.close();
		assert.deepEqual(this.complaints, []);
	}
}

const OVERFLOW = `(() => {
	const scrolls = (element) => element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
	const root = document.documentElement;
	const found = root.scrollWidth > root.clientWidth ? ["the page scrolls sideways: " + root.scrollWidth] : [];
	for (const element of document.querySelectorAll("body *")) {
		const { right, width, height } = element.getBoundingClientRect();
		if (right <= root.clientWidth + 1 || width * height === 0 || getComputedStyle(element).visibility === "hidden") continue;
		if (!scrolls(element.parentElement)) found.push(element.tagName + "." + element.getAttribute("class") + ": " + element.textContent.slice(0, 60));
	}
	return found;
})()`;
