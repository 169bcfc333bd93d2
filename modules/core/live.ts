/** Clients of the event stream (event-stream.ts), for code that changes the shown state. */
import { removeAt } from "../bytes/list.js";

/** Pending items of a stream; the lowest bit is sent first. */
export const DUE_OPENING = 1;
export const DUE_STATE = 2;
export const DUE_READOUT = 4;
export const DUE_BEAT = 8;

export interface LiveClient {
	readonly secure: boolean;
	/** Token of the client; "" ends the stream. */
	token: string;
	tell(due: number): void;
}

export interface TokenServer {
	forget(): void;
}

export class Live {
	readonly clients: LiveClient[] = [];
	/** Time until which others want live values, monotonic ms (meter/live-mode.ts). */
	wantedToMs = 0;
	readonly #serving: TokenServer;

	constructor(serving: TokenServer) {
		this.#serving = serving;
	}

	/** True if the port, which allows one stream, is free. */
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
		this.tell(DUE_STATE);
	}

	measured(): void {
		this.tell(DUE_STATE | DUE_READOUT);
	}

	/** Makes all streams check their tokens, because one may have been revoked. */
	tokensChanged(): void {
		this.#serving.forget();
		this.tell(DUE_BEAT);
	}

	end(): void {
		for (let i = 0; i < this.clients.length; i++) this.clients[i].token = "";
		this.tell(DUE_BEAT);
	}

	private tell(due: number): void {
		for (let i = 0; i < this.clients.length; i++) this.clients[i].tell(due);
	}
}
