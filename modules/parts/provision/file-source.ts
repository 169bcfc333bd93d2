/**
 * Fetches a signed settings file from the server in the settings, soon after the start and then once a day. The server
 * is authenticated with the owner's certificate, because the file may contain secrets. A file is ignored unless its
 * counter is higher than that of the last file.
 */
import { FIRST_STATUS, HTTP_NO_REPLY, type HTTPClient, OUTCOME_NONE } from "../../http/client.js";
import { ReplyReader } from "../../http/reply.js";
import type { FileURL } from "../../http/url.js";
import type { TLSClientOptions } from "../../io/client.js";
import type { Cost } from "../../io/memory.js";
import { counterOf, FILE_LIMIT } from "../../provision/file.js";
import { type OutputAccess, type OutputDeps, OWNER_PAUSE_MS } from "../../publish/output.js";
import { isGone, NO_MEMORY, visitFailure } from "../../publish/visit-failures.js";
import { Visits } from "../../publish/visits.js";
import { requestFile } from "../../update/file-request.js";
import { RESTORE_COST } from "../system/restore.js";
import { PROVISION_COUNTER, PROVISION_URL } from "./fields.js";

/** Memory for the connection and the file. */
export const FETCH_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 9216 });

const DAY_MS = 86_400_000;

export interface FileTaker extends OutputAccess {
	mayKeep(length: number, cost: Cost): boolean;
	offer(file: Uint8Array, way: string): void;
}

export class FileSource extends Visits<HTTPClient> {
	readonly #taker: FileTaker;

	constructor(deps: OutputDeps, taker: FileTaker, isStart: boolean) {
		super(deps, taker, PROVISION_URL, FETCH_COST, isStart);
		this.#taker = taker;
	}

	drain(nowMs: number): void {
		const { visit } = this;
		if (visit === undefined || visit.outcome === OUTCOME_NONE) return;
		const { outcome, reply } = visit;
		const file = (reply.bodyStart as Uint8Array).subarray(0, reply.stored);
		const counter = counterOf(file);
		const isCut = counter === 0 && file.length <= FILE_LIMIT && !reply.isWhole;
		if (outcome < FIRST_STATUS || outcome >= 300) {
			this.fail(visitFailure(outcome), nowMs);
			if (isGone(outcome)) this.dueMs = nowMs + this.spread(OWNER_PAUSE_MS);
		} else if (isCut) this.fail(visitFailure(HTTP_NO_REPLY), nowMs);
		else {
			// This call releases the memory of the fetch, which may be needed to apply the file.
			this.succeed(DAY_MS, nowMs);
			if (counter > 0 && counter <= this.deps.config.get(PROVISION_COUNTER)) return;
			if (this.#taker.mayKeep(file.length, RESTORE_COST)) this.#taker.offer(file, "url");
			else this.fail(NO_MEMORY, nowMs);
		}
	}

	protected ask(url: FileURL, nowMs: number): void {
		const { text } = this.deps;
		const { task } = this;
		// If the reply fills this array, the file is too long.
		const reply = new ReplyReader(new Uint8Array(FILE_LIMIT + 1));
		const client = this.output.connect(true, (port, secure) => {
			const tls = secure as TLSClientOptions;
			return requestFile({ task, port, text, url, range: `0-${FILE_LIMIT}`, reply, tls }, nowMs);
		});
		if (typeof client === "number") this.fail(visitFailure(client), nowMs);
		else this.visit = client;
	}
}
