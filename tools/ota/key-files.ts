/**
 * Reads and writes the files of firmware keys, and runs external programs that sign. Private keys must be outside the
 * repository.
 */
import { spawnSync } from "node:child_process";
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { derSignature, isSignature, keySigner, pointOf, type Signer } from "./keys.js";

/** Environment variable with the passphrase of a private key. If it is set, a new private key is encrypted with it. */
export const PASSPHRASE = "OTA_KEY_PASSPHRASE";

export interface KeyPair {
	readonly privateFile: string;
	readonly publicFile: string;
	readonly point: Uint8Array;
}

/**
 * Writes a new key pair as PEM. PATH gets the private key (PKCS#8), which only its owner can read. PATH.pub gets the
 * public key (SPKI). If a file exists or is in `repository`, throws an Error with a message for the user and writes
 * nothing.
 */
export function writeKeyPair(path: string, repository: string): KeyPair {
	const [privateFile, publicFile] = [path, `${path}.pub`].map((name) => resolve(name));
	const folder = dirname(privateFile);
	if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
	if (isInside(join(realpathSync(folder), basename(privateFile)), realpathSync(repository)))
		throw new Error(`${privateFile} is in the repository, where a private key might be committed by mistake.`);
	for (const file of [privateFile, publicFile])
		if (existsSync(file)) throw new Error(`${file} exists already; a key is never overwritten.`);
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const passphrase = process.env[PASSPHRASE];
	const protection = passphrase ? { cipher: "aes-256-cbc", passphrase } : {};
	writeFileSync(privateFile, privateKey.export({ type: "pkcs8", format: "pem", ...protection }), {
		flag: "wx",
		mode: 0o600,
	});
	try {
		writeFileSync(publicFile, publicKey.export({ type: "spki", format: "pem" }), { flag: "wx", mode: 0o644 });
	} catch (error) {
		rmSync(privateFile);
		throw error;
	}
	return { privateFile, publicFile, point: pointOf(publicKey) };
}

function isInside(path: string, folder: string): boolean {
	const way = relative(folder, path);
	return way !== ".." && !way.startsWith(`..${sep}`);
}

export function fileSigner(path: string): Signer {
	return keySigner(readPrivateKey(path));
}

export function readPrivateKey(path: string): KeyObject {
	return readKey(path, (key) => createPrivateKey({ key, passphrase: process.env[PASSPHRASE] ?? "" }));
}

/** Returns the public point of the key in a PEM file, which may also be a private key. */
export function readPoint(path: string): Uint8Array {
	return pointOf(readKey(path, (key) => createPublicKey(key)));
}

function readKey(path: string, parse: (pem: Buffer) => KeyObject): KeyObject {
	const content = readFileSync(path);
	try {
		return parse(content);
	} catch (error) {
		// About one in 250 wrong passphrases gives valid padding. OpenSSL then reports only that it cannot decode the key.
		if (content.includes("ENCRYPTED"))
			throw new Error(`The key in ${path} has a passphrase: put it into $${PASSPHRASE}.`);
		throw new Error(`${path} contains no readable key (${(error as Error).message}).`);
	}
}

/**
 * Makes a signer that runs an external command in the shell. The command gets the message, or with `digest` the SHA-256
 * of the message, on standard input. It prints r and s (64 bytes) or their DER form.
 */
export function commandSigner(command: string, point: Uint8Array, digest: boolean): Signer {
	return {
		point,
		sign(message) {
			const input = digest ? createHash("sha256").update(message).digest() : message;
			const { status, signal, stdout } = spawnSync(command, {
				shell: true,
				input,
				stdio: ["pipe", "pipe", "inherit"],
			});
			if (status !== 0) throw new Error(`The signer ended with ${signal ?? `exit code ${status}`}: ${command}`);
			for (const signature of [stdout, derSignature(stdout)])
				if (signature !== undefined && isSignature(point, message, signature)) return signature;
			throw new Error(
				`The signer's output (${stdout.length} bytes) is not a signature by the key of --public-key, neither r and s nor DER.`,
			);
		},
	};
}
