/**
 * Unsolicited telegrams of the fictitious household: the data-notification of DLMS/COSEM (IEC 62056-5-3) in HDLC, M-Bus
 * (IEC 62056-7-3) or the wrapper (IEC 62056-47), and the ciphered P1 telegram.
 */
import { type Keys, protect } from "./dlms-cipher.js";
import type { HouseholdReading } from "./household.js";
import { p1Telegram } from "./p1-telegram.js";
import { blockPush, hdlcPush, mbusPush } from "./push-frames.js";

/** Framing of the APDU. `p1` means without frames: the deciphered text is a P1 telegram (Luxembourg's Smarty). */
export type PushFraming = "hdlc" | "mbus" | "wrapper" | "p1";

const UNIT_WH = 30;
const UNIT_W = 27;

type Value = readonly [obis: readonly number[], unit: number, scaler: number, value: number];

function valuesOf({ dayImport, nightImport, export: exported, power }: HouseholdReading): Value[] {
	return [
		[[1, 0, 1, 8, 0, 255], UNIT_WH, -1, Math.round((dayImport + nightImport) * 10_000)],
		[[1, 0, 2, 8, 0, 255], UNIT_WH, -1, Math.round(exported * 10_000)],
		[[1, 0, 16, 7, 0, 255], UNIT_W, 0, Math.round(power)],
	];
}

/**
 * Returns a data-notification. After its time it contains code, value, scaler and unit of each object, or only a list
 * of values.
 */
function notification(reading: HouseholdReading, isNameless: boolean): Buffer {
	const now = new Date(reading.utcMs);
	const year = now.getUTCFullYear();
	const date = [year >> 8, year & 0xff, now.getUTCMonth() + 1, now.getUTCDate(), now.getUTCDay() || 7];
	const time = [now.getUTCHours(), now.getUTCMinutes(), now.getUTCSeconds(), 0xff];
	const head = Buffer.of(0x0f, 0x00, 0x00, 0x00, 0x01, 12, ...date, ...time, 0, 0, 0);
	if (isNameless) return Buffer.concat([head, namelessList(reading, date, time)]);
	const values = valuesOf(reading);
	const entries = values.map(([obis, unit, scaler, value]) => {
		const bytes = Buffer.alloc(4);
		bytes.writeInt32BE(value);
		const scalerUnit = [0x02, 2, 0x0f, scaler & 0xff, 0x16, unit];
		return Buffer.from([0x02, 3, 0x09, obis.length, ...obis, 0x05, ...bytes, ...scalerUnit]);
	});
	return Buffer.concat([head, Buffer.of(0x01, values.length), ...entries]);
}

const LIST_CODE = [0, 6, 25, 9, 0, 255];
const METER_NUMBER = Buffer.from("1121273201353");

/**
 * Makes the list of an AM550 in Carinthia: code of the list, meter number, time, date, 4 energies, 2 powers, 2
 * messages.
 */
function namelessList(
	{ dayImport, nightImport, export: exported, reactive, power }: HouseholdReading,
	date: readonly number[],
	time: readonly number[],
): Buffer {
	const energies = [dayImport + nightImport, exported, reactive, 0].map((kWh) => kWh * 1000);
	const numbers = [...energies, Math.max(power, 0), Math.max(-power, 0)].map((value) => {
		const bytes = Buffer.of(0x06, 0, 0, 0, 0);
		bytes.writeUInt32BE(Math.round(value), 1);
		return bytes;
	});
	const texts = [LIST_CODE, METER_NUMBER, time, date].map((text) => Buffer.of(0x09, text.length, ...text));
	return Buffer.concat([Buffer.of(0x02, 12), ...texts, ...numbers, Buffer.of(0x09, 0, 0x09, 0)]);
}

export interface PushForm {
	readonly framing: PushFraming;
	readonly size?: number;
	readonly isInBlocks?: boolean;
	readonly isNameless?: boolean;
	/** Ciphering. Default: plain text. `isDedicated` selects general-ded instead of general-glo. */
	readonly protection?: {
		readonly keys: Keys;
		readonly title: Uint8Array;
		readonly control: number;
		readonly isDedicated: boolean;
	};
}

function pushedAPDU(reading: HouseholdReading, form: PushForm, counter: number, hasWrongTag: boolean): Uint8Array {
	const plain = form.framing === "p1" ? p1Telegram(reading) : notification(reading, form.isNameless ?? false);
	if (form.protection === undefined) return plain;
	const { keys, title, control, isDedicated } = form.protection;
	const body = protect(keys, { title, counter }, control, plain);
	if (hasWrongTag) body[body.length - 1] ^= 1;
	const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
	return Buffer.concat([Buffer.of(isDedicated ? 0xdc : 0xdb, title.length), title, Buffer.of(...length), body]);
}

export function dlmsTelegram(reading: HouseholdReading, form: PushForm, counter = 0, hasWrongTag = false): Uint8Array {
	const { framing, size, isInBlocks = false } = form;
	const apdu = pushedAPDU(reading, form, counter, hasWrongTag);
	if (framing === "p1") return apdu;
	if (framing === "wrapper") {
		return Buffer.concat([Buffer.of(0, 1, 0, 1, 0, 0x66, apdu.length >> 8, apdu.length & 0xff), apdu]);
	}
	if (framing === "mbus") return mbusPush(apdu, size);
	return isInBlocks ? blockPush(apdu, size ?? 100) : hdlcPush(apdu, size);
}
