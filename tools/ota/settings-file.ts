/** Makes signed settings files (docs/fleet.md). It uses none of the gateway's code. */
import { keyIdOf, type Signer } from "./keys.js";

export const SETTINGS_FILE_LIMIT = 4500;
const HEAD_LENGTH = 52;
const SIGNATURE_LENGTH = 64;
const ADDRESSEE = /^[!-~]{0,32}$/;

export interface SettingsFile {
	/** Text of a backup (docs/backup.md). */
	readonly settings: string;
	/** Counter of settings files, 1 to 4294967295. */
	readonly counter: number;
	/** Serial number or group for which the file is. Empty: every gateway. */
	readonly addressee: string;
	readonly signer: Signer;
}

/** Throws an Error with a message for the user if the file cannot be made. */
export function makeSettingsFile({ settings, counter, addressee, signer }: SettingsFile): Buffer {
	if (!(Number.isInteger(counter) && counter >= 1 && counter < 2 ** 32))
		throw new Error("The counter is a whole number from 1 to 4294967295.");
	if (!ADDRESSEE.test(addressee)) throw new Error("A serial number or group is at most 32 characters without blanks.");
	const text = Buffer.from(JSON.stringify(contentOf(settings)));
	const head = Buffer.alloc(HEAD_LENGTH);
	head.write("SMGS");
	head[4] = 1;
	head.writeUInt16LE(text.length, 6);
	head.writeUInt32LE(counter, 8);
	head.write(addressee, 12, "latin1");
	head.set(keyIdOf(signer.point), 44);
	const length = HEAD_LENGTH + text.length + SIGNATURE_LENGTH;
	if (length > SETTINGS_FILE_LIMIT)
		throw new Error(`The file has ${length} bytes; at most ${SETTINGS_FILE_LIMIT} are possible: remove some settings.`);
	const signed = Buffer.concat([head, text]);
	return Buffer.concat([signed, signer.sign(signed)]);
}

/** Returns true if the file has the form and length of a settings file. The signature is not checked. */
export function isSettingsFile(file: Buffer): boolean {
	const { length } = file;
	const isPossible = length > HEAD_LENGTH + SIGNATURE_LENGTH && length <= SETTINGS_FILE_LIMIT;
	return (
		isPossible &&
		file.toString("latin1", 0, 5) === "SMGS\u0001" &&
		file.readUInt16LE(6) === length - HEAD_LENGTH - SIGNATURE_LENGTH
	);
}

/** Returns only the members of the backup that a gateway reads: the form, and the settings. */
function contentOf(text: string): { backup: unknown; settings: unknown } {
	const { backup, settings } = JSON.parse(text) ?? {};
	if (backup !== 1 || typeof settings !== "object" || settings === null)
		throw new Error('This is not a backup: it lacks "backup": 1 or "settings".');
	return { backup, settings };
}
