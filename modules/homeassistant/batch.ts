/**
 * States on their way to the hub: one request after the other over one connection, or another one where the server ends
 * them. A machine inside of the hub's (hub.ts), whose drive its connection goes through.
 *
 * Sent is one entity to see whether the hub still knows it, those of the gateway, or all. When the first is new to the
 * hub (201), it has lost them all, as it does at each restart: then all are sent.
 */
import { FIRST_STATUS, HTTPClient, OUTCOME_NONE } from "../http/client.js";
import type { HubURL } from "../http/url.js";
import type { Task } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import type { Output } from "../publish/output.js";
import { hubFailure } from "./failures.js";
import { BODY_SIZE, type Snapshot, StateBodies } from "./state-bodies.js";

/** What is to be sent: one entity, to see what becomes of it; those of the gateway; all. */
export const SEND_ONE = 0;
export const SEND_OWN = 1;
export const SEND_ALL = 2;

/** Below the hub's address; some write it as part of that. */
const API = "/api";
/** Room for the first lines of a request: a path of 255 characters, an entity, a length. */
const LINES_SIZE = 512;
const OK = 200;
const CREATED = 201;

export interface BatchOptions {
	readonly task: Task;
	readonly text: TextCodec;
	readonly url: HubURL;
	readonly token: string;
	readonly snapshot: Snapshot;
	/** SEND_… */
	readonly scope: number;
}

export class Batch {
	/** SEND_… */
	scope: number;
	/** States that were taken. */
	taken = 0;
	/** What the hub has answered last; 0: nothing. */
	status = 0;
	/** Why it has ended, if it has and not all was taken. */
	failure: OutputFailure | undefined;
	readonly #output: Output;
	readonly #options: BatchOptions;
	/** Each request's line up to the entity. */
	readonly #line: string;
	/** A request: its first lines, which end at LINES_SIZE, then what all have, with the token, then its body from #bodyAt. */
	readonly #request: Uint8Array;
	readonly #bodyAt: number;
	#bodies: StateBodies;
	#client: HTTPClient | undefined;

	constructor(output: Output, options: BatchOptions) {
		this.#output = output;
		this.#options = options;
		const { scope, text, token, url } = options;
		const { path, port, secure } = url;
		this.scope = scope;
		this.#line = `POST ${path.endsWith(API) ? path.slice(0, -API.length) : path}${API}/states/`;
		const host = port === (secure ? 443 : 80) ? url.host : `${url.host}:${port}`;
		const fields = text.encode(
			`Host: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n\r\n`,
		);
		this.#bodyAt = LINES_SIZE + fields.length;
		this.#request = new Uint8Array(this.#bodyAt + BODY_SIZE);
		this.#request.set(fields, LINES_SIZE);
		this.#bodies = this.bodies(scope === SEND_ALL);
	}

	get deadlineMs(): number {
		return this.#client?.deadlineMs ?? Number.POSITIVE_INFINITY;
	}

	advance(nowMs: number): void {
		this.#client?.advance(nowMs);
	}

	close(): void {
		const client = this.#client;
		this.#client = undefined;
		this.#output.keep(client?.session);
		client?.close();
	}

	/** Sends what comes next, if the answer to what came before is there; true when it has ended. */
	step(nowMs: number): boolean {
		const client = this.#client;
		if (client !== undefined) {
			const { outcome } = client;
			if (outcome === OUTCOME_NONE) return false;
			// A server may end a connection that was kept just when the next request is on its way.
			if (client.isWorthRepeating) return this.send(nowMs);
			if (outcome >= FIRST_STATUS) this.status = outcome;
			if (outcome !== OK && outcome !== CREATED) {
				this.failure = hubFailure(outcome);
				return true;
			}
			this.taken++;
			if (outcome === CREATED && this.taken === 1 && this.scope < SEND_ALL) {
				this.scope = SEND_ALL;
				this.#bodies = this.bodies(true);
			}
		}
		if (this.scope === SEND_ONE && this.taken > 0) return true;
		return !this.#bodies.next() || this.send(nowMs);
	}

	/** Sends the state of the entity that was gone to; true: it can't. */
	private send(nowMs: number): boolean {
		let client = this.#client;
		if (client === undefined || !client.isOpen) {
			this.close();
			const opened = this.connect();
			if (typeof opened === "number") {
				this.failure = hubFailure(opened);
				return true;
			}
			client = opened;
			this.#client = client;
		}
		const { id, end } = this.#bodies;
		const head = `${this.#line}${id} HTTP/1.1\r\nContent-Length: ${end - this.#bodyAt}\r\n`;
		const lines = this.#options.text.encode(head);
		const start = LINES_SIZE - lines.length;
		this.#request.set(lines, start);
		client.send(this.#request, start, end, nowMs);
		return false;
	}

	private bodies(hasValues: boolean): StateBodies {
		return new StateBodies(this.#options.snapshot, hasValues, this.#request, this.#bodyAt);
	}

	/** CLIENT_…: no connection can be opened. */
	private connect(): HTTPClient | number {
		const { task, url } = this.#options;
		const { host, port: portNumber, secure } = url;
		return this.#output.connect(
			secure,
			(port, tls) => new HTTPClient({ task: task, port, host, portNumber, ...(tls === undefined ? {} : { tls }) }),
		);
	}
}
