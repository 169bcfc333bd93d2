/** Meters for a reader's line in virtual time: the simulated DLMS meter of tools/, and two IEC 62056-21 meters. */
import type { DLMSMeter } from "../../tools/meter/dlms-meter.js";
import { parseDLMSOptions } from "../../tools/meter/dlms-options.js";
import type { MeterFaults } from "../../tools/meter/faults.js";
import { Household } from "../../tools/meter/household.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { makeDLMSMeter } from "../../tools/meter/make-dlms-meter.js";

/** Keys of the simulated meter. */
export const GUEK = Uint8Array.from(Buffer.from("000102030405060708090a0b0c0d0e0f", "hex"));
export const AK = Uint8Array.from(Buffer.from("d0d1d2d3d4d5d6d7d8d9dadbdcdddedf", "hex"));
const SUMMER_EVENING = "2026-06-21T18:30:00Z";

/** The simulated DLMS meter with `line` as its command-line options; its values are constant. */
export function dlmsMeter(line = ""): DLMSMeter {
	const args = ["--at", SUMMER_EVENING, ...(line === "" ? [] : line.split(" "))];
	return makeDLMSMeter(parseDLMSOptions(args)!, { utcMs: 0, clocked: true });
}

/** A meter without mode E. */
export function iecMeter(ident?: string, faults: MeterFaults = {}): IECMeter {
	const names = ident === undefined ? {} : { ident };
	const household = new Household({ utcMs: Date.parse(SUMMER_EVENING), mode: "C", baud: 9600, ...names });
	return new IECMeter({ source: () => household.telegram(0), faults });
}

/** A meter that announces mode E without having it. */
export function announcingMeter(faults?: MeterFaults): IECMeter {
	return iecMeter("AUX5\\2METER", faults);
}
