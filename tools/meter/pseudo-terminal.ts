/**
 * Pseudo-terminal for the simulator.
 *
 * Readers may open and close the far side. If nobody had it open, the near side would fail (EIO). Therefore a serial
 * port object that never reads keeps the far side open. It also sets raw mode and reports the reader's speed.
 * node-pty's own stream of the far side is ended, because even when paused it consumes data meant for the reader.
 * Unread data are lost: if nothing was read for UNREAD_MS, the next write discards them.
 *
 * The near side is written by `fs`, because Node's stream of a terminal tries a write again and again while the kernel
 * has no room for it, and does nothing else meanwhile.
 */
import { write } from "node:fs";
import type { ReadStream } from "node:tty";
import * as nodePty from "@lydell/node-pty";
import { SerialPort } from "serialport";
import type { LinePort } from "./line-port.js";

/** Bytes per write. The kernel keeps about 4 KB for a reader. */
const PIECE_BYTES = 1024;
const UNREAD_MS = 1000;
/** Pause before a write is repeated, ms, if the kernel has no room. */
const FULL_MS = 20;

type DriverPort = Awaited<ReturnType<typeof SerialPort.binding.open>>;
type MasterStream = ReadStream & { readonly _handle: { readonly fd: number } };

/** The function `open` of node-pty, which its type declarations omit. */
const openTerminal = (
	nodePty as unknown as {
		open(options: { encoding: null }): { master: MasterStream; slave: ReadStream; ptsName: string };
	}
).open;

export async function openPseudoTerminal(): Promise<LinePort> {
	const { master, slave, ptsName } = openTerminal({ encoding: null });
	const far = await SerialPort.binding.open({ path: ptsName, baudRate: 300, lock: false, hupcl: false });
	slave.destroy();
	return new PseudoTerminal(ptsName, master, far);
}

class PseudoTerminal implements LinePort {
	readonly path: string;
	readonly #master: MasterStream;
	readonly #far: DriverPort;
	#waiting: Uint8Array[] = [];
	#isWriting = false;
	#isClosed = false;
	#progressMs = 0;

	constructor(path: string, master: MasterStream, far: DriverPort) {
		this.path = path;
		this.#master = master;
		this.#far = far;
	}

	write(bytes: Uint8Array): void {
		if (this.#isWriting && performance.now() - this.#progressMs > UNREAD_MS) {
			this.#waiting = [];
			this.#far.flush().catch(() => {});
		}
		for (let at = 0; at < bytes.length; at += PIECE_BYTES) this.#waiting.push(bytes.slice(at, at + PIECE_BYTES));
		this.#writeNext();
	}

	onData(listener: (bytes: Uint8Array) => void): void {
		this.#master.on("data", listener);
	}

	onError(listener: (message: string) => void): void {
		this.#master.on("error", (error) => listener(`${this.path}: ${error.message}`));
	}

	async readerBaud(): Promise<number> {
		return (await this.#far.getBaudRate()).baudRate;
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		await this.#far.close();
		this.#master.destroy();
	}

	#writeNext(): void {
		if (this.#isWriting) return;
		this.#progressMs = performance.now();
		const piece = this.#waiting.shift();
		if (piece === undefined) return;
		this.#isWriting = true;
		this.#send(piece);
	}

	#send(piece: Uint8Array): void {
		if (this.#isClosed) return;
		write(this.#master._handle.fd, piece, (error, count) => {
			const isFull = error?.code === "EAGAIN";
			const rest = piece.subarray(isFull ? 0 : count);
			if (isFull) setTimeout(() => this.#send(rest), FULL_MS);
			else if (error === null && rest.length > 0) this.#send(rest);
			else {
				// The stream reports an error too.
				this.#isWriting = false;
				this.#writeNext();
			}
		});
	}
}
