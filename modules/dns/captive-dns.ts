/**
 * Name server of the access point (RFC 1035). Every name resolves to the device, so that a phone that probes for
 * Internet access finds the device's page (RFC 8910).
 *
 *   A or ANY, class IN     the address of the access point, which must not be cached (time to live 0)
 *   any other question     NOERROR without an answer, so a phone that asks for AAAA or HTTPS then asks for A
 *   an opcode not QUERY    NOTIMP
 *   malformed, or not exactly one question (RFC 9619)   FORMERR
 *   a response             ignored
 *
 * Data after the question (EDNS, RFC 6891) is ignored. The reply overwrites the question in the shared buffer.
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
/** Length of id and flags. They are needed for a reply, so a shorter message is ignored. */
const READABLE_LENGTH = 4;

/** Answer record: pointer to the name in the question, type A, class IN, time to live, length, address. */
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

	get port(): DatagramPort | undefined {
		return this.#port;
	}

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

	private putHeader(code: number): void {
		const { buffer } = this.#deps;
		const copiedFlags = (buffer[2] << 8) & (OPCODE_MASK | FLAG_RECURSION_DESIRED);
		const flags = copiedFlags | FLAG_RESPONSE | FLAG_AUTHORITATIVE | FLAG_RECURSION_AVAILABLE | code;
		buffer[2] = flags >> 8;
		buffer[3] = flags;
		buffer.fill(0, 4, HEADER_LENGTH);
	}
}
