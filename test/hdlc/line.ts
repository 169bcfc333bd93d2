/**
 * A connection and a server on a line that loses, repeats, delays and damages transmissions, in simulated time. The
 * line keeps their order, as a wire does.
 */

import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { HDLCConnection } from "../../modules/hdlc/connection.js";
import { ROOM } from "../../modules/hdlc/decoder.js";
import { EVENT_APDU, EVENT_CONNECTED, EVENT_END } from "../../modules/hdlc/events.js";
import { HDLC_TOO_LONG } from "../../modules/hdlc/failures.js";
import { OUTPUT_EVENT, OUTPUT_NONE } from "../../modules/io/machine.js";
import type { Failure } from "../../modules/readout/failure.js";
import { DEFAULTS, TIMEOUT_MS } from "./connection-driver.js";
import { hex } from "./frames.js";
import { Server } from "./server.js";

export interface LineOptions {
	readonly seed: number;
	/** On average, one fault occurs in this number of transmissions; 0: no faults. */
	readonly faults: number;
	/** Frames may lose bytes, which a 16-bit check misses once in 65536 frames. */
	readonly losesBytes: boolean;
}

export interface Outcome {
	readonly failure: Failure | undefined;
	readonly answers: number;
	readonly requests: number;
	readonly repeated: number;
	readonly ms: number;
}

const BAUD = 9600;
/** Longest session, ms. */
const LIMIT_MS = 3_600_000;
const LIMIT_STEPS = 200_000;
const FAULT_NONE = -1;

interface Delivery {
	readonly atMs: number;
	readonly toClient: boolean;
	readonly bytes: Uint8Array;
}

/** The meter's answer; the request's first two bytes give its length. */
function respond(request: Uint8Array): Uint8Array {
	const random = new SeededRandom(request.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7));
	return random.bytes((request[0] << 8) | request[1]);
}

class Line {
	readonly #random: SeededRandom;
	readonly #options: LineOptions;
	readonly #deliveries: Delivery[] = [];
	#lastMs = 0;

	constructor(options: LineOptions, random: SeededRandom) {
		this.#options = options;
		this.#random = random;
	}

	get nextMs(): number {
		return this.#deliveries[0]?.atMs ?? Number.POSITIVE_INFINITY;
	}

	take(): Delivery {
		return this.#deliveries.shift()!;
	}

	/** Carries a frame sent at `nowMs`, with possible faults. */
	carry(frame: Uint8Array, toClient: boolean, nowMs: number): void {
		const random = this.#random;
		const fault = random.oneIn(this.#options.faults) ? random.below(this.#options.losesBytes ? 8 : 6) : FAULT_NONE;
		if (fault === 0) return;
		if (fault === FAULT_NONE) this.#deliver(frame, toClient, nowMs);
		else if (fault === 1) {
			this.#deliver(frame, toClient, nowMs);
			this.#deliver(frame, toClient, nowMs);
		} else if (fault === 2) this.#deliver(frame, toClient, nowMs + random.below(2 * TIMEOUT_MS));
		else if (fault === 3) {
			// Up to three flipped bits are always detected.
			const damaged = frame.slice();
			for (let i = random.below(3); i >= 0; i--) damaged[random.below(frame.length)] ^= 1 << random.below(8);
			this.#deliver(damaged, toClient, nowMs);
		} else if (fault === 4) this.#deliver(frame.subarray(0, random.below(frame.length)), toClient, nowMs);
		else if (fault === 5) {
			const noise = random.bytes(1 + random.below(20)).map((byte) => (random.oneIn(4) ? 0x7e : byte));
			this.#deliver(Uint8Array.from([...noise, ...frame]), toClient, nowMs);
		} else {
			const at = random.below(frame.length);
			this.#deliver(Uint8Array.from([...frame.subarray(0, at), ...frame.subarray(at + 1)]), toClient, nowMs);
		}
	}

	/** Delivers bytes in pieces, as a serial adapter does. */
	#deliver(bytes: Uint8Array, toClient: boolean, nowMs: number): void {
		for (let at = 0; at < bytes.length; ) {
			const end = Math.min(bytes.length, at + 1 + this.#random.below(64));
			this.#lastMs = Math.max(nowMs, this.#lastMs) + ((end - at) * 10_000) / BAUD;
			this.#deliveries.push({ atMs: this.#lastMs, toClient, bytes: bytes.slice(at, end) });
			at = end;
		}
	}
}

/** Runs a whole session of up to 12 requests. Throws if an answer is wrong, or the session does not end. */
export function runConnection(options: LineOptions): Outcome {
	const random = new SeededRandom(options.seed);
	const capacity = random.oneIn(8) ? 200 : 1800;
	const server = new Server({
		info: [32, 64, 128, 300, 1024][random.below(5)],
		window: 1 + random.below(7),
		bareUA: random.oneIn(4),
		plainOnly: random.oneIn(4),
		noFinal: random.oneIn(4),
		busy: random.oneIn(3) ? random.below(5) : 0,
		respond,
	});
	const requests = Array.from({ length: 1 + random.below(12) }, () => {
		const request = random.bytes(2 + random.below(300));
		// Most answers are short, some longer than the buffer.
		request[0] = random.oneIn(3) ? random.below(7) : 0;
		return request;
	});
	const apdu = new Uint8Array(capacity + ROOM);
	const connection = new HDLCConnection({
		...DEFAULTS,
		baud: BAUD,
		releaseFirst: random.oneIn(2),
		info: 128 + random.below(600),
		window: 1 + random.below(7),
		apdu,
	});
	const echoes = random.oneIn(4);
	const line = new Line(options, random);
	let nowMs = 0;
	let sent = 0;
	let answers = 0;
	let ended = false;

	const event = (code: number) => {
		assert.ok(!ended, "an event after the last");
		if (code === EVENT_END) ended = true;
		else if (code === EVENT_APDU) {
			const answer = hex(apdu.subarray(0, connection.apduLength));
			assert.equal(answer, hex(respond(requests[answers++])), "a wrong answer");
		} else assert.equal(code, EVENT_CONNECTED);
		if (ended) return;
		if (sent === requests.length) connection.disconnect(nowMs);
		else {
			const request = requests[sent++];
			connection.send(request, 0, request.length, nowMs);
		}
	};
	const poll = () => {
		const sending: number[] = [];
		for (let output = connection.poll(); output.kind !== OUTPUT_NONE; output = connection.poll()) {
			if (output.kind === OUTPUT_EVENT) event(output.code);
			else sending.push(...output.bytes.subarray(output.start, output.end));
		}
		if (sending.length === 0) return;
		const frame = Uint8Array.from(sending);
		if (echoes) line.carry(frame, true, nowMs);
		line.carry(frame, false, nowMs);
	};

	connection.connect(0);
	poll();
	for (let steps = 0; !ended; steps++) {
		assert.ok(steps < LIMIT_STEPS && nowMs < LIMIT_MS, "the session does not end");
		const nextMs = Math.min(line.nextMs, connection.deadlineMs);
		assert.notEqual(nextMs, Number.POSITIVE_INFINITY, "the session has neither ended nor a deadline");
		nowMs = Math.max(nowMs, nextMs);
		if (line.nextMs <= connection.deadlineMs) {
			const { bytes, toClient } = line.take();
			if (toClient) connection.receive(bytes, 0, bytes.length, nowMs);
			else for (const frame of server.receive(bytes)) line.carry(frame, true, nowMs + 5 + random.below(300));
		} else {
			connection.advance(nowMs);
			server.silence();
		}
		poll();
	}

	const { failure, repeated } = connection;
	assert.equal(connection.deadlineMs, Number.POSITIVE_INFINITY);
	assert.ok(server.requests.length >= answers);
	for (const [i, request] of server.requests.entries())
		assert.equal(hex(request), hex(requests[i]), "a wrong request, or one accepted twice");
	const longest = Math.max(...requests.slice(0, answers + 1).map((request) => (request[0] << 8) | request[1]));
	if (failure === undefined) assert.equal(answers, requests.length);
	if (failure === HDLC_TOO_LONG) assert.ok(longest > capacity);
	return { failure, answers, requests: requests.length, repeated, ms: nowMs };
}
