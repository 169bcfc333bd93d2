/** Mosquitto of Debian (packages `mosquitto` and `mosquitto-clients`): brokers on this computer, and its own client. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { endChild, freePort, PeerMissing, run } from "./peer.js";

const START_LIMIT_MS = 10_000;
/** The client ends after a second by itself, but its signal handler can hang. */
const RETAINED_LIMIT_MS = 10_000;
/** Names of the broker's program; Debian installs it outside of users' PATH. */
const PROGRAMS = ["mosquitto", "/usr/sbin/mosquitto"];

/** The broker's command. Throws PeerMissing if it is not installed. */
async function findBroker(): Promise<string> {
	for (const program of PROGRAMS) {
		try {
			// Mosquitto's help exits with code 3.
			await run(program, ["-h"]);
			return program;
		} catch (error) {
			if (!(error instanceof PeerMissing)) return program;
		}
	}
	throw new PeerMissing("mosquitto is not installed (Debian's package mosquitto)");
}

export interface Message {
	readonly topic: string;
	readonly payload: string;
	readonly qos: number;
	readonly retain: boolean;
}

export interface BrokerOptions {
	/** Lines of the configuration in addition to an open listener. */
	readonly lines?: readonly string[];
	/** Files in the folder of the configuration, by name; `@/` in a line is replaced by the folder's path. */
	readonly files?: Readonly<Record<string, string>>;
	/** Options of its clients, such as a user name. */
	readonly client?: readonly string[];
	/** Default: any free port. */
	readonly port?: number;
	/** True: the broker logs errors only. */
	readonly isQuiet?: boolean;
}

export class Mosquitto {
	readonly port: number;
	log = "";
	readonly #folder = mkdtempSync(join(tmpdir(), "mosquitto-"));
	readonly #options: BrokerOptions;
	readonly #program: string;
	#child: ChildProcess | undefined;

	private constructor(program: string, port: number, options: BrokerOptions) {
		this.#program = program;
		this.port = port;
		this.#options = options;
	}

	/** Throws PeerMissing if broker or client is not installed. */
	static async start(options: BrokerOptions = {}): Promise<Mosquitto> {
		const program = await findBroker();
		await run("mosquitto_sub", ["--help"]).catch((error: Error) => {
			if (error instanceof PeerMissing) throw new PeerMissing(`${error.message} (Debian's package mosquitto-clients)`);
		});
		const broker = new Mosquitto(program, options.port ?? (await freePort()), options);
		await broker.begin();
		return broker;
	}

	async begin(): Promise<void> {
		const { lines = ["allow_anonymous true"], files = {}, isQuiet = false } = this.#options;
		const folder = this.#folder;
		// The broker drops root's rights and must still read the files.
		chmodSync(folder, 0o755);
		for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o644 });
		const own = [`listener ${this.port} 127.0.0.1`, "log_dest stderr", `log_type ${isQuiet ? "error" : "all"}`];
		const config = join(folder, "mosquitto.conf");
		writeFileSync(config, `${[...own, "persistence false", ...lines].join("\n").replaceAll("@/", `${folder}/`)}\n`);
		const child = spawn(this.#program, ["-c", config], { stdio: ["ignore", "ignore", "pipe"] });
		child.stderr.on("data", (bytes: Buffer) => {
			this.log += bytes.toString();
		});
		const kill = () => child.kill("SIGKILL");
		process.once("exit", kill);
		child.once("exit", () => process.off("exit", kill));
		this.#child = child;
		const limit = Date.now() + START_LIMIT_MS;
		while (!(await accepts(this.port))) {
			if (child.exitCode !== null || Date.now() > limit) throw new Error(`mosquitto does not start:\n${this.log}`);
			await sleep(50);
		}
	}

	/** Process of the broker; undefined while it does not run. */
	get pid(): number | undefined {
		return this.#child?.pid;
	}

	/** Starts a client that receives all messages, and connects again after a restart of the broker. */
	consume(): ChildProcess {
		return spawn("mosquitto_sub", this.#client(["-t", "#", "-q", "1"]), { stdio: "ignore" });
	}

	async end(): Promise<void> {
		const child = this.#child;
		this.#child = undefined;
		await endChild(child);
	}

	async stop(): Promise<void> {
		await this.end();
		rmSync(this.#folder, { recursive: true, force: true });
	}

	#client(more: readonly string[]): string[] {
		const { client = [] } = this.#options;
		const own = client.map((word) => word.replaceAll("@/", `${this.#folder}/`));
		return ["-h", "127.0.0.1", "-p", String(this.port), ...own, ...more];
	}

	async publish(topic: string, payload: string, ...options: string[]): Promise<void> {
		const what = payload === "" ? ["-n"] : ["-m", payload];
		await run("mosquitto_pub", this.#client(["-t", topic, ...what, ...options]));
	}

	/** The messages retained under these topics. */
	async retained(topic: string): Promise<Message[]> {
		const args = this.#client(["-t", topic, "-W", "1", "--retained-only", "-F", "%j"]);
		// The client's exit after the time limit is not an error.
		const child = spawn("mosquitto_sub", args, { stdio: ["ignore", "pipe", "ignore"] });
		const messages: Message[] = [];
		createInterface(child.stdout).on("line", (line) => messages.push(toMessage(line)));
		const late = setTimeout(() => child.kill("SIGKILL"), RETAINED_LIMIT_MS);
		await once(child, "close");
		clearTimeout(late);
		return messages;
	}

	/** Runs `use` with an observer of these topics. */
	async observe<T>(topic: string, use: (observer: Observer) => Promise<T>): Promise<T> {
		const args = this.#client(["-t", topic, "-q", "1", "-F", "%j", "-d"]);
		const child = spawn("stdbuf", ["-oL", "mosquitto_sub", ...args], { stdio: ["ignore", "pipe", "inherit"] });
		const exited = once(child, "exit");
		const observer = new Observer();
		const lines = createInterface(child.stdout);
		const subscribed = new Promise<void>((resolve) => {
			lines.on("line", (line) => {
				// Other lines are messages of the program.
				if (line.startsWith("{")) observer.messages.push(toMessage(line));
				else if (line.startsWith("Subscribed")) resolve();
			});
		});
		try {
			await Promise.race([
				subscribed,
				exited.then(() => Promise.reject(new Error(`mosquitto_sub has ended:\n${this.log}`))),
			]);
			return await use(observer);
		} finally {
			// With SIGTERM it sometimes hangs: its signal handler waits for a lock that its main program holds.
			child.kill("SIGKILL");
			await exited;
		}
	}
}

export class Observer {
	/** Received messages, oldest first. */
	readonly messages: Message[] = [];

	/** The first match, received or still to come. */
	async find(fits: (message: Message) => boolean, limitMs = 10_000): Promise<Message> {
		const limit = Date.now() + limitMs;
		for (;;) {
			const message = this.messages.find(fits);
			if (message !== undefined) return message;
			assert.ok(Date.now() < limit, `not among ${JSON.stringify(this.messages.slice(-20))}`);
			await sleep(50);
		}
	}
}

function toMessage(line: string): Message {
	const { topic, payload, qos, retain } = JSON.parse(line);
	return { topic, payload: payload ?? "", qos, retain: retain === 1 };
}

function accepts(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1");
		socket.on("connect", () => resolve(true));
		socket.on("error", () => resolve(false));
		socket.on("connect", () => socket.destroy());
	});
}
