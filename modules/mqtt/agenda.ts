/**
 * What is to be sent to the broker, and what was: for publisher.ts, which says when.
 *
 *   ONLINE      that we are there
 *   FORGET      Home Assistant is to forget what it was told, where that is not wanted any more, or stands elsewhere
 *   TELL        what Home Assistant is to know, if it does not yet
 *   STATE       all entities in one text
 *   VALUES      each entity, one after the other
 *   OFFLINE     that we go, for good
 *
 * Each is due until the broker has acknowledged it. What was told stands in flash (mqtt/fields.ts), so that it can be
 * taken back, and so that what vanishes is taken back once:
 *
 *   <discovery prefix> <check of the meter's identification> <key> <key> …, with a blank behind each
 */
import { crc16 } from "../bytes/crc16.js";
import { put } from "../config/schema.js";
import type { ConfigStore } from "../config/store.js";
import { languageOf } from "../obis/names.js";
import { Entities } from "../publish/entities.js";
import type { OutputDeps } from "../publish/output.js";
import type { Readout } from "../readout/readout.js";
import {
	MQTT_ANNOUNCED_VALUES,
	MQTT_DISCOVERY,
	MQTT_DISCOVERY_PREFIX,
	MQTT_ENABLED,
	MQTT_LANG,
	MQTT_PAUSE_SECS,
	MQTT_TOPIC,
	MQTT_TOPICS,
	TOPICS_JSON,
	TOPICS_VALUES,
} from "./fields.js";
import {
	announcementOf,
	idOf,
	JSONMessage,
	keyOf,
	OFFLINE,
	ONLINE,
	stateOf,
	TextMessage,
	UNKNOWN,
} from "./messages.js";
import type { Message } from "./session.js";

/** Bits, in the order of sending. */
const ONLINE_DUE = 1;
const FORGET = 2;
const TELL = 4;
const STATE = 8;
const VALUES = 16;
const OFFLINE_DUE = 32;
const NOTHING = 0;
/** What is due again with each readout. */
const VALUES_OF_READOUT = STATE | VALUES;
const OF_READOUT = TELL | VALUES_OF_READOUT;

/** Values that are sent at shorter pauses are not acknowledged: the next ones replace what gets lost. */
const ACKNOWLEDGED_PAUSE_S = 10;

/** By which settings a session is held: other ones count from the next session on. */
class Plan {
	readonly base: string;
	/** Home Assistant's discovery prefix; empty: discovery is off. */
	readonly prefix: string;
	readonly hasState: boolean;
	readonly hasValues: boolean;
	readonly language: number;

	constructor(config: ConfigStore, serial: string) {
		const topics = config.get(MQTT_TOPICS);
		const isEnabled = config.get(MQTT_ENABLED);
		this.base = baseTopicOf(config, serial);
		this.prefix = isEnabled && config.get(MQTT_DISCOVERY) ? config.get(MQTT_DISCOVERY_PREFIX) : "";
		this.hasState = topics !== TOPICS_VALUES;
		this.hasValues = topics !== TOPICS_JSON;
		this.language = languageOf(config.get(MQTT_LANG));
	}
}

/** What all topics of this gateway begin with, by the settings of now. */
export function baseTopicOf(config: ConfigStore, serial: string): string {
	return `${config.get(MQTT_TOPIC)}/${idOf(serial)}`;
}

export class Agenda {
	readonly #deps: OutputDeps;
	/** While there is a session. */
	#plan: Plan | undefined;
	/** The newest of the meter. */
	#readout: Readout | undefined;
	/** The broker has not all of it yet. */
	#isNews = false;
	/** Attempts to read the meter fail since then. */
	#hasFailed = false;
	/** What is made of both, while some of it is to be sent. */
	#entities: Entities | undefined;
	#due = NOTHING;
	/** What is in flight. */
	#sending = NOTHING;
	/** Which entity is next. */
	#index = 0;
	/** What is told now: for flash, when it is acknowledged. */
	#telling = "";
	/** Keys that Home Assistant was told of in this session, each between two blanks. */
	#shown = "";
	/** What was told was of another meter, or of other settings of it. */
	#isOther = false;
	/** When values were sent last, and from when on those of the newest readout may be. */
	#sentMs = Number.NEGATIVE_INFINITY;
	#fromMs = 0;

	constructor(deps: OutputDeps) {
		this.#deps = deps;
	}

	/** A session begins; `isLast`: only to take back what was told. */
	begin(isLast: boolean): void {
		const { config, info } = this.#deps;
		const plan = new Plan(config, info.serial);
		this.#plan = plan;
		this.#sending = NOTHING;
		this.#index = 0;
		this.#shown = "";
		const told = this.told;
		this.#due = isLast ? OFFLINE_DUE : ONLINE_DUE;
		if (told !== "" && !told.startsWith(`${plan.prefix} `)) this.#due |= FORGET;
		if (!isLast) this.renew();
	}

	/** The session is over. */
	end(): void {
		this.#plan = this.#entities = undefined;
		this.#due = this.#sending = NOTHING;
		this.#shown = this.#telling = "";
	}

	/** Topic of the will, and of being there. */
	get statusTopic(): string {
		return `${this.#plan?.base}/status`;
	}

	/** Home Assistant is told something, so that it is worth hearing of its start. */
	get hasDiscovery(): boolean {
		return this.#plan?.prefix !== "";
	}

	/** Something that was told is to be taken back. */
	get owesFarewell(): boolean {
		return this.told !== "";
	}

	/** Something waits or is in flight, whether it may be sent already or not. */
	get isBusy(): boolean {
		return (this.#due | this.#sending) !== NOTHING;
	}

	/** The broker has not all of the newest readout yet. */
	get hasNews(): boolean {
		return this.#isNews && this.hasContent;
	}

	/** A readout of the meter; replaces one that is still unsent. */
	measured(readout: Readout): void {
		this.#readout = readout;
		this.#hasFailed = false;
		this.#isNews = true;
		this.#fromMs = this.#sentMs + this.pauseSecs * 1000;
		this.renew();
	}

	/** Attempts to read the meter fail now. */
	meterFailed(): void {
		this.#hasFailed = true;
		this.#isNews = true;
		this.renew();
	}

	/** The next readout is of another meter, or of other settings: nothing more is sent of the one before. */
	forgetMeter(): void {
		this.#readout = this.#entities = undefined;
		this.#due &= ~OF_READOUT;
		this.#isOther = true;
		this.#shown = "";
	}

	/** Home Assistant has started: it is told all anew. */
	greet(): void {
		this.#shown = "";
		this.#due |= ONLINE_DUE;
		this.renew();
	}

	/** A test: something is sent, whatever was. */
	test(): void {
		this.#due |= ONLINE_DUE;
		this.#fromMs = 0;
		this.renew();
	}

	/** This is the last session by these settings; `isOther`: those of now have another broker, or none. */
	finish(isOther: boolean): void {
		const { config, info } = this.#deps;
		const { base, prefix } = new Plan(config, info.serial);
		this.#fromMs = 0;
		// Mark the old topic offline, so that subscribers do not use stale retained values.
		if (isOther || base !== this.#plan?.base) this.#due = OFFLINE_DUE;
		if ((isOther || prefix !== this.#plan?.prefix) && this.told !== "") this.#due = (this.#due & ~TELL) | FORGET;
	}

	/** When there is something to be sent; 0: now; Infinity: there is nothing. */
	get dueMs(): number {
		if (this.#due === NOTHING) return Number.POSITIVE_INFINITY;
		return this.#due & ~(STATE | VALUES) ? 0 : this.#fromMs;
	}

	/** What is to be sent next, which is in flight then; undefined: nothing that may be sent now. */
	next(nowMs: number): Message | undefined {
		while (nowMs >= this.dueMs) {
			// The lowest bit that is set.
			const what = this.#due & -this.#due;
			this.#due &= ~what;
			const message = this.make(what, nowMs);
			if (message !== undefined) {
				this.#sending = what;
				return message;
			}
		}
		this.rest();
		return undefined;
	}

	/** What is in flight is to be acknowledged by the broker. */
	get wantsAnswer(): boolean {
		return (this.#sending & VALUES_OF_READOUT) === 0 || this.pauseSecs >= ACKNOWLEDGED_PAUSE_S;
	}

	/** The broker has what was in flight. Whether it has all values of the newest readout now. */
	acknowledged(): boolean {
		const what = this.#sending;
		this.#sending = NOTHING;
		if (what === FORGET) this.keepTold("");
		else if (what === TELL) {
			if (this.#readout !== undefined) this.#isOther = false;
			this.keepTold(this.#telling);
			this.#telling = "";
		} else if (what === VALUES && ++this.#index < (this.#entities?.count ?? 0)) this.#due |= VALUES;
		this.rest();
		const isTaken = (what & VALUES_OF_READOUT) !== 0 && (this.#due & VALUES_OF_READOUT) === 0;
		if (isTaken) this.#isNews = false;
		return isTaken;
	}

	private get pauseSecs(): number {
		return this.#deps.config.get(MQTT_PAUSE_SECS);
	}

	/** What was made of a readout goes when nothing more is to be sent of it. */
	private rest(): void {
		if (this.#due === NOTHING) this.#entities = undefined;
	}

	/** There is something to tell: a 0 before the first readout would be a reading. */
	private get hasContent(): boolean {
		return this.#readout !== undefined || this.#hasFailed;
	}

	/** All entities are due, as they are now. */
	private renew(): void {
		const plan = this.#plan;
		this.#entities = undefined;
		this.#index = 0;
		if (plan === undefined || !this.hasContent) return;
		if (plan.prefix !== "") this.#due |= TELL;
		if (plan.hasState) this.#due |= STATE;
		if (plan.hasValues) this.#due |= VALUES;
	}

	/** Undefined: there is nothing to be said. */
	private make(what: number, nowMs: number): Message | undefined {
		const { text, writer } = this.#deps;
		const plan = this.#plan;
		if (plan === undefined) return undefined;
		const { base } = plan;
		if (what === ONLINE_DUE) return new TextMessage(text.encode(this.statusTopic), text.encode(ONLINE));
		if (what === OFFLINE_DUE) return new TextMessage(text.encode(this.statusTopic), text.encode(OFFLINE));
		if (what === FORGET) {
			const told = this.told;
			return new TextMessage(this.discoveryTopic(told.slice(0, told.indexOf(" "))), new Uint8Array(0));
		}
		if (!this.hasContent) return undefined;
		this.#entities ??= this.entities(plan.language);
		const entities = this.#entities;
		if (what === TELL) return this.tell(plan, entities);
		this.#sentMs = nowMs;
		if (what === STATE) return new JSONMessage(text.encode(`${base}/state`), writer, stateOf(entities, text));
		entities.seek(this.#index);
		return new TextMessage(text.encode(`${base}/${keyOf(entities)}`), text.encode(entities.value || UNKNOWN));
	}

	private entities(language: number): Entities {
		const options = { readout: this.#readout, hasValues: true, hasFailed: this.#hasFailed, language };
		return new Entities(this.#deps, options);
	}

	/** Undefined: Home Assistant knows all of it. */
	private tell(plan: Plan, entities: Entities): Message | undefined {
		const { info, networkSettings, writer } = this.#deps;
		const { prefix, base, hasState } = plan;
		const { meterId } = this.#readout ?? {};
		const check = meterId === undefined ? "" : crc16(meterId, 0, meterId.length);
		const head = `${prefix} ${check} `;
		const told = this.told;
		// Before the first readout nobody knows whether it is another meter.
		const wasSame = told.startsWith(check === "" ? `${prefix} ` : head) && !(this.#isOther && check !== "");
		let keys = wasSame ? told : head;
		let shown = this.#shown || " ";
		for (let i = 0; i < entities.count; i++) {
			entities.seek(i);
			const key = ` ${keyOf(entities)} `;
			if (!shown.includes(key)) shown += key.slice(1);
			// The gateway's own entities never vanish.
			if (
				entities.own === undefined &&
				!keys.includes(key) &&
				keys.length + key.length <= MQTT_ANNOUNCED_VALUES.maximum
			)
				keys += key.slice(1);
		}
		if (shown === this.#shown) return undefined;
		this.#shown = shown;
		this.#telling = keys;
		const vanished = wasSame ? "" : missing(told, keys);
		const produce = announcementOf({
			info,
			hostname: networkSettings.hostname,
			base,
			isJSON: hasState,
			entities,
			vanished,
		});
		return new JSONMessage(this.discoveryTopic(prefix), writer, produce);
	}

	private discoveryTopic(prefix: string): Uint8Array {
		const { text, info } = this.#deps;
		return text.encode(`${prefix}/device/smgw_${idOf(info.serial)}/config`);
	}

	/** As it stands in flash; empty: nothing. */
	private get told(): string {
		const { config, text } = this.#deps;
		return text.decode(config.get(MQTT_ANNOUNCED_VALUES));
	}

	private keepTold(told: string): void {
		const { config, text } = this.#deps;
		try {
			config.change([put(MQTT_ANNOUNCED_VALUES, text.encode(told))]);
		} catch {
			// Flash refuses, which is told elsewhere: it is told, or taken back, once more.
		}
	}
}

/** The keys of `told` that `keys` does not have, each with a blank behind it. */
function missing(told: string, keys: string): string {
	let list = "";
	// Behind prefix and check.
	let at = told.indexOf(" ", told.indexOf(" ") + 1) + 1;
	while (at > 0 && at < told.length) {
		const end = told.indexOf(" ", at) + 1;
		const key = told.slice(at, end);
		if (!keys.includes(` ${key}`)) list += key;
		at = end;
	}
	return list;
}
