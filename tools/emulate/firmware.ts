/**
 * Builds the firmware of an emulated board, from the usual sources and settings. It has the emulator's Ethernet port
 * and, as with `npm start`, a development key for updates.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setInterval } from "node:timers";
import type { Board } from "../../hosts/esp32/boards.js";
import { openKeys } from "../../hosts/node/simulator-keys.js";
import { buildForChip, findIDF, type Places, placesOf, type Variant } from "../sdk/esp32.js";
import { NO_RELEASE } from "../sdk/release.js";
import { ROOT } from "../sdk/sdk.js";
import type { Building } from "./options.js";

const LOOK_MS = 10_000;
const MINUTE_MS = 60_000;
const SOURCES = [
	"modules",
	"hosts/esp32",
	"hosts/native",
	"hosts/browser",
	"tools/sdk",
	"manifest.json",
	"package.json",
];

export interface FirmwareOptions {
	readonly board: Board;
	readonly building: Building;
	readonly out: string | undefined;
	say(text: string): void;
}

/**
 * Returns the board with 8 MB of flash, because the driver of the emulator's Ethernet takes 11 KB, for which a slot in 4
 * MB has no room. Its console is on UART 0, which QEMU connects. QEMU's GPIOs lead nowhere: only the two lines of its
 * UART reach the radio, so the firmware resets it by a command.
 */
export function emulatedBoard(board: Board): Board {
	const ethernet = Object.freeze({ kind: "openeth" as const });
	const emulated = { ...board, flashMB: 8, partitions: "partitions-8mb.csv", console: "uart" as const, ethernet };
	if (board.zigbee === undefined) return Object.freeze(emulated);
	const { uart, transmit, receive, ring } = board.zigbee;
	return Object.freeze({ ...emulated, zigbee: Object.freeze({ uart, transmit, receive, ring }) });
}

export function emulatedVariant(board: Board, out: string | undefined): Variant {
	return { board: emulatedBoard(board), production: false, emulated: true, out };
}

export async function prepareFirmware(options: FirmwareOptions): Promise<Places> {
	const { board, building, say } = options;
	const places = placesOf(emulatedVariant(board, options.out));
	if (building === "never") {
		if (existsSync(places.image)) return places;
		throw new Error(`Nothing is built for the emulated ${board.name} in ${places.folder}: leave out --no-build.`);
	}
	if (building === "stale" && !isStale(places.image)) {
		say("No source has changed since the last build (--rebuild builds again).");
		return places;
	}
	return build(options, places);
}

async function build({ board, out, say }: FirmwareOptions, places: Places): Promise<Places> {
	const idf = findIDF();
	mkdirSync(places.folder, { recursive: true });
	const { updateKeys, reportKey } = openKeys({ state: places.folder, updateKeys: undefined, reportKey: undefined });
	const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	const log = join(places.folder, "build.log");
	writeFileSync(log, "");
	say(
		`Building the firmware of the emulated ${board.name}; the first build takes minutes. Output of the tools: ${log}`,
	);
	const progress = new BuildProgress(say);
	try {
		await buildForChip({
			...emulatedVariant(board, out),
			...{ idf, version, builtUtcMs: Date.now(), release: { ...NO_RELEASE, updateKeys, reportKey } },
			report(text) {
				writeFileSync(log, text, { flag: "a" });
				progress.read(text);
			},
		});
	} catch (error) {
		throw new Error(`${(error as Error).message}\nThe end of ${log}:\n${tailOf(readFileSync(log, "utf8"))}`);
	} finally {
		progress.end();
	}
	say(`Built in ${minutes(progress.elapsedMs)}.`);
	return places;
}

export class BuildProgress {
	readonly #say: (text: string) => void;
	readonly #startMs = performance.now();
	readonly #timer: NodeJS.Timeout;
	#steps = "";

	constructor(say: (text: string) => void, lookMs = LOOK_MS) {
		this.#say = say;
		this.#timer = setInterval(() => this.#report(), lookMs);
	}

	get elapsedMs(): number {
		return performance.now() - this.#startMs;
	}

	read(text: string): void {
		const [, done, all] = [...text.matchAll(/^\[(\d+)\/(\d+)\]/gm)].at(-1) ?? [];
		if (done !== undefined) this.#steps = `, step ${done} of ${all}`;
	}

	end(): void {
		clearInterval(this.#timer);
	}

	#report(): void {
		this.#say(`Building: ${minutes(this.elapsedMs)}${this.#steps} …`);
	}
}

export function minutes(ms: number): string {
	return `${(ms / MINUTE_MS).toFixed(1)} minutes`;
}

const TAIL_LINES = 20;

function tailOf(text: string): string {
	return text.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}

function isStale(image: string): boolean {
	if (!existsSync(image)) return true;
	const builtMs = statSync(image).mtimeMs;
	return SOURCES.some((name) => isNewer(join(ROOT, name), builtMs));
}

function isNewer(path: string, thanMs: number): boolean {
	const found = statSync(path);
	if (!found.isDirectory()) return found.mtimeMs > thanMs;
	return readdirSync(path).some((name) => isNewer(join(path, name), thanMs));
}
