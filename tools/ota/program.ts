/** The commands of `npm run ota`. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BOARDS, findBoard } from "../../hosts/esp32/boards.js";
import { HTTPS_PORT, STATE_FOLDER } from "../../hosts/node/options.js";
import { NodeTimers } from "../../hosts/node/platform.js";
import { FORMAT_8N1 } from "../../modules/io/host.js";
import { openRealPort } from "../meter/real-port.js";
import { checkFirmwareFile, type FirmwareFile, imageOf, Refusal, readFirmwareFile, type Target } from "./check.js";
import { checkImage } from "./esp-image.js";
import { findHardware, type Hardware, hardwareById, hardwareOf } from "./hardware.js";
import { commandSigner, fileSigner, PASSPHRASE, readPoint, writeKeyPair } from "./key-files.js";
import { keyIdOf, type Signer } from "./keys.js";
import { type Firmware, makeFirmwareFile } from "./make.js";
import { isSettingsFile, makeSettingsFile } from "./settings-file.js";
import { sendSettings } from "./settings-sender.js";
import { FAULTS, makeSimulatorFile } from "./simulator-file.js";
import { describeFile } from "./text.js";
import { tryUpdate } from "./try.js";

/** Size of the image that `bench` makes, bytes. It is roughly the size of a chip's firmware. */
const BENCH_SIZE = 1_500_000;
const CONSOLE_BAUD = 115_200;
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

const HELP = `Firmware files (docs/firmware-files.md) and the keys that sign them.

  npm run ota -- keygen FILE
  npm run ota -- sign --board NAME --image FILE --out FILE --key FILE [options]
  npm run ota -- bench --out FILE --key FILE --version VERSION [options]
  npm run ota -- sign-settings FILE --counter N --out FILE --key FILE [options]
  npm run ota -- send-settings FILE --port PATH
  npm run ota -- try [--state DIR] [--port N] [--password TEXT]
  npm run ota -- inspect FILE
  npm run ota -- verify FILE --public-key FILE [options]

keygen writes a private key to FILE, outside of this repository, and its public half to FILE.pub.

sign makes a firmware file from an image.
  --board NAME         the board that the image was built for
  --image FILE         the image as it is in flash
  --out FILE           the firmware file
  --key FILE           the private key (PEM); or
  --signer COMMAND     a command that signs: reads the data from standard input, and writes ECDSA on P-256 with
                       SHA-256 to standard output, as r and s (64 bytes) or in DER; and
  --public-key FILE    its public key
  --digest             the command reads the SHA-256 of the data (32 bytes) instead
  --version VERSION    version of the firmware (default: that in package.json)
  --build NUMBER       build number (default: the third number of the version)
  --security-level N   gateways of a higher level refuse the firmware (default 0)
  --plain              does not compress the image

bench makes a firmware file for npm start and npm run linux: an image that contains only its version. It accepts the
options of sign from --out on, and
  --size BYTES         size of the image (default 1500000)
  --fault NAME         fault of the image: fails (as soon as it starts), hangs, or deaf (its radio receives nothing)

sign-settings makes a signed settings file (docs/fleet.md) from a backup, or from a part of one. It accepts --out, --key,
--signer, --public-key and --digest like sign, and
  --counter N          a number that is higher than in all files before, 1 to 4294967295
  --for NAME           serial number or group of the gateways that accept it (default: all)

send-settings sends a signed settings file to a gateway over its console, such as the USB port.
  --port PATH          the serial port; no other program may use it

try updates a gateway that npm start or npm run linux runs on this computer to its next version.
  --state DIR          its state folder, which contains the key that signs (default .state)
  --port N             its HTTPS port (default 8443)
  --password TEXT      password of its user admin (default: the password on its label)

inspect shows the contents of a firmware file.

verify prints a gateway's verdict: "ok", or the code and the reason of its refusal.
  --public-key FILE    a key that may sign; can be repeated
  --revoked ID         the id of a key (16 hex digits) that may no longer sign; can be repeated
  --board NAME         the gateway's board, or bench (default: the board that the file names)
  --security-level N   security level of the gateway's present firmware (default 0)

If the file of a private key has a passphrase, put it into $${PASSPHRASE}.
Boards: ${BOARDS.map((board) => board.name).join(", ")}`;

class UsageError extends Error {}

export interface Output {
	log(text: string): void;
	error(text: string): void;
}

const OPTIONS = {
	board: { type: "string" },
	image: { type: "string" },
	out: { type: "string" },
	key: { type: "string" },
	signer: { type: "string" },
	"public-key": { type: "string", multiple: true },
	revoked: { type: "string", multiple: true },
	digest: { type: "boolean" },
	version: { type: "string" },
	build: { type: "string" },
	"security-level": { type: "string" },
	plain: { type: "boolean" },
	size: { type: "string" },
	counter: { type: "string" },
	for: { type: "string" },
	fault: { type: "string" },
	state: { type: "string" },
	port: { type: "string" },
	password: { type: "string" },
	help: { type: "boolean" },
} as const;

type OptionName = keyof typeof OPTIONS;
type Given = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>["values"];

interface Command {
	readonly takesFile: boolean;
	readonly options: readonly OptionName[];
	run(given: Given, file: string, log: Output["log"]): void | Promise<void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
	keygen: { takesFile: true, options: [], run: (_given, file, log) => keygen(file, log) },
	sign: {
		takesFile: false,
		options: [
			...(["board", "image", "out", "key", "signer", "public-key", "digest"] as const),
			...(["version", "build", "security-level", "plain"] as const),
		],
		run: (given, _file, log) => sign(given, log),
	},
	bench: {
		takesFile: false,
		options: [
			...(["out", "key", "signer", "public-key", "digest", "version", "build", "security-level", "plain"] as const),
			...(["size", "fault"] as const),
		],
		run: (given, _file, log) => bench(given, log),
	},
	"sign-settings": {
		takesFile: true,
		options: ["out", "key", "signer", "public-key", "digest", "counter", "for"],
		run: signSettings,
	},
	"send-settings": { takesFile: true, options: ["port"], run: sendFile },
	try: { takesFile: false, options: ["state", "port", "password"], run: (given, _file, log) => trial(given, log) },
	inspect: { takesFile: true, options: [], run: (_given, file, log) => inspect(file, log) },
	verify: { takesFile: true, options: ["public-key", "revoked", "board", "security-level"], run: verify },
};

function keygen(file: string, log: Output["log"]): void {
	const { privateFile, publicFile, point } = writeKeyPair(file, ROOT);
	log(
		`${privateFile}: the private key. With it, anyone can make firmware that gateways accept; keep it secret, and keep a copy.`,
	);
	log(`${publicFile}: the public key, for the build of the firmware.`);
	log(`Key id ${hex(keyIdOf(point))}`);
}

function sign(given: Given, log: Output["log"]): void {
	const board = named(findBoard, demand(given.board, "--board is missing: the board that the image was built for."));
	const imageFile = demand(given.image, "--image is missing: the image as it is in flash.");
	const options = readOptions(given, ownVersion());
	const image = readFileSync(imageFile);
	checkImage(image, board.chip);
	const { deviceId, chip, name, slotSize } = hardwareOf(board);
	if (image.length > slotSize)
		throw new Error(`${imageFile} has ${image.length} bytes; a slot of ${name} has ${slotSize}.`);
	write(makeFirmwareFile({ image, deviceId, chip, ...options }), options, log);
}

function bench(given: Given, log: Output["log"]): void {
	const options = readOptions(given, demand(given.version, "--version is missing: the version that the image states."));
	const { fault } = given;
	if (fault !== undefined && !Object.hasOwn(FAULTS, fault))
		throw new UsageError(`--fault is one of ${Object.keys(FAULTS).join(", ")}, not "${fault}".`);
	const size = whole("--size", given.size ?? String(BENCH_SIZE));
	write(makeSimulatorFile({ size, fault, ...options }), options, log);
}

function signSettings(given: Given, file: string, log: Output["log"]): void {
	const counter = whole(
		"--counter",
		demand(given.counter, "--counter is missing: a number higher than in all files before."),
	);
	const out = demand(given.out, "--out is missing: the path for the signed file.");
	const settings = readFileSync(file, "utf8");
	const made = makeSettingsFile({ settings, counter, addressee: given.for ?? "", signer: signerOf(given) });
	writeFileSync(out, made);
	log(`${resolve(out)}: ${made.length} bytes, counter ${counter}, for ${given.for ?? "every gateway"}`);
}

async function sendFile(given: Given, path: string, log: Output["log"]): Promise<void> {
	const port = demand(given.port, "--port is missing: the serial port of the gateway's console.");
	const file = readFileSync(path);
	if (!isSettingsFile(file))
		throw new Error(`${path} is not a signed settings file: make one with npm run ota -- sign-settings.`);
	const line = await openRealPort(port, FORMAT_8N1, CONSOLE_BAUD);
	try {
		log(`Sending ${file.length} bytes to ${port} …`);
		await sendSettings(line, file, new NodeTimers(), log);
		log("The gateway has applied the settings.");
	} finally {
		await line.close();
	}
}

function trial(
	{ state = STATE_FOLDER, port = String(HTTPS_PORT), password }: Given,
	log: Output["log"],
): Promise<void> {
	const number = whole("--port", port);
	if (number < 1 || number > 65_535) throw new UsageError(`--port is a number from 1 to 65535, not "${port}".`);
	return tryUpdate({ state, port: number, password }, log);
}

interface Options extends Pick<Firmware, "version" | "buildNumber" | "securityLevel" | "signer"> {
	readonly packed: boolean;
	readonly out: string;
}

function readOptions(given: Given, version: string): Options {
	const wanted = given.version ?? version;
	return {
		out: demand(given.out, "--out is missing: the path for the firmware file."),
		version: wanted,
		buildNumber: given.build === undefined ? buildOf(wanted) : whole("--build", given.build),
		securityLevel: whole("--security-level", given["security-level"] ?? "0"),
		signer: signerOf(given),
		packed: !given.plain,
	};
}

function write(file: Buffer, { out, signer, securityLevel }: Options, log: Output["log"]): void {
	const hardware = hardwareOfFile(readFirmwareFile(file));
	const parts = checkFirmwareFile(file, targetOf(hardware, { keys: [signer.point], securityLevel }));
	writeFileSync(out, file);
	log(`${resolve(out)}\n${describeFile(parts)}`);
}

function signerOf({ key, signer, digest = false, "public-key": publicKeys = [] }: Given): Signer {
	if ((key === undefined) === (signer === undefined))
		throw new UsageError("One of --key FILE and --signer COMMAND is needed.");
	if (key !== undefined) {
		if (digest || publicKeys.length > 0)
			throw new UsageError("--digest and --public-key are options for --signer only.");
		return fileSigner(key);
	}
	if (publicKeys.length !== 1)
		throw new UsageError("--signer needs one --public-key FILE: the key with which it signs.");
	return commandSigner(signer!, readPoint(publicKeys[0]), digest);
}

function inspect(path: string, log: Output["log"]): void {
	const parts = readFirmwareFile(readFileSync(path));
	log(describeFile(parts));
	imageOf(parts);
}

function verify(given: Given, path: string, log: Output["log"]): void {
	const keys = demand(given["public-key"], "--public-key is missing: a key that may sign.").map(readPoint);
	const revoked = (given.revoked ?? []).map(idOf);
	const securityLevel = whole("--security-level", given["security-level"] ?? "0");
	const chosen = given.board === undefined ? undefined : named(findHardware, given.board);
	const file = readFileSync(path);
	const hardware = chosen ?? hardwareOfFile(readFirmwareFile(file));
	const { metadata } = checkFirmwareFile(file, targetOf(hardware, { keys, revoked, securityLevel }));
	log(`ok: ${hardware.name} would install ${metadata.version}, build ${metadata.buildNumber}.`);
}

function hardwareOfFile({ metadata: { deviceId } }: FirmwareFile): Hardware {
	const hardware = hardwareById(deviceId);
	if (hardware !== undefined) return hardware;
	throw new Error(`The file is for device id ${deviceId}, which no board of this firmware has.`);
}

function targetOf({ deviceId, chip, slotSize }: Hardware, rest: Partial<Target>): Target {
	return { deviceId, chip, slotSize, keys: [], revoked: [], securityLevel: 0, ...rest };
}

function ownVersion(): string {
	return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;
}

function buildOf(version: string): number {
	const match = /^\d+\.\d+\.(\d+)/.exec(version);
	if (match === null) throw new UsageError(`The version "${version}" has no third number: --build NUMBER is needed.`);
	return Number(match[1]);
}

function named<T>(find: (name: string) => T, name: string): T {
	try {
		return find(name);
	} catch (error) {
		throw new UsageError((error as Error).message);
	}
}

function demand<T>(value: T | undefined, sentence: string): T {
	if (value === undefined) throw new UsageError(sentence);
	return value;
}

function whole(option: string, text: string): number {
	const value = Number(text);
	if (/^\d+$/.test(text) && value < 2 ** 32) return value;
	throw new UsageError(`${option} is a whole number from 0 to 4294967295, not "${text}".`);
}

function idOf(text: string): Uint8Array {
	if (/^[0-9a-f]{16}$/i.test(text)) return Buffer.from(text, "hex");
	throw new UsageError(`--revoked is the id of a key, 16 hex digits, not "${text}".`);
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function run([name, ...args]: string[], log: Output["log"]): void | Promise<void> {
	const command = Object.hasOwn(COMMANDS, name ?? "") ? COMMANDS[name] : undefined;
	if (command === undefined && name !== "--help")
		throw new UsageError(`The first word is one of ${Object.keys(COMMANDS).join(", ")}.`);
	const { given, files } = parse(args);
	if (command === undefined || given.help) {
		log(HELP);
		return;
	}
	const foreign = Object.keys(given).find((option) => !command.options.includes(option as OptionName));
	if (foreign !== undefined) throw new UsageError(`--${foreign} does not belong to ${name}.`);
	if (files.length !== Number(command.takesFile))
		throw new UsageError(command.takesFile ? `${name} takes one file.` : `"${files[0]}" is not an option.`);
	return command.run(given, files[0] ?? "", log);
}

function parse(args: string[]): { given: Given; files: string[] } {
	try {
		const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
		return { given: values, files: positionals };
	} catch (error) {
		throw new UsageError((error as Error).message);
	}
}

/**
 * Runs a command. Returns the exit code: 2 after a bad command line, 1 after a rejected file or another error. The
 * commands `try` and `send-settings` return a promise.
 */
export function main(args: string[], output: Output): number | Promise<number> {
	const failed = (error: unknown) => complain(error as Error, output);
	try {
		const going = run(args, (text) => output.log(text));
		return going === undefined ? 0 : going.then(() => 0, failed);
	} catch (error) {
		return failed(error);
	}
}

function complain(error: Error, output: Output): number {
	output.error(error instanceof Refusal ? `${error.code}: ${error.message}` : error.message);
	if (!(error instanceof UsageError)) return 1;
	output.error("npm run ota -- --help lists the commands and options.");
	return 2;
}
