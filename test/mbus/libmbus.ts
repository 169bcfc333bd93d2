/** Compares the readings of a telegram with the values that libmbus gives for it. */
import assert from "node:assert/strict";

/** A record as libmbus shows it in its normalised XML. */
export interface LibRecord {
	readonly function: string;
	readonly storage?: string;
	readonly tariff?: string;
	readonly device?: string;
	readonly unit: string;
	readonly quantity?: string;
	/** Missing for a quantity that libmbus does not know. */
	readonly value?: string;
}

/** Units of libmbus by ours, and factors. Its "Reserved" for joules of table FB is a slip. */
const UNITS: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
	Wh: ["Wh", 1],
	kWh: ["Wh", 1e3],
	MWh: ["Wh", 1e6],
	GWh: ["Wh", 1e9],
	J: ["J", 1],
	kJ: ["J", 1e3],
	MJ: ["J", 1e6],
	GJ: ["J", 1e9],
	W: ["W", 1],
	kW: ["W", 1e3],
	MW: ["W", 1e6],
	"J/h": ["J/h", 1],
	"kJ/h": ["J/h", 1e3],
	"MJ/h": ["J/h", 1e6],
	m3: ["m^3", 1],
	"m3/h": ["m^3/h", 1],
	"m3/min": ["m^3/min", 1],
	"m3/s": ["m^3/s", 1],
	kg: ["kg", 1],
	"kg/h": ["kg/h", 1],
	"\u00b0C": ["°C", 1],
	K: ["K", 1],
	bar: ["bar", 1],
	V: ["V", 1],
	A: ["A", 1],
	s: ["s", 1],
	min: ["s", 60],
	h: ["s", 3600],
	d: ["s", 86_400],
};

/** Why a record of libmbus has no reading here; undefined for one that must have one. */
export function reasonToSkip({ function: kind, value }: LibRecord): string | undefined {
	if (kind === "Manufacturer specific" || kind === "More records follow") return "the maker's own data";
	if (value === undefined) return undefined;
	if (value === "") return "no data";
	if (/^\d{4}-/.test(value) && /-00/.test(value)) return "no date";
	// Year 127 stands for each year (EN 13757-3, annex A).
	if (value === "2027-01-01T00:00:00Z") return "no date";
	return undefined;
}

/** Checks one reading, given as `<address>: <value>*<unit>`, against the record. */
export function checkRecord(reading: string, { value: given, ...rest }: LibRecord): void {
	if (given === undefined) return;
	const record = { ...rest, value: given };
	const [, address, value, unit = ""] = /^(.*?): ([^*]*)(?:\*(.*))?$/.exec(reading) ?? [];
	const where = `${reading} is not ${JSON.stringify(record)}`;
	assert.ok(address !== undefined, where);
	const [, year, month, day, hour, minute, second] =
		/^\d\d(\d\d)-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)Z)?$/.exec(record.value) ?? [];
	if (year !== undefined) {
		const time = hour === undefined ? "" : `${hour}${minute}${second}`;
		assert.equal(value.replace(/[SW]$/, ""), `${year}${month}${day}${time}`, where);
		return;
	}
	if (!/^-?\d+\.\d{6}$/.test(record.value)) {
		const isHex = /^([0-9A-F]{2} ?)+$/.test(record.value);
		const bytes = record.value.trim().split(" ");
		if (isHex && value.toUpperCase() === bytes.join("")) return;
		assert.equal(value.trim(), record.value.trim(), where);
		return;
	}
	// libmbus makes a number of BCD digits above 9, by which a meter shows an error.
	if (/^[0-9a-f]*[a-f][0-9a-f]*$/.test(value)) {
		assert.match(address, /^(?!.*\.)..?[9a-e]/, where);
		return;
	}
	const [name, factor] = unit === "" ? ["", 1] : (UNITS[unit] ?? [unit, 1]);
	if (unit !== "" && name !== record.unit && record.unit !== "Reserved" && record.unit !== "-")
		assert.fail(`${where}: unit ${name}`);
	// libmbus ignores VIFEs that make another quantity of it, such as 28: value of a pulse.
	const isChanged = /^[0-9a-f]*[89a-f].(2|[4-6])[0-9a-f]{1,3}$/.test(address);
	if (unit === "" && !isChanged && !["", "-", "Reserved", "Units for H.C.A."].includes(record.unit))
		assert.fail(`${where}: the unit is missing`);
	const expected = Number(record.value);
	const actual = Number(value) * factor;
	assert.ok(Math.abs(actual - expected) <= Math.max(1e-6, Math.abs(expected) * 1e-6), where);
}
