/**
 * What arrives without a question, as the failure of a readout or a probe: rows of failures.ts with what was found in them,
 * so that the code tells which it is, not the identity. And when there is a reason to look for it.
 */
import { HDLC_OTHER_ADDRESS, HDLC_REFUSED } from "../hdlc/failures.js";
import { IEC_NO_IDENT } from "../iec62056-21/failures.js";
import { type Advice, type Failure, foundFailure } from "../readout/failure.js";
import { PROTOCOL_SML, SML_BAUD } from "../sml/protocol.js";
import { UNSOLICITED_ASCII, UNSOLICITED_DLMS, UNSOLICITED_NOISE, UNSOLICITED_SML } from "./failures.js";
import type { MeterSettings } from "./settings.js";
import { KIND_ASCII, KIND_BARE, KIND_HDLC, KIND_MBUS, KIND_NOISE, KIND_SML } from "./telegram-scanner.js";

/** As failures name it. */
export const FRAMING_7E1 = "7E1";

/** The words of the API, by KIND_… from KIND_ASCII on. */
const WORDS = "ascii sml dlms_hdlc dlms_mbus dlms_wrapper noise dlms_bare";
const SML_ADVICE: Advice = Object.freeze({ protocol: PROTOCOL_SML });

/** A telegram of this kind came at this speed; `hasParity`: in 7E1, else in 8N1. */
export function unsolicitedFailure(kind: number, baud: number, hasParity: boolean): Failure {
	const word = WORDS.split(" ")[kind - KIND_ASCII];
	if (kind === KIND_NOISE) {
		const { message } = UNSOLICITED_NOISE;
		return foundFailure(UNSOLICITED_NOISE, message, { kind: word, baud: 0, framing: "", isSupported: false });
	}
	const framing = hasParity ? FRAMING_7E1 : "8N1";
	const isSML = kind === KIND_SML;
	const isPush = kind === KIND_HDLC || kind === KIND_MBUS || kind === KIND_BARE;
	const isSupported = isSML ? baud === SML_BAUD : kind === KIND_ASCII || isPush;
	const row = kind === KIND_ASCII ? UNSOLICITED_ASCII : isSML ? UNSOLICITED_SML : UNSOLICITED_DLMS;
	const what = `${row.message.slice(0, -1)}, at ${baud} Bd, ${framing}.`;
	const found = { kind: word, baud, framing, isSupported };
	if (!isSupported) return foundFailure(row, `${what} This gateway can't read that yet.`, found);
	if (isSML) return foundFailure(row, `${what} Choose the protocol sml.`, found, SML_ADVICE);
	return isPush
		? foundFailure(row, `${what} Choose the protocol dlms, and set push_baudrate to ${baud}.`, found, {
				protocol: "dlms",
				pushBaud: baud,
			})
		: foundFailure(row, `${what} Turn mode_d_enabled on, and set mode_d_baudrate to ${baud}.`, found, {
				protocol: "iec62056",
				modeD: true,
				modeDBaud: baud,
			});
}

/** A conversation that got no further than this has heard nothing that fits its question. */
function isUnheard(failure: Failure | undefined): boolean {
	return failure === undefined || failure.progress < IEC_NO_IDENT.progress || isUnexplained(failure);
}

/** Characters came in a conversation that ended so, and they were no echo. */
export function isUnexplained(failure: Failure): boolean {
	return failure.progress === IEC_NO_IDENT.progress || failure === HDLC_OTHER_ADDRESS || failure === HDLC_REFUSED;
}

/** The gateway listens as the failure advises already: it found nothing new. */
export function isAsAdvised({ advice }: Failure, settings: MeterSettings): boolean {
	if (advice?.protocol === PROTOCOL_SML) return settings.protocol === PROTOCOL_SML;
	if (advice?.modeD === true) return settings.modeD && settings.modeDBaud === advice.modeDBaud;
	const { pushBaud = 0 } = advice ?? {};
	return pushBaud > 0 && settings.protocol === advice?.protocol && settings.dlms.pushBaud === pushBaud;
}

/** A line that is never silent before the first question may be a meter's that is still sending, for so long. */
const IDLE_MS = 4000;

/** What speaks, in one readout, for a meter that sends by itself, and whether that is to be looked into; once. */
export class UnsolicitedDetector {
	/** Something has come that fits no question. */
	isStrange = false;
	/** What it is was looked into. */
	isOver = false;
	/** Something was asked. */
	hasAsked = false;
	#noise: Failure | undefined;
	/** When the first came while the conversation awaited no answer, monotonic ms. */
	#idleMs = Number.POSITIVE_INFINITY;

	/** The next conversation begins. */
	begin(): void {
		this.#idleMs = Number.POSITIVE_INFINITY;
	}

	/**
	 * Something has come while the conversation awaits no answer; `known`: the furthest failure so far. True: what it is
	 * should be looked into at once.
	 */
	cameIdle(known: Failure | undefined, nowMs: number): boolean {
		this.isStrange = true;
		this.#idleMs = Math.min(this.#idleMs, nowMs);
		return !this.isOver && (this.hasAsked || nowMs >= this.#idleMs + IDLE_MS) && isUnheard(known);
	}

	/** A conversation has ended so; undefined: it was noise, which tells no more than this. */
	ended(failure: Failure | undefined): Failure | undefined {
		if (failure !== undefined && isUnexplained(failure)) this.isStrange = true;
		if (failure?.unasked === undefined || failure.isFinal) return failure;
		this.#noise = failure;
		return undefined;
	}

	/** All was asked in vain, with this failure at the furthest. True: what came should be looked into. */
	remain(known: Failure | undefined): boolean {
		return this.isStrange && !this.isOver && isUnheard(known);
	}

	/** What tells most: `known`, or that it is noise. */
	most(known: Failure | undefined): Failure | undefined {
		return isUnheard(known) ? (this.#noise ?? known) : known;
	}
}
