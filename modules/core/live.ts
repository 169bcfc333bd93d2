/** Clients that are sent events (event-stream.ts), for the code that changes what they tell of. */
import { takeOut } from "../bytes/list.js";

/** What a stream has to send; the lowest one first. */
export const DUE_OPENING = 1;
export const DUE_STATE = 2;
export const DUE_READOUT = 4;
export const DUE_BEAT = 8;

/** One client. */
export interface LiveClient {
	/** It came by the port with TLS. */
	readonly secure: boolean;
	/** What it came with; empty: it is to go. */
	token: string;
	/** `due`: of DUE_…, in one number. */
	tell(due: number): void;
}

/** The server, which treats clients that have shown a token better than strangers. */
export interface TokenServer {
	/** A token was revoked. */
	forget(): void;
}

export class Live {
	readonly #clients: LiveClient[] = [];
	readonly #serving: TokenServer;

	constructor(serving: TokenServer) {
		this.#serving = serving;
	}

	/** Each port has one place. */
	hasPlace(secure: boolean): boolean {
		return this.#clients.every((client) => client.secure !== secure);
	}

	add(client: LiveClient): void {
		this.#clients.push(client);
	}

	remove(client: LiveClient): void {
		takeOut(this.#clients, this.#clients.indexOf(client));
	}

	/** What the state shows may be another. */
	changed(): void {
		this.tell(DUE_STATE);
	}

	/** There is another good readout. */
	measured(): void {
		this.tell(DUE_STATE | DUE_READOUT);
	}

	/** A token may have been revoked. */
	tokensChanged(): void {
		this.#serving.forget();
		this.tell(DUE_BEAT);
	}

	/** The device is about to start anew. */
	end(): void {
		for (let i = 0; i < this.#clients.length; i++) this.#clients[i].token = "";
		this.tell(DUE_BEAT);
	}

	private tell(due: number): void {
		for (let i = 0; i < this.#clients.length; i++) this.#clients[i].tell(due);
	}
}
