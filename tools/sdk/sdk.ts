/**
 * Finds the Moddable SDK by $MODDABLE, and a compiler for it. Nothing of the SDK is part of this project; without an
 * SDK a sentence says what to install.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Parts of a firmware that are built as written; each value includes the one before. */
export type Plainness = "" | "linker" | "all";

/**
 * By $GATEWAY_PLAIN: with `linker` the SDK's linker has the last word, with `all` the script's names and functions stay what
 * they are, too. Larger, and nothing of ours stands between a fault and its cause. Throws an Error for another word.
 */
export function plainness(): Plainness {
	const word = process.env["GATEWAY_PLAIN"] ?? "";
	if (word === "" || word === "linker" || word === "all") return word;
	throw new Error(`GATEWAY_PLAIN is "linker" or "all", not "${word}".`);
}

/**
 * $PATH with the SDK's tools, for mcconfig and the makefiles that it writes; they need $MODDABLE as well. Their linker is one
 * of ours, which calls the SDK's and then makes smaller what that has written (link.ts).
 */
export function pathWith({ folder, tools }: SDK): string {
	if (plainness() !== "") return [tools, process.env["PATH"] ?? ""].join(delimiter);
	const own = join(ROOT, ".build", "sdk-tools");
	mkdirSync(own, { recursive: true });
	const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;
	const script = fileURLToPath(new URL("link.js", import.meta.url));
	// Equal for every SDK, because builds may run side by side.
	const linker = `"$MODDABLE"/${quoted(relative(folder, join(tools, "xsl")))}`;
	const commands = `${linker} "$@" && exec ${quoted(process.execPath)} ${quoted(script)} "$@"`;
	writeFileSync(join(own, "xsl"), `#!/bin/sh\n${commands}\n`, { mode: 0o755 });
	return [own, tools, process.env["PATH"] ?? ""].join(delimiter);
}

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

/** Settings of compiler and pkg-config for the word width. */
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

/** Returns true if programs with GLib and Mbed TLS can be built and run at this width. */
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

/**
 * Whether a build that prints this line fails: the SDK's linker warns of state in a preloaded module that ends up in RAM, its
 * compiler of slow natives, or the C compiler of a file in hosts/. Warnings of C that is not ours are let through.
 */
export function isForbidden(line: string): boolean {
	return /### warning|no const|not frozen|cannot optimize/.test(line) || OWN_C_WARNING.test(line);
}

const OWN_C_WARNING = /(?:^|[\s/])hosts\/[\w./-]+\.[ch]:\d+:(?:\d+:)? warning:/;
