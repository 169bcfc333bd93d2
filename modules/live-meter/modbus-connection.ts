/**
 * Connection of a Modbus TCP client (modbus.org, Messaging on TCP/IP, 3.1), for reads only:
 *
 *     request   transaction 2, protocol 2, length 2, unit 1, function 1, first register 2, number of registers 2
 *     reply     transaction 2, protocol 2, length 2, unit 1, function 1, number of bytes 1, registers
 *     error     transaction 2, protocol 2, length 2, unit 1, function + 0x80 1, EXCEPTION_…
 *
 * Of a longer request only the head is kept, because it is answered with an exception. Further requests wait in the
 * socket. After a head that is not Modbus the connection is closed, because nothing tells where the next begins.
 */
import type { ListenerPort, PendingSocket, Socket } from "../io/host.js";

export const EXCEPTION_FUNCTION = 1;
export const EXCEPTION_ADDRESS = 2;
export const EXCEPTION_VALUE = 3;
export const EXCEPTION_FAILURE = 4;
export const EXCEPTION_BUSY = 6;
export const EXCEPTION_UNIT = 11;

const READ_HOLDING = 3;
const READ_LIMIT = 125;
/** Length of the part of a request that has its length and its function, and of the buffer. */
const HEAD_SIZE = 8;
const BUFFER_SIZE = 64;
/** Bytes before those that the length counts, and limits of the length. */
const BEFORE_LENGTH = 6;
const LENGTH_MINIMUM = 2;
const LENGTH_LIMIT = 254;
const READ_LENGTH = 6;
/** Bytes of a reply before the registers, and longest reply. */
const REPLY_HEAD = 9;
const REPLY_LIMIT = REPLY_HEAD + 2 * READ_LIMIT;
/** Number of requests that are answered in a row. */
const AT_ONCE = 4;
/** Time for a whole request and its reply. */
const REQUEST_MS = 5000;
const IDLE_MS = 120_000;

export interface ModbusOwner {
	/** Calls back in the server's task. */
	run(change: (nowMs: number) => void): void;
	/** Writes `count` registers from `first` on into `into[at..]`. Returns 0 or EXCEPTION_…; negative: ends the connection. */
	read(address: string, unit: number, first: number, into: Uint8Array, at: number): number;
	closed(connection: ModbusConnection): void;
}

export class ModbusConnection {
	/** Time of the last reply, or of the first byte of a request after it, monotonic ms. */
	sinceMs: number;
	readonly #owner: ModbusOwner;
	readonly #socket: Socket;
	readonly #request = new Uint8Array(BUFFER_SIZE);
	/** Number of bytes of the request that have arrived. */
	#count = 0;
	#room = 0;
	/** True if more requests may wait in the socket. */
	#isBehind = false;

	constructor(owner: ModbusOwner, AcceptedSocket: ListenerPort["socket"], from: PendingSocket, nowMs: number) {
		this.#owner = owner;
		this.sinceMs = nowMs;
		this.#socket = new AcceptedSocket({
			from,
			onReadable: () => owner.run((ms) => this.serve(ms)),
			onWritable: (count) =>
				owner.run((ms) => {
					this.#room = count;
					this.serve(ms);
				}),
			onError: () => owner.run(() => this.close()),
		});
	}

	get address(): string {
		return this.#socket.remoteAddress;
	}

	get deadlineMs(): number {
		return this.#isBehind ? this.sinceMs : this.sinceMs + (this.#count > 0 ? REQUEST_MS : IDLE_MS);
	}

	advance(nowMs: number): void {
		if (this.#isBehind) this.serve(nowMs);
		else this.close();
	}

	close(): void {
		this.#socket.close();
		this.#isBehind = false;
		this.#owner.closed(this);
	}

	private serve(nowMs: number): void {
		this.#isBehind = false;
		for (let i = 0; i < AT_ONCE; i++) {
			if (!this.receive(nowMs) || this.#room < REPLY_LIMIT) return;
			this.#count = 0;
			this.sinceMs = nowMs;
			if (!this.reply()) {
				this.close();
				return;
			}
		}
		this.#isBehind = true;
	}

	/** Returns true if a whole request has arrived. */
	private receive(nowMs: number): boolean {
		const request = this.#request;
		for (;;) {
			const size = this.#count < HEAD_SIZE ? HEAD_SIZE : BEFORE_LENGTH + shortAt(request, 4);
			if (this.#count === size) return true;
			// The rest of a long request overwrites what follows its head.
			const start = this.#count < BUFFER_SIZE ? this.#count : HEAD_SIZE;
			const end = Math.min(BUFFER_SIZE, start + size - this.#count);
			const received = this.#socket.read(request, start, end);
			if (received === undefined) return false;
			if (this.#count === 0) this.sinceMs = nowMs;
			this.#count += received;
			if (this.#count === HEAD_SIZE && !isModbus(request)) {
				this.close();
				return false;
			}
		}
	}

	/** Answers the request. Returns false if the connection must end. */
	private reply(): boolean {
		const request = this.#request;
		const [unit, called] = [request[6], request[7]];
		const count = shortAt(request, 10);
		let problem = 0;
		if (called !== READ_HOLDING) problem = EXCEPTION_FUNCTION;
		else if (shortAt(request, 4) !== READ_LENGTH || count < 1 || count > READ_LIMIT) problem = EXCEPTION_VALUE;
		const reply = new Uint8Array(REPLY_HEAD + (problem === 0 ? 2 * count : 0));
		if (problem === 0) problem = this.#owner.read(this.address, unit, shortAt(request, 8), reply, REPLY_HEAD);
		if (problem < 0) return false;
		const length = problem === 0 ? reply.length : REPLY_HEAD;
		reply.set(request.subarray(0, 4));
		reply[5] = length - BEFORE_LENGTH;
		reply[6] = unit;
		reply[7] = problem === 0 ? called : called | 0x80;
		reply[8] = problem === 0 ? length - REPLY_HEAD : problem;
		this.#room = this.#socket.write(reply, 0, length);
		return true;
	}
}

function isModbus(head: Uint8Array): boolean {
	const length = shortAt(head, 4);
	return shortAt(head, 2) === 0 && length >= LENGTH_MINIMUM && length <= LENGTH_LIMIT;
}

function shortAt(bytes: Uint8Array, at: number): number {
	return bytes[at] * 256 + bytes[at + 1];
}
