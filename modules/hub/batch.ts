/**
 * Sends states to the hub over one connection. If the server closes the connection, it is opened again. A batch runs in
 * the task of hub.ts.
 *
 * A batch sends one entity (to check whether the hub still has it), the gateway's own entities, or all entities. If the
 * reply to the first one is 201, the hub has lost all entities, for example in a restart. The batch then sends all of
 * them.
 */
import { FIRST_STATUS, HTTPClient, OUTCOME_NONE } from "../http/client.js";
import type { HubURL } from "../http/url.js";
import type { Task } from "../io/driver.js";
import type { TextCodec } from "../io/host.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import type { Output } from "../publish/output.js";
import { hubFailure } from "./failures.js";
import { BODY_SIZE, type Snapshot, StateBodies } from "./state-bodies.js";

export const SEND_ONE = 0;
export const SEND_OWN = 1;
export const SEND_ALL = 2;

/** Path of the API on the hub. Some users include it in the address of the hub. */
const API = "/api";
/**
 * Room for the first lines of a request, bytes. They contain a path of up to 255 characters, an entity id and a length.
 */
const LINES_SIZE = 512;
const OK = 200;
const CREATED = 201;

export interface BatchOptions {
	readonly task: Task;
	readonly text: TextCodec;
	readonly url: HubURL;
	readonly token: string;
	readonly snapshot: Snapshot;
	readonly scope: number;
}

export class Batch {
	/** Entities to send, SEND_…. It becomes SEND_ALL if the hub has lost the entities. */
	scope: number;
	/** Number of states that the hub has accepted. */
	taken = 0;
	/** Status of the last reply; 0 before the first reply. */
	status = 0;
	/** Failure that ended the batch before all states were accepted; undefined if there was none. */
	failure: OutputFailure | undefined;
	readonly #output: Output;
	readonly options: BatchOptions;
	readonly #line: string;
	/**
	 * Request. It has the first lines, which end at LINES_SIZE, then the fixed fields with the token, and from #bodyAt
	 * on the body.
	 */
	readonly #request: Uint8Array;
	readonly #bodyAt: number;
	#bodies: StateBodies;
	#client: HTTPClient | undefined;

	constructor(output: Output, options: BatchOptions) {
		this.#output = output;
		this.options = options;
		const { scope, text, token, url } = options;
		this.scope = scope;
		this.#line = `POST ${apiPathOf(url)}/states/`;
		const fields = text.encode(
			`Host: ${hostFieldOf(url)}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n\r\n`,
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

	/** Handles a reply and sends the next state. Returns true at the end of the batch. */
	step(nowMs: number): boolean {
		const client = this.#client;
		if (client !== undefined) {
			const { outcome } = client;
			if (outcome === OUTCOME_NONE) return false;
			// The server may have closed the idle connection just before this request arrived.
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

	/** Sends the current state, over a new connection if necessary. Returns true if no connection can be opened. */
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
		const lines = this.options.text.encode(head);
		const start = LINES_SIZE - lines.length;
		this.#request.set(lines, start);
		client.send(this.#request, start, end, nowMs);
		return false;
	}

	private bodies(hasValues: boolean): StateBodies {
		return new StateBodies(this.options.snapshot, hasValues, this.#request, this.#bodyAt);
	}

	/** Opens a connection. Returns CLIENT_… (io/client.ts) if that is impossible. */
	private connect(): HTTPClient | number {
		const { task, url } = this.options;
		const { host, port: portNumber, secure } = url;
		return this.#output.connect(
			secure,
			(port, tls) => new HTTPClient({ task: task, port, host, portNumber, ...(tls === undefined ? {} : { tls }) }),
		);
	}
}

export function apiPathOf({ path }: HubURL): string {
	return path.endsWith(API) ? path : path + API;
}

export function hostFieldOf({ host, port, secure }: HubURL): string {
	return port === (secure ? 443 : 80) ? host : `${host}:${port}`;
}
