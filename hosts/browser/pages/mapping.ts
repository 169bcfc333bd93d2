/**
 * Mapping of meter values to Zigbee attributes. A target is a cluster and an attribute. A code with `:` matches only
 * its own channel of the meter, a code without `:` any channel.
 */
import { ZIGBEE_MAP } from "../kit/bodies.js";
import { post } from "../kit/device.js";
import type { Reading } from "../kit/replies.js";
import type { TextKey } from "../text/all.js";

export interface Entry {
	readonly obis: string;
	readonly mapping_id: string;
}
/** Reply of `zigbee/map`. */
export interface ZigbeeMap {
	readonly mapping: readonly Entry[];
}
/** Value sent last: kWh, W, V or A; Unix time, 0 without a clock. */
export interface Sent {
	readonly mapping_id: string;
	readonly value: number;
	readonly timestamp: number;
}
export const MAP_LIMIT = ZIGBEE_MAP.mapping.max;

/** State of the radio in a gateway without one. */
export const ABSENT = "absent";
/** `mapping_id` of a code that is not sent. */
export const UNMAPPED = "00000000";

interface Target {
	readonly id: string;
	readonly label: TextKey;
	/** Possible units. The value is sent in the first of them. A value without a unit fits any target. */
	readonly units: readonly string[];
}
/** Measured quantities, without groups C 0 and 96 to 99 (numbers, names and errors). */
const QUANTITY = /^([1-9]|[1-8]\d|9[0-5])\./;
const ENERGY = ["kWh", "Wh", "MWh"];
export const TARGETS: readonly Target[] = [
	{ id: "07020000", label: "target.import", units: ENERGY },
	{ id: "07020001", label: "target.export", units: ENERGY },
	{ id: "07020400", label: "now.title", units: ["W", "kW", "MW"] },
	{ id: "0B040505", label: "object.voltage", units: ["V", "kV"] },
	{ id: "0B040508", label: "object.current", units: ["A", "mA"] },
];

/** Empty for a past value, a missing value, a text, or a unit without an attribute. */
export function targetsFor(reading: Reading): readonly Target[] {
	const { obis_long, value1_number, value1_unit, billing_period, attribute } = reading;
	const parts = partsOf(obis_long);
	if (value1_number === null || billing_period !== null || attribute !== undefined || parts === undefined) return [];
	if (value1_unit === "") return QUANTITY.test(parts.short) ? TARGETS : [];
	return TARGETS.filter(({ units }) => units.includes(value1_unit));
}

const CODE = /^(?:(?:(\d+)-)?(\d+):)?(\d+\.\d+)(?:\.(\d+))?(?:\*255)?$/;

/** By default medium and channel are 1-0, and group E is 0. Undefined: the code can't be mapped. */
export function partsOf(obis: string): { readonly short: string; readonly full: string } | undefined {
	const match = CODE.exec(obis.trim());
	if (match === null) return undefined;
	const short = `${match[3]}.${match[4] ?? 0}`;
	return { short, full: `${match[1] ?? 1}-${match[2] ?? 0}:${short}` };
}

/** The entry matches one channel only. */
export function isFull(obis: string): boolean {
	return obis.includes(":");
}

/** The code in short form, or with medium and channel. */
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

/** The last matching entry counts. An entry is ignored if its target also appears in a later one. */
export function targetOf(obis: string, entries: readonly Entry[]): string {
	for (let i = entries.length - 1; i >= 0; i--) {
		const { mapping_id } = entries[i];
		const isOverridden =
			mapping_id !== UNMAPPED && entries.slice(i + 1).some((later) => later.mapping_id === mapping_id);
		if (!isOverridden && matches(entries[i], obis)) return mapping_id;
	}
	return UNMAPPED;
}

/** Maps only this reading to the target, or none. The code is as short as possible without being ambiguous. */
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

/** True if measurements were added or removed, which the Zigbee controller does not notice by itself. */
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
