/**
 * Telegrams that a household's meter sends by itself, made for this project: the data-notification of
 * DLMS/COSEM (IEC 62056-5-3) in HDLC, in M-Bus (IEC 62056-7-3) or in the wrapper (IEC 62056-47). SML is in sml-telegram.ts.
 */
import { makeFrame } from "./hdlc-frame.js";
import type { HouseholdReading } from "./household.js";

export type PushFraming = "hdlc" | "mbus" | "wrapper";

const UNIT_WH = 30;
const UNIT_W = 27;

/** Code, unit, power of ten, whole number. */
type Value = readonly [obis: readonly number[], unit: number, scaler: number, value: number];

function valuesOf({ dayImport, nightImport, export: exported, power }: HouseholdReading): Value[] {
	return [
		[[1, 0, 1, 8, 0, 255], UNIT_WH, -1, Math.round((dayImport + nightImport) * 10_000)],
		[[1, 0, 2, 8, 0, 255], UNIT_WH, -1, Math.round(exported * 10_000)],
		[[1, 0, 16, 7, 0, 255], UNIT_W, 0, Math.round(power)],
	];
}

/** A data-notification: its time, then code, value, scaler and unit of each. */
function notification(reading: HouseholdReading): Buffer {
	const now = new Date(reading.utcMs);
	const year = now.getUTCFullYear();
	const date = [year >> 8, year & 0xff, now.getUTCMonth() + 1, now.getUTCDate(), now.getUTCDay() || 7];
	const time = [now.getUTCHours(), now.getUTCMinutes(), now.getUTCSeconds(), 0xff, 0, 0, 0];
	const values = valuesOf(reading);
	const entries = values.map(([obis, unit, scaler, value]) => {
		const bytes = Buffer.alloc(4);
		bytes.writeInt32BE(value);
		const scalerUnit = [0x02, 2, 0x0f, scaler & 0xff, 0x16, unit];
		return Buffer.from([0x02, 3, 0x09, obis.length, ...obis, 0x05, ...bytes, ...scalerUnit]);
	});
	return Buffer.concat([
		Buffer.of(0x0f, 0x00, 0x00, 0x00, 0x01, 12, ...date, ...time, 0x01, values.length),
		...entries,
	]);
}

/** A data-notification as it is on the line. */
export function dlmsTelegram(reading: HouseholdReading, framing: PushFraming): Uint8Array {
	const apdu = notification(reading);
	if (framing === "wrapper") {
		return Buffer.concat([Buffer.of(0, 1, 0, 1, 0, 0x66, apdu.length >> 8, apdu.length & 0xff), apdu]);
	}
	if (framing === "mbus") {
		const body = Buffer.concat([Buffer.of(0x53, 0xff, 0x10, 0x01, 0x67), apdu]);
		const sum = body.reduce((all, one) => (all + one) & 0xff, 0);
		return Buffer.concat([Buffer.of(0x68, body.length, body.length, 0x68), body, Buffer.of(sum, 0x16)]);
	}
	return makeFrame({
		isSegmented: false,
		destination: Buffer.of(0x41),
		source: Buffer.of(0x08, 0x83),
		control: 0x13,
		information: Buffer.concat([Buffer.of(0xe6, 0xe7, 0x00), apdu]),
	});
}
