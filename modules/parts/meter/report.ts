/** State of meter reading in the status, and the section of the diagnostic report about the meter, which contains no readings. */

import type { Core } from "../../core/core.js";
import type { MeterReader } from "../../meter/reader.js";
import type { Metering } from "./metering.js";

const DOT = 0x2e;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;
/**
 * A run of this many digits is masked, because it may be a serial number. The names of meter types have fewer digits.
 */
const NUMBER_DIGITS = 4;
const ZERO = 0x30;
const NINE = 0x39;
const HASH = 0x23;

/** Returns "reading", "ok", "idle" before the first attempt, or the code of the failure. */
export function stateOf({ outcomes, running }: MeterReader): string {
	const { failure, last } = outcomes;
	if (running) return "reading";
	return failure?.code ?? (last === undefined ? "idle" : "ok");
}

export function meterReport({ reader, schedule }: Metering, { text }: Core, section: string): string {
	if (section !== "meter") return "";
	const { last, readouts } = reader.outcomes;
	const state = `state: ${stateOf(reader)}\nreadouts: ${readouts}\nschedule_error: ${schedule.lastError}`;
	if (last === undefined) return state;
	const { protocol, mode, baud, status, records, missing, meterId, utcMs } = last;
	const ident = text.decode(withoutNumber(meterId));
	return `${state}\nlast: ${protocol}, mode ${mode && String.fromCharCode(mode)}, ${baud} Bd, status ${status}, at ${Math.floor(utcMs / 1000)}\nrecord_bytes: ${records.length}\nmissing_bytes: ${missing?.length}\nidentification: ${ident}`;
}

export function printable(bytes: Uint8Array): Uint8Array {
	for (let i = 0; i < bytes.length; i++) if (bytes[i] < FIRST_PRINTABLE || bytes[i] > LAST_PRINTABLE) bytes[i] = DOT;
	return bytes;
}

function withoutNumber(ident: Uint8Array): Uint8Array {
	const shown = printable(ident.slice());
	let digits = 0;
	for (let i = 0; i <= shown.length; i++) {
		if (shown[i] >= ZERO && shown[i] <= NINE) digits++;
		else {
			if (digits >= NUMBER_DIGITS) shown.fill(HASH, i - digits, i);
			digits = 0;
		}
	}
	return shown;
}
