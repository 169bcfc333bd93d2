/**
 * The telegrams of a meter that sends by itself, byte for byte as they arrive, over TCP on port 2001. Programs that read
 * a meter at a serial port (DSMR, SML, mode D) read it here as at a serial server such as ser2net. Parity bits are
 * removed. Nothing that a client sends has an effect.
 *
 * A new client of a listed address replaces the one before, which may have vanished without a word. A client that reads
 * too slowly is disconnected, because a program can't use a telegram with a gap.
 */
import type { PendingSocket, Socket } from "../../io/host.js";
import { METER } from "../meter/part.js";
import { type Dialect, dialect } from "./dialect.js";
import type { LiveValues } from "./dialect-port.js";
import { LIVE_TELEGRAMS } from "./fields.js";
import { TCPPort } from "./tcp-port.js";

const PORT = 2001;
/** Size of the pieces in which the bytes of the client are read, and dropped. */
const PIECE = 32;

class TelegramPort extends TCPPort {
	#socket: Socket | undefined;
	#room = 0;

	constructor(values: LiveValues, index: number) {
		super(values, index, "telegrams", PORT);
		values.core.find(METER).reader.copy = (bytes, start, end) => this.send(bytes, start, end);
	}

	override stop(): void {
		this.values.core.find(METER).reader.copy = undefined;
		super.stop();
		this.close();
	}

	protected override admit(pending: PendingSocket, nowMs: number): void {
		const { clients } = this.values;
		const socket: Socket = new this.Socket({
			from: pending,
			onReadable: () => this.run(() => drop(socket)),
			onWritable: (room) => {
				if (this.#socket === socket) this.#room = room;
			},
			onError: () => this.run(() => this.close(socket)),
		});
		if (clients.recordRequest(socket.remoteAddress, this.index, nowMs) < 0) {
			socket.close();
			return;
		}
		this.close();
		this.#socket = socket;
	}

	private send(bytes: Uint8Array, start: number, end: number): void {
		const socket = this.#socket;
		if (socket === undefined) return;
		const isListed = this.values.clients.rowOfListed(socket.remoteAddress, this.index) >= 0;
		if (isListed && this.#room >= end - start) this.#room = socket.write(bytes, start, end);
		else this.close();
	}

	private close(socket = this.#socket): void {
		socket?.close();
		if (socket !== this.#socket) return;
		this.#socket = undefined;
		this.#room = 0;
	}
}

function drop(socket: Socket): void {
	const bytes = new Uint8Array(PIECE);
	while (socket.read(bytes) !== undefined);
}

export const TELEGRAMS: Dialect = dialect({
	name: LIVE_TELEGRAMS.name,
	enabled: LIVE_TELEGRAMS,
	maxAgeMs: 10_000,
	pages: [],
	services: [],
	open: (values, index) => new TelegramPort(values, index),
});
