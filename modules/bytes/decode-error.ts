/** The one error that leaf decoders throw for bad bytes from outside; a machine catches it in one place. */
export class DecodeError extends Error {
	override readonly name = "DecodeError";
	/** Stable code, `<protocol>/<what>`. */
	readonly code: string;
	/** Offset of the byte that could not be taken, from the start of what was decoded. */
	readonly offset: number;

	constructor(code: string, offset: number) {
		super(code);
		this.code = code;
		this.offset = offset;
	}
}
