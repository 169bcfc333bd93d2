/**
 * Factory data of the bench's unit, made at the first start and kept in `<state>/factory.json`: what the production
 * line writes into a partition of its own on the device.
 */
import { randomBytes, randomInt } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "./storage.js";

const PASSWORD_LENGTH = 12;
/** Letters and digits that can't be taken for one another. */
const PASSWORD_CHARACTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

export interface FactoryData {
	/** 12 hexadecimal digits. */
	readonly serial: string;
	readonly labelPassword: string;
}

/** Reads the data in `folder`, or makes it there, with `password` if given. Throws an Error with a sentence. */
export function loadFactoryData(folder: string, password?: string): FactoryData {
	const path = join(folder, "factory.json");
	if (existsSync(path)) return readFactoryData(path);
	// Like an address that no maker has been given: bit 1 of the first byte is set, bit 0 is not.
	const serial = `02${randomBytes(5).toString("hex")}`.toUpperCase();
	const data: FactoryData = { serial, labelPassword: password ?? makePassword() };
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	writeFileAtomic(path, `${JSON.stringify(data, undefined, "\t")}\n`);
	return data;
}

function readFactoryData(path: string): FactoryData {
	let data: Partial<FactoryData> | undefined;
	try {
		data = JSON.parse(readFileSync(path, "utf8"));
	} catch {}
	if (typeof data?.serial !== "string" || typeof data.labelPassword !== "string") {
		throw new Error(`${path} is damaged: put it back, or delete it to get a new unit`);
	}
	return { serial: data.serial, labelPassword: data.labelPassword };
}

function makePassword(): string {
	let password = "";
	while (password.length < PASSWORD_LENGTH) password += PASSWORD_CHARACTERS[randomInt(PASSWORD_CHARACTERS.length)];
	return password;
}
