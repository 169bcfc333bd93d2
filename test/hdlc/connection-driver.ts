/** A connection in simulated time: tests pass it the meter's frames, and a log records its output. */

import assert from "node:assert/strict";
import { type ConnectionOptions, HDLCConnection } from "../../modules/hdlc/connection.js";
import { OUTPUT_EVENT, OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import type { Failure } from "../../modules/readout/failure.js";
import { DISC, hex, info, makeFrame, rr, SNRM, UA } from "./frames.js";

export const CLIENT = [0x21];
export const SERVER = [0x02, 0x23];
export const TIMEOUT_MS = 1000;
/** 2000 Bd: a byte takes 5 ms. */
export const BYTE_MS = 5;
export const DEFAULTS: ConnectionOptions = {
	address: { client: 16, logical: 1, physical: 17, length: 0 },
	baud: 2000,
	receiveTimeoutMs: TIMEOUT_MS,
	releaseFirst: false,
	info: 512,
	window: 1,
	apdu: new Uint8Array(0),
};

export function fromMeter(control: number, information: Iterable<number> = [], segmented = false): Uint8Array {
	return makeFrame({ to: CLIENT, from: SERVER, control, information, segmented });
}

/**
 * Describes a frame as `I<N(S)>,<N(R)> <information>`, with `+` if segmented, `RR<N(R)>`, `SNRM` or `DISC`. Also
 * verifies its checks.
 */
function nameOf(frame: Uint8Array): string {
	const control = frame[1 + 2 + SERVER.length + CLIENT.length];
	const at = 1 + 2 + SERVER.length + CLIENT.length + 1;
	const information = frame.length > at + 3 ? frame.subarray(at + 2, frame.length - 3) : new Uint8Array(0);
	const segmented = (frame[1] & 8) !== 0;
	assert.equal(hex(frame), hex(makeFrame({ to: SERVER, from: CLIENT, control, information, segmented })));
	const content = information.length > 0 ? ` ${hex(information)}` : "";
	if (control === SNRM) return `SNRM${content}`;
	if (control === DISC) return "DISC";
	const expected = control >> 5;
	if (control === rr(expected)) return `RR${expected}`;
	const number = (control >> 1) & 7;
	assert.equal(control, info(number, expected), `sent control ${control}`);
	return `I${number},${expected}${segmented ? "+" : ""}${content}`;
}

export class ConnectionDriver {
	readonly connection: HDLCConnection;
	readonly apdu: Uint8Array;
	nowMs = 0;
	#log: string[] = [];
	#sending: number[] = [];

	constructor(options: Partial<ConnectionOptions> = {}) {
		this.apdu = options.apdu ?? new Uint8Array(600);
		this.connection = new HDLCConnection({ ...DEFAULTS, ...options, apdu: this.apdu });
	}

	/** A connection that was connected at 0 ms by a UA with these parameters. */
	static connected(parameters = "", options: Partial<ConnectionOptions> = {}): ConnectionDriver {
		const driver = new ConnectionDriver(options).connect();
		driver.meter(UA, Buffer.from(parameters, "hex"));
		driver.take();
		driver.nowMs = 10_000;
		return driver;
	}

	connect(): this {
		this.connection.connect(this.nowMs);
		return this.#poll();
	}

	send(apdu: Uint8Array): this {
		this.connection.send(apdu, 0, apdu.length, this.nowMs);
		return this.#poll();
	}

	waitOn(): this {
		this.connection.awaitAPDU(this.nowMs);
		return this.#poll();
	}

	disconnect(): this {
		this.connection.disconnect(this.nowMs);
		return this.#poll();
	}

	/** Passes a frame of the meter to the connection now. */
	meter(control: number, information: Iterable<number> = [], segmented = false): this {
		return this.receive(fromMeter(control, information, segmented));
	}

	receive(bytes: Uint8Array): this {
		const buffer = Uint8Array.from([0x7e, ...bytes, 0x7e]);
		this.connection.receive(buffer, 1, 1 + bytes.length, this.nowMs);
		buffer.fill(0);
		return this.#poll();
	}

	/** Advances time to `ms`, and the connection at each of its deadlines. */
	to(ms: number): this {
		while (this.connection.deadlineMs <= ms) {
			this.nowMs = Math.max(this.nowMs, this.connection.deadlineMs);
			this.connection.advance(this.nowMs);
			this.#poll();
		}
		this.nowMs = ms;
		return this;
	}

	/** As `to`, relative to now. */
	pass(ms: number): this {
		return this.to(this.nowMs + ms);
	}

	/** Returns the log and clears it. Times are ms since `since`. */
	take(since?: number): string[] {
		const log = this.#log.map((line) => {
			const [ms, ...rest] = line.split(" ");
			return since === undefined ? rest.join(" ") : [Number(ms) - since, ...rest].join(" ");
		});
		this.#log = [];
		return log;
	}

	/** The answer in the user's buffer. */
	get answer(): string {
		return hex(this.apdu.subarray(0, this.connection.apduLength));
	}

	ended(failure?: Failure): void {
		assert.equal(this.connection.failure, failure);
		assert.equal(this.connection.deadlineMs, Number.POSITIVE_INFINITY);
		assert.equal(this.take().at(-1), "event 3");
	}

	#poll(): this {
		const { connection } = this;
		for (let output = connection.poll(); output.kind !== OUTPUT_NONE; output = connection.poll()) {
			if (output.kind === OUTPUT_EVENT) this.#log.push(`${this.nowMs} event ${output.code}`);
			else {
				assert.equal(output.kind, OUTPUT_TRANSMIT);
				assert.ok(
					output.end > output.start && output.end - output.start <= 128,
					"a piece is empty or too long for a link",
				);
				this.#sending.push(...output.bytes.subarray(output.start, output.end));
				this.#frames();
			}
		}
		assert.deepEqual(this.#sending, [], "a frame was not sent completely");
		return this;
	}

	#frames(): void {
		const length = ((this.#sending[1] & 7) << 8) | this.#sending[2];
		if (this.#sending.length < length + 2) return;
		this.#log.push(`${this.nowMs} ${nameOf(Uint8Array.from(this.#sending.splice(0, length + 2)))}`);
	}
}
