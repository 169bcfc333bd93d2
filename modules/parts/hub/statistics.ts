/**
 * Sends statistics for the hub's energy dashboard through Home Assistant's WebSocket API (developers.home-assistant.io,
 * "WebSocket API"; homeassistant/components/recorder/websocket_api.py). This is done in the task of hub.ts, with its
 * memory and its TLS permit, after a batch of states that the hub has accepted.
 *
 *             begin     rows complete    no rows, exception   message                    failure
 *   IDLE      READING   -                -                    -                          -
 *   READING   -         SENDING          OVER                 -                          -
 *   SENDING   -         -                -                    next message, then OVER    OVER
 *   OVER      -         -                -                    -                          -
 *
 *   In OVER, `step` returns true, and the owner calls `close`, which leads to IDLE.
 *
 * A run sends up to ROWS hours (statistic-rows.ts), with two messages for each series. The progress is stored only when
 * all are accepted, so no hour is lost. If a row is sent twice, the second one replaces the first one. If there are no
 * new rows, no connection is opened.
 *
 * The ids of the series in the hub are smart_meter_gateway:<host>_<key>. Home Assistant counts the whole sum in the
 * first row of a series as consumption in the hour of this row. Therefore the first message asks whether the hub has
 * earlier rows. If it has none, the second message also has a row in the year 2000, which no diagram shows, with the
 * sum before the first hour.
 */
import { GAS, WATER } from "../../history/entry.js";
import type { History } from "../../history/history.js";
import { HTTP_BAD_REPLY, OUTCOME_NONE } from "../../http/client.js";
import { apiPathOf, type BatchOptions, hostFieldOf } from "../../hub/batch.js";
import { hubFailure } from "../../hub/failures.js";
import { slugOf } from "../../hub/state-bodies.js";
import { FILLED_S, loadProgress, SERIES_COUNT, storeProgress, UPTO_S } from "../../hub/statistic-progress.js";
import { StatisticRows } from "../../hub/statistic-rows.js";
import { isMistake } from "../../io/fault.js";
import type { Storage } from "../../io/host.js";
import type { Output, OutputDeps } from "../../publish/output.js";
import { HOUR_S } from "../../time/calendar.js";
import { utcText } from "../../time/iso.js";
import { WebSocketClient } from "../../websocket/client.js";
import { FRAME_ROOM } from "../../websocket/frames.js";
import { HUB_ENABLED, HUB_STATISTICS } from "./fields.js";

/** Pause between two steps of reading the history, ms. Other tasks can run in it. */
const TURN_MS = 20;
/** Minimum time until the next run if no rows remain, ms. */
const NEXT_MS = 600_000;
/**
 * Size of the largest message to send, bytes. It has a head with a name, and ROWS + 1 rows of at most 60 bytes; or a
 * token.
 */
const MESSAGE_SIZE = FRAME_ROOM + 2048;
/**
 * Size of the largest message to receive, bytes. Results have less than 200 bytes. Errors may be longer, because they
 * quote what was sent.
 */
const RECEIVED_LIMIT = 1024;

/** Source of the series in Home Assistant; their ids begin with it. */
const SOURCE = "smart_meter_gateway";
const KEYS: readonly string[] = Object.freeze(["import", "export", "gas", "water", "heat", "import_t2", "import_t1"]);
/** Number of Wh in a kWh, and of litres in a m³. */
const UNITS = 1000;

const TOKEN_NEXT = -2;

const STATE_IDLE = 0;
const STATE_READING = 1;
const STATE_SENDING = 2;
const STATE_OVER = 3;

export interface StatisticSources {
	readonly history: History;
	readonly storage: Storage;
	/** The part backfill. Its `filledS` is missing in a firmware without the backfill. */
	readonly backfill: { readonly filledS?: number };
}

export class Statistics {
	/** End of the last hour that the hub has accepted, Unix seconds; 0 before the first one. */
	uptoS = 0;
	hasMore = false;
	/** Code of the last failure; "" after a success. */
	#failure = "";
	readonly #output: Output;
	readonly #deps: OutputDeps;
	/** Sources of the rows. Undefined in a device without a history; such a device has no statistics. */
	readonly #sources: StatisticSources | undefined;
	#state = STATE_IDLE;
	/** In READING, time of the next step; otherwise, earliest time of the next run; monotonic ms. */
	#dueMs = Number.NEGATIVE_INFINITY;
	#options: BatchOptions | undefined;
	#rows: StatisticRows | undefined;
	#client: WebSocketClient | undefined;
	#bytes: Uint8Array | undefined;
	/**
	 * Series that is being sent; TOKEN_NEXT before the token was sent. `#isAsking` is true while the hub is asked for
	 * earlier rows of this series.
	 */
	#series = 0;
	#isAsking = false;

	constructor(output: Output, deps: OutputDeps, sources: StatisticSources | undefined) {
		this.#output = output;
		this.#deps = deps;
		this.#sources = sources;
		if (sources !== undefined) this.uptoS = loadProgress(sources.storage)[UPTO_S];
	}

	/** `off`, `waiting` (nothing sent yet), `ok`, or the code of the last failure. */
	get state(): string {
		if (!this.isOn) return "off";
		return this.#failure || (this.uptoS > 0 ? "ok" : "waiting");
	}

	/**
	 * Begins a run if one is due, and returns whether it has begun. The hub must just have accepted a batch with these
	 * options.
	 */
	begin(options: BatchOptions, nowMs: number): boolean {
		if (!this.isOn || nowMs < this.#dueMs || this.#sources?.history.isBusy) return false;
		this.#options = options;
		this.#state = STATE_READING;
		this.#dueMs = nowMs;
		this.hasMore = false;
		return true;
	}

	/**
	 * Call when the settings have changed. The next run begins with the oldest hour, because the hub may be a different
	 * one.
	 */
	restart(): void {
		const sources = this.#sources;
		this.#failure = "";
		this.hasMore = false;
		this.#dueMs = Number.NEGATIVE_INFINITY;
		if (sources === undefined || this.uptoS === 0) return;
		const progress = loadProgress(sources.storage);
		this.uptoS = progress[UPTO_S] = 0;
		storeProgress(sources.storage, progress);
	}

	get deadlineMs(): number {
		const turnMs = this.#state === STATE_READING ? this.#dueMs : Number.POSITIVE_INFINITY;
		return this.#client?.deadlineMs ?? turnMs;
	}

	advance(nowMs: number): void {
		const sources = this.#sources;
		this.#client?.advance(nowMs);
		if (this.#state !== STATE_READING || nowMs < this.#dueMs || sources === undefined) return;
		this.#dueMs = nowMs + TURN_MS;
		try {
			this.#rows ??= readRows(sources);
			if (this.#rows.work()) return;
			if (this.#rows.isOutdated) {
				this.#rows = undefined;
				return;
			}
			this.#state = this.#rows.count > 0 ? STATE_SENDING : STATE_OVER;
		} catch (error) {
			// The history was compacted while it was read, or the flash has failed.
			this.#state = STATE_OVER;
			if (isMistake(error)) throw error;
		}
		if (this.#state === STATE_SENDING) this.open();
	}

	/** Handles the messages of the hub. Returns true if the run is over. */
	step(nowMs: number): boolean {
		const client = this.#client;
		while (this.#state === STATE_SENDING && client !== undefined && client.length >= 0) {
			this.answer(client, nowMs);
			client.take();
		}
		if (this.#state === STATE_SENDING && client !== undefined && client.outcome !== OUTCOME_NONE)
			this.fail(client.outcome);
		if (this.#state !== STATE_OVER) return false;
		this.#dueMs = this.hasMore ? nowMs : nowMs + NEXT_MS;
		return true;
	}

	close(): void {
		const client = this.#client;
		this.#state = STATE_IDLE;
		this.#options = this.#rows = this.#client = this.#bytes = undefined;
		this.#output.keep(client?.session);
		client?.close();
	}

	private get isOn(): boolean {
		const { config } = this.#deps;
		return this.#sources !== undefined && config.get(HUB_ENABLED) && config.get(HUB_STATISTICS);
	}

	private open(): void {
		const { crypto, text } = this.#deps;
		const { task, url } = this.#options!;
		const { host, port: portNumber, secure } = url;
		const hostField = hostFieldOf(url);
		const path = `${apiPathOf(url)}/websocket`;
		const opened = this.#output.connect(
			secure,
			(port, tls) =>
				new WebSocketClient({
					...{ task, text, crypto, port, host, portNumber, tls, hostField, path },
					limit: RECEIVED_LIMIT,
				}),
		);
		this.#bytes = new Uint8Array(MESSAGE_SIZE);
		this.#series = TOKEN_NEXT;
		this.#isAsking = false;
		if (typeof opened === "number") this.fail(opened);
		else this.#client = opened;
	}

	/**
	 * Handles a message of the hub, and sends the next one. The hub sends a message after the handshake, and one after
	 * each message of the gateway.
	 */
	private answer(client: WebSocketClient, nowMs: number): void {
		const { writer } = this.#deps;
		const bytes = this.#bytes!;
		writer.begin(bytes, FRAME_ROOM, MESSAGE_SIZE);
		// The hub asks for the token once. Otherwise it could keep this session, and with it the permit, for ever.
		if (this.#series === TOKEN_NEXT && client.has('"auth_required"')) {
			this.#series = -1;
			this.put('{"type":"auth","access_token":');
			writer.rawString(this.#options!.token);
			this.put("}");
		} else if (client.has('"auth_ok"') || client.has('"success":true')) {
			const hasEarlier = client.has('"change":') && !client.has('"change":null');
			if (!this.putNext(this.#rows!, hasEarlier)) return;
		} else {
			this.fail(HTTP_BAD_REPLY);
			return;
		}
		client.send(bytes, FRAME_ROOM, writer.position, nowMs);
	}

	/**
	 * Writes the next message. For each series there are two. The first one asks whether the hub has earlier rows. When
	 * this is known (`hasEarlier`), the second one sends the rows. Returns false after the last series.
	 */
	private putNext(rows: StatisticRows, hasEarlier: boolean): boolean {
		this.#isAsking = !this.#isAsking;
		if (this.#isAsking) {
			do this.#series++;
			while (this.#series < SERIES_COUNT && !rows.has(this.#series));
		}
		const series = this.#series;
		if (series === SERIES_COUNT) {
			this.accept(rows);
			return false;
		}
		const { hostname } = this.#options!.snapshot;
		const id = `"statistic_id":"${SOURCE}:${slugOf(hostname)}_${KEYS[series]}"`;
		if (this.#isAsking) {
			this.put(`{"id":${2 * series + 1},"type":"recorder/statistic_during_period",${id},"types":["change"]`);
			this.put(`,"fixed_period":{"start_time":"2000-01-02T00:00:00Z","end_time":"${this.startOf(rows, 1)}"}}`);
			return true;
		}
		const isVolume = series === GAS || series === WATER;
		const unit = isVolume ? '"volume","unit_of_measurement":"m³"' : '"energy","unit_of_measurement":"kWh"';
		this.put(`{"id":${2 * series + 2},"type":"recorder/import_statistics","metadata":{${id},"source":"${SOURCE}"`);
		this.put(`,"name":"${hostname} ${KEYS[series]}","has_sum":true,"mean_type":0,"unit_class":${unit}},"stats":[`);
		let comma = "";
		for (let row = hasEarlier ? 1 : 0; row <= rows.count; row++) {
			if (!rows.isKnown(row, series)) continue;
			const sum = rows.sums[row * SERIES_COUNT + series] / UNITS;
			this.put(`${comma}{"start":"${this.startOf(rows, row)}","sum":${sum}}`);
			comma = ",";
		}
		this.put("]}");
		return true;
	}

	private startOf(rows: StatisticRows, row: number): string {
		return utcText((rows.endsS[row] - HOUR_S) * 1000, this.#deps.text);
	}

	private put(json: string): void {
		const { writer } = this.#deps;
		writer.raw(writer.prepare(json));
	}

	private accept(rows: StatisticRows): void {
		rows.accept();
		this.uptoS = rows.progress[UPTO_S];
		try {
			storeProgress(this.#sources!.storage, rows.progress);
			this.hasMore = rows.hasMore;
		} catch {
			// The flash has refused the write, which the storage reports. These rows will be sent again.
		}
		this.end("");
	}

	/**
	 * Ends the run with a failure. `outcome` is the outcome of the client, or HTTP_BAD_REPLY if the hub refuses the
	 * statistics.
	 */
	private fail(outcome: number): void {
		this.end(outcome === HTTP_BAD_REPLY ? "statistics_refused" : hubFailure(outcome).code);
	}

	private end(failure: string): void {
		this.#failure = failure;
		this.#state = STATE_OVER;
		this.#deps.live?.changed();
	}
}

/**
 * Begins to read rows. If the backfill has stored rows since the last run, begins with the oldest of them. Throws what
 * the history throws.
 */
function readRows({ backfill, history, storage }: StatisticSources): StatisticRows {
	const { filledS = 0 } = backfill;
	const progress = loadProgress(storage);
	if (filledS > 0 && filledS !== progress[FILLED_S]) {
		progress[FILLED_S] = filledS;
		progress[UPTO_S] = Math.min(progress[UPTO_S], filledS);
	}
	return new StatisticRows(history.journal(), progress);
}
