/**
 * Firmware files: zigpy (library of Home Assistant's ZHA, from PyPI) reads them, and a key in a security module signs
 * them.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkFirmwareFile } from "../../tools/ota/check.js";
import { CONTENT_AT, MANUFACTURER } from "../../tools/ota/format.js";
import { commandSigner, readPoint } from "../../tools/ota/key-files.js";
import { makeFirmwareFile } from "../../tools/ota/make.js";
import { FIRMWARE } from "../tools/ota-firmware.js";
import { TRIXIE } from "./debian.js";
import { PeerMissing, run } from "./peer.js";

/** The environment with zigpy, and the file's path inside the Debian. */
const [ENVIRONMENT, FILE] = ["zha", "/file.ota"];

export const prepareZigpy = () => TRIXIE.install(ENVIRONMENT);

async function readByZigpy(packed: boolean): Promise<void> {
	const file = makeFirmwareFile({ ...FIRMWARE, packed });
	writeFileSync(join(TRIXIE.root, FILE), file);
	const [command, ...args] = TRIXIE.script(ENVIRONMENT, "read_ota.py");
	assert.deepEqual(JSON.parse(await run(command, [...args, FILE])), {
		manufacturer: MANUFACTURER,
		imageType: FIRMWARE.deviceId,
		fileVersion: FIRMWARE.buildNumber,
		name: "<'smart-meter-gw 1.2.3-release'>",
		elements: [
			[0xf001, 220],
			[packed ? 0xf002 : 0, file.length - CONTENT_AT],
		],
		rest: 0,
		isSame: true,
	});
}

export const zigpyCases = [
	{ name: "reads a packed firmware file", run: () => readByZigpy(true) },
	{ name: "reads a plain firmware file", run: () => readByZigpy(false) },
];

const LIBRARIES = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so"];
const PIN = "1234";

interface Module {
	readonly folder: string;
	/** Options with which `pkcs11-tool` finds the token. */
	readonly token: readonly string[];
	readonly publicKey: string;
}

/** A token with a P-256 key that can't be exported. */
export async function prepareModule(): Promise<Module> {
	const folder = mkdtempSync(join(tmpdir(), "token-"));
	writeFileSync(join(folder, "softhsm2.conf"), `directories.tokendir = ${folder}\n`);
	// Inherited by the signer's programs.
	process.env["SOFTHSM2_CONF"] = join(folder, "softhsm2.conf");
	process.env["PIN"] = PIN;
	await run("softhsm2-util", ["--init-token", "--free", "--label", "gateway", "--pin", PIN, "--so-pin", PIN]);
	const token = ["--module", findLibrary(), "--token-label", "gateway"];
	const make = ["--keypairgen", "--key-type", "EC:prime256v1", "--label", "firmware", "--id", "01"];
	await run("pkcs11-tool", [...token, "--login", "--pin", PIN, ...make]);
	const der = join(folder, "public.der");
	await run("pkcs11-tool", [...token, "--read-object", "--type", "pubkey", "--id", "01", "-o", der]);
	const publicKey = join(folder, "public.pem");
	await run("openssl", ["pkey", "-pubin", "-inform", "DER", "-in", der, "-out", publicKey]);
	return { folder, token, publicKey };
}

function findLibrary(): string {
	const path = LIBRARIES.find((one) => existsSync(one));
	if (path === undefined) throw new PeerMissing("libsofthsm2.so is in none of the folders of Debian's softhsm2");
	return path;
}

export async function endModule({ folder }: Module): Promise<void> {
	rmSync(folder, { recursive: true });
}

async function signByModule({ token, publicKey }: Module, format: string): Promise<void> {
	const how = [
		"--login",
		"--pin",
		"env:PIN",
		"--sign",
		"--mechanism",
		"ECDSA",
		"--id",
		"01",
		"--signature-format",
		format,
	];
	const signer = commandSigner(["pkcs11-tool", ...token, ...how].join(" "), readPoint(publicKey), true);
	const { deviceId, chip } = FIRMWARE;
	const target = {
		deviceId,
		chip,
		slotSize: FIRMWARE.image.length,
		keys: [signer.point],
		revoked: [],
		securityLevel: 0,
	};
	const { metadata } = checkFirmwareFile(makeFirmwareFile({ ...FIRMWARE, signer }), target);
	assert.equal(metadata.version, FIRMWARE.version);
}

export const moduleCases = [
	{ name: "a signature of r and s is accepted", run: (module: Module) => signByModule(module, "rs") },
	{ name: "a signature in DER is accepted", run: (module: Module) => signByModule(module, "openssl") },
];
