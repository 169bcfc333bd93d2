/**
 * Mapping of the meter's values to Zigbee attributes. A target is an attribute of a cluster. A code with `:` matches
 * only that channel of the meter; a code without `:` matches any channel.
 */
import { ZIGBEE_MAP } from "../kit/bodies.js";
import { post } from "../kit/device.js";
import type { Reading } from "../kit/replies.js";
import type { TextKey } from "../text/all.js";

export interface Entry {
	readonly obis: string;
	readonly mapping_id: string;
}
/** Reply to a GET of `zigbee/map`. */
export interface ZigbeeMap {
	readonly mapping: readonly Entry[];
}
/** Value that was sent last, in kWh, W, V or A, and its Unix time, which is 0 if the clock was not set. */
export interface Sent {
	readonly mapping_id: string;
	readonly value: number;
	readonly timestamp: number;
}
export const MAP_LIMIT = ZIGBEE_MAP.mapping.max;

/** State of Zigbee in a gateway that has no radio. */
export const ABSENT = "absent";
/** `mapping_id` of a code whose value is not sent. */
export const UNMAPPED = "00000000";

interface Target {
	readonly id: string;
	readonly label: TextKey;
	/**
	 * Possible units of the meter's value. The value is sent in the first unit. A value without a unit fits any target.
	 */
	readonly units: readonly string[];
}
/** Pattern for codes of measured quantities. Group C is not 0 and not 96 to 99, which are numbers, names and errors. */
const QUANTITY = /^([1-9]|[1-8]\d|9[0-5])\./;
const ENERGY = ["kWh", "Wh", "MWh"];
export const TARGETS: readonly Target[] = [
	{ id: "07020000", label: "target.import", units: ENERGY },
	{ id: "07020001", label: "target.export", units: ENERGY },
	{ id: "07020400", label: "now.title", units: ["W", "kW", "MW"] },
	{ id: "0B040505", label: "object.voltage", units: ["V", "kV"] },
	{ id: "0B040508", label: "object.current", units: ["A", "mA"] },
];

/**
 * Returns the possible targets of a reading. There are none for a past value, a missing value, a text, or a unit that
 * no attribute has.
 */
export function targetsFor(reading: Reading): readonly Target[] {
	const { obis_long, value1_number, value1_unit, billing_period, attribute } = reading;
	const parts = partsOf(obis_long);
	if (value1_number === null || billing_period !== null || attribute !== undefined || parts === undefined) return [];
	if (value1_unit === "") return QUANTITY.test(parts.short) ? TARGETS : [];
	return TARGETS.filter(({ units }) => units.includes(value1_unit));
}

const CODE = /^(?:(?:(\d+)-)?(\d+):)?(\d+\.\d+)(?:\.(\d+))?(?:\*255)?$/;

/**
 * Splits a code. By default medium and channel are 1-0, and group E is 0. Returns undefined if the code cannot be
 * mapped.
 */
export function partsOf(obis: string): { readonly short: string; readonly full: string } | undefined {
	const match = CODE.exec(obis.trim());
	if (match === null) return undefined;
	const short = `${match[3]}.${match[4] ?? 0}`;
	return { short, full: `${match[1] ?? 1}-${match[2] ?? 0}:${short}` };
}

/** Returns true if the code matches only one channel. */
export function isFull(obis: string): boolean {
	return obis.includes(":");
}

/** Returns the code in its short form, or with medium and channel if it has them. */
export function wellFormed(obis: string): string {
	const parts = partsOf(obis);
	return (isFull(obis) ? parts?.full : parts?.short) ?? obis;
}

function matches(entry: Entry, obis: string): boolean {
	const own = partsOf(entry.obis);
	const other = partsOf(obis);
	if (own === undefined || other === undefined) return false;
	return isFull(entry.obis) ? own.full === other.full : own.short === other.short;
}

/**
 * Returns the target of a code. The last matching entry counts. An entry is ignored if a later entry has the same
 * target.
 */
export function targetOf(obis: string, entries: readonly Entry[]): string {
	for (let i = entries.length - 1; i >= 0; i--) {
		const { mapping_id } = entries[i];
		const isOverridden =
			mapping_id !== UNMAPPED && entries.slice(i + 1).some((later) => later.mapping_id === mapping_id);
		if (!isOverridden && matches(entries[i], obis)) return mapping_id;
	}
	return UNMAPPED;
}

/**
 * Returns entries that map only this reading to the target, or that map no reading to it. The code is as short as
 * possible without being ambiguous.
 */
export function entriesWith(
	entries: readonly Entry[],
	{ reading, target, readings }: { reading: Reading; target: string; readings: readonly Reading[] },
): readonly Entry[] {
	const others = entries.filter((entry) => entry.mapping_id !== target && !matches(entry, reading.obis_long));
	const parts = partsOf(reading.obis_long);
	if (target === UNMAPPED || parts === undefined) return others;
	const isOne = readings.every(({ obis_long, billing_period }) => {
		const other = partsOf(obis_long);
		return billing_period !== null || other?.short !== parts.short || other.full === parts.full;
	});
	return [...others, { obis: isOne ? parts.short : parts.full, mapping_id: target }];
}

function electricalOf(entries: readonly Entry[]): string {
	return TARGETS.filter(({ id }) => /^0B/.test(id) && entries.some(({ mapping_id }) => mapping_id === id))
		.map(({ id }) => id)
		.join();
}

/** Returns true if measurements were added or removed. The Zigbee controller does not notice this by itself. */
export function needsInterview(
	radioState: string | undefined,
	before: readonly Entry[],
	after: readonly Entry[],
): boolean {
	return radioState === "joined" && electricalOf(before) !== electricalOf(after);
}

export async function storeMap(entries: readonly Entry[]): Promise<ZigbeeMap> {
	const mapping = entries.map(({ obis, mapping_id }) => ({ obis: wellFormed(obis), mapping_id }));
	await post("zigbee/map", { mapping: mapping.map((entry) => ({ ...entry, mode: isFull(entry.obis) ? 0 : 1 })) });
	return { mapping };
}
