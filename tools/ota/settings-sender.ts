/**
 * Sends a signed settings file over the console of a gateway (docs/fleet.md). The line also carries the gateway's log, so
 * a packet may begin anywhere, and may be lost. Uses none of the gateway's code.
 */
import { Refusal } from "./check.js";

export interface ConsoleLine {
	write(bytes: Uint8Array): void;
	onData(listener: (bytes: Uint8Array) => void): void;
}

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

/** The packet of a piece fits the chip's buffer of 256 bytes, so it survives a busy gateway. */
const PIECE_LIMIT = 192;
/** Longer than the gateway's limit for a gap in a packet, 1 s. */
const ANSWER_MS = 3000;
const ASK_AGAIN_MS = 250;
const BUSY_MS = 2000;
/** Limit of the time without progress: before the first answer, which a start of the gateway may delay, and in all. */
const SILENCE_MS = 20_000;
const PATIENCE_MS = 60_000;
/** Bytes between two reports of progress. */
const STEP = 1000;

const QUESTION = Buffer.alloc(0);
/** States that are not the gateway's. */
const SILENT = "silent";
const DAMAGED = "damaged";
const UNKNOWN = "unknown";

/** Resolves when the gateway has applied the file. Rejects with a Refusal, or with an Error for the user. */
export async function sendSettings(
	line: ConsoleLine,
	file: Uint8Array,
	timers: SenderTimers,
	log: (text: string) => void,
): Promise<void> {
	const client = new ConsoleClient(line, timers);
	// Two pieces at least: if an answer is late, the first may be sent twice, and must not be the whole file then.
	const pieceLength = Math.min(PIECE_LIMIT, Math.ceil(file.length / 2));
	const pieceAt = (offset: number) => {
		const head = Buffer.alloc(4);
		head.writeUInt16LE(file.length, 0);
		head.writeUInt16LE(offset, 2);
		return Buffer.concat([head, file.subarray(offset, offset + pieceLength)]);
	};
	let next = pieceAt(0);
	let waitedMs = 0;
	let reported = 0;
	let stored = 0;
	let hasBegun = false;
	let isHeard = false;
	for (;;) {
		if (waitedMs >= (isHeard ? PATIENCE_MS : SILENCE_MS)) throw new Error(isHeard ? UNFINISHED : NO_ANSWER);
		const [state, detail = "", sentence = ""] = await client.ask(next);
		next = QUESTION;
		let pauseMs = 0;
		if (state === SILENT) waitedMs += ANSWER_MS;
		else isHeard = true;
		if (state === UNKNOWN) throw new Error(UNFIT);
		else if (state === SILENT) continue;
		else if (state === DAMAGED) pauseMs = ASK_AGAIN_MS;
		else if (state === "waits") pauseMs = ASK_AGAIN_MS;
		else if (state === "more") {
			const offset = Number(detail);
			if (offset <= stored) waitedMs += ASK_AGAIN_MS;
			stored = offset;
			hasBegun = offset > 0;
			if (offset >= reported + STEP) {
				reported = offset;
				log(`${offset} of ${file.length} bytes`);
			}
			next = pieceAt(offset);
		} else if (state === "busy") {
			pauseMs = BUSY_MS;
			hasBegun = false;
			next = pieceAt(0);
		} else if (!hasBegun && state !== "too_large") {
			// The result of an earlier file.
			waitedMs += ASK_AGAIN_MS;
			next = pieceAt(0);
		} else if (state === "applied") return;
		else throw new Refusal(state, detail === "" ? sentence : `${detail}: ${sentence}`);
		waitedMs += pauseMs;
		if (pauseMs > 0) await new Promise<void>((resolve) => timers.set(resolve, pauseMs));
	}
}

const NO_ANSWER =
	"No gateway answers. Is it the port of its console, at 115200 Bd? A board needs some seconds after its start.";
const UNFIT = "The gateway takes no settings file by the console: its firmware was built without (docs/hardware.md).";
const UNFINISHED = "The gateway answers, but the file does not get through. Its log says whether it was applied.";

class ConsoleClient {
	readonly #line: ConsoleLine;
	readonly #timers: SenderTimers;
	#received = Buffer.alloc(0);
	#hear: (state: readonly string[]) => void = () => {};

	constructor(line: ConsoleLine, timers: SenderTimers) {
		this.#line = line;
		this.#timers = timers;
		line.onData((bytes) => this.#take(bytes));
	}

	/** Returns the texts of the result, or a state of ours. */
	ask(data: Uint8Array): Promise<readonly string[]> {
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
		// A packet that a log line has cut may contain the next one.
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

/** A line end before the packet ends a packet that was cut. */
function packetOf(data: Uint8Array): Buffer {
	const head = [PACKET_COMMAND, data.length + 2, COMMAND_FILE, data.length];
	const packet = Buffer.concat([START, Buffer.from(head), data]);
	return Buffer.concat([Buffer.from("\n"), packet, Buffer.of(sumOf(packet)), Buffer.from("\n")]);
}

function sumOf(bytes: Uint8Array): number {
	return bytes.reduce((sum, byte) => sum + byte, 0) & 0xff;
}
