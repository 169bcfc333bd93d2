/** Faults of a coprocessor. They can be changed while it runs. */
export interface Faults {
	/** True if the coprocessor does not answer, as if it were missing, not flashed, or wired wrongly. */
	silent: boolean;
	lostAnswers: number;
	lateMs: number;
	/** Number of noise bytes before each frame. They may look like the beginning of a frame. */
	garbage: number;
	/** Size of the pieces in which frames are sent, or 0 for whole frames. */
	pieceBytes: number;
	/** Status values of the next AF_DATA_CONFIRM. If a value is not 0, the frame is not sent. */
	confirms: number[];
	/** Status values of the next replies to AF_DATA_REQUEST. If a value is not 0, the frame is not sent. */
	refusals: number[];
	/** True if the exchange of the link key fails after the node has joined. */
	keyExchangeFails: boolean;
	/** True if the chip restarts immediately when its host orders it to leave, instead of after five seconds. */
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
