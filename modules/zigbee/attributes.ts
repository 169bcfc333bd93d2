/**
 * Attributes of the gateway's endpoint, and their values in the units of the attributes. The clusters are:
 *
 *   0000 Basic                   description of the device
 *   0001 Power Configuration     on boards with room for battery cells
 *   0003 Identify
 *   0702 Metering                kWh and kW, both with three decimal places (ZCL revision 8, 10.4)
 *   0B04 Electrical Measurement  only if voltage or current is mapped: 0.1 V, 0.01 A, 1 W (ZCL revision 8, 4.9)
 *
 * If voltage, current or active power is missing from cluster 0B04, Zigbee2MQTT fails to configure reports. So all
 * three always exist in it; if one is not mapped, its value is 0.
 *
 * If a value is unknown, it has the number that marks unknown values of its type. An unknown counter can't be read at
 * all, because clients disagree on this number (Zigbee2MQTT would show 281 TWh). A counter never expires. A momentary
 * value expires with those of the readout (meter/value-age.ts), or after FRESH_MS if newer readouts lack it.
 */
import { equalConstantTime } from "../bytes/equal.js";
import type { HostInfo, TextCodec } from "../io/host.js";
import { isMapped, pairOf } from "../obis/mapping.js";
import { meterNumberOf } from "../readout/meter-number.js";
import { ENERGY, POWER, Quantities, VOLTAGE } from "../readout/quantities.js";
import { hasAllTariffs, type Readout } from "../readout/readout.js";
import { digitsOf } from "../time/date.js";
import { numberSize, putNumber } from "./zcl.js";

const DAY_MS = 86_400_000;
const POWER_CONFIGURATION = 0x0001;
export const IDENTIFY = 0x0003;
const METERING = 0x0702;
const ELECTRICAL = 0x0b04;

/** Sources of values. The last byte of a row in TABLE is a source. A source of 0 to 127 is itself the value. */
const MANUFACTURER = 0x80;
const MODEL = 0x81;
const BUILT = 0x82;
const SERIAL = 0x83;
const VERSION = 0x84;
const METER_SERIAL = 0x85;
const IDENTIFY_TIME = 0x86;
const SUPPLY = 0x87;
const CELLS = 0x88;
const THOUSAND = 0x89;
const FORMATTING = 0x8a;
/** Source of the first reportable value; the index in `values` is added to it. */
const VALUES = 0x90;

export const METER_STATUS = 0;
const DEMAND = 3;
const FIRST_MOMENTARY = DEMAND;
const LAST_PAIR = 5;
const ACTIVE_POWER = 6;
const BATTERY_VOLTS = 7;
const BATTERY_PERCENT = 8;
export const VALUE_COUNT = 9;
/** Offset in `values` of the data of reports.ts, which has REPORTED_WIDTH numbers per value. */
export const REPORTED_WIDTH = 6;
export const REPORTED_AT = VALUE_COUNT + LAST_PAIR + 1;
export const REPORTED_SIZE = VALUE_COUNT * REPORTED_WIDTH;

/** Length of a row in TABLE, hex digits. Rows are ascending: cluster (2 bytes), attribute (2), type, source. */
const ROW = 12;
const TABLE =
	"000000002008" + // ZCL version: 8
	"000000012001" + // application version
	"000000022003" + // stack version: Z-Stack 3
	"000000032001" + // hardware version
	"000000044280" +
	"000000054281" +
	"000000064282" + // date code
	"000000073087" +
	"0000000d4283" +
	"000040004284" + // software build
	"0000fffd2103" + // cluster revision, the same attribute in all clusters
	"000100202097" + // battery voltage, 0.1 V
	"000100212098" + // remaining battery charge, half per cent
	"000100313003" + // battery size: AA
	"000100332088" + // number of cells
	"00010034200f" + // rated voltage of a cell: 1.5 V
	"0001fffd2101" +
	"000300002186" + // remaining seconds of identification
	"0003fffd2101" +
	"070200002591" +
	"070200012592" +
	"070202001890" +
	"070203003000" + // unit: kWh, kW
	"070203012201" +
	"070203022289" +
	"07020303188a" + // formatting of energy
	"07020304188a" + // formatting of power
	"070203061800" + // type of meter: electricity
	"070203084185" + // serial number of the meter
	"070204002a93" +
	"0702fffd2102" +
	"0b0400001b09" + // measurement type: active power, phase A
	"0b0405052194" +
	"0b0405082195" +
	"0b04050b2996" + // copy of the power above
	"0b0406002101" + // multiplier and divisor of voltage
	"0b040601210a" +
	"0b0406022101" + // multiplier and divisor of current
	"0b0406032164" +
	"0b0406042101" + // multiplier and divisor of power
	"0b0406052101" +
	"0b04fffd2101";

/**
 * Prefix of the model. Without it, Zigbee2MQTT and ZHA would take a device that has the name of a board for a
 * coordinator or router.
 */
const MODEL_PREFIX = "Meter gateway ";
const NAME_LIMIT = 32;
const SHORT_LIMIT = 16;
const SERIAL_LIMIT = 24;

/** Formatting: 3 digits after the decimal point, 15 before it, no leading zeros. */
const FORMATTING_VALUE = 0xfb;
/** Power source: batteries, or a DC supply such as USB. */
const SUPPLY_BATTERY = 3;
const SUPPLY_DC = 4;

const STATUS_CHECK_METER = 1;
const STATUS_LOW_BATTERY = 2;
const LOW_BATTERY = 10;

export const FRESH_MS = 900_000;

/** Largest values that are sent: of u48, i24 and u16, below the number that means "unknown"; of i16, the maximum. */
const ENERGY_LIMIT = 2 ** 48 - 2;
const DEMAND_LIMIT = 0x7fffff;
const U16_LIMIT = 0xfffe;
const ACTIVE_POWER_LIMIT = 0x7fff;
const DEMAND_UNKNOWN = -0x800000;
const ACTIVE_POWER_UNKNOWN = -0x8000;
const U16_UNKNOWN = 0xffff;

/**
 * Values of groups in OBIS codes (IEC 62056-6-1): C and D of momentary power (import, export, import minus export), D
 * of counters, and the highest E of tariffs.
 */
const POWER_IMPORT = 1;
const POWER_EXPORT = 2;
const POWER_NET = 16;
const MOMENTARY = 7;
const COUNTER = 8;
const LAST_TARIFF = 9;

export interface AttributesOptions {
	readonly info: HostInfo;
	readonly text: TextCodec;
	readonly cells: number;
	/** Map from OBIS codes to attributes (obis/mapping.ts). It is read again for each readout. */
	readonly map: Uint8Array;
}

export class Attributes {
	readonly #options: AttributesOptions;
	#mapped = 0;
	/**
	 * Values in their attributes' units, by index (NaN if unknown), then the monotonic times of the last readings, by
	 * pair, then the data of reports.ts. They share one array, to save XS slots.
	 */
	readonly values = new Float64Array(REPORTED_AT + REPORTED_SIZE);
	/** Identification of the meter in the last good readout since the map was changed. */
	#meterId: Uint8Array | undefined;
	#meterSerial: Uint8Array | undefined;
	/** Time at which the device stops identifying itself, monotonic ms; Infinity if it is not identifying. */
	identifyUntilMs = Number.POSITIVE_INFINITY;

	constructor(options: AttributesOptions) {
		this.#options = options;
		this.values.fill(Number.NaN, BATTERY_VOLTS, VALUE_COUNT);
		this.mapChanged();
	}

	get hasMeasured(): boolean {
		return this.#meterId !== undefined;
	}

	get clusters(): readonly number[] {
		const all = this.#options.cells > 0 ? [0, POWER_CONFIGURATION, IDENTIFY, METERING] : [0, IDENTIFY, METERING];
		if (this.isElectrical) all.push(ELECTRICAL);
		return all;
	}

	private get isElectrical(): boolean {
		return this.#mapped >> (LAST_PAIR - 1) > 0;
	}

	mapChanged(): void {
		const { map } = this.#options;
		this.#mapped = 0;
		for (let pair = 1; pair <= LAST_PAIR; pair++) if (isMapped(map, pair)) this.#mapped |= 1 << pair;
		for (let pair = 1; pair <= LAST_PAIR; pair++) this.setUnknown(pair);
		this.values[ACTIVE_POWER] = this.isElectrical ? ACTIVE_POWER_UNKNOWN : Number.NaN;
		this.#meterId = undefined;
	}

	setReadout(readout: Readout, nowMs: number): void {
		const { records, meterId } = readout;
		const { text, map } = this.#options;
		const quantities = new Quantities(readout);
		const { code } = quantities;
		let pairsWithValue = 0;
		let imported = Number.NaN;
		let exported = Number.NaN;
		/** Sums of the tariff registers in Wh, by pair; NaN if there are no tariffs. */
		const sums = [Number.NaN, Number.NaN, Number.NaN];
		for (let i = 0; i < quantities.count; i++) {
			const kind = quantities.kindOf(i);
			if (kind !== ENERGY && kind < POWER) continue;
			if (quantities.isUnconfirmed(i)) continue;
			quantities.seek(i);
			const { c } = code;
			const pair = pairOf(code, map);
			if (pair > 0) {
				if (pairsWithValue & (1 << pair) || kind !== kindOf(pair)) continue;
				pairsWithValue |= 1 << pair;
				this.put(pair, rounded(quantities.value(text, pair < DEMAND ? 3 : pair - DEMAND)), nowMs);
			} else if (kind === ENERGY) {
				const { d, e } = code;
				// A tariff register counts towards 1.8.0 or 2.8.0.
				if (d !== COUNTER || e < 1 || e > LAST_TARIFF || !hasAllTariffs(readout)) continue;
				code.e = 0;
				const total = pairOf(code, map);
				code.e = e;
				if (total === 0 || total >= DEMAND) continue;
				sums[total] = (sums[total] || 0) + rounded(quantities.value(text, 3));
			} else if (kind === POWER && code.d === MOMENTARY && (c === POWER_IMPORT || c === POWER_EXPORT)) {
				code.c = POWER_NET;
				const isPart = pairOf(code, map) === DEMAND;
				code.c = c;
				if (!isPart) continue;
				const value = rounded(quantities.value(text, 3));
				if (c === POWER_IMPORT) imported = value;
				else exported = value;
			}
		}
		for (let pair = 1; pair < DEMAND; pair++)
			if ((pairsWithValue & (1 << pair)) === 0 && !Number.isNaN(sums[pair])) this.put(pair, sums[pair], nowMs);
		const net = imported - exported;
		if ((pairsWithValue & (1 << DEMAND)) === 0 && !Number.isNaN(net))
			this.put(DEMAND, rounded(String(net / 1000)), nowMs);
		if (this.#meterId === undefined || !equalConstantTime(this.#meterId, meterId)) {
			this.#meterId = meterId;
			this.#meterSerial = meterNumberOf(records) ?? meterId;
		}
		this.values[METER_STATUS] &= ~STATUS_CHECK_METER;
		this.expireValues(nowMs);
	}

	/** `isOld`: true if all momentary values are too old. */
	meterFailed(isOld: boolean, nowMs: number): void {
		this.values[METER_STATUS] |= STATUS_CHECK_METER;
		this.expireValues(isOld ? Number.POSITIVE_INFINITY : nowMs);
	}

	setBattery(volts: number, percent: number): void {
		const { values } = this;
		values[BATTERY_VOLTS] = Math.min(Math.round(volts * 10), 0xfe);
		values[BATTERY_PERCENT] = percent * 2;
		values[METER_STATUS] =
			(values[METER_STATUS] & STATUS_CHECK_METER) | (percent < LOW_BATTERY ? STATUS_LOW_BATTERY : 0);
	}

	find(cluster: number, id: number): number {
		return this.clusters.includes(cluster) ? rowOf(digits(cluster) + digits(id)) : -1;
	}

	/**
	 * Returns the row after `row` in the same cluster, or the cluster's first row if `row` is -1. Returns -1 after the
	 * last row.
	 */
	next(cluster: number, row: number): number {
		if (row < 0) return this.clusters.includes(cluster) ? rowOf(digits(cluster)) : -1;
		return TABLE.startsWith(digits(cluster), row + ROW) ? row + ROW : -1;
	}

	idOf(row: number): number {
		return field(row, 4, 4);
	}

	typeOf(row: number): number {
		return field(row, 8, 2);
	}

	/** Returns the index in `values`. It is negative if the attribute is not reportable. */
	valueOf(row: number): number {
		return field(row, 10, 2) - VALUES;
	}

	isWritable(row: number): boolean {
		return field(row, 10, 2) === IDENTIFY_TIME;
	}

	/** Writes the value, which needs up to 33 bytes. Returns the end, or -1 if the value is unknown. */
	write(row: number, into: Uint8Array, at: number, nowMs: number): number {
		const { info, text, cells } = this.#options;
		const source = field(row, 10, 2);
		let value = source >= VALUES ? this.values[source - VALUES] : source;
		switch (source) {
			case MANUFACTURER:
				return putBytes(text.encode(info.manufacturer), NAME_LIMIT, into, at);
			case MODEL:
				return putBytes(text.encode(MODEL_PREFIX + info.model), NAME_LIMIT, into, at);
			case SERIAL:
				return putBytes(text.encode(info.serial), NAME_LIMIT, into, at);
			case VERSION:
				return putBytes(text.encode(info.firmwareVersion), SHORT_LIMIT, into, at);
			case BUILT: {
				const day = digitsOf(Math.floor(info.builtUtcMs / DAY_MS));
				return putBytes(text.encode(String(day)), SHORT_LIMIT, into, at);
			}
			case METER_SERIAL:
				return putBytes(this.#meterSerial ?? new Uint8Array(0), SERIAL_LIMIT, into, at);
			case IDENTIFY_TIME:
				value = this.identifyUntilMs < Infinity ? Math.max(0, Math.ceil((this.identifyUntilMs - nowMs) / 1000)) : 0;
				break;
			case SUPPLY:
				value = cells > 0 ? SUPPLY_BATTERY : SUPPLY_DC;
				break;
			case CELLS:
				value = cells;
				break;
			case THOUSAND:
				value = 1000;
				break;
			case FORMATTING:
				value = FORMATTING_VALUE;
		}
		return Number.isNaN(value) ? -1 : putNumber(into, at, numberSize(this.typeOf(row)), value);
	}

	/** Stores a value, limited to the range of its type. */
	private put(pair: number, value: number, nowMs: number): void {
		const limit = pair < DEMAND ? ENERGY_LIMIT : pair === DEMAND ? DEMAND_LIMIT : U16_LIMIT;
		this.values[pair] = Math.min(limit, Math.max(pair === DEMAND ? -limit : 0, value));
		this.values[VALUE_COUNT + pair] = nowMs;
	}

	private expireValues(nowMs: number): void {
		for (let pair = FIRST_MOMENTARY; pair <= LAST_PAIR; pair++)
			if (nowMs - this.values[VALUE_COUNT + pair] > FRESH_MS) this.setUnknown(pair);
		const demand = this.values[DEMAND];
		const clipped = Math.min(ACTIVE_POWER_LIMIT, Math.max(-ACTIVE_POWER_LIMIT, demand));
		if (this.isElectrical) this.values[ACTIVE_POWER] = demand === DEMAND_UNKNOWN ? ACTIVE_POWER_UNKNOWN : clipped;
	}

	private setUnknown(pair: number): void {
		let value = Number.NaN;
		if (pair === DEMAND) value = DEMAND_UNKNOWN;
		else if (pair > DEMAND && this.isElectrical) value = this.#mapped & (1 << pair) ? U16_UNKNOWN : 0;
		this.values[pair] = value;
	}
}

/** Writes a byte with the length, and up to `limit` bytes. */
function putBytes(bytes: Uint8Array, limit: number, into: Uint8Array, at: number): number {
	const length = Math.min(bytes.length, limit);
	into[at] = length;
	into.set(bytes.subarray(0, length), at + 1);
	return at + 1 + length;
}

export function isUnknown(index: number, value: number): boolean {
	return value === (index === DEMAND ? DEMAND_UNKNOWN : index > DEMAND ? U16_UNKNOWN : Number.NaN);
}

function digits(number: number): string {
	return (0x10000 + number).toString(16).slice(1);
}

function rowOf(beginning: string): number {
	let row = TABLE.indexOf(beginning);
	while (row % ROW > 0) row = TABLE.indexOf(beginning, row + 1);
	return row;
}

function field(row: number, from: number, length: number): number {
	return Number(`0x${TABLE.slice(row + from, row + from + length)}`);
}

function kindOf(pair: number): number {
	return pair < DEMAND ? ENERGY : pair === DEMAND ? POWER : VOLTAGE + pair - DEMAND - 1;
}

/** Rounds a number to an integer; halves are rounded away from zero. */
function rounded(number: string): number {
	const point = number.indexOf(".");
	if (point < 0) return Number(number);
	const whole = Number(number.slice(0, point));
	if (number.charCodeAt(point + 1) < 0x35) return whole;
	return number.startsWith("-") ? whole - 1 : whole + 1;
}
