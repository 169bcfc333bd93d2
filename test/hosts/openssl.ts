/** Makes certificates and keys with the program `openssl`, for tests of the code that reads them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const RSA_KEYS = fileURLToPath(new URL("../../../test/hosts/rsa-keys", import.meta.url));

/** A certificate and its key, both as PEM text; the key has the form PKCS#8. */
export interface Made {
	readonly certificate: string;
	readonly key: string;
}

export interface CertificateWish {
	/** The subject in the form of `openssl req -subj`, as `/O=Home/CN=gateway`, in UTF-8. */
	readonly subject: string;
	/** Arguments of `openssl genpkey -algorithm`; by default, EC on P-256. */
	readonly algorithm?: readonly string[];
	/** The key instead of a new one. */
	readonly key?: string;
	/** Issuer; without one, the certificate is self-signed. */
	readonly issuer?: Made;
	/** Lines of the extensions section; by default, those of an end entity. */
	readonly extensions?: readonly string[];
	/** Hash of the signature; by default, OpenSSL's. */
	readonly hash?: string;
	/** Days of validity from now, by default 30; a negative number makes an expired certificate. */
	readonly days?: number;
}

export const P256 = ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"];

/** The stored key of this name, in the form PKCS#8 (rsa-keys/README.md). */
export function rsa(name: string | number): string {
	return readFileSync(join(RSA_KEYS, `${name}.pem`), "utf8");
}

/** An RSA key of 8192 bits with the longest public exponent that OpenSSL signs with. */
export const HEAVY_RSA = rsa(8192);
/** An RSA key of 3072 bits with a 2000-bit exponent: verifying its signature takes a microcontroller many seconds. */
export const SLOW_RSA = rsa(3072);
export const AUTHORITY = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"];
const END_ENTITY = ["basicConstraints=CA:FALSE"];

/** Reason why `openssl` can't be used; undefined if it can. */
export function missingOpenSSL(): string | undefined {
	return spawnSync("openssl", ["version"]).status === 0 ? undefined : "the program openssl is not installed";
}

/** Runs `openssl` in a folder with these files; returns the standard output. */
export function openssl(args: readonly string[], files: Readonly<Record<string, string | Uint8Array>> = {}): Buffer {
	const folder = mkdtempSync(join(tmpdir(), "openssl-"));
	try {
		for (const [name, contents] of Object.entries(files)) writeFileSync(join(folder, name), contents);
		const { status, stdout, stderr, error } = spawnSync("openssl", args, { cwd: folder });
		if (error) throw error;
		if (status !== 0) throw new Error(`openssl ${args.join(" ")}\n${stderr}`);
		return stdout;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

export function makeKey(algorithm: readonly string[] = P256): string {
	return openssl(["genpkey", "-algorithm", ...algorithm]).toString();
}

export function make(options: CertificateWish): Made {
	const { subject, algorithm, issuer, hash, extensions = END_ENTITY, days = 30 } = options;
	const { key = makeKey(algorithm) } = options;
	const subjectArgs = ["-subj", subject, "-utf8"];
	const files = { key, config: `[req]\ndistinguished_name=name\n[name]\n[extensions]\n${extensions.join("\n")}\n` };
	const request = openssl(["req", "-new", "-config", "config", "-key", "key", ...subjectArgs], files).toString();
	const signer = issuer ? ["-CA", "ca", "-CAkey", "cakey", "-CAcreateserial"] : ["-signkey", "key"];
	const certificate = openssl(
		[
			"x509",
			"-req",
			"-in",
			"request",
			...signer,
			...(hash === undefined ? [] : [`-${hash}`]),
			"-days",
			`${days}`,
			"-extfile",
			"config",
			"-extensions",
			"extensions",
		],
		{ ...files, request, ca: issuer?.certificate ?? "", cakey: issuer?.key ?? "" },
	).toString();
	return { certificate, key };
}

/** Converts the key to another form; `args`: the arguments of `openssl`, as `["ec"]` for SEC 1. */
export function convertKey(key: string, args: readonly string[]): string {
	return openssl([...args, "-in", "key"], { key }).toString();
}
