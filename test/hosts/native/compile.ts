/**
 * Compiles a test program of the native C with gcc and its sanitizers. Warnings are errors. SANITIZE=thread in the
 * environment selects ThreadSanitizer, which excludes the others. MBEDTLS=FOLDER selects the Mbed TLS that is installed in
 * this folder (include, lib) in place of the system's.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../../..");

const WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Wvla"];
const SANITIZE = process.env["SANITIZE"] ?? "address,undefined";
const MBEDTLS = process.env["MBEDTLS"];
/** Programs with another Mbed TLS have a folder of their own, because both kinds may be built at the same time. */
const FOLDER = join(ROOT, ".build", MBEDTLS ? "native-other-mbedtls" : "native");
const INCLUDED = MBEDTLS ? [`-I${MBEDTLS}/include`] : [];
const LINKED = MBEDTLS ? [`-L${MBEDTLS}/lib`, `-Wl,-rpath,${MBEDTLS}/lib`] : [];

export interface NativeProgram {
	/** Paths of C files from the root of the project. */
	sources: readonly string[];
	output: string;
	/** Names for -l, such as "mbedtls". Default: none. */
	libraries?: readonly string[];
}

/** Path of the compiled program; throws gcc's messages on failure. */
export function compileNative({ sources, output, libraries = [] }: NativeProgram): string {
	mkdirSync(FOLDER, { recursive: true });
	const path = join(FOLDER, output);
	// A parallel suite may be running this program, so it is built under a name of its own.
	const made = `${path}.${process.pid}`;
	const sanitizers = [`-fsanitize=${SANITIZE}`, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];
	const { status, stderr, error } = spawnSync(
		"gcc",
		["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-g", "-O1", ...WARNINGS, ...sanitizers].concat(
			[...INCLUDED, "-o", made, ...sources, "-pthread", ...LINKED],
			libraries.map((library) => `-l${library}`),
		),
		{ cwd: ROOT, encoding: "utf8" },
	);
	if (error) throw error;
	if (status !== 0) throw new Error(`gcc could not compile ${output}:\n${stderr}`);
	renameSync(made, path);
	return path;
}

function runs(command: string, ...args: string[]): boolean {
	return spawnSync(command, args, { input: "", stdio: "pipe" }).status === 0;
}

/** Reason why this computer can't test native C; undefined if it can. */
export function missingForNative(): string | undefined {
	for (const program of ["gcc", "openssl", "curl"])
		if (!runs(program, program === "openssl" ? "version" : "--version")) return `${program} is not installed`;
	if (!runs("gcc", ...INCLUDED, "-E", "-x", "c", "-include", "mbedtls/ssl.h", "-"))
		return "the headers of Mbed TLS are not installed (libmbedtls-dev)";
	return undefined;
}

/** Reports the test (in `before`, the suite) as skipped, and prints why. */
export function skipBecause(test: Mocha.Context, reason: string): void {
	console.error(`Skipped: ${reason}`);
	test.skip();
}

/** For `before`: skips the suite if there is no Moddable SDK. */
export function needSDK(hook: Mocha.Context): void {
	if (!process.env["MODDABLE"]) skipBecause(hook, "$MODDABLE names no Moddable SDK to build the firmware with");
}

/** For `before`: skips the suite if native C can't be compiled. */
export function needNative(hook: Mocha.Context): void {
	const reason = missingForNative();
	if (reason !== undefined) skipBecause(hook, reason);
}
