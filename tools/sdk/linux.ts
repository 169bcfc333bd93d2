/** Builds the firmware for Linux and its runner (hosts/linux/runner.c). */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { inTurn } from "./in-turn.js";
import { OMITTABLE_PROTOCOLS, replacementsOf } from "./omissions.js";
import { writeProject } from "./project.js";
import {
	type Bits,
	findSDK,
	findToolchain,
	isForbidden,
	pathWith,
	plainness,
	ROOT,
	type SDK,
	type Toolchain,
} from "./sdk.js";

export interface Firmware {
	/** Path of the runner. Its only argument is the firmware. */
	readonly runner: string;
	readonly firmware: string;
	readonly bits: Bits;
}

export interface BuildOptions {
	/** First module of the firmware, as a path from the root without extension. */
	readonly main: string;
	readonly bits?: Bits | undefined;
	/** Parts and meter protocols to leave out (omissions.ts). */
	readonly without?: readonly string[];
}

/** Runs a step of the build. Throws an Error with the output if the step fails or prints a warning. */
function step(command: string, args: string[], env: NodeJS.ProcessEnv): void {
	const result = spawnSync(command, args, { cwd: ROOT, env, encoding: "utf8", maxBuffer: 1 << 26 });
	const text = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`;
	if (result.status !== 0) throw new Error(`${text}\n${command} has failed.`);
	const warnings = text.split("\n").filter(isForbidden);
	if (warnings.length > 0) throw new Error(`${warnings.join("\n")}\n${command} has warnings, which are not permitted.`);
}

const TOO_MANY_NAMES =
	"The SDK's linker takes 8192 names. With GATEWAY_PLAIN=all, the firmware with all parts has more: leave some out, " +
	`for example --without hawkbit,provision,backfill,${OMITTABLE_PROTOCOLS.join(",")}.`;

export function buildFirmware(options: BuildOptions): Promise<Firmware> {
	const sdk = findSDK();
	const toolchain = findToolchain(options.bits);
	const suffix = plainness() === "" ? "" : `-${plainness()}`;
	const output = join(ROOT, ".build", `sdk${toolchain.bits}${suffix}`);
	return inTurn(output, () => buildInto(output, suffix, sdk, toolchain, options));
}

async function buildInto(
	output: string,
	suffix: string,
	sdk: SDK,
	toolchain: Toolchain,
	{ main, without = [] }: BuildOptions,
): Promise<Firmware> {
	const env = {
		...process.env,
		...toolchain.environment,
		CC: toolchain.compiler,
		// This is the folder of miniz, which mcconfig does not know.
		C_INCLUDE_PATH: join(sdk.folder, "modules", "data", "zlib"),
		LIBRARIES: "-lmbedtls -lmbedx509 -lmbedcrypto",
		MODDABLE: sdk.folder,
		PATH: pathWith(sdk),
	};
	const name = [basename(dirname(main)), ...(without.length > 0 ? ["without", ...without] : [])].join("-");
	const folder = join(ROOT, ".build", `linux${suffix}`, name);
	const made = { modules: {}, constants: {}, replaced: replacementsOf(without) };
	await writeProject({ folder, main, made, without });
	const manifest = join(folder, "manifest.json");
	try {
		step(join(sdk.tools, "mcconfig"), ["-m", "-p", "lin", "-t", "build", "-o", output, manifest], env);
	} catch (error) {
		// main.js is deleted. If it were unchanged, it would not be compiled again, and its warnings would not be repeated.
		rmSync(join(folder, "main.js"), { force: true });
		const { message } = error as Error;
		throw plainness() === "all" && message.includes("not enough keys")
			? new Error(`${message}\n${TOO_MANY_NAMES}`)
			: error;
	}
	return {
		runner: buildRunner(sdk, toolchain, output, env),
		firmware: join(output, "bin", "lin", "mc", "release", name, "mc.so"),
		bits: toolchain.bits,
	};
}

function buildRunner(sdk: SDK, { compiler }: Toolchain, output: string, env: NodeJS.ProcessEnv): string {
	const source = join(ROOT, "hosts", "linux", "runner.c");
	const runner = join(output, "runner");
	if (existsSync(runner) && statSync(runner).mtimeMs > statSync(source).mtimeMs) return runner;
	const include = join(sdk.folder, "build", "simulators", "modules");
	const flags = `-O2 -Wall -Wextra -Werror -rdynamic -I"${include}" $(pkg-config --cflags gio-2.0)`;
	const libraries = "$(pkg-config --libs gio-2.0) -ldl -lpthread -lm";
	step("sh", ["-c", `${compiler} ${flags} "${source}" -o "${runner}" ${libraries}`], env);
	return runner;
}
