/**
 * Finds the Moddable SDK by $MODDABLE, and builds firmware with it. Nothing of the SDK is part of this project: who has
 * none gets a sentence that says what to install.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Width of the machine code. With 32, slots have 16 bytes and chunks their size as on the microcontroller. */
export type Bits = 32 | 64;

export interface SDK {
	readonly folder: string;
	/** mcconfig, xsc, xsl and the others. */
	readonly tools: string;
}

/** Throws an Error with sentences for the user where there is no SDK, or its tools are not built. */
export function findSDK(folder = process.env["MODDABLE"]): SDK {
	const advice = "npm run doctor says how to get it.";
	if (!folder) throw new Error(`The Moddable SDK is needed: $MODDABLE is not set. ${advice}`);
	if (!existsSync(join(folder, "xs", "includes", "xs.h"))) {
		throw new Error(`There is no Moddable SDK in ${folder} ($MODDABLE). ${advice}`);
	}
	const tools = join(folder, "build", "bin", "lin", "release");
	if (!existsSync(join(tools, "mcconfig"))) {
		throw new Error(`The tools of the Moddable SDK in ${folder} are not built. ${advice}`);
	}
	return { folder, tools };
}

/** What makes a compiler and pkg-config work for the width. */
export interface Toolchain {
	readonly bits: Bits;
	readonly compiler: string;
	readonly environment: Readonly<Record<string, string>>;
}

/**
 * A folder with the libraries of a 32-bit Debian (i386), for a machine where they can't be installed beside its own:
 * $GATEWAY_SYSROOT32.
 */
function toolchain32(): Toolchain {
	const sysroot = process.env["GATEWAY_SYSROOT32"];
	const system = { PKG_CONFIG_LIBDIR: "/usr/lib/i386-linux-gnu/pkgconfig:/usr/share/pkgconfig" };
	if (!sysroot) return { bits: 32, compiler: "gcc -m32", environment: system };
	const libraries = ["usr/lib/i386-linux-gnu", "lib/i386-linux-gnu"].map((part) => join(sysroot, part));
	const linking = [
		`--dynamic-linker=${join(sysroot, "lib", "ld-linux.so.2")}`,
		"--disable-new-dtags",
		`-rpath=${libraries.join(":")}`,
	];
	const options = [`--sysroot=${sysroot}`, ...linking.map((option) => `-Wl,${option}`)];
	return {
		bits: 32,
		compiler: ["gcc", "-m32", ...options].join(" "),
		environment: {
			PKG_CONFIG_SYSROOT_DIR: sysroot,
			PKG_CONFIG_LIBDIR: join(libraries[0], "pkgconfig"),
		},
	};
}

const PROBE = "#include <gio/gio.h>\n#include <mbedtls/ssl.h>\nint main(void) { return g_get_monotonic_time() < 0; }\n";

/** Whether programs with GLib and Mbed TLS can be built and run at this width. */
function works({ compiler, environment }: Toolchain): boolean {
	const command = `${compiler} -x c - -o "$OUT" $(pkg-config --cflags --libs gio-2.0) -lmbedtls && "$OUT"`;
	const out = join(ROOT, ".build", "probe");
	mkdirSync(join(ROOT, ".build"), { recursive: true });
	const env = { ...process.env, ...environment, OUT: out };
	return spawnSync("sh", ["-c", command], { env, input: PROBE, stdio: ["pipe", "ignore", "ignore"] }).status === 0;
}

/** The toolchain of that width; without one given, the 32-bit one where it works. Throws with a sentence. */
export function findToolchain(bits?: Bits): Toolchain {
	const candidates: Toolchain[] = [toolchain32(), { bits: 64, compiler: "gcc", environment: {} }];
	for (const toolchain of candidates) {
		if ((bits === undefined || bits === toolchain.bits) && works(toolchain)) return toolchain;
	}
	const width = bits === undefined ? "" : `${bits}-bit `;
	throw new Error(`A ${width}C compiler with GLib and Mbed TLS is needed. npm run doctor says how to get it.`);
}

export interface Firmware {
	/** The program that runs it, and its one argument. */
	readonly runner: string;
	readonly firmware: string;
	readonly bits: Bits;
}

export interface BuildOptions {
	/** Folder of the manifest, relative to the project. */
	readonly folder: string;
	readonly bits?: Bits | undefined;
	/** More settings of make, for the manifest to refer to. */
	readonly settings?: Readonly<Record<string, string>>;
}

/** What the SDK's linker says of state in a preloaded module that ends up in RAM, and its compiler of slow natives. */
export const FORBIDDEN = /### warning|no const|not frozen|cannot optimize/;

/** Runs a step of the build; throws with all it had to say when it fails or warns. */
function step(command: string, args: string[], env: NodeJS.ProcessEnv): void {
	const result = spawnSync(command, args, { cwd: ROOT, env, encoding: "utf8", maxBuffer: 1 << 26 });
	const said = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`;
	if (result.status !== 0) throw new Error(`${said}\n${command} has failed.`);
	const warnings = said.split("\n").filter((line) => FORBIDDEN.test(line));
	if (warnings.length > 0) throw new Error(`${warnings.join("\n")}\n${command} warns: this must not be.`);
}

/** Builds the firmware of a manifest for Linux, and the program that runs it. Builds only what has changed. */
export function buildFirmware({ folder, bits, settings = {} }: BuildOptions): Firmware {
	const sdk = findSDK();
	const toolchain = findToolchain(bits);
	const output = join(ROOT, ".build", `sdk${toolchain.bits}`);
	mkdirSync(output, { recursive: true });
	const env = {
		...process.env,
		...toolchain.environment,
		...settings,
		CC: toolchain.compiler,
		LIBRARIES: "-lmbedtls -lmbedx509 -lmbedcrypto",
		MODDABLE: sdk.folder,
		PATH: `${sdk.tools}${delimiter}${process.env["PATH"]}`,
	};
	const manifest = join(ROOT, folder, "manifest.json");
	step(join(sdk.tools, "mcconfig"), ["-m", "-p", "lin", "-t", "build", "-o", output, manifest], env);
	const name = folder.split("/").at(-1)!;
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
