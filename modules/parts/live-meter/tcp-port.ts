/** TCP port of a dialect. A connection is offered to the dialect, if there is enough memory for it. */
import { refusalLine } from "../../io/fault.js";
import type { Listener, ListenerPort, PendingSocket } from "../../io/host.js";
import type { Cost } from "../../io/memory.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";

const CONNECTION_COST: Cost = Object.freeze({ slots: 150, chunkBytes: 2048 });

export abstract class TCPPort implements DialectPort {
	readonly values: LiveValues;
	readonly index: number;
	/** Stored instead of the whole port, which would take more slots. */
	readonly Socket: ListenerPort["socket"];
	readonly #part: string;
	#listener: Listener | undefined;

	constructor(values: LiveValues, index: number, part: string, number: number) {
		const { host, trace } = values.core;
		const port = host.network.tcpListener!(number);
		this.values = values;
		this.index = index;
		this.Socket = port.socket;
		this.#part = part;
		try {
			this.#listener = new port.io({ ...port.pins, onReadable: () => this.run((nowMs) => this.admitAll(nowMs)) });
		} catch (error) {
			trace(refusalLine(part, error));
		}
	}

	/** Calls `change` immediately, and logs its exceptions. */
	run(change: (nowMs: number) => void): void {
		const { clock, driver } = this.values.core;
		try {
			change(clock.monotonicMs());
		} catch (error) {
			driver.failed(this.#part, error);
		}
	}

	stop(): void {
		this.#listener?.close();
	}

	/** Takes a connection, or closes it. */
	protected abstract admit(pending: PendingSocket, nowMs: number): void;

	private admitAll(nowMs: number): void {
		for (let pending = this.#listener?.read(); pending !== undefined; pending = this.#listener?.read()) {
			if (this.values.core.ledger.fits(CONNECTION_COST)) this.admit(pending, nowMs);
			else pending.close();
		}
	}
}
