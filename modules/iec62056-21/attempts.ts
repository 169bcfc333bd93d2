/**
 * The attempts of one readout: which speed to agree on, whether another conversation is worth it, what is remembered.
 *
 * A meter that answers, but whose data do not come or come damaged, is asked again at the same speed first: most of that
 * is an accident. Then it gets one speed less, step by step down to 300 Bd: its identification may promise more than it,
 * its head or the line can do. Anything else is tried again as it was.
 *
 * A lower speed that worked is remembered for the meter of that identification, and for no other. After FIRST_WAIT clean
 * readouts at it a higher one is tried once: in turn the full one, which an accident was to blame for, and the next, which
 * a better place of the head may have made possible. Each time it fails the wait doubles, up to LAST_WAIT; it is
 * FIRST_WAIT again after as many clean readouts at full speed.
 *
 * Flash has the speed and the meter only, written when they change; the counts stay in RAM, since a write for each readout
 * would wear it out. After a restart they begin anew: the speed is still the lower one.
 */
import { equalConstantTime } from "../bytes/equal.js";
import type { Opening, ProtocolMemory } from "../readout/protocol.js";
import { ACKNOWLEDGE_LENGTH } from "./acknowledge.js";
import { IEC_CHECK_WRONG, IEC_CUT, IEC_MODE_E_ALONE, IEC_NO_BLOCK } from "./failures.js";
import { BASE_BAUD, baudNumber, getBaudRate, type IdentScanner, MODE_C } from "./ident.js";
import type { MeterSession, SpeedChoice } from "./session.js";

/** Conversations for one readout: each speed twice, and two more. */
const ATTEMPT_LIMIT = 16;
/** Silences of a meter that announces mode E after which it is asked for that: the first may be an accident. */
export const SILENCES = 2;
/** Sign-ons that may stay unanswered, and failures at 300 Bd. */
const SAME_SPEED_FAILURES = 3;
/** Conversations at one speed before a lower one. */
const TRIES = 2;
/** Clean readouts before a higher speed is tried. */
const FIRST_WAIT = 4;
const LAST_WAIT = 256;

export interface SpeedSettings {
	/** The highest speed to agree on: any number of Bd from 300 on. */
	readonly baudMax: number;
	/** The remembered lower speed, Bd (0: none), and the identification of the meter it is for. */
	readonly learnedBaud: number;
	readonly learnedFor: Uint8Array;
	/** Remembers a lower speed for a meter, printable ASCII; 0 forgets it. */
	learn(baud: number, meterId: Uint8Array): void;
}

type SpeedOpening = Pick<Opening<SpeedSettings>, "settings" | "memory">;

/** What is remembered in RAM of the meter whose speed was lowered. */
class SpeedMemory {
	readonly meterId: Uint8Array;
	/** Clean readouts at the present speed, and how many there must be before a higher one is tried. */
	clean = 0;
	wait = FIRST_WAIT;
	/** The full speed was tried last: next time it is the one above. */
	isStepNext = false;

	constructor(meterId: Uint8Array) {
		this.meterId = meterId;
	}

	/** A higher speed has failed, or the one that had worked. */
	failed(): void {
		this.clean = 0;
		this.wait = Math.min(this.wait * 2, LAST_WAIT);
	}
}

export class Attempts implements SpeedChoice {
	readonly #settings: SpeedSettings;
	readonly #memory: ProtocolMemory;
	/** Conversations that are over, those of them that a lower speed would not help, and those at the present speed. */
	#count = 0;
	#failures = 0;
	#tries = 0;
	/** The meter announces mode E, and sent nothing in mode C: in the last conversation, and how often so far, up to SILENCES. */
	isStill = false;
	silences = 0;
	/** The ceiling of this readout, once it was lowered, Bd. */
	#ceiling: number;
	/** A speed above the remembered one is tried. */
	#isTrial = false;

	/** `ceiling`: the highest speed to agree on this time, Bd. */
	constructor({ settings, memory }: SpeedOpening, ceiling = Number.POSITIVE_INFINITY) {
		this.#settings = settings;
		this.#memory = memory;
		this.#ceiling = ceiling;
	}

	/** There will be none more. */
	get exhausted(): boolean {
		return this.#count >= ATTEMPT_LIMIT;
	}

	/** The speed to agree on with the meter that has identified itself, Bd: one of the standard's. */
	speedFor(ident: IdentScanner): number {
		this.#isTrial = false;
		const full = this.fullSpeed(ident);
		if (this.#ceiling < Number.POSITIVE_INFINITY) return Math.min(this.#ceiling, full);
		const learned = this.learnedSpeed(ident);
		if (learned >= full) return full;
		const memory = this.memoryOf(ident);
		if (memory === undefined || memory.clean < memory.wait) return learned;
		this.#isTrial = true;
		return memory.isStepNext ? getBaudRate(baudNumber(learned) + 1) : full;
	}

	/** This conversation has failed. True when another is worth it. */
	failed({ failure, ident, mode, received }: MeterSession): boolean {
		this.#count++;
		// More than our own echo may be a block at another speed.
		this.isStill = failure === IEC_MODE_E_ALONE && received <= ACKNOWLEDGE_LENGTH && this.silences < SILENCES;
		if (this.isStill) this.silences++;
		if (this.exhausted) return false;
		const isSilent = failure === IEC_NO_BLOCK || failure === IEC_MODE_E_ALONE;
		const isAnswered = isSilent || failure === IEC_CUT || failure === IEC_CHECK_WRONG;
		const used = isAnswered && mode === MODE_C ? this.speedFor(ident) : BASE_BAUD;
		if (used === BASE_BAUD) {
			this.#failures++;
			return this.#failures < SAME_SPEED_FAILURES;
		}
		this.#tries++;
		const memory = this.memoryOf(ident);
		if (this.#isTrial && memory !== undefined) {
			memory.failed();
			memory.isStepNext = !memory.isStepNext;
			this.lower(this.learnedSpeed(ident));
			return true;
		}
		// Silence at a lowered speed, too, is no accident.
		const isSure = isSilent && this.#ceiling < Number.POSITIVE_INFINITY;
		if (isSure || this.#tries === TRIES) this.lower(getBaudRate(baudNumber(used) - 1));
		return true;
	}

	/** This conversation has read the meter: remembers a speed below the full one, or forgets it. */
	learn({ ident, mode }: MeterSession): void {
		if (mode !== MODE_C) return;
		const full = this.fullSpeed(ident);
		const learned = this.learnedSpeed(ident);
		const used = this.speedFor(ident);
		let memory = this.memoryOf(ident);
		if (memory === undefined) {
			if (used === full && learned >= full) return;
			this.#memory.speed = memory = new SpeedMemory(printable(ident));
		} else if (used < Math.min(learned, full)) memory.failed();
		memory.clean++;
		if (used === learned) return;
		if (used < full) this.#settings.learn(used, printable(ident));
		else if (learned < full) this.#settings.learn(0, new Uint8Array(0));
		else {
			if (memory.clean >= memory.wait) this.#memory.speed = undefined;
			return;
		}
		memory.clean = 1;
	}

	private lower(ceiling: number): void {
		this.#ceiling = ceiling;
		this.#tries = 0;
	}

	/** The highest speed that meter and settings allow. */
	private fullSpeed(ident: IdentScanner): number {
		return getBaudRate(baudNumber(Math.min(ident.baud, this.#settings.baudMax)));
	}

	/** The one that is remembered for this meter; Infinity: none. */
	private learnedSpeed(ident: IdentScanner): number {
		const { learnedBaud, learnedFor } = this.#settings;
		const isIts = learnedBaud !== 0 && equalConstantTime(printable(ident), learnedFor);
		return isIts ? learnedBaud : Number.POSITIVE_INFINITY;
	}

	private memoryOf(ident: IdentScanner): SpeedMemory | undefined {
		const { speed } = this.#memory;
		const isIts = speed instanceof SpeedMemory && equalConstantTime(printable(ident), speed.meterId);
		return isIts ? speed : undefined;
	}
}

/** Some meters have control characters in their identification, which can't be stored as text. */
function printable(ident: IdentScanner): Uint8Array {
	return ident.copy().filter((character) => character >= 0x20 && character < 0x7f);
}
