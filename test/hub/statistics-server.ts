/**
 * A hub that stores states and statistics. It checks what Home Assistant 2026.2 checks (components/recorder/
 * websocket_api.py and statistics.py), and computes the consumption of an hour as its energy dashboard does.
 */
import assert from "node:assert/strict";
import { agreement, frame, type Peer, takeFrame } from "../websocket/server.js";
import { type StateServer, TOKEN } from "./bed.js";

export interface Row {
	readonly sum: number;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the client
export type Message = any;

const EXTERNAL_ID = /^(?!.+__)(?!_)[\da-z_]+(?<!_):(?!_)[\da-z_]+(?<!_)$/;
const METADATA = ["has_sum", "mean_type", "name", "source", "statistic_id", "unit_class", "unit_of_measurement"];

/** Start of the row with the sum before the first hour. */
const ROW_0_S = 946_684_800;

/** Answer that cuts the connection. */
export const CUT = "cut";
/** Stands for no answer. */
export const SILENCE = "silence";

export class StatisticsServer {
	/** Rows by statistic and start of the hour, Unix seconds. */
	rows = new Map<string, Map<number, Row>>();
	readonly metadata = new Map<string, Message>();
	/** Number of rows in each import, in order. */
	readonly imports: number[] = [];
	messages = 0;
	/** Takes a command before its default answer; returns the answer, CUT, SILENCE, or undefined for the default. */
	answer: ((message: Message) => Message | undefined) | undefined;
	/** Makes the reply to the handshake. */
	handshake = agreement;
	readonly #token: string;

	/** `states`: the server whose connections it takes over; without one, the caller calls `upgrade`. */
	constructor(states: StateServer | undefined, token = TOKEN) {
		this.#token = token;
		if (states !== undefined) states.upgrade = (peer, head) => this.upgrade(peer, head);
	}

	/** Rows of a statistic in order of time. */
	rowsOf(key: string, host = "smart_gateway"): [number, Row][] {
		return [...(this.rows.get(`smart_meter_gateway:${host}_${key}`) ?? [])].sort(([a], [b]) => a - b);
	}

	/** Consumption of each hour in Wh, without the row of the year 2000. */
	changesOf(key: string, host?: string): Map<number, number> {
		let before = 0;
		const changes = new Map<number, number>();
		for (const [startS, { sum }] of this.rowsOf(key, host)) {
			if (startS > ROW_0_S) changes.set(startS, Math.round((sum - before) * 1000));
			before = sum;
		}
		return changes;
	}

	upgrade(peer: Peer, head: string): void {
		assert.match(head, /^GET (\/sub)?\/api\/websocket HTTP/);
		const send = (message: Message) => peer.send(frame(0x81, JSON.stringify(message)));
		let isKnown = false;
		let lastId = 0;
		peer.onReceived = () => {
			for (let taken = takeFrame(peer); taken; taken = takeFrame(peer)) {
				if (taken.code !== 1) continue;
				const message = JSON.parse(taken.payload.toString());
				this.messages++;
				const own = this.answer?.(message);
				if (own === CUT) {
					peer.reset();
					return;
				}
				if (own === SILENCE) continue;
				if (own !== undefined) send(own);
				else if (!isKnown) {
					assert.equal(message.type, "auth");
					isKnown = message.access_token === this.#token;
					send(isKnown ? { type: "auth_ok", ha_version: "2026.2.3" } : { type: "auth_invalid", message: "Invalid" });
				} else {
					assert.ok(message.id > lastId);
					lastId = message.id;
					send({ id: message.id, type: "result", success: true, result: this.take(message) });
				}
			}
		};
		peer.send(this.handshake(head));
		send({ type: "auth_required", ha_version: "2026.2.3" });
	}

	private take(message: Message): Message {
		if (message.type === "recorder/statistic_during_period") {
			const { start_time, end_time } = message.fixed_period;
			const isInside = (startS: number) =>
				startS * 1000 >= Date.parse(start_time) && startS * 1000 < Date.parse(end_time);
			const rows = this.rows.get(message.statistic_id);
			if (rows === undefined) return {};
			return { change: [...rows.keys()].some(isInside) ? 5 : null };
		}
		assert.equal(message.type, "recorder/import_statistics");
		const { metadata, stats } = message;
		assert.deepEqual(Object.keys(metadata).sort(), METADATA);
		assert.match(metadata.statistic_id, EXTERNAL_ID);
		assert.equal(metadata.source, metadata.statistic_id.split(":")[0]);
		assert.ok(stats.length <= 25);
		this.metadata.set(metadata.statistic_id, metadata);
		this.imports.push(stats.length);
		const rows = this.rows.get(metadata.statistic_id) ?? new Map<number, Row>();
		this.rows.set(metadata.statistic_id, rows);
		for (const { start, sum } of stats) {
			const startS = Date.parse(start) / 1000;
			assert.equal(startS % 3600, 0, start);
			assert.equal(typeof sum, "number");
			rows.set(startS, { sum });
		}
		return null;
	}
}
