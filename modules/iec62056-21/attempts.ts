/**
 * Policy for retrying a readout with another session. It remembers a lowered speed for later readouts.
 *
 * If data are missing or damaged, the readout is retried at the same speed, because most failures are accidental. After
 * TRIES failures at one speed, or one silent session at a lowered speed, the next lower speed is tried, down to 300 Bd.
 * Failures that a lower speed would not avoid leave the speed unchanged.
 *
 * After FIRST_WAIT clean readouts a higher speed is tried, alternately the full speed and the next higher one. If this
 * trial fails, the number of clean readouts before the next trial doubles, up to LAST_WAIT. After as many clean
 * readouts at full speed, the policy starts afresh.
 *
 * Only the speed and the meter's identification are stored in flash, and only when they change.
 */
import { equalConstantTime } from "../bytes/equal.js";
import type { ProtocolMemory, SessionContext } from "../readout/protocol.js";
import { ACKNOWLEDGE_LENGTH } from "./acknowledge.js";
import { IEC_CHECK_WRONG, IEC_CUT, IEC_MODE_E_ALONE, IEC_NO_BLOCK } from "./failures.js";
import { BASE_BAUD, baudNumber, getBaudRate, type IdentScanner, MODE_C } from "./ident.js";
import type { MeterSession, SpeedChoice } from "./session.js";

/** Maximum number of sessions for one readout: two for each speed, and two more. */
const ATTEMPT_LIMIT = 16;
/**
 * Number of silent sessions after which mode E is used if the meter announces it. One silent session may be accidental.
 */
export const SILENCES = 2;
/** Maximum number of sign-ons without an answer, and maximum number of failures at 300 Bd. */
const SAME_SPEED_FAILURES = 3;
/** Number of failed sessions at one speed before the next lower speed is tried. */
const TRIES = 2;
/** Number of clean readouts before a higher speed is tried for the first time. */
const FIRST_WAIT = 4;
/** Maximum number of clean readouts between two trials. */
const LAST_WAIT = 256;

export interface SpeedSettings {
	/** Highest speed to agree on, Bd. Any number from 300 up is possible. */
	readonly baudMax: number;
	/** Lowered speed that is remembered, Bd; 0: none. */
	readonly learnedBaud: number;
	/** Identification of the meter to which the remembered speed belongs. */
	readonly learnedFor: Uint8Array;
	/**
	 * Stores the remembered speed and the meter's identification, printable ASCII. A speed of 0 deletes the stored one.
	 */
	learn(baud: number, meterId: Uint8Array): void;
}

type SpeedContext = Pick<SessionContext<SpeedSettings>, "settings" | "memory">;

/** Counters for a meter whose speed was lowered. */
class SpeedMemory {
	readonly meterId: Uint8Array;
	clean = 0;
	wait = FIRST_WAIT;
	/** True if the next trial uses the next higher speed; false if it uses the full speed. */
	isStepNext = false;

	constructor(meterId: Uint8Array) {
		this.meterId = meterId;
	}

	/** Records that a higher speed has failed, or that the remembered speed no longer works. */
	failed(): void {
		this.clean = 0;
		this.wait = Math.min(this.wait * 2, LAST_WAIT);
	}
}

export class Attempts implements SpeedChoice {
	readonly #settings: SpeedSettings;
	readonly #memory: ProtocolMemory;
	#count = 0;
	/** Number of failed sessions that a lower speed would not have avoided. */
	#failures = 0;
	#tries = 0;
	/** True if the meter announced mode E in the last session, and then was silent in mode C. */
	wasSilent = false;
	/** Number of silent sessions, up to SILENCES. */
	silences = 0;
	/** Highest speed that is allowed now, Bd; Infinity as long as it was not lowered. */
	#ceiling: number;
	#isTrial = false;

	/** `ceiling`: highest speed of this readout, Bd. */
	constructor({ settings, memory }: SpeedContext, ceiling = Number.POSITIVE_INFINITY) {
		this.#settings = settings;
		this.#memory = memory;
		this.#ceiling = ceiling;
	}

	get exhausted(): boolean {
		return this.#count >= ATTEMPT_LIMIT;
	}

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

	/** Records a failed session. Returns true if another session is worthwhile. */
	failed({ failure, ident, mode, received }: MeterSession): boolean {
		this.#count++;
		// If more was received than the echo of the acknowledgement, it may be a block at another speed.
		this.wasSilent = failure === IEC_MODE_E_ALONE && received <= ACKNOWLEDGE_LENGTH && this.silences < SILENCES;
		if (this.wasSilent) this.silences++;
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
		const isLowered = isSilent && this.#ceiling < Number.POSITIVE_INFINITY;
		if (isLowered || this.#tries === TRIES) this.lower(getBaudRate(baudNumber(used) - 1));
		return true;
	}

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

	private fullSpeed(ident: IdentScanner): number {
		return getBaudRate(baudNumber(Math.min(ident.baud, this.#settings.baudMax)));
	}

	private learnedSpeed(ident: IdentScanner): number {
		const { learnedBaud, learnedFor } = this.#settings;
		const isSameMeter = learnedBaud !== 0 && equalConstantTime(printable(ident), learnedFor);
		return isSameMeter ? learnedBaud : Number.POSITIVE_INFINITY;
	}

	private memoryOf(ident: IdentScanner): SpeedMemory | undefined {
		const { speed } = this.#memory;
		const isSameMeter = speed instanceof SpeedMemory && equalConstantTime(printable(ident), speed.meterId);
		return isSameMeter ? speed : undefined;
	}
}

/** Returns the identification without control characters, which can't be stored as text. */
function printable(ident: IdentScanner): Uint8Array {
	return ident.copy().filter((character) => character >= 0x20 && character < 0x7f);
}
