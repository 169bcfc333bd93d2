/**
 * Factory data of the bench's unit, made at the first start and kept in `<state>/factory.json`: what the production
 * line writes into a partition of its own on the device.
 */
import { randomBytes, randomInt } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasLabelPassword, presetNetwork } from "../../modules/app/preset.js";
import { BENCH_PASSWORD, BENCH_SSID } from "../simulated/air.js";
import type { Options } from "./options.js";
import { NodeText } from "./platform.js";
import { openState } from "./state.js";
import { FileStorage, writeFileAtomic } from "./storage.js";

const PASSWORD_LENGTH = 12;
/** Letters and digits that can't be taken for one another. */
const PASSWORD_CHARACTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

export interface FactoryData {
	/** 12 hexadecimal digits. */
	readonly serial: string;
	readonly labelPassword: string;
	/** WPA2 key of the unit's own access point. */
	readonly accessPointKey: string;
}

/**
 * The unit of the bench: its factory data and, when it is a new one that is not to be its own access point, the network
 * that it finds itself in. `say` is told what the user should know. Throws an Error with a sentence.
 */
export function openUnit(
	options: Pick<Options, "state" | "password" | "mode">,
	say: (text: string) => void,
): FactoryData {
	const { state, password, mode } = options;
	openState(state);
	const isNew = !existsSync(join(state, "factory.json"));
	const factory = loadFactoryData(state, password);
	if (password !== undefined && password !== factory.labelPassword) {
		say(`${state} has a label password already; --password is for a new one only.`);
	}
	if (isNew && mode === "client") {
		const storage = new FileStorage(join(state, "flash"));
		presetNetwork(storage, new NodeText(), { ssid: BENCH_SSID, password: BENCH_PASSWORD });
	}
	return factory;
}

/** Who can log in, for the banner. */
export function describeAccount(state: string, { labelPassword }: FactoryData): string {
	const isLabel = hasLabelPassword(new FileStorage(join(state, "flash")), new NodeText());
	if (isLabel) return `User admin, label password ${labelPassword}`;
	return `User admin, with the password that was set on the page or by the API (delete ${state} for a new unit)`;
}

/** What the banner says of the meter; one that isn't there yet may come. */
export function describeMeter(path: string, isSimulated: boolean): string {
	if (isSimulated) return `Simulated meter on ${path}`;
	return existsSync(path) ? `Meter on ${path}` : `There is nothing at ${path} yet (--meter); each readout looks again`;
}

/** Reads the data in `folder`, or makes it there, with `password` if given. Throws an Error with a sentence. */
export function loadFactoryData(folder: string, password?: string): FactoryData {
	const path = join(folder, "factory.json");
	if (existsSync(path)) return readFactoryData(path);
	// Like an address that no maker has been given: bit 1 of the first byte is set, bit 0 is not.
	const serial = `02${randomBytes(5).toString("hex")}`.toUpperCase();
	const data: FactoryData = {
		serial,
		labelPassword: password ?? makePassword(),
		accessPointKey: makePassword(),
	};
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	writeFileAtomic(path, `${JSON.stringify(data, undefined, "\t")}\n`);
	return data;
}

function readFactoryData(path: string): FactoryData {
	let data: Partial<FactoryData> | undefined;
	try {
		data = JSON.parse(readFileSync(path, "utf8"));
	} catch {}
	const { serial, labelPassword, accessPointKey } = data ?? {};
	if (typeof serial !== "string" || typeof labelPassword !== "string" || typeof accessPointKey !== "string") {
		throw new Error(`${path} is damaged: put it back, or delete it to get a new unit`);
	}
	return { serial, labelPassword, accessPointKey };
}

function makePassword(): string {
	let password = "";
	while (password.length < PASSWORD_LENGTH) password += PASSWORD_CHARACTERS[randomInt(PASSWORD_CHARACTERS.length)];
	return password;
}
