/**
 * The name server of our access point: every name leads to the device, so that a phone that looks whether this network
 * has internet finds the device's page instead (decision 38; RFC 1035; what phones do is in the background of RFC 8910).
 * For wifi/services.ts, which starts it with the access point and lets it run on a port (io/datagrams.ts).
 *
 *   A or ANY, class IN     the address of the access point, which is to be forgotten at once (time to live 0)
 *   any other question     NOERROR without an answer: a phone that asks for AAAA or HTTPS goes on with A
 *   an opcode not QUERY    NOTIMP
 *   damaged, no or several questions (RFC 9619)   FORMERR
 *   a response             nothing
 *
 * What stands behind the question (EDNS, RFC 6891) is not looked at. The reply is written over the question in the
 * shared buffer; nothing is allocated. It is OFF or SERVING, which shows in the port that it wants, and never waits for
 * anything.
 */

import type { DatagramMachine, DatagramPort, DatagramSender, DatagramSource } from "../io/datagrams.js";
import {
	CLASS_ANY,
	CLASS_IN,
	type DNSDeps,
	FLAG_AUTHORITATIVE,
	FLAG_RECURSION_AVAILABLE,
	FLAG_RECURSION_DESIRED,
	FLAG_RESPONSE,
	HEADER_LENGTH,
	OPCODE_MASK,
	TYPE_A,
	TYPE_ANY,
} from "./dns.js";

const PORT: DatagramPort = Object.freeze({ port: 53, accessPoint: true });
const FORMERR = 1;
const NOTIMP = 4;
/** Id and flags. */
const READABLE_LENGTH = 4;

/** A pointer to the name of the question, A, IN, time to live, length, address. */
const ANSWER = Object.freeze([0xc0, HEADER_LENGTH, 0, TYPE_A, 0, CLASS_IN, 0, 0, 0, 0, 0, 4, 192, 168, 4, 1]);

export class CaptiveDNS implements DatagramMachine {
	readonly #deps: DNSDeps;
	#port: DatagramPort | undefined;
	#sender: DatagramSender | undefined;

	constructor(deps: DNSDeps) {
		this.#deps = deps;
	}

	get deadlineMs(): number {
		return Number.POSITIVE_INFINITY;
	}

	/** Undefined while it is off. */
	get port(): DatagramPort | undefined {
		return this.#port;
	}

	/** The access point is on. Starting twice changes nothing. */
	start(): void {
		this.#port = PORT;
	}

	stop(): void {
		this.#port = undefined;
	}

	advance(): void {}

	opened(sender: DatagramSender): void {
		this.#sender = sender;
	}

	lost(): void {}

	received(length: number, source: DatagramSource): void {
		if (this.#port === undefined) return;
		const size = this.reply(length);
		if (size > 0) this.#sender?.send(size, source.remoteAddress, source.remotePort);
	}

	/** Makes the reply of the question in the buffer; its length, 0: none. */
	private reply(length: number): number {
		const { buffer, reader } = this.#deps;
		if (length < READABLE_LENGTH || (buffer[2] << 8) & FLAG_RESPONSE) return 0;
		const isWhole = reader.open(buffer, length);
		if ((buffer[2] << 8) & OPCODE_MASK) return this.refuse(NOTIMP);
		if (!isWhole || reader.questions !== 1 || !reader.nextQuestion()) return this.refuse(FORMERR);
		const isIN = reader.class === CLASS_IN || reader.class === CLASS_ANY;
		const isAnswered = isIN && (reader.type === TYPE_A || reader.type === TYPE_ANY);
		const end = reader.at + (isAnswered ? ANSWER.length : 0);
		if (end > buffer.length) return 0;
		this.putHeader(0);
		buffer[5] = 1;
		if (!isAnswered) return end;
		buffer[7] = 1;
		buffer.set(ANSWER, reader.at);
		return end;
	}

	private refuse(code: number): number {
		this.putHeader(code);
		return HEADER_LENGTH;
	}

	/** The id stays, all counts are 0. */
	private putHeader(code: number): void {
		const { buffer } = this.#deps;
		const kept = (buffer[2] << 8) & (OPCODE_MASK | FLAG_RECURSION_DESIRED);
		const flags = kept | FLAG_RESPONSE | FLAG_AUTHORITATIVE | FLAG_RECURSION_AVAILABLE | code;
		buffer[2] = flags >> 8;
		buffer[3] = flags;
		buffer.fill(0, 4, HEADER_LENGTH);
	}
}
