/** Faults of a coprocessor; they can be changed while it runs. */
export interface Faults {
	/** True if the coprocessor does not answer, as if missing, not flashed, or wired wrongly. */
	silent: boolean;
	lostAnswers: number;
	lateMs: number;
	/** Noise bytes before each frame, perhaps the beginning of a frame. */
	garbage: number;
	/** Size of the pieces of frames; 0: whole. */
	pieceBytes: number;
	/** Status of the next AF_DATA_CONFIRM messages; a frame with a status other than 0 is not sent. */
	confirms: number[];
	/** Status of the next AF_DATA_REQUEST replies; a frame with a status other than 0 is not sent. */
	refusals: number[];
	/** True if the node joins, but the exchange of the link key fails. */
	keyExchangeFails: boolean;
	/** True if, after its host has ordered it to leave, the chip restarts at once instead of after five seconds. */
	leaveRestarts: boolean;
}

export const NO_FAULTS: Faults = {
	silent: false,
	lostAnswers: 0,
	lateMs: 0,
	garbage: 0,
	pieceBytes: 0,
	confirms: [],
	refusals: [],
	keyExchangeFails: false,
	leaveRestarts: false,
};
