/** Connects a session with its link. A single object does this, because closures would take XS slots. */
import type { LineSettings, SerialPort } from "../io/host.js";
import type { LinkOptions, LinkTap } from "../io/link.js";
import type { ReadSession } from "../readout/protocol.js";

export interface LinkListener {
	linkEvent(code: number): void;
	linkTraffic(direction: number): void;
	linkClosed(): void;
}

export class LinkAdapter implements LinkOptions {
	readonly machine: ReadSession;
	readonly port: SerialPort;
	readonly tap: LinkTap;
	readonly listener: LinkListener;

	constructor(session: ReadSession, port: SerialPort, tap: LinkTap, listener: LinkListener) {
		this.machine = session;
		this.port = port;
		this.tap = tap;
		this.listener = listener;
	}

	get line(): LineSettings {
		return this.machine.line;
	}

	get anyFraming(): boolean {
		return this.machine.anyFraming === true;
	}

	onEvent(code: number): void {
		this.listener.linkEvent(code);
	}

	onTraffic(direction: number): void {
		this.listener.linkTraffic(direction);
	}

	onClosed(): void {
		this.listener.linkClosed();
	}
}
