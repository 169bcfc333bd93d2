/** Serial number of the meter, which the meter sends as `0.0.0`, `C.1.0` or `0-0:96.1.0`. */
import type { OBISCode } from "../obis/code.js";
import { RecordCursor } from "./record-cursor.js";

const GROUP_SERVICE = 96;

/**
 * Returns the serial number; undefined if the readout has none. Numbers of other meters, which are connected over
 * M-Bus, are ignored.
 */
export function meterNumberOf(records: Uint8Array): Uint8Array | undefined {
	const cursor = new RecordCursor(records);
	while (cursor.nextRecord()) {
		if (isNumber(cursor.code) && cursor.attribute === 0 && cursor.nextValue() && cursor.length > 0)
			return cursor.text.slice(0, cursor.length);
	}
	return undefined;
}

function isNumber({ b, c, d, e, billingPeriod }: OBISCode): boolean {
	if (b > 0 || billingPeriod !== null) return false;
	return c === 0 ? d === 0 && e <= 0 : c === GROUP_SERVICE && d === 1;
}
