/**
 * `GET events`: changes as server-sent events (WHATWG HTML, 9.2.5 and 9.2.6).
 *
 *   state     the members of `system/status` that change on their own, and whether the network is connected
 *   readout   a new good readout: its time and meter; the readings are in `iec62056/last`
 *
 * Each stream begins with both events, so a client that reconnects misses nothing; `Last-Event-ID` is ignored. Events
 * are not queued; each shows the state at the time when the client reads it. After 15 s without an event, a comment is
 * sent. A stream ends before a restart. If its token was revoked, it ends at the next comment. Each port serves one
 * stream at a time.
 */
import { BUSY } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { SCOPE_NONE } from "../../auth/scope.js";
import type { Core } from "../../core/core.js";
import { writeFacts } from "../../core/facts.js";
import { DUE_BEAT, DUE_OPENING, DUE_READOUT, DUE_STATE, type LiveClient } from "../../core/live.js";
import { type BodySource, type LiveBody, type LiveReader, NOTHING_YET } from "../../http/response.js";
import type { Cost } from "../../io/memory.js";
import type { JSONWriter } from "../../json/writer.js";
import type { Part } from "../../part/part.js";
import { METER } from "../meter/part.js";
import { NETWORK } from "../network/part.js";
import { type System, stateOf } from "./status.js";

export const EVENTS_COST: Cost = Object.freeze({ slots: 60, chunkBytes: 512 });

const OPENING = "retry: 30000\n\n";
const STATE = "event: state\ndata: ";
const READOUT = "event: readout\ndata: ";
const BEAT = ":\n\n";
const END = "\n\n";

/** Value of Retry-After if the port already serves a stream, seconds. */
const RETRY_AFTER = "30";

export function getEvents(exchange: Exchange<System>): void {
	const { core, response } = exchange;
	const { live, ledger } = core;
	if (!live.hasPlace(exchange.secure)) {
		response.header("Retry-After", RETRY_AFTER);
		exchange.fail(503, BUSY, "Another client is subscribed. Poll status and readings instead.");
	} else if (!ledger.claim(EVENTS_COST)) exchange.busy();
	else {
		response.closing = true;
		response.lines("Content-Type: text/event-stream\r\n");
		const stream = new EventStream(exchange);
		live.add(stream);
		response.send(200, stream);
	}
}

class EventStream implements BodySource, LiveBody, LiveClient {
	readonly #core: Core;
	readonly #parts: readonly Part[];
	readonly secure: boolean;
	token: string;
	#reader: LiveReader | undefined;
	#due = DUE_OPENING | DUE_STATE;

	constructor({ core, part, secure, token }: Exchange<System>) {
		this.#core = core;
		this.#parts = part.parts;
		this.secure = secure;
		this.token = token;
		if (core.find(METER).reader.outcomes.last !== undefined) this.#due |= DUE_READOUT;
	}

	get live(): LiveBody {
		return this;
	}

	wake(due: number): void {
		this.#due |= due;
		this.#reader?.wake();
	}

	opened(reader: LiveReader): void {
		this.#reader = reader;
	}

	beat(): void {
		this.#due |= DUE_BEAT;
	}

	/** Writes a complete event, or nothing if the event does not fit. */
	read(into: Uint8Array, start: number, end: number): number {
		if (this.#due === 0) return NOTHING_YET;
		const { writer } = this.#core;
		if (this.#core.scopeOf(this.token) === SCOPE_NONE) return 0;
		const due = this.#due & -this.#due;
		writer.begin(into, start, end);
		if (due === DUE_STATE) this.state(writer);
		else if (due === DUE_READOUT) this.readout(writer);
		else plain(writer, due === DUE_BEAT ? BEAT : OPENING);
		if (writer.produced > end - start) return NOTHING_YET;
		this.#due &= ~due;
		return writer.produced;
	}

	close(): void {
		const { live, ledger } = this.#core;
		live.remove(this);
		ledger.release(EVENTS_COST);
	}

	private state(writer: JSONWriter): void {
		plain(writer, STATE);
		writer.beginObject();
		writeFacts(writer, stateOf(this.#core, this.#parts));
		booleanMember(writer, "connected", this.#core.find(NETWORK).manager?.address !== undefined);
		writer.endObject();
		plain(writer, END);
	}

	private readout(writer: JSONWriter): void {
		const { last, readouts } = this.#core.find(METER).reader.outcomes;
		if (last === undefined) return;
		plain(writer, READOUT);
		writer.beginObject();
		textMember(writer, "protocol", last.protocol);
		writer.key("meter_id");
		writer.ascii(last.meterId, 0, last.meterId.length);
		numberMember(writer, "timestamp", Math.floor(last.utcMs / 1000));
		if (last.liveUtcMs !== undefined) numberMember(writer, "live_timestamp", Math.floor(last.liveUtcMs / 1000));
		numberMember(writer, "status", last.status);
		numberMember(writer, "meter_readouts", readouts);
		writer.endObject();
		plain(writer, END);
	}
}

function plain(writer: JSONWriter, text: string): void {
	writer.raw(writer.prepare(text));
	writer.restoreState(0);
}
