import assert from "node:assert/strict";
import type {
	DatagramDeps,
	DatagramMachine,
	DatagramPort,
	DatagramSender,
	DatagramSource,
} from "../../modules/io/datagrams.js";
import { Datagrams, RETRY_MS } from "../../modules/io/datagrams.js";
import { Bed } from "../dns/bed.js";
import { expectFaults } from "../faults.js";

const FIRST: DatagramPort = { port: 1000 };
const SECOND: DatagramPort = { port: 2000, group: "224.0.0.251" };
const OWN = "192.0.2.20";
const OTHER = { address: "192.0.2.1", port: 9 };

/** Records its calls, and answers each datagram with its first byte. */
class Echo implements DatagramMachine {
	port: DatagramPort | undefined;
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly calls: string[] = [];
	/** This machine throws on datagrams with this first byte. */
	bad = -1;
	readonly #buffer: Uint8Array;
	#sender: DatagramSender | undefined;

	constructor(buffer: Uint8Array) {
		this.#buffer = buffer;
	}

	opened(sender: DatagramSender, nowMs: number): void {
		this.#sender = sender;
		this.calls.push(`opened ${nowMs}`);
	}
	lost(nowMs: number): void {
		this.calls.push(`lost ${nowMs}`);
	}
	received(length: number, { remoteAddress, remotePort }: DatagramSource, nowMs: number): void {
		const [first] = this.#buffer;
		this.calls.push(`${first} of ${length} ${nowMs}`);
		if (first === this.bad) throw new Error("a mistake of ours");
		this.#sender?.send(1, remoteAddress, remotePort);
	}
	advance(nowMs: number): void {
		this.calls.push(`advanced ${nowMs}`);
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.#sender?.send(2, OTHER.address, OTHER.port);
	}
}

class EchoBed extends Bed {
	readonly echo: Echo;
	readonly datagrams: Datagrams<Echo>;

	constructor() {
		super();
		const world: DatagramDeps = this.world();
		this.echo = new Echo(world.buffer);
		this.datagrams = new Datagrams(world, "echo", this.echo);
	}

	want(port: DatagramPort | undefined): void {
		this.datagrams.task.update(() => {
			this.echo.port = port;
		});
	}

	send(bytes: readonly number[], from = OTHER): void {
		this.network.send({ from, to: { address: OWN, port: FIRST.port }, bytes: Uint8Array.from(bytes) });
	}

	get open(): number[] {
		return this.network.ports.map(({ port }) => port);
	}
}

describe("io/datagrams", () => {
	let bed: EchoBed;
	beforeEach(() => {
		bed = new EchoBed();
	});

	it("opens the port that its machine requests, changes it, and closes it", () => {
		assert.deepEqual(bed.open, []);
		bed.want(FIRST);
		bed.want(FIRST);
		assert.deepEqual([bed.open, bed.echo.calls], [[1000], ["opened 0"]]);
		bed.pass(10);
		bed.want(SECOND);
		assert.deepEqual([bed.open, bed.echo.calls], [[2000], ["opened 0", "opened 10"]]);
		bed.want(undefined);
		bed.pass(10 * RETRY_MS);
		assert.deepEqual([bed.open, bed.echo.calls.length], [[], 2]);
	});

	it("sends its machine's datagrams after a received one, and at a deadline", () => {
		bed.want(FIRST);
		bed.send([7, 8, 9]);
		bed.pass(5);
		bed.datagrams.task.update((nowMs) => {
			bed.echo.deadlineMs = nowMs + 100;
		});
		bed.pass(200);
		const sent = bed.network.sent.map(({ to, bytes, timeMs }) => [to, [...bytes], timeMs]);
		assert.deepEqual(sent, [
			[OTHER, [7], 0],
			[OTHER, [7, 8], 105],
		]);
		assert.deepEqual(bed.echo.calls, ["opened 0", "7 of 3 0", "advanced 105"]);
	});

	it("tries every 30 s to open a port that could not be opened, unless it is no longer requested", () => {
		bed.network.failure = "no port is free";
		bed.want(FIRST);
		bed.pass(RETRY_MS);
		assert.deepEqual(bed.traced, Array(2).fill("echo: no port is free"));
		bed.want(SECOND);
		assert.equal(bed.traced.length, 3);
		bed.network.failure = "";
		bed.pass(RETRY_MS - 1);
		assert.deepEqual(bed.open, []);
		bed.pass(1);
		assert.deepEqual([bed.open, bed.echo.calls], [[2000], [`opened ${2 * RETRY_MS}`]]);
		bed.network.failure = "no port is free";
		bed.want(FIRST);
		bed.want(undefined);
		bed.network.failure = "";
		bed.pass(2 * RETRY_MS);
		assert.deepEqual(bed.open, []);
	});

	it("notifies its machine of a lost port, sends nothing meanwhile, and opens the port again after 30 s", () => {
		bed.want(FIRST);
		bed.loseNetwork();
		bed.datagrams.task.update((nowMs) => {
			bed.echo.deadlineMs = nowMs + 100;
		});
		bed.pass(RETRY_MS);
		assert.deepEqual(bed.network.sent, []);
		assert.deepEqual(bed.echo.calls, ["opened 0", "lost 0", "advanced 100", `opened ${RETRY_MS}`]);
		assert.deepEqual([bed.open, bed.traced], [[1000], ["echo: the port is gone"]]);
	});

	it("reads the datagrams after one on which its machine throws", () => {
		const faults = expectFaults(/^fault: echo: /);
		bed.want(FIRST);
		bed.echo.bad = 2;
		for (const first of [1, 2, 3, 2, 4]) bed.send([first]);
		bed.time.advance(0);
		bed.time.advance(1);
		assert.equal(faults.length, 2);
		assert.deepEqual(
			bed.network.sent.map(({ bytes }) => bytes[0]),
			[1, 3, 4],
		);
	});

	it("drops a datagram from port 0, which can't be answered", () => {
		bed.want(FIRST);
		bed.send([1], { ...OTHER, port: 0 });
		bed.pass(5);
		assert.deepEqual(bed.echo.calls, ["opened 0"]);
	});

	it("does nothing after it was stopped", () => {
		bed.want(FIRST);
		bed.datagrams.task.update((nowMs) => {
			bed.echo.deadlineMs = nowMs + 100;
		});
		bed.datagrams.stop();
		bed.datagrams.stop();
		bed.want(SECOND);
		bed.pass(2 * RETRY_MS);
		assert.deepEqual([bed.open, bed.echo.calls], [[], ["opened 0"]]);
	});
});
