/**
 * A fictitious three-phase household with solar panels. It has a daily load curve, import and export, and registers
 * that change with time. The codes of its values are those of European household meters (IEC 62056-61), in a block of
 * IEC 62056-21.
 */
import { frame, type MeterMode, type Telegram } from "./telegram.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Step of the integration. After a pause of more than a week, only the last week is integrated (STEPS_LIMIT). */
const STEP_MS = 5 * 60_000;
const STEPS_LIMIT = (7 * DAY_MS) / STEP_MS;
export const SERIAL = "48151623";
export const FIRMWARE = "1.04";
const IDENT = "GWS?HOUSE-3P";
const PHASES = [0, 1, 2];

export interface HouseholdOptions {
	/** Unix time at which `nowMs` is 0. Hours of the day are in UTC. */
	utcMs: number;
	mode: MeterMode;
	/** Speed that Z announces: 300, 600 … 19200. In modes A and D none is announced. */
	baud: number;
	/** Text after `/`, of which Z replaces the fourth character. Default: `GWS?HOUSE-3P`. */
	ident?: string;
	/** Returns further lines at the end of the block, such as a load profile. */
	more?: (nowMs: number) => readonly string[];
	/** Returns the values at a time. If omitted, the values follow the daily load curve. */
	readingAt?: (utcMs: number) => HouseholdReading;
}

export interface HouseholdReading {
	utcMs: number;
	/** Energies in kWh, or in kvarh for reactive energy. */
	dayImport: number;
	nightImport: number;
	export: number;
	reactive: number;
	/** Highest mean power of a quarter hour, kW. The next member is its time. */
	maximum: number;
	maximumMs: number;
	/** Power in W. It is negative if solar power exceeds the load. */
	power: number;
	frequency: number;
	phases: { volts: number; amperes: number; watts: number }[];
}

export function baudCharacterFor(baud: number, mode: MeterMode): string | undefined {
	const index = [300, 600, 1200, 2400, 4800, 9600, 19200].indexOf(baud);
	if (mode === "C") return "0123456"[index];
	return mode === "B" ? " ABCDEF"[index]?.trim() || undefined : "X";
}

export class Household {
	readonly #options: HouseholdOptions;
	readonly #z: string;
	#countedMs: number;
	/** Energy registers, kWh. */
	#dayImport = 8421.337;
	#nightImport = 4150.902;
	#export = 3276.118;
	#reactive = 1904.5;
	#maximum = 0;
	#maximumMs: number;

	/** Throws an Error with a message for the user if the mode does not support the speed. */
	constructor(options: HouseholdOptions) {
		const z = baudCharacterFor(options.baud, options.mode);
		if (z === undefined) throw new Error(`Mode ${options.mode} has no baud rate character for ${options.baud}.`);
		this.#options = options;
		this.#z = z;
		this.#countedMs = options.utcMs;
		this.#maximumMs = options.utcMs;
	}

	reading(nowMs: number): HouseholdReading {
		const utcMs = this.#options.utcMs + nowMs;
		const { readingAt } = this.#options;
		if (readingAt !== undefined) return readingAt(utcMs);
		this.#countUpTo(utcMs);
		return {
			utcMs,
			dayImport: this.#dayImport,
			nightImport: this.#nightImport,
			export: this.#export,
			reactive: this.#reactive,
			maximum: this.#maximum,
			maximumMs: this.#maximumMs,
			power: totalPower(utcMs),
			frequency: 50 + 0.02 * Math.sin(utcMs / 47_000),
			phases: PHASES.map((phase) => {
				const volts = voltage(phase, utcMs);
				const watts = phasePower(phase, utcMs);
				return { volts, amperes: Math.abs(watts) / (volts * 0.97), watts };
			}),
		};
	}

	telegram(nowMs: number): Telegram {
		const sets = [...lines(this.reading(nowMs)), ...(this.#options.more?.(nowMs) ?? [])];
		const block = Buffer.from(`${sets.join("\r\n")}\r\n!\r\n`);
		const ident = this.#options.ident ?? IDENT;
		const opening = Buffer.from(`/${ident.slice(0, 3)}${this.#z}${ident.slice(4)}\r\n`, "latin1");
		if (this.#options.mode === "D") return { opening, slash: 0, message: Buffer.concat([Buffer.from("\r\n"), block]) };
		return { opening, slash: 0, message: frame(block) };
	}

	#countUpTo(utcMs: number): void {
		this.#countedMs = Math.max(this.#countedMs, utcMs - STEPS_LIMIT * STEP_MS);
		while (this.#countedMs < utcMs) {
			const stepMs = Math.min(STEP_MS, utcMs - this.#countedMs);
			const power = totalPower(this.#countedMs + stepMs / 2);
			const energy = (Math.abs(power) / 1000) * (stepMs / HOUR_MS);
			this.#countedMs += stepMs;
			if (power < 0) this.#export += energy;
			else if (isNight(this.#countedMs)) this.#nightImport += energy;
			else this.#dayImport += energy;
			this.#reactive += energy * 0.12;
			if (power / 1000 > this.#maximum) {
				this.#maximum = power / 1000;
				this.#maximumMs = this.#countedMs;
			}
		}
	}
}

function lines(reading: HouseholdReading): string[] {
	const now = new Date(reading.utcMs).toISOString();
	const total = reading.power;
	const maximum = new Date(reading.maximumMs).toISOString();
	const sets = [
		"F.F(00000000)",
		`0.0.0(${SERIAL})`,
		`0.9.1(${now.slice(11, 19)})`,
		`0.9.2(${now.slice(2, 10)})`,
		`1.8.0(${fixed(reading.dayImport + reading.nightImport, 6, 3)}*kWh)`,
		`1.8.1(${fixed(reading.dayImport, 6, 3)}*kWh)`,
		`1.8.2(${fixed(reading.nightImport, 6, 3)}*kWh)`,
		`2.8.0(${fixed(reading.export, 6, 3)}*kWh)`,
		`3.8.0(${fixed(reading.reactive, 6, 3)}*kvarh)`,
		"0.1.0(11)",
		"1.8.0*11(012103.441)",
		"2.8.0*11(003180.270)",
		`1.6.0(${fixed(reading.maximum, 2, 3)}*kW)(${stamp(maximum)})`,
		`1.7.0(${fixed(Math.max(total, 0) / 1000, 2, 3)}*kW)`,
		`2.7.0(${fixed(Math.max(-total, 0) / 1000, 2, 3)}*kW)`,
		`16.7.0(${fixed(total / 1000, 2, 3)}*kW)`,
		`14.7.0(${fixed(reading.frequency, 2, 2)}*Hz)`,
	];
	for (const [phase, { volts, amperes, watts }] of reading.phases.entries()) {
		sets.push(
			`${32 + 20 * phase}.7.0(${fixed(volts, 3, 1)}*V)`,
			`${31 + 20 * phase}.7.0(${fixed(amperes, 3, 2)}*A)`,
			`${36 + 20 * phase}.7.0(${fixed(watts / 1000, 2, 3)}*kW)`,
		);
	}
	sets.push(`0.2.0(${FIRMWARE})`);
	return sets;
}

function fixed(value: number, digits: number, places: number): string {
	const text = Math.abs(value)
		.toFixed(places)
		.padStart(digits + 1 + places, "0");
	return value < 0 && Number(text) !== 0 ? `-${text}` : text;
}

function stamp(iso: string): string {
	return iso.slice(2, 16).replace(/\D/g, "");
}

function isNight(utcMs: number): boolean {
	const hour = (utcMs % DAY_MS) / HOUR_MS;
	return hour < 6 || hour >= 22;
}

function around(utcMs: number, hour: number, width: number): number {
	const distance = (utcMs % DAY_MS) / HOUR_MS - hour;
	return Math.exp(-((distance / width) ** 2));
}

function phasePower(phase: number, utcMs: number): number {
	const fridge = Math.sin(utcMs / 540_000 + phase * 2) > 0.3 ? 90 : 0;
	const breakfast = [350, 1400, 200][phase] * around(utcMs, 7, 0.8);
	const dinner = [1900, 700, 1200][phase] * around(utcMs, 18.5, 1.4);
	const sun = -1650 * around(utcMs, 12.5, 2.6);
	const flicker = 25 * Math.sin(utcMs / 3100 + phase) + 11 * Math.sin(utcMs / 710 + phase * 5);
	return 110 + fridge + breakfast + dinner + sun + flicker;
}

function totalPower(utcMs: number): number {
	return PHASES.reduce((sum, phase) => sum + phasePower(phase, utcMs), 0);
}

function voltage(phase: number, utcMs: number): number {
	return 230.5 + 1.8 * Math.sin(utcMs / 61_000 + phase * 2.1) - phasePower(phase, utcMs) / 1500;
}
