/** Factory data of the simulator's unit (`<state>/factory.json`). */
import { randomBytes, randomInt } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasLabelPassword, presetHub, presetNetwork, unreadableSettings } from "../../modules/app/preset.js";
import { BENCH_PASSWORD, BENCH_SSID } from "../simulated/air.js";
import type { Options } from "./options.js";
import { NodeText } from "./platform.js";
import { openState } from "./state.js";
import { FileStorage, writeFileAtomic } from "./storage.js";

const FILE = "factory.json";
/** Version of a file that does not state a version. */
const VERSION = 1;
const PASSWORD_LENGTH = 12;
/** Characters of passwords. Characters that are easily confused are left out. */
const PASSWORD_CHARACTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

export interface FactoryData {
	/** 12 hexadecimal digits. */
	readonly serial: string;
	readonly labelPassword: string;
	readonly accessPointKey: string;
}

/**
 * Opens the simulator's unit in the state folder. In client mode, a new unit gets the bench network. `say` is called
 * with messages for the user. Throws an Error with a message for the user.
 */
export function openUnit(
	options: Pick<Options, "state" | "password" | "mode">,
	say: (text: string) => void,
): FactoryData {
	const { state, password, mode } = options;
	openState(state);
	const isNew = !existsSync(join(state, FILE));
	if (isNew && hasSettings(state)) {
		throw new Error(`${state} has settings, but no ${FILE}: restore the file, or delete ${state} to get a new unit.`);
	}
	const factory = loadFactoryData(state, password);
	checkSettings(state);
	if (password !== undefined && password !== factory.labelPassword) {
		say(`${state} already has a label password; --password sets only that of a new unit.`);
	}
	if (isNew && mode === "client") {
		presetNetwork(flashOf(state), new NodeText(), { ssid: BENCH_SSID, password: BENCH_PASSWORD });
	}
	return factory;
}

function flashOf(state: string): FileStorage {
	return new FileStorage(join(state, "flash"));
}

function hasSettings(state: string): boolean {
	const flash = join(state, "flash");
	return existsSync(flash) && readdirSync(flash).length > 0;
}

/**
 * Throws an Error with a message for the user if settings are unreadable. A device would discard them. The simulator
 * stops instead, because its user may have a copy of the files.
 */
function checkSettings(state: string): void {
	const keys = unreadableSettings(flashOf(state), new NodeText());
	if (keys.length === 0) return;
	const files = keys.map((key) => join(state, "flash", key)).join(", ");
	throw new Error(
		`Settings can't be read, since they are damaged or were written by a newer version of this program: ${files}. ` +
			"Restore these files from a copy, or use the newer version. If you delete a file, its settings, including the password, return to those of a new unit.",
	);
}

/** Makes the unit read its meter each minute and send to this hub. Throws an Error with a message for the user. */
export function setHub(state: string, hub: { readonly url: string; readonly token: string }): void {
	if (!presetHub(flashOf(state), new NodeText(), hub))
		throw new Error(`${state} does not accept the settings of the hub.`);
}

export function describeAccount(state: string, { labelPassword }: FactoryData): string {
	const isLabel = hasLabelPassword(flashOf(state), new NodeText());
	if (isLabel) return `User admin, label password ${labelPassword}`;
	return `User admin, with the password that was set on the page or by the API (delete ${state} for a new unit)`;
}

/**
 * Describes the signal that presses the button. The process id is named because the signal opens a debugger in npm's
 * own process.
 */
export function describeButton(): string {
	return `A short press of its button: kill -USR1 ${process.pid}`;
}

export function describeCable(stateFolder: string): string {
	const file = join(stateFolder, "cable.txt");
	return `Pull its network cable: echo out > ${file}; plug it in again: echo in > ${file}`;
}

export function describeCoordinator(port: string): string {
	return `Simulated Zigbee network; a coordinator connects to ${port}: npm run coordinator`;
}

/** Describes where the meter is. A missing path is not an error, because the device may be plugged in later. */
export function describeMeter(path: string, isSimulated: boolean): string {
	if (isSimulated) return `Simulated meter on ${path}`;
	return existsSync(path) ? `Meter on ${path}` : `${path} does not exist yet (--meter); each readout tries again`;
}

/**
 * Returns the factory data in the folder. If there are none, makes them, with `password` if given. Throws an Error with
 * a message for the user.
 */
export function loadFactoryData(folder: string, password?: string): FactoryData {
	const path = join(folder, FILE);
	if (existsSync(path)) return readFactoryData(path, folder);
	// The serial number is a locally administered MAC address: bit 1 of the first byte is set, bit 0 is not.
	const serial = `02${randomBytes(5).toString("hex")}`.toUpperCase();
	const data: FactoryData = {
		serial,
		labelPassword: password ?? makePassword(),
		accessPointKey: makePassword(),
	};
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	writeFileAtomic(path, `${JSON.stringify({ version: VERSION, ...data }, undefined, "\t")}\n`);
	return data;
}

function readFactoryData(path: string, folder: string): FactoryData {
	let data: (Partial<FactoryData> & { version?: unknown }) | undefined;
	try {
		data = JSON.parse(readFileSync(path, "utf8"));
	} catch {}
	const { version = VERSION, serial, labelPassword, accessPointKey } = data ?? {};
	if (Number.isInteger(version) && (version as number) > VERSION) {
		throw new Error(
			`${path} was written by a newer version of this program (format ${version}; this program reads ${VERSION}): use the newer version, or name another folder with --state.`,
		);
	}
	const texts = [serial, labelPassword, accessPointKey];
	if (version !== VERSION || texts.some((text) => typeof text !== "string")) {
		throw new Error(`${path} is damaged: restore it from a copy, or delete ${folder} to get a new unit.`);
	}
	return { serial, labelPassword, accessPointKey } as FactoryData;
}

function makePassword(): string {
	let password = "";
	while (password.length < PASSWORD_LENGTH) password += PASSWORD_CHARACTERS[randomInt(PASSWORD_CHARACTERS.length)];
	return password;
}
