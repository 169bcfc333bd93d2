/** Faults of a coprocessor; they can be changed while it runs. */
export interface Faults {
	/** No answer, as if missing, not flashed, or wired wrongly. */
	silent: boolean;
	lostAnswers: number;
	lateMs: number;
	/** Noise bytes before each frame, perhaps the beginning of a frame. */
	garbage: number;
	/** Size of the pieces of frames; 0: whole. */
	pieceBytes: number;
	/** Status of the next AF_DATA_CONFIRM; with one other than 0 a frame is not sent. */
	confirms: number[];
	/** Status of the next replies to AF_DATA_REQUEST, likewise. */
	refusals: number[];
	/** The node joins, but the exchange of the link key fails. */
	keyExchangeFails: boolean;
	/** Ordered to leave by its host, the chip restarts at once instead of after five seconds. */
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
