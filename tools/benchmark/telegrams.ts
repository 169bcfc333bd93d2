/** Captures from test/vectors, as telegrams with a correct check. */
import { ETX, frame, readTelegram, STX, splitTelegram, type Telegram } from "../meter/telegram.js";
import { vectorPath } from "../meter/vectors.js";

export const ZMF100 = "landis-gyr-zmf100-m26-padded-left";
export const LK13 = "logarex-lk13-history";
export const C500 = "makel-c500-status";
export const MT174 = "iskraemeco-mt174-15-billing-periods";
/** The capture with the most records: 577. */
export const KOHLER = "kohler-three-phase-12-billing-periods";
export const T210D = "landis-gyr-t210d-dsmr5";
export const ED300L = "emh-ed300l-bidirectional";

const EXCLAMATION_MARK = 0x21;

export function capturePath(name: string): string {
	return vectorPath("iec62056-21", name);
}

export function smlCapture(name: string): Uint8Array {
	return readTelegram(vectorPath("sml", name));
}

export function capture(name: string): Telegram {
	return splitTelegram(readTelegram(capturePath(name)));
}

/** Returns the capture. Adds STX, ETX and BCC if they are missing, so that the end is recognised without a silence. */
export function framed(name: string): Telegram {
	const telegram = capture(name);
	const { message } = telegram;
	if (message.includes(STX) && message.includes(ETX)) return telegram;
	const end = message.lastIndexOf(EXCLAMATION_MARK);
	const lines = message.subarray(message.indexOf(STX) + 1, end + 1);
	return { ...telegram, message: frame(Uint8Array.from([...lines, 0x0d, 0x0a])) };
}
