/** A connection over a Link on the modelled wire of the virtual world, with a server as the meter. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { VirtualLine, type VirtualLineOptions } from "../../hosts/node/virtual-line.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { type ConnectionOptions, HDLCConnection } from "../../modules/hdlc/connection.js";
import { EVENT_APDU, EVENT_CONNECTED, EVENT_END } from "../../modules/hdlc/events.js";
import { HDLC_ECHO_ONLY } from "../../modules/hdlc/failures.js";
import { Driver } from "../../modules/io/driver.js";
import { FORMAT_8N1 } from "../../modules/io/host.js";
import { Link } from "../../modules/io/link.js";
import { type Machine, type Output, OutputQueue } from "../../modules/io/machine.js";
import type { Failure } from "../../modules/readout/failure.js";
import { DEFAULTS } from "./connection-driver.js";
import { hex } from "./frames.js";
import { Server } from "./server.js";

const BAUD = 9600;
/** Time from the last byte of a frame to the first byte of its answer. */
const REACTION_MS = 20;

/** Connects a test server to the modelled wire, as a machine. */
class ServerMachine implements Machine {
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #server: Server;
	readonly #outputs = new OutputQueue();
	readonly #waiting: Uint8Array[] = [];

	constructor(server: Server) {
		this.#server = server;
		this.#outputs.line(BAUD, FORMAT_8N1);
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#waiting.push(...this.#server.receive(bytes.slice(start, end)));
		if (this.#waiting.length > 0) this.deadlineMs = nowMs + REACTION_MS;
	}

	advance(): void {
		for (const frame of this.#waiting.splice(0)) this.#outputs.transmit(frame, 0, frame.length);
		this.deadlineMs = Number.POSITIVE_INFINITY;
	}

	poll(): Output {
		return this.#outputs.poll();
	}
}

class Bed {
	readonly time = new VirtualTime();
	readonly line: VirtualLine;
	readonly connection: HDLCConnection;
	readonly answers: string[] = [];
	endedMs = 0;

	constructor(requests: readonly Uint8Array[], line: VirtualLineOptions, options: Partial<ConnectionOptions> = {}) {
		const apdu = new Uint8Array(2100);
		this.line = new VirtualLine(this.time, new SeededRandom(1), line);
		this.connection = new HDLCConnection({ ...DEFAULTS, baud: BAUD, ...options, apdu });
		const { connection, time } = this;
		const waiting = [...requests];
		const link = new Link(new Driver({ clock: time, timers: time, guard: (_, run) => run() }), {
			port: this.line,
			machine: Object.assign(connection, { line: { baud: BAUD, format: FORMAT_8N1 } as const }),
			listener: {
				linkEvent: (code) => {
					if (code === EVENT_APDU) this.answers.push(hex(apdu.subarray(0, connection.apduLength)));
					if (code === EVENT_END) this.endedMs = time.nowMs;
					const next = code === EVENT_APDU || code === EVENT_CONNECTED ? waiting.shift() : undefined;
					if (next !== undefined) connection.send(next, 0, next.length, time.monotonicMs());
					else if (code !== EVENT_END) connection.disconnect(time.monotonicMs());
				},
				linkClosed: () => assert.fail("gone"),
			},
		});
		link.update((nowMs) => connection.connect(nowMs));
	}

	meter(info: number, window: number, answer: Uint8Array): this {
		const server = new Server({
			info,
			window,
			bareUA: false,
			plainOnly: false,
			noFinal: false,
			busy: 0,
			respond: () => answer,
		});
		this.line.connect(new ServerMachine(server));
		return this;
	}

	/** Runs until the connection ends; returns the failure, if any. */
	run(): Failure | undefined {
		assert.ok(
			this.time.runWhile(() => this.endedMs === 0, 600_000),
			"the connection has not ended",
		);
		return this.connection.failure;
	}
}

function bytes(length: number): Uint8Array {
	return Uint8Array.from({ length }, (_, i) => i * 11);
}

describe("an HDLC connection over a link", () => {
	const requests = [bytes(20), bytes(300), bytes(600)];
	const answer = bytes(1000);
	const expected = requests.map(() => hex(answer));

	for (const [info, window] of [
		[128, 1],
		[128, 7],
		[512, 1],
	]) {
		it(`needs no time beyond that of wire and meter: ${info} bytes a frame, a window of ${window}`, () => {
			const bed = new Bed(requests, {}, { window }).meter(info, window, answer);
			assert.equal(bed.run(), undefined);
			assert.deepEqual(bed.answers, expected);
			const { repeated, bad } = bed.connection;
			assert.deepEqual([repeated, bad], [0, 0]);
			const wireMs = ((bed.line.sentByGateway + bed.line.sentByMeter) * 10_000) / BAUD;
			const turns = 2 + requests.length + Math.ceil(623 / info) * 2 + 3 * (Math.ceil(1003 / info / window) - 1);
			assert.ok(bed.endedMs <= wireMs + turns * (REACTION_MS + 2), `${bed.endedMs} ms, ${wireMs} on the wire`);
		});
	}
	it("receives the answers although the optical head echoes its frames", () => {
		const bed = new Bed(requests, { echo: true }).meter(128, 1, answer);
		assert.equal(bed.run(), undefined);
		assert.deepEqual(bed.answers, expected);
		assert.ok(bed.connection.echoes > 20 && bed.connection.repeated === 0);
	});
	it("gets all answers over a line that damages a bit in one of 1000 characters", () => {
		const bed = new Bed(requests, { noise: 1000 }).meter(128, 1, answer);
		assert.equal(bed.run(), undefined);
		assert.deepEqual(bed.answers, expected);
		assert.ok(bed.connection.repeated > 0);
	});
	it("reports an echo without a meter", () => {
		assert.equal(new Bed(requests, { echo: true }).run(), HDLC_ECHO_ONLY);
	});
});
