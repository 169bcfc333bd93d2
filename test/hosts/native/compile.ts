/**
 * Compiles a test program of the native C with gcc and its sanitizers, for the suites of this folder. A warning is an
 * error here. SANITIZE=thread in the environment builds for ThreadSanitizer instead (it can't go with the others).
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../../..");

const WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Wvla"];
const SANITIZE = process.env["SANITIZE"] ?? "address,undefined";

export interface NativeProgram {
	/** C files, by their paths from the root of the project. */
	sources: readonly string[];
	/** The program's name. */
	output: string;
	/** Names for -l, such as "mbedtls". */
	libraries: readonly string[];
}

/** Gives the path of the program that it made; throws what gcc said when that failed. */
export function compileNative({ sources, output, libraries }: NativeProgram): string {
	const folder = join(ROOT, ".build", "native");
	mkdirSync(folder, { recursive: true });
	const path = join(folder, output);
	// Another suite, side by side with this one, may run the program of this name at this moment.
	const made = `${path}.${process.pid}`;
	const sanitizers = [`-fsanitize=${SANITIZE}`, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];
	const { status, stderr, error } = spawnSync(
		"gcc",
		["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-g", "-O1", ...WARNINGS, ...sanitizers].concat(
			["-o", made, ...sources, "-pthread"],
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

/** Why nothing native can be tested on this machine, or undefined where it can. */
export function missingForNative(): string | undefined {
	for (const program of ["gcc", "openssl", "curl"])
		if (!runs(program, program === "openssl" ? "version" : "--version")) return `${program} is not installed`;
	if (!runs("gcc", "-E", "-x", "c", "-include", "mbedtls/ssl.h", "-"))
		return "the headers of Mbed TLS are not installed (libmbedtls-dev)";
	return undefined;
}

/** Reports the test, or in `before` the whole suite, as skipped by name, and says why. */
export function skipBecause(test: Mocha.Context, reason: string): void {
	console.error(`Skipped: ${reason}`);
	test.skip();
}

/** For `before`: skips the suite where nothing native can be compiled. */
export function needNative(hook: Mocha.Context): void {
	const reason = missingForNative();
	if (reason !== undefined) skipBecause(hook, reason);
}
