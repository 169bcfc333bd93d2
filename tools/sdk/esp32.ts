/**
 * Builds a board's firmware with the Moddable SDK's mcconfig and ESP-IDF, for `npm run build`, `flash` and `monitor`.
 * Only mcconfig's target `build` is used, because other targets end programs that use a serial port.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Board } from "../../hosts/esp32/boards.js";
import { inTurn } from "./in-turn.js";
import { omissionsOf, pageLacks, replacementsOf } from "./omissions.js";
import { writeChanged, writeProject } from "./project.js";
import { NO_RELEASE, type Release } from "./release.js";
import type { Made } from "./script.js";
import { findSDK, isForbidden, pathWith, ROOT, type SDK } from "./sdk.js";

const HOST = join(ROOT, "hosts", "esp32");

/** File name of an application image in ESP-IDF's build. */
const IMAGE = "xs_esp32.bin";

/**
 * Lines that ESP-IDF prints when it fails. If an image is too large for its slot, ESP-IDF fails, but the image exists.
 */
const IDF_FAILURE = /^(Error: All app partitions are too small|\w+ failed with exit code \d)/;

export const MAIN = "hosts/esp32/main";

const IDF_ADVICE = "npm run doctor says how to get it.";

const TIME_SERVERS = "pool.ntp.org,1.pool.ntp.org,2.pool.ntp.org";
/** Ports of this computer at which an emulated board first looks for time servers. */
export const EMULATED_TIME_PORTS: readonly number[] = Object.freeze([10_123, 10_124]);
/** This computer's address in the emulated network. */
export const EMULATED_GATEWAY = "10.0.2.2";

/** Returns the values that hosts/esp32/sdk.d.ts declares. */
export function madeFor(board: Board, release: Release = NO_RELEASE): Made {
	const names = omissionsOf(board);
	const { flashMB, partitions, console, adapter, without, zigbee, pinsFrom, ...others } = board;
	const row = zigbee === undefined || names.includes("zigbee") ? others : { ...others, zigbee };
	const isEmulated = row.ethernet?.kind === "openeth";
	const near = isEmulated ? EMULATED_TIME_PORTS.map((port) => `${EMULATED_GATEWAY}:${port},`).join("") : "";
	return {
		modules: {
			"gateway/board": `export const BOARD = ${frozen(row)};\n`,
			"gateway/release": `export const RELEASE = ${frozen(release)};\n`,
		},
		constants: {
			HAS_RADIO: String("zigbee" in row),
			HAS_ETHERNET: String(row.ethernet !== undefined),
			TIME_SERVERS: JSON.stringify(near + TIME_SERVERS),
		},
		replaced: replacementsOf(names),
	};
}

function frozen(value: unknown): string {
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	if (Array.isArray(value)) return `Object.freeze([${value.map(frozen).join(", ")}])`;
	const members = Object.entries(value).map(([name, member]) => `${name}: ${frozen(member)}`);
	return `Object.freeze({ ${members.join(", ")} })`;
}

export function partsOf({ ethernet }: Board): string[] {
	return ethernet === undefined ? [] : [`hosts/esp32/ethernet/${ethernet.kind}.json`];
}

export interface Places {
	readonly folder: string;
	readonly output: string;
	/** ESP-IDF's project folder, which contains `build`. */
	readonly project: string;
	readonly image: string;
}

export interface Variant {
	readonly board: Board;
	readonly production: boolean;
	/** True if emulator.defaults is used. Default: a real chip. */
	readonly emulated?: boolean;
	/** Folder for all variants of the firmware. Default: .build/esp32. */
	readonly out: string | undefined;
}

export function placesOf({ board, production, emulated, out }: Variant): Places {
	const name = `${board.name}${production ? "-production" : ""}${emulated ? "-emulated" : ""}`;
	const folder = join(out ?? join(ROOT, ".build", "esp32"), name);
	const output = join(folder, "output");
	const release = join(output, "tmp", "esp32", board.chip, "release", name);
	const project = join(release, `xsProj-${board.chip}`);
	return { folder, output, project, image: join(project, "build", IMAGE) };
}

export function findIDF(folder = process.env["IDF_PATH"]): string {
	if (!folder) throw new Error(`ESP-IDF is needed: $IDF_PATH is not set. ${IDF_ADVICE}`);
	if (!existsSync(join(folder, "export.sh")))
		throw new Error(`There is no ESP-IDF in ${folder} ($IDF_PATH). ${IDF_ADVICE}`);
	if (spawnSync("idf.py", ["--version"], { stdio: "ignore" }).status !== 0)
		throw new Error('The tools of ESP-IDF are not on the PATH. Run once in this terminal: . "$IDF_PATH/export.sh"');
	return folder;
}

export interface BuildOptions extends Variant {
	readonly idf: string;
	readonly version: string;
	readonly builtUtcMs: number;
	readonly release: Release;
	/** True if release.defaults is used. */
	readonly isRelease?: boolean;
	/** Called with the output of the tools, in pieces. Default: standard error. */
	report?(text: string): void;
}

async function writeAll(buildOptions: BuildOptions, sdk: SDK): Promise<Places> {
	const { board, idf, version, builtUtcMs, release } = buildOptions;
	const places = placesOf(buildOptions);
	const sdkconfig = join(places.folder, "sdkconfig");
	const options = join(places.folder, "c-options");
	mkdirSync(sdkconfig, { recursive: true });
	const hasOtherSettings = writeChanged(join(sdkconfig, "sdkconfig.defaults"), sdkconfigOf(buildOptions));
	const names = {
		IDF_PATH: idf,
		CHIP: board.chip,
		MODDABLE: sdk.folder,
		BUILD: places.folder,
		ROOT: ROOT.replace(/\/$/, ""),
	};
	let text = readFileSync(join(HOST, "c-options"), "utf8");
	for (const [name, value] of Object.entries(names)) text = text.replaceAll(`$(${name})`, value);
	const hasOtherOptions = writeChanged(options, text);
	// The makefile depends on neither of these files. Objects must be built again, because other settings change the
	// sizes of structures.
	if (hasOtherSettings || hasOtherOptions) rmSync(places.output, { recursive: true, force: true });
	mkdirSync(places.output, { recursive: true });
	const build = {
		SDKCONFIGPATH: sdkconfig,
		PARTITIONS_FILE: join(HOST, board.partitions),
		// The options are passed as a file, because mcconfig accepts only a single word.
		C_INCLUDES: `@${options}`,
	};
	const settings = { build, config: { version, builtUtcMs } };
	const project = await writeProject({
		folder: places.folder,
		main: MAIN,
		made: madeFor(board, release),
		without: pageLacks(board),
		parts: partsOf(board),
		settings,
	});
	if (project.changed) forgetNames(dirname(places.project));
	return places;
}

/**
 * Deletes the linker's list of names from earlier builds, so that the same sources always make the same image. `made`
 * is the folder of the generated C.
 */
function forgetNames(made: string): void {
	if (!existsSync(made)) return;
	const objects = readdirSync(made).filter((name) => name.endsWith(".o"));
	for (const name of [...objects, join("modules", "mc.xsi")]) rmSync(join(made, name), { force: true });
}

/**
 * Returns the settings in the folder sdkconfig/ (for all chips, then for this one), the flash size that the partition
 * table needs, and the version. The version identifies the image in the other slot.
 */
export function sdkconfigOf({
	board,
	production,
	emulated,
	isRelease,
	version,
}: Pick<BuildOptions, "board" | "production" | "emulated" | "version" | "isRelease">): string {
	const megabytes = /^partitions-(\d+)mb\.csv$/.exec(board.partitions)?.[1];
	if (megabytes === undefined) throw new Error(`${board.partitions} does not have the size of the flash in its name.`);
	const files = ["gateway.defaults"];
	if (existsSync(join(HOST, "sdkconfig", `${board.chip}.defaults`))) files.push(`${board.chip}.defaults`);
	files.push(`console-${board.console}.defaults`, `ethernet-${board.ethernet?.kind ?? "none"}.defaults`);
	if (production) files.push("production.defaults");
	if (isRelease) files.push("release.defaults");
	if (emulated) files.push("emulator.defaults");
	const texts = files.map((name) => readFileSync(join(HOST, "sdkconfig", name), "utf8"));
	const own = [`ESPTOOLPY_FLASHSIZE_${megabytes}MB=y`, "APP_PROJECT_VER_FROM_CONFIG=y", `APP_PROJECT_VER="${version}"`];
	return [...texts, ...own.map((line) => `CONFIG_${line}\n`)].join("\n");
}

function extraFlags({ isRelease = false }: BuildOptions, { folder }: Places): string[] {
	const flags = [`-DMBEDTLS_USER_CONFIG_FILE=<${join(HOST, "sdkconfig", "crypto-config.h")}>`];
	// ESP-IDF replaces its own folders by fixed paths in its output, but not the folder of its project.
	if (isRelease) flags.push(`-ffile-prefix-map=${folder}=build`);
	return flags;
}

export function buildForChip(buildOptions: BuildOptions): Promise<Places> {
	const sdk = findSDK();
	return inTurn(placesOf(buildOptions).folder, () => buildInFolder(buildOptions, sdk));
}

async function buildInFolder(buildOptions: BuildOptions, sdk: SDK): Promise<Places> {
	const { board, idf } = buildOptions;
	const places = await writeAll(buildOptions, sdk);
	// An old image must be deleted, because mcconfig continues if ESP-IDF fails.
	rmSync(places.image, { force: true });
	const env = {
		...process.env,
		IDF_PATH: idf,
		EXTRA_CFLAGS: extraFlags(buildOptions, places).join(" "),
		MODDABLE: sdk.folder,
		PATH: pathWith(sdk),
	};
	// The path is relative, because mcconfig would change an absolute path to lower case.
	const platform = `esp32:./chips/${board.chip}`;
	const manifest = join(places.folder, "manifest.json");
	const args = ["-m", "-p", platform, "-t", "build", "-o", places.output, manifest];
	const { status, warnings, errors } = await run(join(sdk.tools, "mcconfig"), args, env, buildOptions.report);
	const failure = failureOf(status, warnings, errors, existsSync(places.image));
	if (failure === undefined) return places;
	// The output is deleted. The next build would otherwise use it, although settings are missing and C was compiled
	// despite warnings.
	rmSync(places.output, { recursive: true, force: true });
	throw new Error(failure);
}

function failureOf(
	status: number | null,
	warnings: readonly string[],
	errors: readonly string[],
	hasImage: boolean,
): string | undefined {
	if (status !== 0) return "mcconfig has failed.";
	if (errors.length > 0) return `${errors.join("\n")}\nESP-IDF has failed.`;
	if (warnings.length > 0) return `${warnings.join("\n")}\nThe build has warnings, which are not permitted.`;
	return hasImage ? undefined : "ESP-IDF has failed: there is no image.";
}

interface Ended {
	readonly status: number | null;
	readonly warnings: string[];
	/** Messages of failures in ESP-IDF, which mcconfig ignores. */
	readonly errors: string[];
}

function run(
	command: string,
	args: readonly string[],
	env: NodeJS.ProcessEnv,
	report: (text: string) => void = (text) => void process.stderr.write(text),
): Promise<Ended> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { cwd: HOST, env, stdio: ["ignore", "pipe", "pipe"] });
		const warnings: string[] = [];
		const errors: string[] = [];
		for (const stream of [child.stdout, child.stderr]) {
			let rest = "";
			stream.setEncoding("utf8").on("data", (text: string) => {
				report(text);
				const lines = (rest + text).split("\n");
				rest = lines.pop()!;
				warnings.push(...lines.filter(isForbidden));
				errors.push(...lines.filter((line) => IDF_FAILURE.test(line)));
			});
		}
		child.on("error", reject);
		child.on("close", (status) => resolve({ status, warnings, errors }));
	});
}

/** Writes the firmware, and keeps settings and factory data. If no port is given, esptool searches for one. */
export function flash(board: Board, places: Places, port: string | undefined): number {
	needImage(board, places);
	const args = ["-m", "esptool", "--chip", board.chip, ...(port ? ["--port", port] : []), "--baud", "460800"];
	return runHere("python", [...args, "write-flash", "@flash_args"], join(places.project, "build"));
}

/** Shows the console until Ctrl-]. If no port is given, ESP-IDF searches for one. */
export function monitor(board: Board, places: Places, port: string | undefined): number {
	needImage(board, places);
	return runHere("idf.py", ["-C", places.project, ...(port ? ["-p", port] : []), "monitor"], places.project);
}

function needImage(board: Board, { image }: Places): void {
	if (!existsSync(image))
		throw new Error(`There is no build for this board. Run: npm run build -- --board ${board.name}`);
}

function runHere(command: string, args: readonly string[], cwd: string): number {
	const { status, error } = spawnSync(command, args, { cwd, stdio: "inherit" });
	if (error) throw new Error(`${command} could not be started: ${error.message}`);
	return status ?? 1;
}
