/**
 * States on their way to the hub: one request after the other over one connection, or another one where the server ends
 * them. A machine inside of the hub's (hub.ts), whose drive its connection goes through.
 *
 * Sent is one entity to see whether the hub still knows it, those of the gateway, or all. When the first is new to the
 * hub (201), it has lost them all, as it does at each restart: then all are sent.
 */
import { NO_MEMORY } from "../config/blob.js";
import type { TrustedCertificates } from "../config/trusted-certificates.js";
import { FIRST_STATUS, HTTPClient, OUTCOME_NONE } from "../http/client.js";
import type { HubURL } from "../http/url.js";
import type { Drive } from "../io/driver.js";
import type { Clock, Network } from "../io/host.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import { BODY_SIZE, Entities, type Snapshot } from "./entities.js";
import { HUB_BAD_URL, HUB_NO_TURN, hubFailure } from "./failures.js";

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

/** What it needs of the hub's. */
export interface BatchWorld {
	readonly clock: Pick<Clock, "utcMs">;
	readonly ports: Pick<Network, "tcpClient" | "tlsClient">;
	readonly certificates: Pick<TrustedCertificates, "lend">;
}

export interface BatchOptions {
	readonly drive: Drive;
	readonly url: HubURL;
	readonly token: string;
	readonly snapshot: Snapshot;
	/** SEND_… */
	readonly scope: number;
	/** Of a connection before. */
	readonly session: Uint8Array | undefined;
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
	readonly #world: BatchWorld;
	readonly #options: BatchOptions;
	/** Each request's line up to the entity. */
	readonly #line: string;
	/** A request: its first lines, which end at LINES_SIZE, then what all have, with the token, then its body from #bodyAt. */
	readonly #request: Uint8Array;
	readonly #bodyAt: number;
	#entities: Entities;
	#client: HTTPClient | undefined;

	constructor(world: BatchWorld, options: BatchOptions) {
		this.#world = world;
		this.#options = options;
		const { scope, snapshot, token, url } = options;
		const { path, port, secure } = url;
		this.scope = scope;
		this.#line = `POST ${path.endsWith(API) ? path.slice(0, -API.length) : path}${API}/states/`;
		const host = port === (secure ? 443 : 80) ? url.host : `${url.host}:${port}`;
		const fields = snapshot.text.encode(
			`Host: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n\r\n`,
		);
		this.#bodyAt = LINES_SIZE + fields.length;
		this.#request = new Uint8Array(this.#bodyAt + BODY_SIZE);
		this.#request.set(fields, LINES_SIZE);
		this.#entities = this.entities(scope === SEND_ALL);
	}

	get deadlineMs(): number {
		return this.#client?.deadlineMs ?? Number.POSITIVE_INFINITY;
	}

	/** Of TLS, for the next one. */
	get session(): Uint8Array | undefined {
		return this.#client?.session;
	}

	advance(nowMs: number): void {
		this.#client?.advance(nowMs);
	}

	close(): void {
		this.#client?.close();
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
				this.#entities = this.entities(true);
			}
		}
		if (this.scope === SEND_ONE && this.taken > 0) return true;
		return !this.#entities.next() || this.send(nowMs);
	}

	/** Sends the state of the entity that was gone to; true: it can't. */
	private send(nowMs: number): boolean {
		let client = this.#client;
		if (client === undefined || !client.isOpen) {
			client?.close();
			const opened = this.connect();
			if (opened === undefined || opened === NO_MEMORY) {
				this.#client = undefined;
				this.failure = opened === undefined ? HUB_BAD_URL : HUB_NO_TURN;
				return true;
			}
			client = opened;
			this.#client = client;
		}
		const { id, end } = this.#entities;
		const head = `${this.#line}${id} HTTP/1.1\r\nContent-Length: ${end - this.#bodyAt}\r\n`;
		const lines = this.#options.snapshot.text.encode(head);
		const start = LINES_SIZE - lines.length;
		this.#request.set(lines, start);
		client.send(this.#request, start, end, nowMs);
		return false;
	}

	private entities(withValues: boolean): Entities {
		return new Entities(this.#options.snapshot, withValues, this.#request, this.#bodyAt);
	}

	/** Undefined: the host can't do anything with that address; NO_MEMORY: there is no memory for the certificate. */
	private connect(): HTTPClient | typeof NO_MEMORY | undefined {
		const { clock, certificates, ports } = this.#world;
		const { drive, session, url } = this.#options;
		const { host, port: portNumber, secure } = url;
		const port = secure ? ports.tlsClient : ports.tcpClient;
		if (port === undefined) return undefined;
		try {
			if (!secure) return new HTTPClient({ drive, port, host, portNumber });
			// Without its certificate the token might go to anybody.
			return certificates.lend(
				(trusted) => new HTTPClient({ drive, port, host, portNumber, tls: { trusted, utcMs: clock.utcMs(), session } }),
			);
		} catch {
			return undefined;
		}
	}
}
