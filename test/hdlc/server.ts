/**
 * The meter's side of HDLC, written from the standard, independently of the client: a secondary station in normal
 * response mode that answers each APDU with `respond`. When polled, it repeats unacknowledged frames. It never sends
 * unsolicited frames.
 */
import { CLIENT, SERVER } from "./connection-driver.js";
import { DISC, DM, info, makeFrame, rnr, rr, SNRM, UA } from "./frames.js";

export interface ServerOptions {
	/** Largest information field that the server sends and accepts, bytes. */
	readonly info: number;
	/** Number of frames that the server sends in a row. */
	readonly window: number;
	/** The server answers SNRM with a bare UA, and uses the default parameters. */
	readonly bareUA: boolean;
	/** If the SNRM has parameters, the server answers with DM. */
	readonly plainOnly: boolean;
	/** The server sets no final bit in segments. */
	readonly noFinal: boolean;
	/** Number of RR or RNR frames before each answer; the server sends the next when polled again. */
	readonly busy: number;
	respond(request: Uint8Array): Uint8Array;
}

export class Server {
	readonly #options: ServerOptions;
	#line: number[] = [];
	#connected = false;
	/** N(S) of the next frame to be acknowledged. */
	#unacknowledged = 0;
	/** N(S) of the next frame to be received. */
	#expected = 0;
	#request: number[] = [];
	/** Segments of the answer from `#unacknowledged` on. */
	#answer: number[][] = [];
	#busy = 0;
	#window = 1;
	#info = 128;
	/** Accepted APDUs, in order. */
	readonly requests: Uint8Array[] = [];

	constructor(options: ServerOptions) {
		this.#options = options;
	}

	/** Receives bytes from the line; returns the frames of the answer. */
	receive(bytes: Uint8Array): Uint8Array[] {
		this.#line.push(...bytes);
		const answers: Uint8Array[] = [];
		for (;;) {
			const start = this.#line.findIndex((byte, i) => byte === 0x7e && this.#isFrame(i));
			if (start < 0) break;
			const length = this.#lengthAt(start);
			const frame = this.#line.slice(start + 1, start + 1 + length);
			this.#line = this.#line.slice(start + 1 + length);
			answers.push(...this.#take(frame));
		}
		return answers;
	}

	/** Drops an incomplete frame after a silence of the line. */
	silence(): void {
		this.#line = [];
	}

	#lengthAt(start: number): number {
		return ((this.#line[start + 1] & 7) << 8) | this.#line[start + 2];
	}

	/** True if a whole frame for this server begins at `start`; it must equal the frame rebuilt from its parts. */
	#isFrame(start: number): boolean {
		const length = this.#lengthAt(start);
		if (!(length >= 8) || this.#line.length < start + length + 2) return false;
		const frame = this.#line.slice(start, start + length + 2);
		const made = makeFrame({
			to: SERVER,
			from: CLIENT,
			control: frame[6],
			information: length > 8 ? frame.slice(9, length - 1) : [],
			segmented: (frame[1] & 8) !== 0,
		});
		return made.length === frame.length && made.every((byte, i) => byte === frame[i]);
	}

	#frame(control: number, information: readonly number[] = [], segmented = false): Uint8Array {
		return makeFrame({ to: CLIENT, from: SERVER, control, information, segmented });
	}

	#take(frame: readonly number[]): Uint8Array[] {
		const control = frame[5];
		const information = frame.length > 8 ? frame.slice(8, -2) : [];
		if (control === SNRM) return [this.#connect(information)];
		if (control === DISC) {
			const answer = this.#connected ? UA : DM;
			this.#connected = false;
			return [this.#frame(answer)];
		}
		if (!this.#connected) return [this.#frame(DM)];
		this.#acknowledge(control >> 5);
		if ((control & 1) === 0) this.#information(control, information, (frame[0] & 8) !== 0);
		return this.#speak();
	}

	#connect(information: readonly number[]): Uint8Array {
		if (this.#options.plainOnly && information.length > 0) return this.#frame(DM);
		this.#connected = true;
		this.#unacknowledged = 0;
		this.#expected = 0;
		this.#request = [];
		this.#answer = [];
		const bare = this.#options.bareUA || information.length === 0;
		this.#info = bare ? 128 : Math.min(this.#options.info, (information[5] << 8) | information[6]);
		this.#window = bare ? 1 : Math.min(this.#options.window, information[22]);
		const size = [this.#info >> 8, this.#info & 0xff];
		const parameters = [5, 2, ...size, 6, 2, ...size, 7, 4, 0, 0, 0, this.#window, 8, 4, 0, 0, 0, 1];
		return this.#frame(UA, bare ? [] : [0x81, 0x80, 20, ...parameters]);
	}

	#acknowledge(expected: number): void {
		while (this.#unacknowledged !== expected && this.#answer.length > 0) {
			this.#answer.shift();
			this.#unacknowledged = (this.#unacknowledged + 1) & 7;
		}
	}

	#information(control: number, information: readonly number[], segmented: boolean): void {
		if (((control >> 1) & 7) !== this.#expected) return;
		this.#expected = (this.#expected + 1) & 7;
		this.#request.push(...information);
		if (segmented) return;
		const request = Uint8Array.from(this.#request.splice(0).slice(3));
		this.requests.push(request);
		const answer = [0xe6, 0xe7, 0, ...this.#options.respond(request)];
		while (answer.length > 0) this.#answer.push(answer.splice(0, this.#info));
		this.#busy = this.#options.busy;
	}

	#speak(): Uint8Array[] {
		if (this.#answer.length === 0) return [this.#frame(rr(this.#expected))];
		if (this.#busy > 0) {
			this.#busy--;
			return [this.#frame((this.#busy & 1 ? rr : rnr)(this.#expected))];
		}
		const row = this.#answer.slice(0, this.#window);
		return row.map((information, i) => {
			const segmented = i < this.#answer.length - 1;
			const final = i === row.length - 1 && !(segmented && this.#options.noFinal);
			const control = info((this.#unacknowledged + i) & 7, this.#expected) & (final ? 0xff : 0xef);
			return this.#frame(control, information, segmented);
		});
	}
}
