/**
 * Load profiles of the simulated DLMS/COSEM meter (class 7, profile generic; IEC 62056-6-2, 4.3.6), with different
 * properties:
 *
 * | code | period | rows | order | selection |
 * |---|---|---|---|---|
 * | 1-0:99.1.0 | 15 min | 400 | oldest first | entries, range |
 * | 1-0:99.2.0 | a day | 40 | newest first | entries |
 * | 1-0:98.1.0 | an hour | 60 | oldest first | range |
 * | 1-0:99.3.0 | 15 min | 5 | oldest first | none |
 *
 * k counts the rows backwards from the last one (k = 0). The time of row k is the end of the last complete period minus
 * k periods. The status of row k is 8 if k = 2, otherwise 0. Its import is 12 345 678 901 Wh - 125 Wh * k, with scaler
 * -1, and its export is 3000 kWh - k kWh. In 1-0:98.1.0 only the first row has a time.
 */
import * as Data from "./dlms-data.js";
import { type COSEMObject, codeBytes } from "./dlms-object.js";
import type { HouseholdReading } from "./household.js";
import { rowsBetween, type StoredRows } from "./steady-household.js";

const SCOPE_VIOLATED = 13;
const KILO_WATT_HOUR_SCALER = 3;
const WATT_HOUR = 30;
const SORT_FIFO = 1;
const SORT_LIFO = 2;
const BY_RANGE = 1;
const BY_ENTRIES = 2;

interface Manner {
	code: string;
	periodS: number;
	rows: number;
	isLastFirst?: boolean;
	selectors: readonly number[];
	hasNullTimes?: boolean;
}

const MANNERS: readonly Manner[] = [
	{ code: "1.0.99.1.0.255", periodS: 900, rows: 400, selectors: [BY_RANGE, BY_ENTRIES] },
	{ code: "1.0.99.2.0.255", periodS: 86_400, rows: 40, isLastFirst: true, selectors: [BY_ENTRIES] },
	{ code: "1.0.98.1.0.255", periodS: 3600, rows: 60, selectors: [BY_RANGE], hasNullTimes: true },
	{ code: "1.0.99.3.0.255", periodS: 900, rows: 5, selectors: [] },
];

interface Row {
	timeMs: number;
	status: number;
	import: number;
	export: number;
}

function rowsOf({ periodS, rows, isLastFirst }: Manner, { utcMs }: HouseholdReading): Row[] {
	const lastMs = utcMs - (utcMs % (periodS * 1000));
	const all = Array.from({ length: rows }, (_, k) => ({
		timeMs: lastMs - k * periodS * 1000,
		status: k === 2 ? 8 : 0,
		import: 123_456_789_010 - 1250 * k,
		export: 3000 - k,
	}));
	return isLastFirst ? all : all.toReversed();
}

function encode(rows: readonly Row[], zone: Data.Zone, hasNullTimes = false): Data.Encoded {
	return Data.array(
		rows.map((row, i) =>
			Data.structure(
				hasNullTimes && i > 0 ? Data.NULL_DATA : Data.octets(Data.dateTime(row.timeMs, zone)),
				Data.uint8(row.status),
				Data.uint64(BigInt(row.import)),
				Data.uint32(row.export),
			),
		),
	);
}

/** Reads a date-time as Unix ms. If it has no deviation, it is in the meter's own time zone. */
function momentOf(bytes: Buffer, zone: Data.Zone): number {
	const localMs = Date.UTC(bytes.readUInt16BE(0), bytes[2] - 1, bytes[3], bytes[5], bytes[6], bytes[7]);
	const deviation = bytes.readInt16BE(9);
	if (deviation === -0x8000) return localMs - Data.offsetAt(zone, localMs - zone.minutes * 60_000) * 60_000;
	return localMs + (zone.deviation === "swapped" ? -deviation : deviation) * 60_000;
}

function select(manner: Manner, selection: Buffer, reading: HouseholdReading, zone: Data.Zone): Row[] | number {
	const rows = rowsOf(manner, reading);
	const [selector] = selection;
	const parameters = selection.subarray(1);
	if (!manner.selectors.includes(selector)) return SCOPE_VIOLATED;
	if (selector === BY_ENTRIES) {
		const expected = "02 04 06 .. .. .. .. 06 .. .. .. .. 12 00 01 12 00 00";
		if (!matches(parameters, expected)) return SCOPE_VIOLATED;
		const last = parameters.readUInt32BE(8);
		return rows.slice(parameters.readUInt32BE(3) - 1, last === 0 ? undefined : last);
	}
	const range = rangeOf(parameters, zone);
	if (range === undefined) return SCOPE_VIOLATED;
	const [from, to] = range;
	return rows.filter(({ timeMs }) => timeMs >= from && timeMs <= to);
}

function rangeOf(parameters: Buffer, zone: Data.Zone): number[] | undefined {
	const time = "09 0c .. .. .. .. .. .. .. .. .. .. .. ..";
	if (!matches(parameters, `02 04 02 04 12 00 08 09 06 00 00 01 00 00 ff 0f 02 12 00 00 ${time} ${time} 01 00`))
		return undefined;
	return [22, 36].map((at) => momentOf(parameters.subarray(at, at + 12), zone));
}

function matches(bytes: Buffer, pattern: string): boolean {
	return new RegExp(`^${pattern.replaceAll(" ", "")}$`).test(bytes.toString("hex"));
}

function column(classId: number, code: string): Data.Encoded {
	return Data.structure(Data.uint16(classId), Data.octets(codeBytes(code)), Data.int8(2), Data.uint16(0));
}

/** Makes 1-0:99.1.0 with counters. Only ranges of time can be selected. */
export function counterProfile(stored: StoredRows, zone: Data.Zone): COSEMObject {
	const { rows, periodS = 900, isLastFirst = false } = stored;
	const columns = Data.array([
		column(8, "0.0.1.0.0.255"),
		column(1, "0.0.96.10.1.255"),
		column(3, "1.0.1.8.0.255"),
		column(3, "1.0.2.8.0.255"),
	]);
	const between = (nowMs: number, fromMs: number, toMs: number) => {
		const found = rowsBetween(stored, nowMs, fromMs, toMs).map(({ timeMs, importWh, exportWh }) =>
			Data.structure(
				Data.octets(Data.dateTime(timeMs, zone)),
				Data.uint8(0),
				Data.uint32(importWh),
				Data.uint32(exportWh),
			),
		);
		return Data.array(isLastFirst ? found.toReversed() : found);
	};
	return {
		classId: 7,
		version: 1,
		code: "1.0.99.1.0.255",
		attributes: [
			({ utcMs }) => between(utcMs, 0, utcMs),
			() => columns,
			() => Data.uint32(periodS),
			() => Data.enumeration(isLastFirst ? SORT_LIFO : SORT_FIFO),
			() => Data.structure(Data.uint16(0), Data.octets(Buffer.alloc(6)), Data.int8(0), Data.uint16(0)),
			() => Data.uint32(rows),
			() => Data.uint32(rows),
		],
		select: (selection, { utcMs }) => {
			const range = selection[0] === BY_RANGE ? rangeOf(selection.subarray(1), zone) : undefined;
			return range === undefined ? SCOPE_VIOLATED : between(utcMs, range[0], range[1]);
		},
	};
}

export function profiles(zone: Data.Zone): COSEMObject[] {
	const columns = Data.array([
		column(8, "0.0.1.0.0.255"),
		column(1, "0.0.96.10.1.255"),
		column(3, "1.0.1.29.0.255"),
		column(3, "1.0.2.29.0.255"),
	]);
	const register = (code: string, scaler: number): COSEMObject => ({
		classId: 3,
		version: 0,
		code,
		attributes: [() => Data.uint32(0), () => Data.scalerUnit(scaler, WATT_HOUR)],
	});
	return [
		register("1.0.1.29.0.255", -1),
		register("1.0.2.29.0.255", KILO_WATT_HOUR_SCALER),
		...MANNERS.map((manner): COSEMObject => {
			const { code, periodS, rows, isLastFirst, hasNullTimes } = manner;
			return {
				classId: 7,
				version: 1,
				code,
				attributes: [
					(reading) => encode(rowsOf(manner, reading), zone, hasNullTimes),
					() => columns,
					() => Data.uint32(periodS),
					() => Data.enumeration(isLastFirst ? SORT_LIFO : SORT_FIFO),
					() => Data.structure(Data.uint16(0), Data.octets(Buffer.alloc(6)), Data.int8(0), Data.uint16(0)),
					() => Data.uint32(rows),
					() => Data.uint32(rows),
				],
				select: (selection, reading) => {
					const chosen = select(manner, selection, reading, zone);
					return typeof chosen === "number" ? chosen : encode(chosen, zone, hasNullTimes);
				},
			};
		}),
	];
}
