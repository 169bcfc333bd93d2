/**
 * Part e: first load of the page in Chromium over very slow Wi-Fi: one TLS connection, 1 Mbit/s, records of at most 2
 * KB. The reference is the time in which the same bytes are transferred without pauses. The time of the chip's
 * handshake and processing is not included.
 */
import { type Browser, chromium } from "playwright-core";
import { CHROMIUM, NO_CHROMIUM } from "../page/chromium.js";
import { BenchGateway, type EngineName } from "./benchmark-gateway.js";
import { BenchMeter } from "./benchmark-meter.js";
import { median, progress, type Row, round, type Section } from "./report.js";
import { SlowLine } from "./slow-line.js";
import { capturePath, ZMF100 } from "./telegrams.js";

const BITS_PER_SECOND = 1_000_000;
const ROUNDS = 5;
const QUICK_ROUNDS = 2;

interface Load {
	readonly what: string;
	readonly selector: string;
	readonly isLoggedIn: boolean;
}

const LOADS: readonly Load[] = [
	{ what: "to the login", selector: "main.login input[name=password]", isLoggedIn: false },
	{ what: "to the overview with a reading", selector: ".facts .number", isLoggedIn: true },
];

export async function measurePage(isQuick: boolean): Promise<Section> {
	const rows: Row[] = [];
	const notes = [
		"ratio = time ÷ time that the bytes take on the line, medians. A chip's handshake takes further time.",
	];
	if (CHROMIUM === "") notes.push(`Not measured: ${NO_CHROMIUM}.`);
	else await measureAll(isQuick, rows);
	return { part: "e", title: "First load of the page, 1 Mbit/s, one TLS connection", notes, rows };
}

async function measureAll(isQuick: boolean, rows: Row[]): Promise<void> {
	const meter = await BenchMeter.start(["--telegram", capturePath(ZMF100)]);
	const chromiumSandbox = process.getuid?.() !== 0;
	const browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox, args: ["--disable-gpu"] });
	try {
		for (const engine of ["xs", "node"] as const) {
			const gateway = await BenchGateway.start(engine, meter.path);
			try {
				await gateway.request("iec62056/read");
				for (const load of LOADS) {
					progress(`  engine ${engine}, first load ${load.what} …`);
					rows.push(await measureLoad({ engine, gateway, browser, load, rounds: isQuick ? QUICK_ROUNDS : ROUNDS }));
				}
			} finally {
				await gateway.stop();
			}
		}
	} finally {
		await browser.close();
		meter.end();
	}
}

interface Measurement {
	readonly engine: EngineName;
	readonly gateway: BenchGateway;
	readonly browser: Browser;
	readonly load: Load;
	readonly rounds: number;
}

async function measureLoad({ engine, gateway, browser, load, rounds }: Measurement): Promise<Row> {
	const times: number[] = [];
	let requests = 0;
	let bytes = 0;
	for (let i = 0; i < rounds; i++) {
		const line = await SlowLine.open(gateway.port, BITS_PER_SECOND);
		try {
			({ requests, bytes } = await loadOnce({ line, browser, load, token: gateway.token, times }));
		} finally {
			line.close();
		}
	}
	const wireMs = (bytes * 8000) / BITS_PER_SECOND;
	return {
		engine,
		load: load.what,
		requests,
		bytes,
		ms: round(median(times)),
		wire_ms: round(wireMs),
		ratio: round(median(times) / wireMs, 2),
	};
}

interface Loading {
	readonly line: SlowLine;
	readonly browser: Browser;
	readonly load: Load;
	readonly token: string;
	readonly times: number[];
}

async function loadOnce({ line, browser, load, token, times }: Loading): Promise<{ requests: number; bytes: number }> {
	const context = await browser.newContext({ ignoreHTTPSErrors: true });
	try {
		const page = await context.newPage();
		let requests = 0;
		page.on("request", (request) => {
			if (request.url().startsWith("https:")) requests++;
		});
		if (load.isLoggedIn) await page.addInitScript(`sessionStorage.setItem("token", "${token}")`);
		await page.addInitScript(`new MutationObserver((_, observer) => {
			if (document.querySelector(${JSON.stringify(load.selector)}) === null) return;
			observer.disconnect();
			requestAnimationFrame(() => { globalThis.drawnMs = performance.now(); });
		}).observe(document, { childList: true, subtree: true })`);
		await page.goto(`https://127.0.0.1:${line.port}/en#/dashboard`);
		await page.waitForSelector(load.selector);
		times.push(await page.evaluate("new Promise((done) => requestAnimationFrame(() => done(globalThis.drawnMs)))"));
		return { requests, bytes: line.bytes };
	} finally {
		await context.close();
	}
}
