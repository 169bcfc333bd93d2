/**
 * Objects of the simulated meter, by the interface classes of IEC 62056-6-2 (1 data, 3 register, 4 extended register, 5
 * demand register, 7 profile, 8 clock, 15 association, 17 SAP assignment, 64 security setup).
 */
import * as Data from "./dlms-data.js";
import { type Attribute, type COSEMObject, codeBytes } from "./dlms-object.js";
import { counterProfile, profiles } from "./dlms-profiles.js";
import { FIRMWARE, SERIAL } from "./household.js";
import type { StoredRows } from "./steady-household.js";

export const ACCESS_DENIED = 3;
export const OBJECT_UNDEFINED = 4;
export const CLASS_INCONSISTENT = 9;
export const OBJECT_UNAVAILABLE = 11;

const WATT = 27;
const WATT_HOUR = 30;
const VAR_HOUR = 32;
const AMPERE = 33;
const VOLT = 35;
const HERTZ = 44;
const NO_UNIT = 255;
const PERIOD_SECONDS = 900;
/** Logical device name, 16 characters. */
export const DEVICE_NAME = `GWS00000${SERIAL}`;
export const ASSOCIATION_CODE = "0.0.40.0.0.255";
export const COUNTER_CODE = "0.0.43.1.0.255";

export interface ObjectOptions {
	zone: Data.Zone;
	/** Counters that the rows of 1-0:99.1.0 contain instead of the usual values. */
	stored?: StoredRows;
	/** True if rare but permitted types are used: floats, 64 bits, null data, text, a clock with its own tag. */
	oddTypes?: boolean;
	counter: () => number;
}

/** Makes a register: the value, followed by scaler and unit. */
function register(code: string, value: Attribute, scaler: number, unit: number): COSEMObject {
	return { classId: 3, version: 0, code, attributes: [value, () => Data.scalerUnit(scaler, unit)] };
}

function data(code: string, value: Attribute): COSEMObject {
	return { classId: 1, version: 0, code, attributes: [value] };
}

const wattHours = (kilo: number) => Data.uint32(Math.round(kilo * 1000));
const watts = (value: number) => Data.uint32(Math.round(Math.max(value, 0)));

function clock({ zone, oddTypes }: ObjectOptions): COSEMObject {
	const never = Buffer.from("ffffffffffffffffff8000ff", "hex");
	const time = (utcMs: number) => Data.dateTime(utcMs, zone);
	const encode = oddTypes ? Data.tagged : Data.octets;
	return {
		classId: 8,
		version: 0,
		code: "0.0.1.0.0.255",
		attributes: [
			({ utcMs }) => encode(time(utcMs)),
			() => Data.int16(time(0).readInt16BE(9)),
			() => Data.uint8(0),
			() => Data.octets(never),
			() => Data.octets(never),
			() => Data.int8(60),
			() => Data.boolean(false),
			() => Data.enumeration(1),
		],
	};
}

function demands({ zone }: ObjectOptions): COSEMObject[] {
	const capture: Attribute = ({ utcMs }) => Data.octets(Data.dateTime(utcMs - (utcMs % (PERIOD_SECONDS * 1000)), zone));
	return [
		{
			classId: 4,
			version: 0,
			code: "1.0.1.6.0.255",
			attributes: [
				({ maximum }) => watts(maximum * 1000),
				() => Data.scalerUnit(0, WATT),
				() => Data.uint8(0),
				({ maximumMs }) => Data.octets(Data.dateTime(maximumMs, zone)),
			],
		},
		{
			classId: 5,
			version: 0,
			code: "1.0.1.4.0.255",
			attributes: [
				({ power }) => watts(power),
				({ power }) => watts(power * 0.9),
				() => Data.scalerUnit(0, WATT),
				() => Data.uint8(0),
				capture,
				capture,
				() => Data.uint32(PERIOD_SECONDS),
				() => Data.uint16(1),
			],
		},
	];
}

function phases(): COSEMObject[] {
	return [0, 1, 2].flatMap((phase) => [
		register(`1.0.${32 + 20 * phase}.7.0.255`, (r) => Data.uint16(Math.round(r.phases[phase].volts * 10)), -1, VOLT),
		register(
			`1.0.${31 + 20 * phase}.7.0.255`,
			(r) => Data.uint16(Math.round(r.phases[phase].amperes * 100)),
			-2,
			AMPERE,
		),
		register(`1.0.${36 + 20 * phase}.7.0.255`, (r) => Data.int32(Math.round(r.phases[phase].watts)), 0, WATT),
	]);
}

function oddRegisters(): COSEMObject[] {
	const micro = (kilo: number) => BigInt(Math.round(kilo * 1000)) * 1_000_000_000n + 7n;
	return [
		data("0.0.96.1.0.255", () => Data.uint32(Number(SERIAL))),
		register("1.0.1.8.0.255", (r) => Data.uint64(micro(r.dayImport + r.nightImport)), -9, WATT_HOUR),
		register("1.0.1.8.1.255", (r) => Data.int64(-micro(r.dayImport)), -9, WATT_HOUR),
		register("1.0.1.8.2.255", (r) => Data.uint16(Math.floor(r.nightImport)), 3, WATT_HOUR),
		register("1.0.1.7.0.255", (r) => Data.float32(Math.max(r.power, 0)), 0, WATT),
		register("1.0.2.7.0.255", (r) => Data.float64(Math.max(-r.power, 0) / 1000), 3, WATT),
		register("1.0.16.7.0.255", (r) => Data.visible((r.power / 1000).toFixed(3)), 3, WATT),
		register("1.0.14.7.0.255", (r) => Data.int16(Math.round(r.frequency * 100)), -2, NO_UNIT),
		register("1.0.32.7.0.255", (r) => Data.uint8(Math.round(r.phases[0].volts)), 0, VOLT),
		register("1.0.52.7.0.255", () => Data.NULL_DATA, 0, VOLT),
		register("1.0.72.7.0.255", () => Data.bcd(23), 1, VOLT),
		register("1.0.31.7.0.255", (r) => Data.int8(Math.round(r.phases[0].amperes)), 0, AMPERE),
		register("1.0.51.7.0.255", (r) => Data.enumeration(Math.round(r.phases[1].amperes)), 0, AMPERE),
		register("1.0.71.7.0.255", (r) => Data.octets(Buffer.of(0xca, Math.round(r.phases[2].amperes))), 0, AMPERE),
		data("0.0.96.5.0.255", () => Data.bitString("10110")),
		data("0.0.96.5.1.255", () => Data.boolean(true)),
		data("0.0.96.5.2.255", () => Data.utf8("Zähler")),
		data("0.0.96.5.3.255", () => Data.structure(Data.uint8(1), Data.array([Data.visible("a"), Data.NULL_DATA]))),
	];
}

/**
 * Returns all objects except the association, which lists them. If two objects have the same code, only the first
 * remains. With `oddTypes` this is the object with a rare type.
 */
export function householdObjects(options: ObjectOptions): COSEMObject[] {
	const objects = [
		...(options.oddTypes ? oddRegisters() : []),
		clock(options),
		data("0.0.42.0.0.255", () => Data.octets(Buffer.from(DEVICE_NAME))),
		data("0.0.96.1.0.255", () => Data.octets(Buffer.from(SERIAL))),
		data("1.0.0.2.0.255", () => Data.visible(FIRMWARE)),
		data("1.0.0.1.0.255", () => Data.uint8(11)),
		data(COUNTER_CODE, () => Data.uint32(options.counter())),
		register("1.0.1.8.0.255", (r) => wattHours(r.dayImport + r.nightImport), 0, WATT_HOUR),
		register("1.0.1.8.1.255", (r) => wattHours(r.dayImport), 0, WATT_HOUR),
		register("1.0.1.8.2.255", (r) => wattHours(r.nightImport), 0, WATT_HOUR),
		register("1.0.2.8.0.255", (r) => wattHours(r.export), 0, WATT_HOUR),
		register("1.0.3.8.0.255", (r) => wattHours(r.reactive), 0, VAR_HOUR),
		...demands(options),
		register("1.0.1.7.0.255", (r) => watts(r.power), 0, WATT),
		register("1.0.2.7.0.255", (r) => watts(-r.power), 0, WATT),
		register("1.0.16.7.0.255", (r) => Data.int32(Math.round(r.power)), 0, WATT),
		register("1.0.14.7.0.255", (r) => Data.uint16(Math.round(r.frequency * 100)), -2, HERTZ),
		...phases(),
		...(options.stored === undefined ? [] : [counterProfile(options.stored, options.zone)]),
		...profiles(options.zone),
	];
	return objects.filter(({ code }, i) => objects.findIndex((other) => other.code === code) === i);
}

export function objectList(objects: readonly COSEMObject[]): Data.Encoded {
	return Data.array(
		objects.map(({ classId, version, code, attributes }) => {
			const rights = ["", ...attributes].map((_, i) =>
				Data.structure(Data.int8(i + 1), Data.enumeration(1), Data.NULL_DATA),
			);
			return Data.structure(
				Data.uint16(classId),
				Data.uint8(version),
				Data.octets(codeBytes(code)),
				Data.structure(Data.array(rights), Data.array([])),
			);
		}),
	);
}
