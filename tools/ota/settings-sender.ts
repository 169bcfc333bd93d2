/**
 * Sends a signed settings file over the console of a gateway (docs/fleet.md). The gateway prints its log over the same
 * line. Therefore a packet may begin anywhere in the output, and may be lost. The code here uses none of the gateway's
 * code.
 */
import type { LinePort } from "../meter/line-port.js";
import { Refusal } from "./check.js";

export type ConsoleLine = Pick<LinePort, "write" | "onData" | "onError">;

export interface SenderTimers {
	set(callback: () => void, ms: number): unknown;
	clear(timer: never): void;
}

const START = Buffer.from("IMPROV\u0001");
const TYPE_AT = 7;
const LENGTH_AT = 8;
const DATA_AT = 9;

const PACKET_ERROR = 2;
const PACKET_COMMAND = 3;
const PACKET_RESULT = 4;
const UNKNOWN_COMMAND = 2;
const COMMAND_FILE = 240;
const TOO_LONG = "provision_invalid";

/**
 * Longest piece of the file. Its packet fits into the chip's buffer of 256 bytes, so it is not lost while the gateway
 * is busy.
 */
const PIECE_LIMIT = 192;
/** Longest wait for an answer. It is longer than the gateway's limit for a gap within a packet, 1 s. */
const ANSWER_MS = 3000;
const ASK_AGAIN_MS = 250;
const BUSY_MS = 2000;
/** Longest time without progress: until the first answer, because the gateway may be starting, and in total. */
const SILENCE_MS = 20_000;
const PATIENCE_MS = 60_000;
/** Number of bytes between two reports of progress. */
const STEP = 1000;

const QUESTION = Buffer.alloc(0);
/** States that this program reports itself. All other states come from the gateway. */
const SILENT = "silent";
const DAMAGED = "damaged";
const UNKNOWN = "unknown";
const LOST = "lost";

const NO_ANSWER =
	"No gateway answers. Is this the port of its console, at 115200 Bd? A board needs some seconds after its start.";
const UNFIT =
	"The gateway accepts no settings files over the console: its firmware was built without them (docs/hardware.md).";
const UNFINISHED =
	"The gateway answers, but the transfer was not completed. The gateway's log says whether the file was applied.";

/**
 * Resolves when the gateway has applied the file. Rejects with a Refusal, or with an Error that has a message for the
 * user.
 */
export async function sendSettings(
	line: ConsoleLine,
	file: Uint8Array,
	timers: SenderTimers,
	log: (text: string) => void,
): Promise<void> {
	const client = new ConsoleClient(line, timers);
	const transfer = new Transfer(file, log);
	/** Time without progress so far. */
	let waitedMs = 0;
	let isHeard = false;
	while (!transfer.isApplied) {
		if (waitedMs >= (isHeard ? PATIENCE_MS : SILENCE_MS)) throw new Error(isHeard ? UNFINISHED : NO_ANSWER);
		const state = await client.ask(transfer.next);
		isHeard ||= state[0] !== SILENT;
		const pauseMs = transfer.take(state);
		waitedMs += state[0] === SILENT ? ANSWER_MS : pauseMs;
		if (pauseMs > 0) await new Promise<void>((resolve) => timers.set(resolve, pauseMs));
	}
}

class Transfer {
	isApplied = false;
	/** Data of the next command. */
	next: Uint8Array;
	readonly #file: Uint8Array;
	readonly #log: (text: string) => void;
	readonly #pieceLength: number;
	#stored = 0;
	#reported = 0;

	constructor(file: Uint8Array, log: (text: string) => void) {
		this.#file = file;
		this.#log = log;
		// There are at least two pieces. If an answer is late, the first piece is sent twice, so it must not be the whole
		// file.
		this.#pieceLength = Math.min(PIECE_LIMIT, Math.ceil(file.length / 2));
		this.next = this.pieceAt(0);
	}

	/** Processes the answer to `next`. Returns the pause before the next command, which is 0 after progress. */
	take([state, detail = "", sentence = ""]: readonly string[]): number {
		const isAnswer = this.next !== QUESTION;
		this.next = QUESTION;
		switch (state) {
			case SILENT:
				return 0;
			case LOST:
				throw new Error(detail);
			case UNKNOWN:
				throw new Error(UNFIT);
			case DAMAGED:
			case "waits":
				return ASK_AGAIN_MS;
			case "busy":
				return this.begin(BUSY_MS);
			case "more":
				return this.goOn(Number(detail));
		}
		// Until the first piece is stored, any other state is the result of an earlier file, unless this file is too long.
		if (this.#stored === 0 && !(isAnswer && state === TOO_LONG)) return this.begin(ASK_AGAIN_MS);
		if (state !== "applied") throw new Refusal(state, detail === "" ? sentence : `${detail}: ${sentence}`);
		this.isApplied = true;
		return 0;
	}

	private begin(pauseMs: number): number {
		this.#stored = 0;
		this.next = this.pieceAt(0);
		return pauseMs;
	}

	private goOn(offset: number): number {
		const isProgress = offset > this.#stored;
		this.#stored = offset;
		this.next = this.pieceAt(offset);
		if (offset >= this.#reported + STEP) {
			this.#reported = offset;
			this.#log(`${offset} of ${this.#file.length} bytes`);
		}
		return isProgress ? 0 : ASK_AGAIN_MS;
	}

	private pieceAt(offset: number): Uint8Array {
		const head = Buffer.alloc(4);
		head.writeUInt16LE(this.#file.length, 0);
		head.writeUInt16LE(offset, 2);
		return Buffer.concat([head, this.#file.subarray(offset, offset + this.#pieceLength)]);
	}
}

class ConsoleClient {
	readonly #line: ConsoleLine;
	readonly #timers: SenderTimers;
	#received = Buffer.alloc(0);
	#hear: (state: readonly string[]) => void = () => {};
	#lost: readonly string[] | undefined;

	constructor(line: ConsoleLine, timers: SenderTimers) {
		this.#line = line;
		this.#timers = timers;
		line.onData((bytes) => this.#take(bytes));
		line.onError((message) => {
			this.#lost = [LOST, message];
			this.#hear(this.#lost);
		});
	}

	/** Sends the data. Returns the strings of the gateway's result, or a state of this program. */
	async ask(data: Uint8Array): Promise<readonly string[]> {
		if (this.#lost !== undefined) return this.#lost;
		return new Promise((resolve) => {
			const timer = this.#timers.set(() => this.#hear([SILENT]), ANSWER_MS);
			this.#hear = (state) => {
				this.#hear = () => {};
				this.#timers.clear(timer as never);
				resolve(state);
			};
			this.#line.write(packetOf(data));
		});
	}

	#take(bytes: Uint8Array): void {
		this.#received = Buffer.concat([this.#received, bytes]);
		let at = this.#received.indexOf(START);
		// If a log line has interrupted a packet, the next packet may begin within its length.
		while (at >= 0) {
			const dataEnd = at + DATA_AT + (this.#received[at + LENGTH_AT] ?? 0xff);
			const isWhole = sumOf(this.#received.subarray(at, dataEnd)) === this.#received[dataEnd];
			if (isWhole) {
				const type = this.#received[at + TYPE_AT];
				const data = this.#received.subarray(at + DATA_AT, dataEnd);
				this.#received = this.#received.subarray(dataEnd + 1);
				this.#accept(type, data);
				at = -1;
			}
			at = this.#received.indexOf(START, at + 1);
		}
		this.#received = this.#received.subarray(-LONGEST);
	}

	#accept(type: number, data: Buffer): void {
		if (type === PACKET_ERROR && data[0] > 0) this.#hear([data[0] === UNKNOWN_COMMAND ? UNKNOWN : DAMAGED]);
		if (type !== PACKET_RESULT || data[0] !== COMMAND_FILE) return;
		const texts: string[] = [];
		for (let at = 2; at < data.length; at += 1 + data[at]) texts.push(data.toString("utf8", at + 1, at + 1 + data[at]));
		this.#hear(texts);
	}
}

/** Length of the longest packet. */
const LONGEST = DATA_AT + 255 + 1;

/** Makes a packet. The line end before it ends an earlier packet that was interrupted. */
function packetOf(data: Uint8Array): Buffer {
	const head = [PACKET_COMMAND, data.length + 2, COMMAND_FILE, data.length];
	const packet = Buffer.concat([START, Buffer.from(head), data]);
	return Buffer.concat([Buffer.from("\n"), packet, Buffer.of(sumOf(packet)), Buffer.from("\n")]);
}

function sumOf(bytes: Uint8Array): number {
	return bytes.reduce((sum, byte) => sum + byte, 0) & 0xff;
}
