/** A conversation as a link takes it, for the reader: an object of its own in place of closures, which take slots for as long. */
import type { LineSettings, SerialPort } from "../io/host.js";
import type { LinkOptions, LinkTap } from "../io/link.js";
import type { Conversation } from "../readout/protocol.js";

/** Its holder. */
export interface Holder {
	/** An event of the conversation. */
	heard(code: number): void;
	/** The port is gone; the link has closed itself. */
	gone(): void;
}

export class Held implements LinkOptions {
	readonly machine: Conversation;
	readonly port: SerialPort;
	readonly tap: LinkTap;
	readonly holder: Holder;

	constructor(conversation: Conversation, port: SerialPort, tap: LinkTap, holder: Holder) {
		this.machine = conversation;
		this.port = port;
		this.tap = tap;
		this.holder = holder;
	}

	get line(): LineSettings {
		return this.machine.line;
	}

	get anyFraming(): boolean {
		return this.machine.anyFraming === true;
	}

	onEvent(code: number): void {
		this.holder.heard(code);
	}

	onGone(): void {
		this.holder.gone();
	}
}
