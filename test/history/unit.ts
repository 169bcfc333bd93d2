/** A unit's history on virtual flash, in virtual time, with the test's readouts. */
import { readFileSync } from "node:fs";
import { VirtualFlash, type VirtualPartition } from "../../hosts/node/virtual-flash.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { asciiBytes } from "../../modules/bytes/ascii.js";
import { FLAG_CHANGED, FLAG_PARTIAL, FLAG_WRAPPED, REGISTER_COUNT } from "../../modules/history/entry.js";
import { History } from "../../modules/history/history.js";
import { FLAG_GAP, FLAG_INTERPOLATED, type PeriodCursor } from "../../modules/history/periods.js";
import { DataSetParser } from "../../modules/iec62056-21/dataset.js";
import { Driver } from "../../modules/io/driver.js";
import { MemoryLedger } from "../../modules/io/memory.js";
import { type Readout, STATUS_OK } from "../../modules/readout/readout.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { DAYS, HOURS, MONTHS, QUARTERS } from "../../modules/time/calendar.js";
import { TimeZone } from "../../modules/time/zone.js";
import { guard } from "../faults.js";

export const LEVELS = { quarters: QUARTERS, hours: HOURS, days: DAYS, months: MONTHS };
export type Level = keyof typeof LEVELS;

export const TABLE = new Uint8Array(readFileSync(new URL("../../../modules/resources/timezones.bin", import.meta.url)));

export const NAMES = ["import", "export", "gas", "water", "heat", "tariff2"] as const;
export type Register = (typeof NAMES)[number];
const MARKS = [
	[FLAG_PARTIAL, "partial"],
	[FLAG_INTERPOLATED, "interpolated"],
	[FLAG_GAP, "gap"],
	[FLAG_CHANGED, "changed"],
	[FLAG_WRAPPED, "wrapped"],
] as const;

export interface Period {
	readonly start: number;
	readonly end: number;
	readonly amounts: Partial<Record<Register, number>>;
	readonly marks: string;
}

export function zoneOf(name: string): TimeZone {
	const zone = new TimeZone(TABLE);
	zone.select(name);
	return zone;
}

/** Unix time in seconds of a UTC time such as `2026-11-20 06:00:00`; the end may be omitted. */
export function at(text: string): number {
	return Date.parse(`${text.replace(" ", "T")}${"2026-01-01T00:00:00".slice(text.length)}Z`) / 1000;
}

export interface Meter {
	/** The meter's identification; default: `METER`. */
	readonly id?: string;
	/** The meter's number; default: none. */
	readonly serial?: string;
	readonly status?: number;
}

/** A readout of `lines` at `timeS`. */
export function readoutOf(lines: string, timeS: number, { id = "METER", status = STATUS_OK }: Meter = {}): Readout {
	const records = new RecordWriter();
	const parser = new DataSetParser(records);
	parser.begin();
	const bytes = new Uint8Array(Buffer.from(lines, "latin1"));
	parser.receive(bytes, 0, bytes.length);
	parser.endBlock(true);
	return {
		protocol: "IEC62056-21",
		meterId: asciiBytes(id),
		mode: 0x43,
		baud: 9600,
		utcMs: timeS * 1000,
		status,
		records: records.kept ?? new Uint8Array(0),
	};
}

/** Registers in Wh and litres. */
export type Readings = Partial<Record<Register, number>>;

export function linesOf(readings: Readings, serial?: string): string {
	const thousandths = (value: number) => (value / 1000).toFixed(3).padStart(10, "0");
	let lines = serial === undefined ? "" : `0.0.0(${serial})\r\n`;
	if (readings.import !== undefined) lines += `1.8.0(${thousandths(readings.import)}*kWh)\r\n`;
	if (readings.export !== undefined) lines += `2.8.0(${thousandths(readings.export)}*kWh)\r\n`;
	if (readings.gas !== undefined) lines += `7-0:3.0.0(${thousandths(readings.gas)}*m3)\r\n`;
	if (readings.water !== undefined) lines += `8-0:1.0.0(${thousandths(readings.water)}*m3)\r\n`;
	if (readings.heat !== undefined) lines += `6-0:1.0.0(${thousandths(readings.heat)}*kWh)\r\n`;
	if (readings.tariff2 !== undefined) lines += `1.8.2(${thousandths(readings.tariff2)}*kWh)\r\n`;
	return lines;
}

export function listOf(cursor: PeriodCursor): Period[] {
	const periods: Period[] = [];
	while (cursor.next()) {
		const { startS, amounts } = cursor;
		const known: Readings = {};
		for (let i = 0; i < REGISTER_COUNT; i++) if (amounts.known & (1 << i)) known[NAMES[i]] = amounts.rises[i];
		const marks = MARKS.filter(([flag]) => amounts.flags & flag).map(([, name]) => name);
		periods.push({ start: startS, end: amounts.timeS, amounts: known, marks: marks.join(" ") });
	}
	return periods;
}

export class Unit {
	readonly flash: VirtualFlash;
	readonly storage = new VirtualStorage();
	readonly traced: string[] = [];
	zone: TimeZone;
	time = new VirtualTime();
	history!: History;

	constructor(zone = "Europe/Berlin", flash = new VirtualFlash()) {
		this.flash = flash;
		this.zone = zoneOf(zone);
		this.restart();
	}

	get partition(): VirtualPartition {
		return this.flash.open("history")!;
	}

	/** Restarts as after a power cut: only flash remains. */
	restart(): void {
		this.flash.powerUp();
		this.time = new VirtualTime();
		const driver = new Driver({ clock: this.time, timers: this.time, guard });
		const trace = (message: string) => this.traced.push(message);
		const ledger = new MemoryLedger(undefined);
		const world = { driver, storage: this.storage, trace };
		this.history = History.open({ deps: world, ledger, zone: this.zone, flash: this.flash })!;
	}

	/** Reads the meter at that time, and processes the readout completely. */
	read(timeS: number, readings: Readings, meter: Meter = {}): void {
		this.record(readoutOf(linesOf(readings, meter.serial), timeS, meter));
	}

	record(readout: Readout): void {
		this.history.whenMeasured(readout);
		this.time.advance(60_000);
	}

	periods(level: Level, fromS = 0, toS = 2 ** 32): Period[] {
		return listOf(this.history.periods(LEVELS[level], fromS, toS));
	}

	/** Sum of a register over all periods of a level. */
	sum(level: Level, register: Register = "import"): number {
		return this.periods(level).reduce((sum, { amounts }) => sum + (amounts[register] ?? 0), 0);
	}
}
