/**
 * Drives browsers of Debian other than Chromium through their own protocols: Firefox ESR through Marionette (which
 * geckodriver uses), and WebKitGTK through its WebDriver (W3C). Each opens a page and runs scripts in it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endChild, freePort, PeerMissing, run } from "./peer.js";

const START_LIMIT_MS = 60_000;
const STEP_MS = 200;
const SCRIPT_LIMIT_MS = 60_000;

export interface Browser {
	open(url: string): Promise<void>;
	/**
	 * Runs the body of an asynchronous function in the page; returns its result, as far as JSON can represent it. Passes
	 * on its exceptions.
	 */
	run(body: string): Promise<unknown>;
	end(): Promise<void>;
}

/** A script for the drivers: its last argument is the callback, and the first member of its result is an error. */
function scriptOf(body: string): string {
	return `const done = arguments[arguments.length - 1];
		(async () => { ${body} })().then((value) => done([null, value ?? null]), (error) => done([String(error), null]));`;
}

function resultOf(result: unknown): unknown {
	const [error, value] = result as [string | null, unknown];
	if (error !== null) throw new Error(error);
	return value;
}

/** Throws PeerMissing unless the program of this Debian package is installed. */
async function need(program: string, name: string): Promise<void> {
	const isThere = await run("sh", ["-c", `command -v ${program} || true`]);
	if (isThere === "") throw new PeerMissing(`${program} is not installed (Debian's package ${name})`);
}

/** Repeats the attempt until it succeeds. Throws its last error. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
	for (const limitMs = Date.now() + START_LIMIT_MS; ; ) {
		try {
			return await attempt();
		} catch (error) {
			if (Date.now() > limitMs) throw error;
			await sleep(STEP_MS);
		}
	}
}

/** Preferences of a profile without dialogs. */
const PREFERENCES = {
	"browser.shell.checkDefaultBrowser": false,
	"datareporting.policy.dataSubmissionEnabled": false,
	"intl.accept_languages": "en",
	"browser.aboutwelcome.enabled": false,
};

interface MarionetteError {
	readonly error: string;
	readonly message: string;
}

export class Firefox implements Browser {
	readonly #child: ChildProcess;
	readonly #folder: string;
	readonly #socket: Socket;
	/** Received text that is not a whole message yet. */
	#text = "";
	#lastId = 0;
	readonly #waiting = new Map<number, (message: [number, number, MarionetteError | null, unknown]) => void>();

	private constructor(child: ChildProcess, folder: string, socket: Socket) {
		this.#child = child;
		this.#folder = folder;
		this.#socket = socket;
		socket.setEncoding("utf8").on("data", (text: string) => this.#take(text));
	}

	static async start(): Promise<Firefox> {
		await need("firefox-esr", "firefox-esr");
		const folder = mkdtempSync(join(tmpdir(), "firefox-"));
		const port = await freePort();
		const lines = Object.entries({ ...PREFERENCES, "marionette.port": port }).map(
			([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
		);
		writeFileSync(join(folder, "user.js"), lines.join("\n"));
		const child = spawn("firefox-esr", ["--headless", "--marionette", "--no-remote", "--profile", folder], {
			stdio: "ignore",
			env: { ...process.env, HOME: folder },
		});
		const socket = await patiently(async () => {
			const attempt = connect(port, "127.0.0.1");
			await once(attempt, "connect");
			return attempt;
		});
		const browser = new Firefox(child, folder, socket);
		await browser.#sendCommand("WebDriver:NewSession", { acceptInsecureCerts: true });
		await browser.#sendCommand("WebDriver:SetTimeouts", { script: SCRIPT_LIMIT_MS });
		return browser;
	}

	async open(url: string): Promise<void> {
		await this.#sendCommand("WebDriver:Navigate", { url });
	}

	async run(body: string): Promise<unknown> {
		const script = { script: scriptOf(body), args: [], sandbox: null };
		return resultOf(((await this.#sendCommand("WebDriver:ExecuteAsyncScript", script)) as { value: unknown }).value);
	}

	async end(): Promise<void> {
		this.#socket.destroy();
		await endChild(this.#child);
		rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
	}

	#sendCommand(command: string, parameters: object): Promise<unknown> {
		const id = ++this.#lastId;
		const text = JSON.stringify([0, id, command, parameters]);
		return new Promise((resolve, reject) => {
			this.#waiting.set(id, ([, , error, result]) =>
				error ? reject(new Error(`${error.error}: ${error.message}`)) : resolve(result),
			);
			this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
		});
	}

	/** Takes messages: the length, a colon and JSON. The first one is Marionette's greeting, which is not an array. */
	#take(text: string): void {
		this.#text += text;
		for (;;) {
			const colon = this.#text.indexOf(":");
			const length = Number(this.#text.slice(0, Math.max(0, colon)));
			const rest = Buffer.from(this.#text.slice(colon + 1));
			if (colon < 0 || rest.length < length) return;
			const message = JSON.parse(rest.subarray(0, length).toString());
			this.#text = rest.subarray(length).toString();
			if (Array.isArray(message)) this.#waiting.get(message[1])?.(message as never);
		}
	}
}

export class WebKit implements Browser {
	readonly #children: readonly ChildProcess[];
	readonly #session: string;

	private constructor(children: readonly ChildProcess[], session: string) {
		this.#children = children;
		this.#session = session;
	}

	static async start(): Promise<WebKit> {
		await need("WebKitWebDriver", "webkit2gtk-driver");
		await need("Xvfb", "xvfb");
		// The server prints the number of its display.
		const screen = spawn("Xvfb", ["-displayfd", "3", "-nolisten", "tcp"], {
			stdio: ["ignore", "ignore", "ignore", "pipe"],
		});
		const [number] = await once(screen.stdio[3]!, "data");
		const port = await freePort();
		const driver = spawn("WebKitWebDriver", [`--port=${port}`], {
			stdio: "ignore",
			env: { ...process.env, DISPLAY: `:${String(number).trim()}` },
		});
		const address = `http://127.0.0.1:${port}/session`;
		const capabilities = { alwaysMatch: { acceptInsecureCerts: true } };
		const { sessionId } = (await patiently(() => sendCommand(address, { capabilities }))) as { sessionId: string };
		const browser = new WebKit([driver, screen], `${address}/${sessionId}`);
		await sendCommand(`${browser.#session}/timeouts`, { script: SCRIPT_LIMIT_MS });
		return browser;
	}

	async open(url: string): Promise<void> {
		await sendCommand(`${this.#session}/url`, { url });
	}

	async run(body: string): Promise<unknown> {
		return resultOf(await sendCommand(`${this.#session}/execute/async`, { script: scriptOf(body), args: [] }));
	}

	async end(): Promise<void> {
		await fetch(this.#session, { method: "DELETE" }).catch(() => undefined);
		for (const child of this.#children) await endChild(child);
	}
}

/** Sends a command of WebDriver; returns the value of the reply. */
async function sendCommand(address: string, body: object): Promise<unknown> {
	const reply = await fetch(address, { method: "POST", body: JSON.stringify(body) });
	const { value } = (await reply.json()) as { value: { message?: string } };
	if (!reply.ok) throw new Error(value.message);
	return value;
}
