/** Faults of a coprocessor; they can be changed while it runs. */
export interface Faults {
	/** The coprocessor does not answer, as if it were missing, not flashed, or wired wrongly. */
	silent: boolean;
	lostAnswers: number;
	lateMs: number;
	/** Noise bytes before each frame, perhaps the beginning of a frame. */
	garbage: number;
	/** Size of the pieces in which frames are sent; 0: whole frames. */
	pieceBytes: number;
	/** Status values of the next AF_DATA_CONFIRM. If a value is not 0, the frame is not sent. */
	confirms: number[];
	/** Status values of the next replies to AF_DATA_REQUEST. If a value is not 0, the frame is not sent. */
	refusals: number[];
	/** The node joins, but the exchange of the link key fails. */
	keyExchangeFails: boolean;
	/** If its host orders it to leave, the chip restarts at once and not after five seconds. */
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
