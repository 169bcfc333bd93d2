/**
 * Failures for unsolicited data. Each is a new object, made from an entry of failures.ts by adding the kind of data,
 * the speed and the framing that were found. So they must be compared by code, not by identity.
 */

import { HDLC_OTHER_ADDRESS, HDLC_REFUSED } from "../hdlc/failures.js";
import { IEC_NO_IDENT } from "../iec62056-21/failures.js";
import { isOmitted } from "../product/omitted.js";
import { type Failure, foundFailure } from "../readout/failure.js";
import { PROTOCOL_DLMS, PROTOCOL_IEC62056 } from "../readout/protocol-names.js";
import { SML_BAUD } from "../sml/protocol.js";
import {
	TELEGRAM_KINDS,
	UNSOLICITED_ASCII,
	UNSOLICITED_DLMS,
	UNSOLICITED_NOISE,
	UNSOLICITED_SML,
	UNSOLICITED_TIC,
} from "./failures.js";
import type { MeterSettings } from "./settings.js";
import { KIND_ASCII, KIND_NOISE, KIND_SML, KIND_WRAPPER } from "./telegram-scanner.js";

/** Framings, with their names in the API. */
export const FRAMING_7E1 = "7E1";
export const FRAMING_8N1 = "8N1";
export const FRAMING_8E1 = "8E1";

/** Failures, in the order of KIND_… from KIND_ASCII on. */
const ROWS: readonly Failure[] = Object.freeze([
	UNSOLICITED_ASCII,
	UNSOLICITED_SML,
	UNSOLICITED_DLMS,
	UNSOLICITED_DLMS,
	UNSOLICITED_DLMS,
	UNSOLICITED_NOISE,
	UNSOLICITED_DLMS,
	UNSOLICITED_TIC,
]);

/** `isFlipped`: the data were received only with the other level of the line. */
export function unsolicitedFailure(kind: number, baud: number, framing: string, isFlipped = false): Failure {
	const word = TELEGRAM_KINDS.split(" ")[kind - KIND_ASCII];
	if (kind === KIND_NOISE) {
		const { message } = UNSOLICITED_NOISE;
		return foundFailure(UNSOLICITED_NOISE, message, { kind: word, baud: 0, framing: "", isSupported: false });
	}
	const row = ROWS[kind - KIND_ASCII];
	const level = isFlipped ? " The line is inverted: change rx_inverted." : "";
	const summary = `${row.message.slice(0, -1)}, at ${baud} Bd, ${framing}.${level}`;
	const { advice } = row;
	const protocol = advice?.protocol ?? (kind === KIND_ASCII ? PROTOCOL_IEC62056 : PROTOCOL_DLMS);
	if (isOmitted(protocol)) {
		const found = { kind: word, baud, framing, isSupported: false };
		return foundFailure(row, `${summary} This firmware was built without the protocol ${protocol}.`, found);
	}
	const isSupported = kind !== KIND_WRAPPER && (kind !== KIND_SML || baud === SML_BAUD);
	const found = { kind: word, baud, framing, isSupported };
	if (!isSupported) return foundFailure(row, `${summary} This gateway can't read such data yet.`, found);
	if (advice !== undefined) return foundFailure(row, `${summary} Choose the protocol ${protocol}.`, found, advice);
	return kind === KIND_ASCII
		? foundFailure(row, `${summary} Turn mode_d_enabled on, and set mode_d_baudrate to ${baud}.`, found, {
				protocol: PROTOCOL_IEC62056,
				modeD: true,
				modeDBaud: baud,
				...(isFlipped && { isFlipped }),
			})
		: foundFailure(row, `${summary} Choose the protocol dlms, and set push_baudrate to ${baud}.`, found, {
				protocol: PROTOCOL_DLMS,
				pushBaud: baud,
			});
}

function isUnanswered(failure: Failure | undefined): boolean {
	return failure === undefined || failure.progress < IEC_NO_IDENT.progress || isUnexplained(failure);
}

/**
 * True for a failure after which received characters are still unexplained: they were not an echo, but the session
 * failed.
 */
export function isUnexplained(failure: Failure): boolean {
	return failure.progress === IEC_NO_IDENT.progress || failure === HDLC_OTHER_ADDRESS || failure === HDLC_REFUSED;
}

export function isAsAdvised({ advice }: Failure, settings: MeterSettings): boolean {
	if (advice === undefined || advice.isFlipped || advice.protocol !== settings.protocol) return false;
	const { modeD, modeDBaud, pushBaud } = advice;
	if (modeD) return settings.modeD && settings.modeDBaud === modeDBaud;
	return pushBaud === undefined || settings.dlms.pushBaud === pushBaud;
}

/** Longest wait for an idle line before the first request, ms. A meter may still be sending. */
const IDLE_MS = 4000;

/** Notices bytes that no session expects. They are examined at most once. */
export class UnsolicitedDetector {
	/** True if bytes have arrived that do not answer a request. */
	hasStray = false;
	isDone = false;
	hasSent = false;
	#noise: Failure | undefined;
	#idleMs = Number.POSITIVE_INFINITY;

	onStart(): void {
		this.#idleMs = Number.POSITIVE_INFINITY;
	}

	/**
	 * Call it for bytes that arrive while no answer is expected. `known`: failure of the session that progressed
	 * furthest. Returns true if the bytes must be examined immediately.
	 */
	onIdleBytes(known: Failure | undefined, nowMs: number): boolean {
		this.hasStray = true;
		this.#idleMs = Math.min(this.#idleMs, nowMs);
		return !this.isDone && (this.hasSent || nowMs >= this.#idleMs + IDLE_MS) && isUnanswered(known);
	}

	/**
	 * Call it after the bytes were examined, or after a session failed. If the result is noise, stores it for `betterOf`
	 * and returns undefined; otherwise returns the failure.
	 */
	onEnd(failure: Failure | undefined): Failure | undefined {
		if (failure !== undefined && isUnexplained(failure)) this.hasStray = true;
		if (failure?.finding === undefined || failure.isFinal) return failure;
		this.#noise = failure;
		return undefined;
	}

	/** Call it after all sessions have failed. Returns true if the data must be examined then. */
	mustExamine(known: Failure | undefined): boolean {
		return this.hasStray && !this.isDone && isUnanswered(known);
	}

	/** Returns noise, if there was some and no session received a valid answer; otherwise `known`. */
	betterOf(known: Failure | undefined): Failure | undefined {
		return isUnanswered(known) ? (this.#noise ?? known) : known;
	}
}
