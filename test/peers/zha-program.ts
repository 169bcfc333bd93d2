/** ZHA, Home Assistant's Zigbee integration, in a process of its own: test/peers/python/run_zha.py in the Debian. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { TRIXIE } from "./debian.js";
import { endChild, PEER_SOURCES, PeerMissing } from "./peer.js";

/** Name of its list of packages, and of its environment in the Debian. */
const NAME = "zha";
/** Folder inside the Debian for its database and offered firmware files. */
const FOLDER = "/zha-data";
const START_LIMIT_MS = 60_000;
/** Limit for a reply, ms; it includes the installation of a firmware. */
const ANSWER_LIMIT_MS = 120_000;
/** Time for ZHA to reset its chip and write its database, ms. */
const END_LIMIT_MS = 10_000;

// biome-ignore lint/suspicious/noExplicitAny: JSON of others
export type ZHAEvent = any;

interface Waiting {
	readonly matches: (event: ZHAEvent) => boolean;
	readonly take: (event: ZHAEvent) => void;
}

export class ZHA {
	/** All events since its start. */
	readonly events: ZHAEvent[] = [];
	readonly #child: ChildProcess;
	#waiting: Waiting[] = [];
	#errors = "";
	#isOver = false;

	private constructor(port: number) {
		this.#child = TRIXIE.start(`/${NAME}/bin/python /run_zha.py ${port} ${FOLDER}`, "pipe", "pipe");
		this.#child.stderr?.on("data", (bytes: Buffer) => {
			this.#errors = (this.#errors + bytes.toString()).slice(-16_384);
		});
		createInterface(this.#child.stdout!).on("line", (line) => this.#handleEvent(JSON.parse(line)));
		this.#child.once("close", () => {
			this.#isOver = true;
			for (const { take } of this.#waiting) take(undefined);
		});
	}

	/** Installs it and deletes earlier networks. Throws PeerMissing if that fails. */
	static async prepare(): Promise<void> {
		await TRIXIE.install(NAME);
		rmSync(join(TRIXIE.root, FOLDER), { recursive: true, force: true });
		mkdirSync(join(TRIXIE.root, FOLDER, "ota"), { recursive: true });
		copyFileSync(join(PEER_SOURCES, "python", "run_zha.py"), join(TRIXIE.root, "run_zha.py"));
	}

	/**
	 * Starts it with the coordinator's chip at this port of the loopback address; it forms a network, or resumes its
	 * own.
	 */
	static async start(port: number): Promise<ZHA> {
		const zha = new ZHA(port);
		try {
			await zha.event("started", START_LIMIT_MS);
		} catch (error) {
			await zha.end();
			throw error;
		}
		return zha;
	}

	static get firmwareFolder(): string {
		return join(TRIXIE.root, FOLDER, "ota");
	}

	/** Its warnings and errors. */
	get errors(): string {
		return this.#errors;
	}

	/** The first event of this name for which `matches` returns true, past or future, without the first `from` events. */
	event(
		name: string,
		limitMs: number,
		matches: (event: ZHAEvent) => boolean = () => true,
		from = 0,
	): Promise<ZHAEvent> {
		const isIt = (event: ZHAEvent) => event.event === name && matches(event);
		const past = this.events.slice(from).find(isIt);
		return past === undefined ? this.#next(`event ${name}`, limitMs, isIt) : Promise.resolve(past);
	}

	/** Reply to a command of run_zha.py. Throws an Error with its message if the command fails. */
	async sendCommand(command: string, ...args: unknown[]): Promise<ZHAEvent> {
		const answered = this.#next(command, ANSWER_LIMIT_MS, (event) => "answer" in event || "error" in event);
		this.#child.stdin?.write(`${JSON.stringify([command, ...args])}\n`);
		const { answer, error } = await answered;
		if (error !== undefined) throw new Error(`${command}: ${error}`);
		return answer;
	}

	async end(): Promise<void> {
		this.#child.stdin?.end();
		const limit = Date.now() + END_LIMIT_MS;
		while (!this.#isOver && Date.now() < limit) await sleep(50);
		await endChild(this.#child);
	}

	#handleEvent(event: ZHAEvent): void {
		this.events.push(event);
		const index = this.#waiting.findIndex(({ matches }) => matches(event));
		if (index < 0) return;
		const [{ take }] = this.#waiting.splice(index, 1);
		take(event);
	}

	async #next(what: string, limitMs: number, matches: (event: ZHAEvent) => boolean): Promise<ZHAEvent> {
		let late: NodeJS.Timeout | undefined;
		const event = this.#isOver
			? undefined
			: await new Promise<ZHAEvent>((resolve) => {
					late = setTimeout(resolve, limitMs, null);
					this.#waiting.push({ matches, take: resolve });
				});
		clearTimeout(late);
		if (event === undefined && /No module named/.test(this.#errors)) throw new PeerMissing(this.#errors.trim());
		assert.ok(event !== undefined, `${what}: it ended:\n${this.#errors}`);
		assert.ok(
			event !== null,
			`${what}: not in ${limitMs} ms; the events were ${JSON.stringify(this.events.slice(-20))}\n${this.#errors}`,
		);
		return event;
	}
}
