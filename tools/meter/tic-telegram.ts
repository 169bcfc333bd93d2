/**
 * Frames of TIC (télé-information client) as a Linky sends them. They were made for this project: the standard form for
 * one or three phases, and the historic form with one or two tariffs (Enedis-NOI-CPT_54E, 5.3 and 6.2;
 * Enedis-NOI-CPT_02E, 3).
 */
import { encodeCharacter } from "../../hosts/node/wire-character.js";
import type { HouseholdReading } from "./household.js";

export type TICMode = "standard" | "historic";

export const TIC_BAUD = { standard: 9600, historic: 1200 } as const;

const SERIAL = "041876543210";
const PRM = "14999999999998";
const HALF_HOUR_MS = 1_800_000;
const TEN_MINUTES_MS = 600_000;
const NO_DAY = Array(10).fill("NONUTILE").join(" ");

function whole(value: number, digits: number): string {
	return Math.max(0, Math.round(value)).toString().padStart(digits, "0");
}

/** Makes a time stamp: a letter for the season, which is always winter here, and YYMMDDhhmmss. */
function stamp(utcMs: number): string {
	return `H${new Date(utcMs).toISOString().replace(/\D/g, "").slice(2, 14)}`;
}

/** Makes a group: LF, label, data and check, CR. Only in the standard form does the check cover the last separator. */
export function ticGroup(mode: TICMode, ...fields: readonly string[]): string {
	const separator = mode === "standard" ? "\t" : " ";
	const text = fields.join(separator);
	const summed = mode === "standard" ? text + separator : text;
	const sum = [...summed].reduce((before, character) => before + character.charCodeAt(0), 0);
	return `\n${text}${separator}${String.fromCharCode((sum & 0x3f) + 0x20)}\r`;
}

function standardFields(reading: HouseholdReading): string[][] {
	const { utcMs, dayImport, nightImport, power, phases } = reading;
	const volts = phases.map((phase, i) => [`URMS${i + 1}`, whole(phase.volts, 3)]);
	const apparent = phases.map((phase) => Math.abs(phase.watts) / 0.97);
	const total = apparent.reduce((sum, one) => sum + one, 0);
	const isExport = power < 0;
	const tariffs = [nightImport, dayImport, 0, 0, 0, 0, 0, 0, 0, 0];
	return [
		["ADSC", SERIAL],
		["VTIC", "02"],
		["DATE", stamp(utcMs), ""],
		["NGTF", "H PLEINE/CREUSE "],
		["LTARF", "  HEURE  PLEINE "],
		["EAST", whole((dayImport + nightImport) * 1000, 9)],
		...tariffs.map((energy, i) => [`EASF${whole(i + 1, 2)}`, whole(energy * 1000, 9)]),
		["EAIT", whole(reading.export * 1000, 9)],
		["ERQ1", whole(reading.reactive * 1000, 9)],
		...[2, 3, 4].map((quadrant) => [`ERQ${quadrant}`, whole(0, 9)]),
		...phases.map(({ amperes }, i) => [`IRMS${i + 1}`, whole(amperes, 3)]),
		...volts,
		["PREF", "18"],
		["PCOUP", "18"],
		["SINSTS", whole(isExport ? 0 : total, 5)],
		...apparent.map((one, i) => [`SINSTS${i + 1}`, whole(isExport ? 0 : one, 5)]),
		["SMAXSN", stamp(reading.maximumMs), whole((reading.maximum * 1000) / 0.97, 5)],
		["SINSTI", whole(isExport ? total : 0, 5)],
		["CCASN", stamp(utcMs - (utcMs % HALF_HOUR_MS)), whole(power, 5)],
		["CCAIN", stamp(utcMs - (utcMs % HALF_HOUR_MS)), whole(-power, 5)],
		...volts.map(([, volt], i) => [`UMOY${i + 1}`, stamp(utcMs - (utcMs % TEN_MINUTES_MS)), volt]),
		["STGE", "003A4001"],
		["MSG1", "PAS DE          MESSAGE         "],
		["PRM", PRM],
		["RELAIS", "000"],
		["NTARF", "02"],
		["NJOURF", "00"],
		["NJOURF+1", "00"],
		["PJOURF+1", `00008002 ${NO_DAY}`],
	];
}

function historicFields({ dayImport, nightImport, power, phases }: HouseholdReading): string[][] {
	const amperes = phases.reduce((sum, phase) => sum + phase.amperes, 0);
	return [
		["ADCO", SERIAL],
		["OPTARIF", "HC.."],
		["ISOUSC", "45"],
		["HCHC", whole(nightImport * 1000, 9)],
		["HCHP", whole(dayImport * 1000, 9)],
		["PTEC", "HP.."],
		["IINST", whole(amperes, 3)],
		["IMAX", "090"],
		["PAPP", whole(power / 0.97, 5)],
		["HHPHC", "A"],
		["MOTDETAT", "000000"],
	];
}

export function ticFrame(reading: HouseholdReading, mode: TICMode): Uint8Array {
	const fields = mode === "standard" ? standardFields(reading) : historicFields(reading);
	const groups = fields.map((group) => ticGroup(mode, ...group));
	return new Uint8Array(Buffer.from(`\x02${groups.join("")}\x03`, "latin1"));
}

/** Returns the frame as it is on the line, with the parity bit of 7E1. */
export function ticTelegram(reading: HouseholdReading, mode: TICMode): Uint8Array {
	return ticFrame(reading, mode).map((character) => encodeCharacter(character));
}
