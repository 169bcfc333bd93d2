/**
 * Retry policy of one readout: chooses the speed, decides whether to start another session, and remembers a lower
 * speed.
 *
 * After missing or damaged data from a meter that answers, the retry uses the same speed, because most such failures
 * are accidental. After TRIES failures at one speed, or one silence at a lowered speed, the next lower speed follows,
 * down to 300 Bd: the identification may promise more than the meter, the optical head or the line can do. After any
 * other failure the retry is unchanged.
 *
 * A lower speed that worked is remembered for that meter's identification only. After FIRST_WAIT clean readouts one
 * higher speed is tried. The trials alternate between the full speed (the failure may have been accidental) and the
 * next higher one (the head may sit better now). Each failed trial doubles the wait, up to LAST_WAIT. As many clean
 * readouts at full speed reset it to FIRST_WAIT.
 *
 * Flash stores only the speed and the meter, and only when they change. The counts stay in RAM, because a write per
 * readout would wear out the flash. They restart at 0 after a reboot; the lower speed is kept.
 */
import { equalConstantTime } from "../bytes/equal.js";
import type { Opening, ProtocolMemory } from "../readout/protocol.js";
import { ACKNOWLEDGE_LENGTH } from "./acknowledge.js";
import { IEC_CHECK_WRONG, IEC_CUT, IEC_MODE_E_ALONE, IEC_NO_BLOCK } from "./failures.js";
import { BASE_BAUD, baudNumber, getBaudRate, type IdentScanner, MODE_C } from "./ident.js";
import type { MeterSession, SpeedChoice } from "./session.js";

/** Maximum number of sessions for one readout: two for each speed, and two more. */
const ATTEMPT_LIMIT = 16;
/** Number of silences after which a meter that announces mode E is read in mode E. The first may be accidental. */
export const SILENCES = 2;
/** Maximum number of unanswered sign-ons and of failures at 300 Bd. */
const SAME_SPEED_FAILURES = 3;
/** Number of sessions at one speed before the next lower one. */
const TRIES = 2;
/** Number of clean readouts before a higher speed is tried. */
const FIRST_WAIT = 4;
const LAST_WAIT = 256;

export interface SpeedSettings {
	/** Highest speed to agree on: any number of Bd from 300 up. */
	readonly baudMax: number;
	/** Remembered lower speed, Bd (0 when there is no such speed), and the identification of its meter. */
	readonly learnedBaud: number;
	readonly learnedFor: Uint8Array;
	/** Remembers a lower speed for a meter (printable ASCII); speed 0 forgets it. */
	learn(baud: number, meterId: Uint8Array): void;
}

type SpeedOpening = Pick<Opening<SpeedSettings>, "settings" | "memory">;

/** Counts, in RAM, for the meter with the lowered speed. */
class SpeedMemory {
	readonly meterId: Uint8Array;
	/** Clean readouts at the present speed, and the number required before a higher speed is tried. */
	clean = 0;
	wait = FIRST_WAIT;
	/** True when the last trial used the full speed; the next one uses the next higher speed. */
	isStepNext = false;

	constructor(meterId: Uint8Array) {
		this.meterId = meterId;
	}

	/** Records the failure of a higher speed, or of the speed that had worked. */
	failed(): void {
		this.clean = 0;
		this.wait = Math.min(this.wait * 2, LAST_WAIT);
	}
}

export class Attempts implements SpeedChoice {
	readonly #settings: SpeedSettings;
	readonly #memory: ProtocolMemory;
	/** Counts of finished sessions, of those that a lower speed would not help, and of those at the present speed. */
	#count = 0;
	#failures = 0;
	#tries = 0;
	/**
	 * `isStill`: in the last session the meter announced mode E and sent nothing in mode C. `silences` counts these, up
	 * to SILENCES.
	 */
	isStill = false;
	silences = 0;
	/** Highest speed for the rest of this readout, Bd; Infinity until lowered. */
	#ceiling: number;
	/** True while a speed above the remembered one is tried. */
	#isTrial = false;

	/** `ceiling`: highest speed to agree on this time, Bd. */
	constructor({ settings, memory }: SpeedOpening, ceiling = Number.POSITIVE_INFINITY) {
		this.#settings = settings;
		this.#memory = memory;
		this.#ceiling = ceiling;
	}

	get exhausted(): boolean {
		return this.#count >= ATTEMPT_LIMIT;
	}

	/** Returns the speed to agree on with the identified meter, Bd: one of the standard's speeds. */
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

	/** Records a failed session; returns true when another attempt is worthwhile. */
	failed({ failure, ident, mode, received }: MeterSession): boolean {
		this.#count++;
		// Anything longer than the echo of the acknowledgement may be a block at another speed.
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
		// Silence at an already lowered speed is not accidental either.
		const isSure = isSilent && this.#ceiling < Number.POSITIVE_INFINITY;
		if (isSure || this.#tries === TRIES) this.lower(getBaudRate(baudNumber(used) - 1));
		return true;
	}

	/** Records a successful session: remembers a speed below the full one, or forgets it. */
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

	/** Returns the highest speed that both meter and settings allow, Bd. */
	private fullSpeed(ident: IdentScanner): number {
		return getBaudRate(baudNumber(Math.min(ident.baud, this.#settings.baudMax)));
	}

	/** Returns the remembered speed of this meter, Bd; Infinity when there is no such speed. */
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

/** Returns the printable characters: some identifications contain control characters, which can't be stored as text. */
function printable(ident: IdentScanner): Uint8Array {
	return ident.copy().filter((character) => character >= 0x20 && character < 0x7f);
}
