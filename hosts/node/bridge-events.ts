/**
 * Events from the host to the XS worker (worker/protocol.ts). Each kind of event is queued at most once per id. The
 * contents of an event are read when it is sent.
 */
import type { Clock } from "../../modules/io/host.js";
import * as protocol from "./worker/protocol.js";

export interface EventSubject {
	readonly id: number;
	/** Kinds of the queued events, as bits (bitOf). */
	events: number;
	readable: number;
	writable: number;
	/** Numbers of the radio's queued events (a reason or a count), by kind of event. */
	readonly numbers: number[];
	message: string;
}

interface QueuedEvent {
	readonly subject: EventSubject;
	readonly kind: number;
	/** SERIAL_ERROR_… or CLIENT_… of an EVENT_ERROR; otherwise 0. */
	readonly code: number;
}

export interface EventQueueOptions {
	readonly clock: Clock;
	/** Resolves when the worker has handled the event; never rejects. */
	deliver(event: Uint8Array): Promise<void>;
	isOpen(subject: EventSubject): boolean;
	/** Called before the last event of the id is sent. */
	ended(subject: EventSubject): void;
}

export class EventQueue {
	readonly #options: EventQueueOptions;
	readonly #queue: QueuedEvent[] = [];
	#pumping = false;
	#pumped = Promise.resolve();

	constructor(options: EventQueueOptions) {
		this.#options = options;
	}

	get settled(): Promise<void> {
		return this.#pumped;
	}

	queue(subject: EventSubject, kind: number, number = 0): void {
		if (kind === protocol.EVENT_READABLE) subject.readable = number;
		else if (kind === protocol.EVENT_WRITABLE) subject.writable = number;
		const queued = { subject, kind, code: kind === protocol.EVENT_ERROR ? number : 0 };
		if (subject.events & bitOf(queued) || !this.#options.isOpen(subject)) return;
		subject.events |= bitOf(queued);
		this.#queue.push(queued);
		if (!this.#pumping) this.#pumped = this.#pump();
	}

	withdraw(subject: EventSubject, kind: number): void {
		subject.events &= ~bitOf({ subject, kind, code: 0 });
	}

	clear(): void {
		this.#queue.length = 0;
	}

	encode(kind: number, id: number, number: number, text: string): Uint8Array {
		const payload = Buffer.from(text);
		const event = Buffer.alloc(protocol.EVENT_HEADER_BYTES + payload.length);
		event.writeUInt8(kind, 0);
		event.writeUInt32LE(id, 1);
		event.writeDoubleLE(this.#options.clock.monotonicMs(), 5);
		event.writeDoubleLE(this.#utcOffsetMs(), 13);
		event.writeUInt32LE(number, 21);
		payload.copy(event, protocol.EVENT_HEADER_BYTES);
		return event;
	}

	async #pump(): Promise<void> {
		this.#pumping = true;
		for (let queued = this.#queue.shift(); queued; queued = this.#queue.shift()) {
			const { subject, kind } = queued;
			// The object was closed, or the event was withdrawn, before the event could be sent.
			if (!(subject.events & bitOf(queued))) continue;
			subject.events &= ~bitOf(queued);
			if (kind === protocol.EVENT_READABLE && subject.readable === 0) continue;
			if (kind === protocol.EVENT_TIMER || kind === protocol.EVENT_ANSWER) this.#options.ended(subject);
			await this.#options.deliver(this.encode(kind, subject.id, numberOf(queued), subject.message));
		}
		this.#pumping = false;
	}

	#utcOffsetMs(): number {
		const { clock } = this.#options;
		const utcMs = clock.utcMs();
		return utcMs === undefined ? Number.NaN : utcMs - clock.monotonicMs();
	}
}

function bitOf({ kind, code }: QueuedEvent): number {
	return 1 << (kind + code);
}

function numberOf({ subject, kind, code }: QueuedEvent): number {
	if (kind === protocol.EVENT_READABLE) return subject.readable;
	if (kind === protocol.EVENT_WRITABLE) return subject.writable;
	return subject.numbers[kind] ?? code;
}
