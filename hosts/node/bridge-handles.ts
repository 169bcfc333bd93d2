/** Objects on the host that belong to the ids of the XS worker. At most HANDLE_LIMIT ids are in use at a time. */
import type { Client } from "../../modules/io/client.js";
import type { Hash } from "../../modules/io/crypto.js";
import type { Ethernet } from "../../modules/io/ethernet.js";
import type { Inflater } from "../../modules/io/flash.js";
import type { Host, Listener, PendingSocket, Serial, Socket, UDP } from "../../modules/io/host.js";
import type { WiFi } from "../../modules/io/wifi.js";
import type { EventQueue, EventSubject } from "./bridge-events.js";

const HANDLE_LIMIT = 1024;

/** Only the member for the kind of the object is set. A client also sets `stream`. */
export interface Handle extends EventSubject {
	stream?: Serial | Socket | Client;
	client?: Client;
	listener?: Listener;
	pending?: PendingSocket;
	udp?: UDP;
	wifi?: WiFi;
	ethernet?: Ethernet;
	hash?: Hash;
	inflater?: Inflater;
	close(): void;
}

export interface BridgeDeps {
	readonly host: Host;
	readonly handles: Handles;
	readonly events: EventQueue;
}

type Kind = "stream" | "client" | "listener" | "pending" | "udp" | "wifi" | "ethernet" | "hash" | "inflater";

export class Handles {
	readonly #byId = new Map<number, Handle>();

	get(id: number): Handle | undefined {
		return this.#byId.get(id);
	}

	find<K extends Kind>(id: number, kind: K): NonNullable<Handle[K]> {
		const thing = this.#byId.get(id)?.[kind];
		if (!thing) throw new Error("closed");
		return thing;
	}

	/** Calls `make`, which must set the handle's `close`. If `make` throws, the id is free again. */
	open<T>(id: number, make: (handle: Handle) => T): T {
		if (this.#byId.has(id)) throw new Error("this id is in use");
		if (this.#byId.size >= HANDLE_LIMIT) throw new Error(`more than ${HANDLE_LIMIT} objects are open`);
		const handle: Handle = { id, events: 0, readable: 0, writable: 0, numbers: [], message: "", close: () => {} };
		this.#byId.set(id, handle);
		try {
			return make(handle);
		} catch (error) {
			this.#byId.delete(id);
			throw error;
		}
	}

	/** Frees the id. Call it when the object has ended by itself. */
	forget(id: number): void {
		this.#byId.delete(id);
	}

	close(id: number): void {
		const handle = this.#byId.get(id);
		if (!handle) return;
		this.#byId.delete(id);
		handle.events = 0;
		handle.close();
	}

	closeAll(): void {
		for (const id of [...this.#byId.keys()]) this.close(id);
	}
}
