/**
 * Telegram from the P1 port of a fictitious household meter. It has text lines in 8N1, with a CRC after the `!` (DSMR
 * P1 companion standard 5.0.2, 5.2 and 6).
 */
import { stepCRC16ARC } from "../../modules/bytes/crc16-arc.js";
import type { HouseholdReading } from "./household.js";

const IDENT = "/GWS5\\2HOUSE-3P";
const SERIAL = "4757533438313531363233";
const GAS_SERIAL = "4757533438313531363234";
const MESSAGE = "Maintenance on Friday from 8 to 9";
const FIVE_MINUTES_MS = 300_000;
/** Consumption of gas, in m³ per kWh of electricity. */
const GAS_SHARE = 0.07;
/** Gas register at the start, m³. */
const GAS_M3 = 1204.5;

function timestamp(utcMs: number): string {
	return `${new Date(utcMs).toISOString().replace(/\D/g, "").slice(2, 14)}W`;
}

const fixed = (value: number, whole: number, decimals: number) =>
	value.toFixed(decimals).padStart(whole + decimals + 1, "0");

function lines(reading: HouseholdReading): string[] {
	const { utcMs, dayImport, nightImport, power, phases } = reading;
	const kilowatts = (watts: number) => `${fixed(Math.max(0, watts) / 1000, 2, 3)}*kW`;
	const each = (line: (phase: { volts: number; amperes: number; watts: number }, c: number) => string) =>
		phases.map((phase, at) => line(phase, 20 * at));
	return [
		"1-3:0.2.8(50)",
		`0-0:1.0.0(${timestamp(utcMs)})`,
		`0-0:96.1.1(${SERIAL})`,
		`1-0:1.8.1(${fixed(nightImport, 6, 3)}*kWh)`,
		`1-0:1.8.2(${fixed(dayImport, 6, 3)}*kWh)`,
		"1-0:2.8.1(000000.000*kWh)",
		`1-0:2.8.2(${fixed(reading.export, 6, 3)}*kWh)`,
		"0-0:96.14.0(0002)",
		`1-0:1.7.0(${kilowatts(power)})`,
		`1-0:2.7.0(${kilowatts(-power)})`,
		"0-0:96.7.21(00004)",
		"0-0:96.7.9(00002)",
		"1-0:99.97.0(2)(0-0:96.7.19)(251208152415W)(0000000240*s)(251208151004W)(0000000301*s)",
		...each((_, c) => `1-0:${32 + c}.32.0(00002)`),
		...each((_, c) => `1-0:${32 + c}.36.0(00000)`),
		`0-0:96.13.0(${Buffer.from(MESSAGE).toString("hex").toUpperCase()})`,
		...each(({ volts }, c) => `1-0:${32 + c}.7.0(${fixed(volts, 3, 1)}*V)`),
		...each(({ amperes }, c) => `1-0:${31 + c}.7.0(${fixed(amperes, 3, 0).slice(-3)}*A)`),
		...each(({ watts }, c) => `1-0:${21 + c}.7.0(${kilowatts(watts)})`),
		...each(({ watts }, c) => `1-0:${22 + c}.7.0(${kilowatts(-watts)})`),
		"0-1:24.1.0(003)",
		`0-1:96.1.0(${GAS_SERIAL})`,
		`0-1:24.2.1(${timestamp(utcMs - (utcMs % FIVE_MINUTES_MS))})(${fixed(GAS_M3 + dayImport * GAS_SHARE, 5, 3)}*m3)`,
	];
}

export function p1Telegram(reading: HouseholdReading): Uint8Array {
	const text = Buffer.from([IDENT, "", ...lines(reading), "!"].join("\r\n"));
	const crc = stepCRC16ARC(0, text, 0, text.length).toString(16).toUpperCase().padStart(4, "0");
	return Buffer.concat([text, Buffer.from(`${crc}\r\n`)]);
}
