/** Finds the Moddable SDK through $MODDABLE, and a compiler for it. The SDK is not part of this project. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Steps of the build that do not use our transformations. "all" includes "linker". */
export type Plainness = "" | "linker" | "all";

/**
 * Returns the steps. With `linker`, the output of the SDK's linker stays unchanged. With `all`, names and functions in
 * the script stay unchanged too.
 */
export function plainness(): Plainness {
	const word = process.env["GATEWAY_PLAIN"] ?? "";
	if (word === "" || word === "linker" || word === "all") return word;
	throw new Error(`GATEWAY_PLAIN is "linker" or "all", not "${word}".`);
}

/**
 * Returns $PATH for mcconfig and its makefiles, which also need $MODDABLE. The `xsl` in it is our own program, which
 * calls the SDK's linker and reduces its output (link.ts).
 */
export function pathWith({ folder, tools }: SDK): string {
	if (plainness() !== "") return [tools, process.env["PATH"] ?? ""].join(delimiter);
	const own = join(ROOT, ".build", "sdk-tools");
	mkdirSync(own, { recursive: true });
	const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;
	const script = fileURLToPath(new URL("link.js", import.meta.url));
	// Builds may run in parallel, so the text of this file must be the same for every SDK.
	const linker = `"$MODDABLE"/${quoted(relative(folder, join(tools, "xsl")))}`;
	const commands = `${linker} "$@" && exec ${quoted(process.execPath)} ${quoted(script)} "$@"`;
	writeFileSync(join(own, "xsl"), `#!/bin/sh\n${commands}\n`, { mode: 0o755 });
	return [own, tools, process.env["PATH"] ?? ""].join(delimiter);
}

/** Width of the build. With 32 bits, slots have 16 bytes, and chunks have the same size as on the microcontroller. */
export type Bits = 32 | 64;

export interface SDK {
	readonly folder: string;
	/** Folder of the SDK's tools: mcconfig, xsc, xsl and others. */
	readonly tools: string;
}

/** Throws an Error with a message for the user if the SDK is missing or its tools are not built. */
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

export interface Toolchain {
	readonly bits: Bits;
	readonly compiler: string;
	readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns the 32-bit toolchain. $GATEWAY_SYSROOT32 is a folder with 32-bit Debian libraries (i386), for computers on
 * which they cannot be installed.
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

function works({ compiler, environment }: Toolchain): boolean {
	const command = `${compiler} -x c - -o "$OUT" $(pkg-config --cflags --libs gio-2.0) -lmbedtls && "$OUT"`;
	// Each process has a file of its own, because a program that runs can't be replaced.
	const out = join(ROOT, ".build", `probe-${process.pid}`);
	mkdirSync(join(ROOT, ".build"), { recursive: true });
	const env = { ...process.env, ...environment, OUT: out };
	const { status } = spawnSync("sh", ["-c", command], { env, input: PROBE, stdio: ["pipe", "ignore", "ignore"] });
	rmSync(out, { force: true });
	return status === 0;
}

/** Returns the toolchain. By default this is the 32-bit one if it works. */
export function findToolchain(bits?: Bits): Toolchain {
	const candidates: Toolchain[] = [toolchain32(), { bits: 64, compiler: "gcc", environment: {} }];
	for (const toolchain of candidates) {
		if ((bits === undefined || bits === toolchain.bits) && works(toolchain)) return toolchain;
	}
	const width = bits === undefined ? "" : `${bits}-bit `;
	throw new Error(`A ${width}C compiler with GLib and Mbed TLS is needed. npm run doctor says how to get it.`);
}

/**
 * Returns true for a line that makes a build fail: a warning of the SDK's linker about state of a preloaded module in
 * RAM, of the SDK's compiler about slow natives, or of the C compiler about a file in hosts/.
 */
export function isForbidden(line: string): boolean {
	return /### warning|no const|not frozen|cannot optimize/.test(line) || OWN_C_WARNING.test(line);
}

const OWN_C_WARNING = /(?:^|[\s/])hosts\/[\w./-]+\.[ch]:\d+:(?:\d+:)? warning:/;
