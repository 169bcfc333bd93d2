/** Formats packed records as short texts: `<address>: <value>*<unit>, <value> …`. */
import { RecordCursor } from "../../modules/readout/record-cursor.js";
import { textOf } from "../latin1.js";

export function recordsOf(packed: Uint8Array = new Uint8Array(0)): string[] {
	const cursor = new RecordCursor(packed);
	const records: string[] = [];
	while (cursor.nextRecord()) {
		const values: string[] = [];
		while (cursor.nextValue()) {
			const unit = cursor.unit === "" ? "" : `*${cursor.unit}`;
			values.push(textOf(cursor.text, 0, cursor.length) + unit);
		}
		records.push(`${textOf(cursor.address, 0, cursor.addressLength)}: ${values.join(", ")}`);
	}
	return records;
}
