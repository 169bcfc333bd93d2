/**
 * Which OBIS code feeds which Zigbee attribute, for the readings of the API now and the bridge later (API decisions 41
 * and 47). A pair is cluster and attribute: 0702 Metering, 0B04 Electrical Measurement (ZCL revision 8, D.3 and 4.9).
 */
import type { OBISCode } from "../obis/code.js";

/** What an unmapped code shows. */
export const UNMAPPED = "00000000";

/** The default table, short form: A and B are not compared. */
const DEFAULT_MAP = Object.freeze([
	Object.freeze({ c: 1, d: 8, e: 0, pair: "07020000" }),
	Object.freeze({ c: 2, d: 8, e: 0, pair: "07020001" }),
	Object.freeze({ c: 16, d: 7, e: 0, pair: "07020400" }),
	Object.freeze({ c: 32, d: 7, e: 0, pair: "0B040505" }),
	Object.freeze({ c: 31, d: 7, e: 0, pair: "0B040508" }),
]);

/**
 * The pair that `code` feeds, 8 upper-case hex digits. A value of a past billing period feeds none. E that the meter
 * left out is 0 (`32.7`).
 */
export function mappingOf(code: OBISCode): string {
	if (code.billingPeriod !== null || code.letters) return UNMAPPED;
	const e = Math.max(code.e, 0);
	for (let i = 0; i < DEFAULT_MAP.length; i++) {
		const row = DEFAULT_MAP[i];
		if (row.c === code.c && row.d === code.d && row.e === e) return row.pair;
	}
	return UNMAPPED;
}
