/**
 * Connection of a Modbus TCP client (modbus.org, Messaging on TCP/IP, 3.1), for reads only:
 *
 *     request   transaction 2, protocol 2, length 2, unit 1, function 1, first register 2, number of registers 2
 *     reply     transaction 2, protocol 2, length 2, unit 1, function 1, number of bytes 1, registers
 *     error     transaction 2, protocol 2, length 2, unit 1, function + 0x80 1, EXCEPTION_…
 *
 * A connection is closed after a header that is not Modbus, because the start of the next request is then unknown. It
 * is also closed if a client sends more than AT_ONCE requests in a row before the reply to the one before. Bytes that
 * wait unread while a request is answered are the sign of it, because a client that waits for its reply has sent none.
 */
import { uint16BE } from "../bytes/integers.js";
import type { ListenerPort, PendingSocket, Socket } from "../io/host.js";

export const EXCEPTION_FUNCTION = 1;
export const EXCEPTION_ADDRESS = 2;
export const EXCEPTION_VALUE = 3;
export const EXCEPTION_FAILURE = 4;
export const EXCEPTION_BUSY = 6;
export const EXCEPTION_UNIT = 11;

/** Number of bytes of a reply before the registers. */
export const REPLY_HEAD = 9;

const READ_HOLDING = 3;
const READ_LIMIT = 125;
const REPLY_LIMIT = REPLY_HEAD + 2 * READ_LIMIT;
/**
 * Number of bytes of a request up to and including its function, and number of bytes before those that its length field
 * counts.
 */
const HEAD_SIZE = 8;
const BEFORE_LENGTH = 6;
const LENGTH_MINIMUM = 2;
const LENGTH_LIMIT = 254;
const READ_LENGTH = 6;
/**
 * Size of the receive buffer. A longer request overwrites its own bytes after the header; they are not needed, because
 * the reply to it is an error.
 */
const BUFFER_SIZE = 64;
const AT_ONCE = 16;

export interface ModbusDelegate {
	/** Calls `change` immediately, and logs its exceptions. */
	run(change: (nowMs: number) => void): void;
	/**
	 * Returns REPLY_HEAD bytes followed by the registers, or EXCEPTION_… for an error reply, or undefined to end the
	 * connection.
	 */
	read(address: string, unit: number, first: number, count: number): Uint8Array | number | undefined;
	closed(connection: ModbusConnection): void;
}

export class ModbusConnection {
	/** Monotonic ms of the last request; before the first request, of the start of the connection. */
	sinceMs: number;
	readonly #delegate: ModbusDelegate;
	readonly #socket: Socket;
	/** The request, then room for the first byte of the next one. */
	readonly #request = new Uint8Array(BUFFER_SIZE + 1);
	#count = 0;
	/** Number of requests in a row that came before the reply to the one before. */
	#early = 0;
	#room = 0;

	constructor(delegate: ModbusDelegate, AcceptedSocket: ListenerPort["socket"], from: PendingSocket, nowMs: number) {
		this.#delegate = delegate;
		this.sinceMs = nowMs;
		const serve = (room = this.#room) =>
			delegate.run((ms) => {
				this.#room = room;
				this.serve(ms);
			});
		this.#socket = new AcceptedSocket({
			from,
			onReadable: () => serve(),
			onWritable: serve,
			onError: () => delegate.run(() => this.close()),
		});
	}

	get address(): string {
		return this.#socket.remoteAddress;
	}

	close(): void {
		this.#socket.close();
		this.#delegate.closed(this);
	}

	private serve(nowMs: number): void {
		const request = this.#request;
		while (this.#room >= REPLY_LIMIT) {
			const hasHead = this.#count >= HEAD_SIZE;
			const length = hasHead ? uint16BE(request, 4) : LENGTH_MINIMUM;
			if (hasHead && (uint16BE(request, 2) !== 0 || length < LENGTH_MINIMUM || length > LENGTH_LIMIT)) {
				this.close();
				return;
			}
			const missing = BEFORE_LENGTH + length - this.#count;
			if (missing > 0) {
				const start = this.#count < BUFFER_SIZE ? this.#count : HEAD_SIZE;
				const received = this.#socket.read(request, start, Math.min(BUFFER_SIZE, start + missing));
				if (received === undefined) return;
				this.#count += received;
				continue;
			}
			this.sinceMs = nowMs;
			const hasNext = this.#socket.read(request, BUFFER_SIZE, BUFFER_SIZE + 1) === 1;
			this.#early = hasNext ? this.#early + 1 : 0;
			if (this.#early >= AT_ONCE || !this.reply(length)) {
				this.close();
				return;
			}
			request[0] = request[BUFFER_SIZE];
			this.#count = hasNext ? 1 : 0;
		}
	}

	/** Returns false if the connection must end. */
	private reply(length: number): boolean {
		const request = this.#request;
		const count = uint16BE(request, 10);
		let found: Uint8Array | number | undefined;
		if (request[7] !== READ_HOLDING) found = EXCEPTION_FUNCTION;
		else if (length !== READ_LENGTH || count < 1 || count > READ_LIMIT) found = EXCEPTION_VALUE;
		else found = this.#delegate.read(this.address, request[6], uint16BE(request, 8), count);
		if (found === undefined) return false;
		const reply = typeof found === "number" ? new Uint8Array(REPLY_HEAD) : found;
		reply.set(request.subarray(0, HEAD_SIZE));
		reply[5] = reply.length - BEFORE_LENGTH;
		reply[8] = reply.length - REPLY_HEAD;
		if (typeof found === "number") {
			reply[7] |= 0x80;
			reply[8] = found;
		}
		this.#room = this.#socket.write(reply);
		return true;
	}
}
