/**
 * Base class for portable checks of the host contract. They are bundled into XS as well, so they can't use Node. Each
 * check runs on a new host. A peer is an external client or meter, which the test starts on a trace line `peer <name>
 * <number>`.
 */
import type { Host } from "../../../modules/io/host.js";

/** Starts a peer; the test judges its result. */
export type Peer = (name: string, number?: number) => void;

export interface Check {
	/** The tested property, as a sentence. */
	readonly name: string;
	/** The check only runs if this computer delivers datagrams to a group. */
	readonly needsMulticast?: boolean;
	run(host: Host, peer: Peer): Promise<void>;
	/** The second part runs on a new host with the same state. */
	afterRestart?(host: Host, peer: Peer): Promise<void>;
}

/** Freezes a table at the top of a module, so that it is in flash. */
export function frozen(checks: readonly Check[]): readonly Check[] {
	return Object.freeze(checks.map((check) => Object.freeze(check)));
}

export function expect(condition: boolean, message: string): asserts condition {
	if (!condition) throw new Error(message);
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
	if (!Object.is(actual, expected)) throw new Error(`${what}: ${String(actual)}, expected ${String(expected)}`);
}

export function expectBytes(actual: Uint8Array | undefined, expected: Uint8Array, what: string): void {
	expectEqual(actual?.length, expected.length, `length of ${what}`);
	for (let i = 0; i < expected.length; i++) {
		if (actual![i] !== expected[i]) expectEqual(actual![i], expected[i], `byte ${i} of ${what}`);
	}
}

export function expectRangeError(action: () => unknown, what: string): void {
	try {
		action();
	} catch (error) {
		if (error instanceof RangeError) return;
		throw new Error(`${what} throws ${String(error)}, expected a RangeError`);
	}
	throw new Error(`${what} does not throw`);
}

/** Fails unless the action throws an error with a message. */
export function expectError(action: () => void, what: string): void {
	let message = "";
	try {
		action();
	} catch (error) {
		message = (error as Error).message;
	}
	expect(message.length > 0, `${what} is accepted`);
}

export function sleep(host: Host, delayMs: number): Promise<void> {
	return new Promise((resolve) => {
		host.timers.set(resolve, delayMs);
	});
}

/** Generous, because other programs may run. */
const PATIENCE_MS = 10_000;

export async function until(host: Host, condition: () => boolean, what: string): Promise<void> {
	const endMs = host.clock.monotonicMs() + PATIENCE_MS;
	while (!condition()) {
		expect(host.clock.monotonicMs() < endMs, `waited in vain: ${what}`);
		await sleep(host, 2);
	}
}

/** Waits until `take` returns a value, and returns it. */
export async function untilTaken<T>(host: Host, take: () => T | undefined, what: string): Promise<T> {
	let taken: T | undefined;
	await until(
		host,
		() => {
			taken = take();
			return taken !== undefined;
		},
		what,
	);
	return taken!;
}

/** Records the events of a serial port or a socket. */
export abstract class RecordingStream {
	writable = -1;
	readable = 0;
	calls = 0;
	/** Recording callbacks, for the options of the stream. */
	protected readonly notes = {
		onReadable: (count: number) => {
			this.calls++;
			this.readable = count;
		},
		onWritable: (count: number) => {
			this.calls++;
			this.writable = count;
		},
	};

	protected abstract read(into: Uint8Array, start: number): number | undefined;

	/** Waits for `count` bytes; returns all received bytes. */
	async collect(host: Host, count: number): Promise<Uint8Array> {
		const bytes = new Uint8Array(count + 1);
		let length = 0;
		await until(
			host,
			() => {
				for (let readBytes = this.read(bytes, length); readBytes; readBytes = this.read(bytes, length))
					length += readBytes;
				return length >= count;
			},
			`${count} bytes`,
		);
		return bytes.subarray(0, length);
	}
}

/**
 * Bytes `start` to `start + length - 1` of a pattern: byte n is n × 31 + 7 + ⌊n / 256⌋, modulo 256. The pattern is made
 * in parts, because a microcontroller can't hold a long one as a whole.
 */
export function pattern(length: number, start = 0): Uint8Array {
	const bytes = new Uint8Array(length);
	for (let i = 0; i < length; i++) bytes[i] = (start + i) * 31 + 7 + ((start + i) >> 8);
	return bytes;
}

/** Suffix of a check's name for its second part. */
export const AFTER_RESTART = " (after a restart)";

/** The firmware that runs one check, named by `host.info.board`. */
export class CheckRunner {
	readonly #host: Host;
	readonly #check: Check | undefined;
	readonly #isRestarted: boolean;

	constructor(host: Host, checks: readonly Check[]) {
		const { board } = host.info;
		this.#host = host;
		this.#isRestarted = board.endsWith(AFTER_RESTART);
		const name = this.#isRestarted ? board.slice(0, -AFTER_RESTART.length) : board;
		this.#check = checks.find((check) => check.name === name);
	}

	start(): void {
		const { trace } = this.#host;
		const peer: Peer = (name, number = 0) => trace(`peer ${name} ${number}`);
		const run = async () => {
			expect(this.#check !== undefined, "no such check");
			if (this.#isRestarted) await this.#check.afterRestart!(this.#host, peer);
			else await this.#check.run(this.#host, peer);
		};
		run().then(
			() => trace("check passed"),
			(error) => trace(`check failed: ${error.message}\n${error.stack}`),
		);
	}

	stop(): void {}
}
