/** Faults of a coprocessor. Each may be set while it runs. */
export interface Faults {
	/** Nobody answers: it is not there, not flashed, or wired wrongly. */
	silent: boolean;
	/** Number of the next answers that are lost. */
	lostAnswers: number;
	/** Answers come so much later, ms. */
	lateMs: number;
	/** Bytes of noise before each frame; they may contain the beginning of one. */
	garbage: number;
	/** A frame arrives in pieces of so many bytes; 0: whole. */
	pieceBytes: number;
	/** Status of the next AF_DATA_CONFIRM messages; a frame with a status other than 0 is not sent. */
	confirms: number[];
	/** Status of the next AF_DATA_REQUEST replies; a frame with a status other than 0 is not sent. */
	refusals: number[];
	/** The network takes the node in, then the exchange of the link key fails. */
	keyExchangeFails: boolean;
	/** A node that is told to leave by its host starts anew at once, not after five seconds. */
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
