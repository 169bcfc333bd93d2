/** Extracts the counter readings from the rows of a load profile. */
import { FILLED, MeterRows } from "../../history/filling.js";
import { amountOf, registerOf } from "../../history/from-readout.js";
import type { ProfileRows } from "../../meter/profile-rows.js";
import { OBISCode } from "../../obis/code.js";
import { HEAD_VALUES, ROWS_LIMIT } from "../../readout/record-writer.js";

/**
 * Returns the rows that have at least one counter reading. `protocol`: that of the readout. Their `known` is 0 if no column of the profile is a counter.
 */
export function takeCounters(source: ProfileRows, protocol: string): MeterRows {
	const rows = new MeterRows(ROWS_LIMIT);
	const { cursor } = source;
	/** Column (-1 if there is none) and unit of each register in FILLED. */
	const columns = FILLED.map(() => -1);
	const units = FILLED.map(() => "");
	const code = new OBISCode();
	source.findHead();
	cursor.rewind();
	for (let i = 0; i < HEAD_VALUES; i++) cursor.nextValue();
	for (let i = 0; source.hasHead && i < source.columns && cursor.nextValue(); i++) {
		const isCode = code.parse(cursor.text, 0, cursor.length) && code.billingPeriod === null && code.e <= 0;
		const place = isCode ? FILLED.indexOf(registerOf(code)) : -1;
		if (!cursor.nextValue()) break;
		if (place < 0 || columns[place] >= 0) continue;
		columns[place] = i;
		units[place] = String.fromCharCode(...cursor.text.slice(0, cursor.length));
		rows.known |= 1 << FILLED[place];
	}
	const readings = new Float64Array(FILLED.length);
	source.toStart();
	while (rows.known !== 0 && source.next()) {
		source.toValues();
		readings.fill(Number.NaN);
		for (let i = 0; cursor.nextValue(); i++) {
			const place = columns.indexOf(i);
			if (place < 0) continue;
			cursor.unit = units[place];
			const amount = amountOf(cursor, FILLED[place], protocol);
			if (amount >= 0) readings[place] = amount;
		}
		if (source.timeS > 0) rows.add(source.timeS, readings);
	}
	return rows;
}
