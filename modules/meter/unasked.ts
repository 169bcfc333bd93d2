/**
 * What arrives without a question, as the failure of a readout or a probe: rows of failures.ts with what was found in them,
 * so that the code tells which it is, not the identity. And when there is a reason to look for it.
 */
import { HDLC_OTHER_ADDRESS, HDLC_REFUSED } from "../hdlc/failures.js";
import { IEC_NO_IDENT } from "../iec62056-21/failures.js";
import type { Failure } from "../readout/failure.js";
import { UNASKED_ASCII, UNASKED_DLMS, UNASKED_NOISE, UNASKED_SML } from "./failures.js";
import type { MeterSettings } from "./settings.js";
import { KIND_ASCII, KIND_NOISE, KIND_SML } from "./telegram-scanner.js";

/** By KIND_…: the words of the API. */
const WORDS = Object.freeze(["", "ascii", "sml", "dlms_hdlc", "dlms_mbus", "dlms_wrapper", "noise"]);
/** The fastest that mode D can be set to, Bd. */
const FASTEST = 19200;

/** A telegram of this kind came at this speed; `hasParity`: in 7E1, else in 8N1. */
export function unasked(kind: number, baud: number, hasParity: boolean): Failure {
	const word = WORDS[kind];
	if (kind === KIND_NOISE) {
		return Object.freeze({
			...UNASKED_NOISE,
			unasked: Object.freeze({ kind: word, baud: 0, framing: "", isSupported: false }),
		});
	}
	const framing = hasParity ? "7E1" : "8N1";
	const isSupported = kind === KIND_ASCII && baud <= FASTEST;
	const row = kind === KIND_ASCII ? UNASKED_ASCII : kind === KIND_SML ? UNASKED_SML : UNASKED_DLMS;
	const what = `${row.message.slice(0, -1)}, at ${baud} Bd, ${framing}.`;
	return Object.freeze({
		...row,
		message: isSupported
			? `${what} Turn mode_d_enabled on, and set mode_d_baudrate to ${baud}.`
			: `${what} This gateway can't read that yet.`,
		unasked: Object.freeze({ kind: word, baud, framing, isSupported }),
		...(isSupported ? { advice: Object.freeze({ protocol: "iec62056", modeD: true, modeDBaud: baud }) } : {}),
	});
}

/** A conversation that got no further than this has heard nothing that fits its question. */
export function mayBeUnasked(failure: Failure | undefined): boolean {
	return (
		failure === undefined ||
		failure.progress <= IEC_NO_IDENT.progress ||
		failure === HDLC_OTHER_ADDRESS ||
		failure === HDLC_REFUSED
	);
}

/** Characters came in a conversation that ended so, and they were no echo. */
export function isUnexplained(failure: Failure): boolean {
	return failure.progress === IEC_NO_IDENT.progress || failure === HDLC_OTHER_ADDRESS || failure === HDLC_REFUSED;
}

/** The gateway listens as the failure advises already: it found nothing new. */
export function isAsAdvised(failure: Failure | undefined, settings: MeterSettings): boolean {
	const advice = failure?.advice;
	return advice?.modeD === true && settings.modeD && settings.modeDBaud === advice.modeDBaud;
}
