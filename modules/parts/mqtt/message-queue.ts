/**
 * Queue of MQTT messages. publisher.ts decides when the next one is sent.
 *
 *     ONLINE      publish that the gateway is online
 *     WITHDRAW    withdraw the Home Assistant announcement when it is no longer wanted or its prefix has changed
 *     ANNOUNCE    announce the entities to Home Assistant if it does not know them yet
 *     CLEAR       empty the retained topics of other settings
 *     STATE       publish the values of all entities in one JSON text
 *     VALUES      publish the value of each entity in turn
 *     UPDATE      publish the installed and the newest firmware, and the progress of an installation
 *     OFFLINE     publish that the gateway goes offline for good
 *
 * A message is due until the broker has acknowledged it. The keys of the announced entities are kept in flash, so that
 * the announcement can be withdrawn, and so that an entity that no longer exists is removed from Home Assistant:
 *
 *     <discovery prefix> <check of the meter's identification> <key> <key> …, each followed by a blank
 *
 * MQTT_RETAINED has the base topic, and what is published below it. When that changes, all topics of the old one are
 * emptied. State and momentary values are retained only for a device that sleeps between readouts, because it can't hear
 * when Home Assistant starts.
 */
import { crc16 } from "../../bytes/crc16.js";
import { put } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import {
	announcementOf,
	BIRTH_TOPIC,
	commandTopicOf,
	idOf,
	JSONMessage,
	keyOf,
	OFFLINE,
	ONLINE,
	stateOf,
	TextMessage,
	UNKNOWN,
	updateOf,
} from "../../mqtt/messages.js";
import type { Message } from "../../mqtt/session.js";
import { languageOf } from "../../obis/names.js";
import { PRODUCT } from "../../product/product.js";
import { Entities } from "../../publish/entities.js";
import type { OutputDeps } from "../../publish/output.js";
import type { Readout } from "../../readout/readout.js";
import {
	MQTT_ANNOUNCED_VALUES,
	MQTT_COMMANDS,
	MQTT_DISCOVERY,
	MQTT_DISCOVERY_PREFIX,
	MQTT_ENABLED,
	MQTT_LANG,
	MQTT_PAUSE_SECS,
	MQTT_RETAINED,
	MQTT_TOPIC,
	MQTT_TOPICS,
	TOPICS_JSON,
	TOPICS_VALUES,
} from "./fields.js";

/** Kinds of messages as bits. A lower bit is sent earlier. */
const ONLINE_DUE = 1;
const WITHDRAW = 2;
const ANNOUNCE = 4;
const CLEAR = 8;
const STATE = 16;
const VALUES = 32;
const UPDATE_DUE = 64;
const OFFLINE_DUE = 128;
const NOTHING = 0;
const VALUES_OF_READOUT = STATE | VALUES;
const OF_READOUT = ANNOUNCE | VALUES_OF_READOUT;

/**
 * A readout that comes up to this long before the end of the pause is sent immediately. Otherwise one late message
 * would delay all later ones.
 */
const EARLY_MS = 500;
/**
 * Shortest pause at which values are sent with acknowledgement, seconds. With a shorter pause, new values soon replace
 * those that were lost.
 */
const ACKNOWLEDGED_PAUSE_S = 10;
/** Time for which values wait after new entities are announced, because Home Assistant first subscribes to them, ms. */
const SUBSCRIBE_MS = 3000;
/** Number of pauses after which a momentary value that was not renewed is out of date. */
const FRESH_PAUSES = 3;

/** Topics to clear: the state, the update, then the value of each entity. */
const CLEARED_FIRST = Object.freeze(["state", "update"]);
/** Value of `#clearing` if this session has nothing more to clear. */
const CLEARED = -1;

/** Settings of a session. Changed settings apply from the next session on. */
class Plan {
	readonly base: string;
	/** Prefix of the discovery topics; empty if discovery is off. */
	readonly prefix: string;
	readonly hasState: boolean;
	readonly hasValues: boolean;
	readonly hasCommands: boolean;
	readonly language: number;
	/** True if state and momentary values are retained. */
	readonly retainsAll: boolean;

	constructor(config: ConfigStore, serial: string, isSleepy: boolean) {
		const topics = config.get(MQTT_TOPICS);
		const isEnabled = config.get(MQTT_ENABLED);
		this.base = baseTopicOf(config, serial);
		this.prefix = isEnabled && config.get(MQTT_DISCOVERY) ? config.get(MQTT_DISCOVERY_PREFIX) : "";
		this.hasState = topics !== TOPICS_VALUES;
		this.hasValues = topics !== TOPICS_JSON;
		this.hasCommands = isEnabled && config.get(MQTT_COMMANDS);
		this.language = languageOf(config.get(MQTT_LANG));
		this.retainsAll = isSleepy;
	}

	/** Value of MQTT_RETAINED for this plan. */
	get retained(): string {
		const { base, hasState, hasValues, retainsAll } = this;
		return `${base} ${hasState} ${hasValues} ${retainsAll}`;
	}
}

export function baseTopicOf(config: ConfigStore, serial: string): string {
	return `${config.get(MQTT_TOPIC)}/${idOf(serial)}`;
}

export class MessageQueue {
	readonly #deps: OutputDeps;
	#plan: Plan | undefined;
	#readout: Readout | undefined;
	#isNews = false;
	#entities: Entities | undefined;
	#due = NOTHING;
	#sending = NOTHING;
	#index = 0;
	/** Index of the topic to clear next; CLEARED after the last one. */
	#clearing = CLEARED;
	/** Value of MQTT_RETAINED after CLEAR. */
	#kept = "";
	/** Keys that are being announced. They are stored in flash when the announcement is acknowledged. */
	#sent = "";
	/** Keys that were announced in this session, each between blanks. */
	#shown = "";
	#shownSecs = 0;
	/** True if the announced keys belong to another meter, or to this meter with other settings. */
	#isOther = false;
	#sentMs = Number.NEGATIVE_INFINITY;
	#fromMs = 0;
	/** Time from which Home Assistant is subscribed to what was announced, monotonic ms. */
	#subscribedMs = 0;

	constructor(deps: OutputDeps) {
		this.#deps = deps;
	}

	/**
	 * Begins a session. If `isLast`, the session only publishes that the gateway is offline and withdraws the
	 * announcement.
	 */
	begin(isLast: boolean, isSleepy: boolean): void {
		const { config, info } = this.#deps;
		const plan = new Plan(config, info.serial, isSleepy);
		this.#plan = plan;
		this.#sending = NOTHING;
		this.#index = 0;
		this.#shown = "";
		const known = this.stored;
		this.#due = isLast ? OFFLINE_DUE : ONLINE_DUE;
		this.updateChanged();
		if (known !== "" && !known.startsWith(`${plan.prefix} `)) this.#due |= WITHDRAW;
		// A gateway that has announced something, but has not noted what is retained, ran an earlier firmware.
		if (!isLast && known === "" && config.get(MQTT_RETAINED) === "") this.keep(plan.retained);
		this.clear(isLast ? "" : plan.retained);
		if (isLast && this.#clearing !== CLEARED) this.#due |= CLEAR;
		if (!isLast) this.renew();
	}

	end(): void {
		this.#plan = this.#entities = undefined;
		this.#due = this.#sending = NOTHING;
		this.#shown = this.#sent = "";
	}

	get statusTopic(): string {
		return `${this.#plan?.base}/status`;
	}

	/** Topics to subscribe to: Home Assistant's birth message if discovery is on, and commands if they are accepted. */
	get topics(): string[] {
		const { base = "", hasCommands, prefix } = this.#plan ?? {};
		const topics = prefix === "" ? [] : [BIRTH_TOPIC];
		if (hasCommands === true) topics.push(commandTopicOf(base));
		return topics;
	}

	/** True if the broker has an announcement or retained values of this gateway. */
	get isKnown(): boolean {
		return this.stored !== "" || this.#deps.config.get(MQTT_RETAINED) !== "";
	}

	/** True if a message is due or in flight, even if it may not be sent yet. */
	get isBusy(): boolean {
		return (this.#due | this.#sending) !== NOTHING;
	}

	get hasNews(): boolean {
		return this.#isNews && this.hasContent;
	}

	measured(readout: Readout, nowMs: number): void {
		this.#readout = readout;
		this.#isNews = true;
		const pauseEndMs = this.#sentMs + this.pauseSecs * 1000;
		this.#fromMs = nowMs >= pauseEndMs - EARLY_MS ? nowMs : pauseEndMs;
		this.renew();
	}

	meterFailed(): void {
		this.#isNews = true;
		// The old values must not wait for the end of the pause.
		if (this.#deps.reader.outcomes.isOld) this.#fromMs = 0;
		this.renew();
	}

	updateChanged(): void {
		const { firmware } = this.#deps;
		if (this.#plan === undefined || firmware === undefined || this.#due & OFFLINE_DUE) return;
		this.#due |= UPDATE_DUE;
		// A failed installation is reported in the state.
		if (firmware.progress === undefined) this.renew();
	}

	/** Drops unsent values, because the next readout will belong to another meter or to other settings. */
	forgetMeter(): void {
		this.#readout = this.#entities = undefined;
		this.#due &= ~OF_READOUT;
		this.#isOther = true;
		this.#shown = "";
	}

	/** Call it when Home Assistant has started, because it then needs all messages again. */
	sendAll(): void {
		this.#shown = "";
		this.#due |= ONLINE_DUE;
		this.updateChanged();
		this.renew();
	}

	/** Also announces again what Home Assistant has forgotten, because its user has deleted the device. */
	test(): void {
		this.#shown = "";
		this.#due |= ONLINE_DUE;
		this.#fromMs = 0;
		this.renew();
	}

	/** Prepares the end of the session. `isOther`: true if the new settings name another broker or disable MQTT. */
	finish(isOther: boolean, isSleepy: boolean): void {
		const { config, info } = this.#deps;
		const { base, prefix, retained } = new Plan(config, info.serial, isSleepy);
		this.#fromMs = this.#subscribedMs = 0;
		// The gateway goes offline on the old topic, so that subscribers do not use the old values that are retained there.
		if (isOther || base !== this.#plan?.base) this.#due = OFFLINE_DUE;
		this.clear(isOther ? "" : retained);
		if (this.#clearing !== CLEARED) this.#due = (this.#due & ~VALUES_OF_READOUT) | CLEAR;
		if ((isOther || prefix !== this.#plan?.prefix) && this.stored !== "")
			this.#due = (this.#due & ~ANNOUNCE) | WITHDRAW;
	}

	/** Time at which the next message is due, monotonic ms; 0: immediately; Infinity: never. */
	get dueMs(): number {
		if (this.#due === NOTHING) return Number.POSITIVE_INFINITY;
		return this.#due & ~VALUES_OF_READOUT ? 0 : this.valuesMs;
	}

	/** Returns a message, which is then in flight; undefined if none may be sent now. */
	next(nowMs: number): Message | undefined {
		while (nowMs >= this.dueMs) {
			// The lowest bit that is set is sent first.
			const ready = nowMs < this.valuesMs ? this.#due & ~VALUES_OF_READOUT : this.#due;
			const bit = ready & -ready;
			this.#due &= ~bit;
			const message = this.make(bit, nowMs);
			if (message !== undefined) {
				this.#sending = bit;
				return message;
			}
		}
		this.freeEntities();
		return undefined;
	}

	get wantsAck(): boolean {
		return (this.#sending & VALUES_OF_READOUT) === 0 || this.pauseSecs >= ACKNOWLEDGED_PAUSE_S;
	}

	/**
	 * Call it when the broker has the message in flight. Returns true if the broker now has all values of the newest
	 * readout.
	 */
	acknowledged(): boolean {
		const bit = this.#sending;
		this.#sending = NOTHING;
		if (bit === WITHDRAW) this.store("");
		else if (bit === ANNOUNCE) {
			if (this.#readout !== undefined) this.#isOther = false;
			this.store(this.#sent);
			this.#sent = "";
		} else if (bit === CLEAR) {
			this.#clearing++;
			this.#due |= CLEAR;
		} else if (bit === VALUES && ++this.#index < (this.#entities?.count ?? 0)) this.#due |= VALUES;
		this.freeEntities();
		const isTaken = (bit & VALUES_OF_READOUT) !== 0 && (this.#due & VALUES_OF_READOUT) === 0;
		if (isTaken) this.#isNews = false;
		return isTaken;
	}

	private get valuesMs(): number {
		return Math.max(this.#fromMs, this.#subscribedMs);
	}

	private get pauseSecs(): number {
		return this.#deps.config.get(MQTT_PAUSE_SECS);
	}

	private freeEntities(): void {
		if (this.#due === NOTHING) this.#entities = undefined;
	}

	/** False before the first readout, because a value of 0 would look like a reading. */
	private get hasContent(): boolean {
		return this.#readout !== undefined || this.hasFailed;
	}

	private get hasFailed(): boolean {
		return this.#deps.reader.outcomes.failure !== undefined;
	}

	private keep(retained: string): void {
		this.#deps.config.note([put(MQTT_RETAINED, retained)]);
	}

	/** Plans to empty what the broker retains, unless that is `kept` already. */
	private clear(kept: string): void {
		this.#kept = kept;
		const retained = this.#deps.config.get(MQTT_RETAINED);
		// A state that is not retained needs no empty message, about which Home Assistant would complain.
		this.#clearing = retained === kept ? CLEARED : retained.endsWith(" false") ? 1 : 0;
	}

	/** Returns the next empty message of CLEAR; undefined after the last one. */
	private nextCleared(plan: Plan): Message | undefined {
		const { config, text } = this.#deps;
		const [base] = (config.get(MQTT_RETAINED) || plan.base).split(" ");
		const place = this.#clearing - CLEARED_FIRST.length;
		let key: string | undefined = CLEARED_FIRST[this.#clearing];
		if (place >= 0 && this.hasContent) {
			const entities = this.entities(plan);
			if (place < entities.count) {
				entities.seek(place);
				key = keyOf(entities);
			}
		}
		if (key !== undefined) return new TextMessage(text.encode(`${base}/${key}`), new Uint8Array(0));
		this.#clearing = CLEARED;
		this.keep(this.#kept);
		this.updateChanged();
		return undefined;
	}

	private renew(): void {
		const plan = this.#plan;
		this.#entities = undefined;
		this.#index = 0;
		// At the end of a session whose topics are cleared, nothing more is published.
		if (plan === undefined || !this.hasContent || this.#kept !== plan.retained) return;
		if (this.#clearing !== CLEARED) this.#due |= CLEAR;
		if (plan.prefix !== "") this.#due |= ANNOUNCE;
		if (plan.hasState) this.#due |= STATE;
		if (plan.hasValues) this.#due |= VALUES;
	}

	/** Creates the message for a bit; undefined if there is nothing to send. */
	private make(bit: number, nowMs: number): Message | undefined {
		const { text, writer } = this.#deps;
		const plan = this.#plan;
		if (plan === undefined) return undefined;
		const { base, retainsAll } = plan;
		if (bit === ONLINE_DUE) return new TextMessage(text.encode(this.statusTopic), text.encode(ONLINE));
		if (bit === OFFLINE_DUE) return new TextMessage(text.encode(this.statusTopic), text.encode(OFFLINE));
		if (bit === WITHDRAW) {
			const known = this.stored;
			return new TextMessage(this.discoveryTopic(known.slice(0, known.indexOf(" "))), new Uint8Array(0));
		}
		if (bit === CLEAR) return this.nextCleared(plan);
		if (bit === UPDATE_DUE) {
			const { firmware, info } = this.#deps;
			if (firmware === undefined) return undefined;
			const produce = updateOf(firmware, info.firmwareVersion, PRODUCT);
			return new JSONMessage(text.encode(`${base}/update`), writer, produce);
		}
		if (!this.hasContent) return undefined;
		const entities = this.entities(plan);
		if (bit === ANNOUNCE) {
			const announcement = this.announce(plan, entities);
			const isNew = announcement !== undefined && this.#sent !== this.stored;
			if (isNew && !retainsAll) this.#subscribedMs = nowMs + SUBSCRIBE_MS;
			return announcement;
		}
		this.#sentMs = nowMs;
		if (bit === STATE)
			return new JSONMessage(text.encode(`${base}/state`), writer, stateOf(entities, text), retainsAll);
		entities.seek(this.#index);
		const value = text.encode(entities.value || UNKNOWN);
		return new TextMessage(text.encode(`${base}/${keyOf(entities)}`), value, retainsAll || entities.isLasting);
	}

	private entities({ language }: Plan): Entities {
		const { isOld } = this.#deps.reader.outcomes;
		const options = { readout: this.#readout, hasValues: true, hasFailed: this.hasFailed, isOld, language };
		this.#entities ??= new Entities(this.#deps, options);
		return this.#entities;
	}

	private get freshSecs(): number {
		const { freshSecs } = this.#deps.metering;
		return freshSecs === 0 ? 0 : Math.max(freshSecs, FRESH_PAUSES * this.pauseSecs);
	}

	/** Creates the announcement; undefined if Home Assistant knows all entities. */
	private announce(plan: Plan, entities: Entities): Message | undefined {
		const { firmware, info, networkSettings, radio, writer } = this.#deps;
		const { prefix, base, hasCommands, hasState, language } = plan;
		const { freshSecs } = this;
		const { meterId } = this.#readout ?? {};
		const check = meterId === undefined ? "" : crc16(meterId, 0, meterId.length);
		const head = `${prefix} ${check} `;
		const known = this.stored;
		// Before the first readout, the meter's identification is unknown, so it counts as unchanged.
		const wasSame = known.startsWith(check === "" ? `${prefix} ` : head) && !(this.#isOther && check !== "");
		let keys = wasSame ? known : head;
		let shown = this.#shown || " ";
		for (let i = 0; i < entities.count; i++) {
			entities.seek(i);
			const key = ` ${keyOf(entities)} `;
			if (!shown.includes(key)) shown += key.slice(1);
			// The gateway's own entities are never removed.
			if (!entities.isDiagnostic && !keys.includes(key) && keys.length + key.length <= MQTT_ANNOUNCED_VALUES.maximum)
				keys += key.slice(1);
		}
		if (shown === this.#shown && freshSecs === this.#shownSecs) return undefined;
		this.#shown = shown;
		this.#shownSecs = freshSecs;
		this.#sent = keys;
		const vanished = wasSame ? "" : missing(known, keys);
		const produce = announcementOf({
			info,
			hostname: networkSettings.hostname,
			mac: radio?.mac ?? "",
			base,
			isJSON: hasState,
			entities,
			vanished,
			freshSecs,
			hasUpdate: firmware !== undefined,
			hasCommands,
			language,
		});
		return new JSONMessage(this.discoveryTopic(prefix), writer, produce);
	}

	private discoveryTopic(prefix: string): Uint8Array {
		const { text, info } = this.#deps;
		return text.encode(`${prefix}/device/smgw_${idOf(info.serial)}/config`);
	}

	/** Announced keys in their stored form; empty if nothing is announced. */
	private get stored(): string {
		const { config, text } = this.#deps;
		return text.decode(config.get(MQTT_ANNOUNCED_VALUES));
	}

	/** If the flash refuses the keys, the message is sent again later. */
	private store(known: string): void {
		const { config, text } = this.#deps;
		config.note([put(MQTT_ANNOUNCED_VALUES, text.encode(known))]);
	}
}

/** Returns the keys in `known` that are not in `keys`, each followed by a blank. */
function missing(known: string, keys: string): string {
	let list = "";
	// The search starts after the prefix and the check.
	let at = known.indexOf(" ", known.indexOf(" ") + 1) + 1;
	while (at > 0 && at < known.length) {
		const end = known.indexOf(" ", at) + 1;
		const key = known.slice(at, end);
		if (!keys.includes(` ${key}`)) list += key;
		at = end;
	}
	return list;
}
