/**
 * Transmission of states to the hub: one request after the other over one connection, which is reopened if the server
 * closes it. Part of the hub's machine (hub.ts); the connection runs in its task.
 *
 * A batch sends one entity to check whether the hub still knows it, the gateway's entities, or all. If the first entity
 * is new to the hub (201), the hub has lost all of them, as after each restart. Then all are sent.
 */
import { FIRST_STATUS, HTTPClient, OUTCOME_NONE } from "../http/client.js";
import type { HubURL } from "../http/url.js";
import type { Task } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import type { Output } from "../publish/output.js";
import { hubFailure } from "./failures.js";
import { BODY_SIZE, type Snapshot, StateBodies } from "./state-bodies.js";

/** Scopes of a batch: one entity as a check; the gateway's entities; all entities. */
export const SEND_ONE = 0;
export const SEND_OWN = 1;
export const SEND_ALL = 2;

/** API path below the hub's address; some users include it in the address. */
const API = "/api";
/** Bytes for the first lines of a request: a path of 255 characters, an entity, a length. */
const LINES_SIZE = 512;
const OK = 200;
const CREATED = 201;

export interface BatchOptions {
	readonly task: Task;
	readonly text: TextCodec;
	readonly url: HubURL;
	readonly token: string;
	readonly snapshot: Snapshot;
	/** SEND_… scope. */
	readonly scope: number;
}

export class Batch {
	/** SEND_… scope; raised to SEND_ALL if the hub has lost the entities. */
	scope: number;
	/** Number of states accepted by the hub. */
	taken = 0;
	/** HTTP status of the last reply; 0 before the first. */
	status = 0;
	/** Reason for ending before all states were accepted. */
	failure: OutputFailure | undefined;
	readonly #output: Output;
	readonly #options: BatchOptions;
	/** Request line up to the entity. */
	readonly #line: string;
	/** Request buffer: first lines, ending at LINES_SIZE; constant fields with the token; the body from #bodyAt on. */
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

	/** Sends the next state once the previous reply has arrived. Returns true at the end of the batch. */
	step(nowMs: number): boolean {
		const client = this.#client;
		if (client !== undefined) {
			const { outcome } = client;
			if (outcome === OUTCOME_NONE) return false;
			// A server may close a kept-open connection just as the next request is sent.
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

	/** Sends the current entity's state. Returns true if no connection can be opened. */
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

	/** Opens a connection. Returns CLIENT_… on failure. */
	private connect(): HTTPClient | number {
		const { task, url } = this.#options;
		const { host, port: portNumber, secure } = url;
		return this.#output.connect(
			secure,
			(port, tls) => new HTTPClient({ task: task, port, host, portNumber, ...(tls === undefined ? {} : { tls }) }),
		);
	}
}
