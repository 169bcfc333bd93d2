/**
 * List of the clients of the event stream (event-stream.ts). Code that changes the state of the gateway notifies the
 * clients through it.
 */
import { removeAt } from "../bytes/list.js";

/** Bits for the messages that are pending for a client. The message with the lowest bit is sent first. */
export const DUE_OPENING = 1;
export const DUE_STATE = 2;
export const DUE_READOUT = 4;
export const DUE_BEAT = 8;

export interface LiveClient {
	readonly secure: boolean;
	/** Token of the client. If it becomes "", the stream ends. */
	token: string;
	wake(due: number): void;
}

export interface TokenServer {
	forget(): void;
}

export class Live {
	readonly clients: LiveClient[] = [];
	/** Time until which consumers other than these clients want live values (meter/live-mode.ts), monotonic ms. */
	wantedToMs = 0;
	readonly #serving: TokenServer;

	constructor(serving: TokenServer) {
		this.#serving = serving;
	}

	/** True if the port has no stream yet. Each port allows one stream. */
	hasPlace(secure: boolean): boolean {
		return this.clients.every((client) => client.secure !== secure);
	}

	add(client: LiveClient): void {
		this.clients.push(client);
	}

	remove(client: LiveClient): void {
		removeAt(this.clients, this.clients.indexOf(client));
	}

	changed(): void {
		this.wake(DUE_STATE);
	}

	measured(): void {
		this.wake(DUE_STATE | DUE_READOUT);
	}

	/** Makes all streams check their tokens, because one may have been revoked. */
	tokensChanged(): void {
		this.#serving.forget();
		this.wake(DUE_BEAT);
	}

	end(): void {
		for (let i = 0; i < this.clients.length; i++) this.clients[i].token = "";
		this.wake(DUE_BEAT);
	}

	private wake(due: number): void {
		for (let i = 0; i < this.clients.length; i++) this.clients[i].wake(due);
	}
}
