/** Factory data of one unit: the partition image, the label, and the command that writes the image. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Board } from "../../hosts/esp32/boards.js";
import { encodeFactoryData, type FactoryData, hostnameOf, makeSecret, SETTINGS_AT } from "../../hosts/esp32/factory.js";
import { PRODUCT } from "../../modules/product/product.js";
import type { Partition } from "./partitions.js";

/** Size of the image. It fills a whole sector, so that no old data remain in that sector. */
const SECTOR = 4096;
const ERASED = 0xff;

export function makeUnit(serial: string, board: Board): FactoryData {
	return {
		serial,
		variant: board.deviceId,
		labelPassword: makeSecret(randomBytes),
		accessPointKey: makeSecret(randomBytes),
		deviceKey: makeKey(),
	};
}

/** Makes a private key on P-256, 32 bytes. */
function makeKey(): Uint8Array {
	const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	return Buffer.from(privateKey.export({ format: "jwk" }).d!, "base64url");
}

/**
 * Makes the partition image. `settings` is a signed settings file. Throws a RangeError with a message for the user if
 * the data are invalid.
 */
export function imageOf(unit: FactoryData, settings?: Uint8Array): Uint8Array {
	const image = new Uint8Array(SECTOR).fill(ERASED);
	image.set(encodeFactoryData(unit));
	if (settings === undefined) return image;
	if (Buffer.from(settings.subarray(0, 4)).toString() !== "SMGS") throw new RangeError("This is not a settings file.");
	const room = SECTOR - SETTINGS_AT;
	if (settings.length > room)
		throw new RangeError(`The settings file has ${settings.length} bytes; the factory data have room for ${room}.`);
	image.set(settings, SETTINGS_AT);
	return image;
}

/** Makes the label. No text in its QR code needs escaping. */
export function labelOf(unit: FactoryData, board: Board): string {
	const { serial, accessPointKey, labelPassword } = unit;
	const ssid = hostnameOf(serial);
	return `${PRODUCT}, ${board.model}
Serial number  ${serial}
Wi-Fi          ${ssid}
Wi-Fi key      ${accessPointKey}
Page           http://192.168.4.1/
User           admin
Password       ${labelPassword}
QR code        WIFI:T:WPA;S:${ssid};P:${accessPointKey};;
`;
}

export interface UnitFiles {
	readonly image: string;
	readonly label: string;
}

/**
 * Writes files that only their owner can read. Throws an Error if there are already files for this serial number,
 * because their label may have been printed.
 */
export function writeUnit(folder: string, unit: FactoryData, board: Board, settings?: Uint8Array): UnitFiles {
	const files = { image: join(folder, `${unit.serial}.bin`), label: join(folder, `${unit.serial}.txt`) };
	const image = imageOf(unit, settings);
	for (const path of [files.image, files.label]) {
		if (existsSync(path)) throw new Error(`${path} exists already: unit ${unit.serial} has factory data.`);
	}
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	writeNew(files.image, image);
	try {
		writeNew(files.label, labelOf(unit, board));
	} catch (error) {
		rmSync(files.image);
		throw error;
	}
	return files;
}

/** Writes a new file. Fails if the file exists, even if another process has just created it. */
function writeNew(path: string, content: Uint8Array | string): void {
	writeFileSync(path, content, { flag: "wx", mode: 0o600 });
}

/** Returns the command that writes the image. With flash encryption, it must be run before the unit's first start. */
export function flashCommand(image: string, partition: Partition, board: Board, port: string): string {
	const offset = `0x${partition.offset.toString(16)}`;
	return `esptool --chip ${board.chip} --port ${port} write-flash ${offset} ${image}`;
}
