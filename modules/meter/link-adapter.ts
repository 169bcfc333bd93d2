/** A conversation as a link takes it, for the reader: an object of its own in place of closures, which take slots for as long. */
import type { LineSettings, SerialPort } from "../io/host.js";
import type { LinkOptions, LinkTap } from "../io/link.js";
import type { ReadSession } from "../readout/protocol.js";

/** Its holder. */
export interface LinkListener {
	/** An event of the conversation. */
	linkEvent(code: number): void;
	/** The port is gone; the link has closed itself. */
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

	onClosed(): void {
		this.listener.linkClosed();
	}
}
