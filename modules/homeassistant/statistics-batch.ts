/**
 * Sends statistics to the hub over a WebSocket, in the task and with the permit and memory of hub.ts. Rows that the hub
 * has accepted are never lost: after each piece of ROWS hours the progress is stored, and a repeated row replaces itself.
 *
 *              rows ready            message                            failure
 *   WORKING    READY, or OVER        -                                  OVER
 *   READY      ANSWERING             -                                  OVER: no connection
 *   ANSWERING  -                     next message; WORKING, or OVER     OVER
 *
 * A piece has one message for each series. Before the first rows of a series, the hub is asked whether it has earlier
 * ones (statistic-messages.ts). Without new rows there is no connection.
 */
import type { History } from "../history/history.js";
import { OUTCOME_NONE } from "../http/client.js";
import type { HubURL } from "../http/url.js";
import type { Crypto } from "../io/crypto.js";
import type { Task } from "../io/driver.js";
import type { Storage } from "../io/host.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import type { Output } from "../publish/output.js";
import type { Offsets } from "../time/wall-clock.js";
import { FRAME_ROOM, WebSocketClient } from "../websocket/client.js";
import { API, basePathOf, hostFieldOf } from "./batch.js";
import {
	HUB_NO_RECORDER,
	HUB_NOT_ADMINISTRATOR,
	HUB_STATISTICS_REFUSED,
	HUB_UNAUTHORIZED,
	webSocketFailure,
} from "./failures.js";
import { hasMember, type MessageOptions, StatisticMessages } from "./statistic-messages.js";
import { ASKED, loadProgress, storeProgress, UPTO_S } from "./statistic-progress.js";
import { SERIES_COUNT, StatisticRows } from "./statistic-rows.js";

/** Pause between two turns with the history, for the other tasks. */
const TURN_MS = 20;
/** Time after which a batch ends with the present piece. */
const LIMIT_MS = 30_000;
/** Size of the largest message to send, with ROWS + 1 rows of at most 82 bytes. */
const MESSAGE_SIZE = FRAME_ROOM + 2752;
/** Size of the largest message to receive; results have less than 200 bytes, errors quote what was sent. */
const RECEIVED_LIMIT = 1024;

const STATE_WORKING = 0;
const STATE_READY = 1;
const STATE_ANSWERING = 2;
const STATE_OVER = 3;

export interface StatisticSources {
	readonly history: History;
	readonly storage: Storage;
	readonly zone: Offsets;
}

export interface StatisticsBatchOptions extends MessageOptions {
	readonly task: Task;
	readonly crypto: Pick<Crypto, "random">;
	readonly url: HubURL;
	readonly token: string;
	readonly sources: StatisticSources;
}

export class StatisticsBatch {
	failure: OutputFailure | undefined;
	/** Set by the owner: the batch ends with the present piece. */
	isHurried = false;
	/** True if the batch has ended before all rows were sent. */
	hasMore = false;
	/** True if the hub has accepted rows. */
	hasSent = false;
	readonly #output: Output;
	readonly #options: StatisticsBatchOptions;
	readonly #progress: Float64Array;
	readonly #rows: StatisticRows;
	readonly #bytes = new Uint8Array(MESSAGE_SIZE);
	readonly #messages: StatisticMessages;
	#client: WebSocketClient | undefined;
	#state = STATE_WORKING;
	#workMs: number;
	readonly #endMs: number;
	/** Number of the last command, and the series that it is about; true if it asks for earlier rows. */
	#id = 0;
	#series = -1;
	#isAsking = false;

	constructor(output: Output, options: StatisticsBatchOptions, nowMs: number) {
		const { sources } = options;
		this.#output = output;
		this.#options = options;
		this.#progress = loadProgress(sources.storage);
		this.#rows = new StatisticRows(sources.history, sources.zone, this.#progress);
		this.#messages = new StatisticMessages(options, this.#bytes, FRAME_ROOM);
		this.#workMs = nowMs;
		this.#endMs = nowMs + LIMIT_MS;
	}

	/** End of the last hour that the hub has accepted, Unix seconds. */
	get uptoS(): number {
		return this.#progress[UPTO_S];
	}

	get deadlineMs(): number {
		const workMs = this.#state === STATE_WORKING ? this.#workMs : Number.POSITIVE_INFINITY;
		return Math.min(workMs, this.#client?.deadlineMs ?? Number.POSITIVE_INFINITY);
	}

	advance(nowMs: number): void {
		this.#client?.advance(nowMs);
		if (this.#state !== STATE_WORKING || nowMs < this.#workMs) return;
		try {
			if (this.#rows.work()) this.#workMs = nowMs + TURN_MS;
			else this.#state = this.#rows.count > 0 ? STATE_READY : STATE_OVER;
		} catch {
			// The history was compacted in the meantime, or flash failed.
			this.hasMore = true;
			this.#state = STATE_OVER;
		}
	}

	/** Continues after a change. Returns true at the end. */
	step(nowMs: number): boolean {
		if (this.#state === STATE_READY) {
			this.#series = -1;
			if (this.#client === undefined) this.open();
			else this.next(nowMs);
		}
		const client = this.#client;
		while (this.#state === STATE_ANSWERING && client !== undefined && client.length >= 0) {
			this.answered(client, nowMs);
			client.take();
		}
		if (this.#state === STATE_OVER) return true;
		if (client === undefined || client.outcome === OUTCOME_NONE) return false;
		this.fail(webSocketFailure(client.outcome));
		return true;
	}

	close(): void {
		const client = this.#client;
		this.#client = undefined;
		this.#output.keep(client?.session);
		client?.close();
	}

	private open(): void {
		const { crypto, task, text, url } = this.#options;
		const { host, port: portNumber, secure } = url;
		const hostField = hostFieldOf(url);
		const path = `${basePathOf(url)}${API}/websocket`;
		const opened = this.#output.connect(secure, (port, tls) => {
			const more = tls === undefined ? {} : { tls };
			return new WebSocketClient({
				...{ task, text, crypto, port, host, portNumber, hostField, path, limit: RECEIVED_LIMIT },
				...more,
			});
		});
		if (typeof opened === "number") this.fail(webSocketFailure(opened));
		else {
			this.#client = opened;
			this.#state = STATE_ANSWERING;
		}
	}

	/** Handles a message. Other messages than these are not for us. */
	private answered(client: WebSocketClient, nowMs: number): void {
		if (hasMember(client, '"type":"auth_required"')) this.send(this.#messages.auth(this.#options.token), nowMs);
		else if (hasMember(client, '"type":"auth_invalid"')) this.fail(HUB_UNAUTHORIZED);
		else if (hasMember(client, '"type":"auth_ok"')) this.next(nowMs);
		else if (hasMember(client, '"success":false')) {
			if (hasMember(client, '"code":"unauthorized"')) this.fail(HUB_NOT_ADMINISTRATOR);
			else this.fail(hasMember(client, '"code":"unknown_command"') ? HUB_NO_RECORDER : HUB_STATISTICS_REFUSED);
		} else if (!hasMember(client, '"success":true') || !hasMember(client, `"id":${this.#id},`)) return;
		else if (this.#isAsking) {
			const hasEarlier = hasMember(client, '"change":') && !hasMember(client, '"change":null');
			this.#progress[ASKED] |= 1 << this.#series;
			this.sendRows(!hasEarlier, nowMs);
		} else this.next(nowMs);
	}

	/** Sends the next series of the piece, or ends the piece. */
	private next(nowMs: number): void {
		const rows = this.#rows;
		do this.#series++;
		while (this.#series < SERIES_COUNT && !rows.has(this.#series));
		if (this.#series === SERIES_COUNT) this.endPiece(nowMs);
		else if (this.#progress[ASKED] & (1 << this.#series)) this.sendRows(false, nowMs);
		else {
			this.#isAsking = true;
			this.send(this.#messages.earlier(++this.#id, this.#series, rows.startsS[0]), nowMs);
		}
	}

	private sendRows(isFirst: boolean, nowMs: number): void {
		this.#isAsking = false;
		this.send(this.#messages.rows(++this.#id, this.#series, this.#rows, isFirst), nowMs);
	}

	private send(end: number, nowMs: number): void {
		this.#state = STATE_ANSWERING;
		this.#client?.send(this.#bytes, FRAME_ROOM, end, nowMs);
	}

	private endPiece(nowMs: number): void {
		const rows = this.#rows;
		rows.accept();
		this.hasSent = true;
		try {
			storeProgress(this.#options.sources.storage, this.#progress);
		} catch {
			// The storage counts refused writes. After a restart these rows are sent again.
		}
		if (rows.isLast || this.isHurried || nowMs >= this.#endMs) {
			this.hasMore = !rows.isLast;
			this.#state = STATE_OVER;
		} else {
			this.#workMs = nowMs;
			this.#state = STATE_WORKING;
		}
	}

	private fail(failure: OutputFailure): void {
		this.failure = failure;
		this.#state = STATE_OVER;
	}
}
