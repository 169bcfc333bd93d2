/**
 * Published messages: the state, and the announcement for Home Assistant's MQTT discovery (home-assistant.io, "MQTT",
 * "Device discovery payload"). A JSON payload is generated twice, once for its length and again while it is sent, so
 * that it is never stored as a whole.
 *
 *     <topic>/<id>/status     online, or offline as the will
 *     <topic>/<id>/state      {"time":"2026-11-22T10:00:00Z","meter":"on","1_0_1_8_0":1234.567,…}
 *     <topic>/<id>/<key>      1234.567
 *     <topic>/<id>/update     {"installed_version":"1.2.0","latest_version":"1.3.0",…}
 *     <topic>/<id>/command    sent by other clients: read, identify or install
 *     <prefix>/device/smgw_<id>/config
 *
 * Only what stays true is retained: status, update, announcement, and counters in topics of their own. A broker would
 * give the power of a gateway that is gone to each new subscriber.
 *
 * Home Assistant rejects a discovery payload with an unknown key at its root. A component that is missing from the
 * payload is kept. A component for which only the platform is given is removed.
 */
import { hasOnly, lowerCase } from "../bytes/ascii.js";
import type { HostInfo, TextCodec } from "../io/host.js";
import { JSONStream, type ProduceUnit } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import { PRODUCT, SECURITY_CONTACT } from "../product/product.js";
import { type Entities, LAST_READOUT, PROBLEM } from "../publish/entities.js";
import type { Message } from "./session.js";

export const ONLINE = "online";
export const OFFLINE = "offline";
/** Topic on which Home Assistant publishes when it starts. It does not depend on the discovery prefix. */
export const BIRTH_TOPIC = "homeassistant/status";

/**
 * Commands that other clients may send. Home Assistant has buttons for the first two, and their keys are the commands.
 */
export const COMMAND_READ = "read";
export const COMMAND_IDENTIFY = "identify";
const COMMAND_INSTALL = "install";
export const COMMANDS = Object.freeze([COMMAND_READ, COMMAND_IDENTIFY, COMMAND_INSTALL]);
/** Names of the buttons, in the order of LANGUAGE_… of obis/names.ts. */
const READ_NAMES = Object.freeze(["Read now", "Jetzt ablesen", "Odczytaj teraz"]);
const IDENTIFY_NAMES = Object.freeze(["Identify", "Identifizieren", "Zidentyfikuj"]);
const UPDATE_NAMES = Object.freeze(["Firmware", "Firmware", "Oprogramowanie"]);
const UPDATE = "update";
/**
 * Members of the state of an update. Home Assistant rejects other members (homeassistant/components/mqtt/update.py).
 */
const INSTALLED = "installed_version";
const LATEST = "latest_version";

/**
 * Index in the serial number. Only the part from it on is in the identifiers of entities, so that 20 entities fit into
 * 4 KB.
 */
const SERIAL_END = -6;

/** Decimal places to show, by device class. Meters send up to four, and Home Assistant would show them all. */
const DISPLAY_PLACES: Readonly<Record<string, number>> = Object.freeze({
	...{ energy: 2, reactive_energy: 2, gas: 2, water: 2, volume: 2 },
	...{ power: 0, reactive_power: 0, apparent_power: 0, voltage: 1, current: 2, frequency: 2 },
});

/** Home Assistant's text for an unknown state. Its templates produce this text from null. */
export const UNKNOWN = "None";
const TIME = "time";

export function idOf(serial: string): string {
	let id = "";
	for (const character of lowerCase(serial)) id += hasOnly(character, "09az--") ? character : "_";
	return id;
}

/** Returns the key of the selected entity. The time of the last readout has the key `time`. */
export function keyOf({ own, key }: Entities): string {
	return own === LAST_READOUT ? TIME : key;
}

/** A short message. An empty text removes the retained message. */
export class TextMessage implements Message {
	readonly topic: Uint8Array;
	readonly isRetained: boolean;
	readonly #payload: Uint8Array;
	#at = 0;

	constructor(topic: Uint8Array, payload: Uint8Array, isRetained = true) {
		this.topic = topic;
		this.isRetained = isRetained;
		this.#payload = payload;
	}

	get length(): number {
		return this.#payload.length;
	}

	read(into: Uint8Array, start: number, end: number): number {
		const piece = this.#payload.subarray(this.#at, this.#at + end - start);
		into.set(piece, start);
		this.#at += piece.length;
		return piece.length;
	}
}

/** A message with a JSON payload. `produce` is called twice and must write the same bytes both times. */
export class JSONMessage implements Message {
	readonly topic: Uint8Array;
	readonly isRetained: boolean;
	readonly length: number;
	readonly #stream: JSONStream;

	constructor(topic: Uint8Array, writer: JSONWriter, produce: ProduceUnit, isRetained = true) {
		this.topic = topic;
		this.isRetained = isRetained;
		this.length = lengthOf(writer, produce);
		this.#stream = new JSONStream(writer, produce);
	}

	read(into: Uint8Array, start: number, end: number): number {
		return this.#stream.read(into, start, end);
	}
}

function lengthOf(writer: JSONWriter, produce: ProduceUnit): number {
	const nothing = new Uint8Array(0);
	let length = 0;
	let state = 0;
	for (let unit = 0, more = true; more; unit++) {
		writer.begin(nothing, 0, 0);
		writer.restoreState(state);
		more = produce(writer, unit);
		length += writer.produced;
		state = writer.saveState();
	}
	return length;
}

export function stateOf(entities: Entities, text: TextCodec): ProduceUnit {
	const { count } = entities;
	return (writer, unit) => {
		if (unit === 0) writer.beginObject();
		entities.seek(unit);
		const { value, unit: unitOfMeasurement } = entities;
		writer.key(keyOf(entities));
		if (value === "") writer.null();
		else if (unitOfMeasurement === "") writer.string(value);
		else writer.raw(text.encode(value));
		if (unit + 1 < count) return true;
		writer.endObject();
		return false;
	};
}

export interface UpdateFacts {
	readonly latest: string;
	/** Progress of the installation in per cent, -1 if unknown; undefined if no installation is in progress. */
	readonly progress: number | undefined;
}

export function updateOf({ latest, progress }: UpdateFacts, installed: string, title: string): ProduceUnit {
	return (writer) => {
		writer.beginObject();
		member(writer, INSTALLED, installed);
		member(writer, LATEST, latest);
		member(writer, "title", title);
		writer.key("in_progress");
		writer.boolean(progress !== undefined);
		writer.key("update_percentage");
		if (progress === undefined || progress < 0) writer.null();
		else writer.number(progress);
		writer.endObject();
		return false;
	};
}

export interface Announcement {
	readonly info: Pick<HostInfo, "board" | "chip" | "manufacturer" | "model" | "serial" | "firmwareVersion">;
	readonly hostname: string;
	/** 12 hex digits; empty if unknown. */
	readonly mac: string;
	readonly base: string;
	/** True if the values are in one JSON text; false if each value has its own topic. */
	readonly isJSON: boolean;
	readonly entities: Entities;
	/** Keys of entities to remove, each followed by a blank. */
	readonly vanished: string;
	/** Time after which a momentary value expires, s; 0: values never expire. */
	readonly freshSecs: number;
	readonly hasUpdate: boolean;
	readonly hasCommands: boolean;
	/** Language of the names, LANGUAGE_… of obis/names.ts. */
	readonly language: number;
}

export function announcementOf(announcement: Announcement): ProduceUnit {
	const { info, hostname, mac, base, isJSON, entities, vanished, hasCommands } = announcement;
	const { count } = entities;
	const id = idOf(info.serial);
	const tail = id.slice(SERIAL_END);
	const { firmwareVersion } = info;
	return (writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			writer.key("dev");
			writer.beginObject();
			member(writer, "ids", `smgw_${id}`);
			member(writer, "name", hostname);
			member(writer, "mf", info.manufacturer);
			member(writer, "mdl", info.model);
			member(writer, "mdl_id", info.board);
			member(writer, "hw", info.chip);
			member(writer, "sw", firmwareVersion);
			member(writer, "sn", info.serial);
			member(writer, "cu", `https://${hostname}.local/`);
			if (mac !== "") writeConnections(writer, mac);
			writer.endObject();
			writer.key("o");
			writeOrigin(writer, firmwareVersion, SECURITY_CONTACT);
			member(writer, "avty_t", `${base}/status`);
			if (hasCommands) member(writer, "cmd_t", commandTopicOf(base));
			if (isJSON) member(writer, "stat_t", `${base}/state`);
			writer.key("cmps");
			writer.beginObject();
		} else if (unit <= count) {
			entities.seek(unit - 1);
			if (entities.own?.component !== "") writeComponent(writer, tail, announcement);
		} else {
			if (announcement.hasUpdate) writeUpdate(writer, tail, announcement);
			writeButton(writer, tail, announcement, COMMAND_READ, READ_NAMES);
			writeButton(writer, tail, announcement, COMMAND_IDENTIFY, IDENTIFY_NAMES);
			let at = 0;
			while (at < vanished.length) {
				const end = vanished.indexOf(" ", at);
				writer.key(vanished.slice(at, end));
				writer.beginObject();
				member(writer, "p", "sensor");
				writer.endObject();
				at = end + 1;
			}
			writer.endObject();
			writer.endObject();
		}
		return unit <= count;
	};
}

/** Writes the MAC address, by which Home Assistant joins the device with what other integrations know of it. */
function writeConnections(writer: JSONWriter, mac: string): void {
	let text = mac.slice(0, 2);
	for (let at = 2; at < mac.length; at += 2) text += `:${mac.slice(at, at + 2)}`;
	writer.key("cns");
	writer.beginArray();
	writer.beginArray();
	writer.string("mac");
	writer.string(lowerCase(text));
	writer.endArray();
	writer.endArray();
}

export function commandTopicOf(base: string): string {
	return `${base}/command`;
}

function writeComponent(writer: JSONWriter, id: string, { base, entities, freshSecs, isJSON }: Announcement): void {
	const { own, unit, deviceClass, stateClass, isMomentary } = entities;
	const key = keyOf(entities);
	const component = own?.component ?? "sensor";
	begin(writer, key, component, id);
	member(writer, "name", entities.name);
	if (deviceClass !== "") member(writer, "dev_cla", deviceClass);
	if (unit !== "") member(writer, "unit_of_meas", unit);
	if (stateClass !== "") member(writer, "stat_cla", stateClass);
	const places = DISPLAY_PLACES[deviceClass];
	if (places !== undefined && own === undefined) {
		writer.key("sug_dsp_prc");
		writer.number(places);
	}
	if (entities.isDiagnostic) member(writer, "ent_cat", "diagnostic");
	if (component === "binary_sensor") {
		member(writer, "pl_on", "on");
		member(writer, "pl_off", "off");
	}
	// The last reading of a counter remains valid, but a momentary value expires. `meter` and `problem` say that there are
	// no values, so they must not expire together with them.
	if (freshSecs > 0 && isMomentary) {
		writer.key("exp_aft");
		writer.number(freshSecs);
	}
	if (isJSON) member(writer, "val_tpl", `{{value_json['${key}']}}`);
	else member(writer, "stat_t", `${base}/${key}`);
	if (own === PROBLEM) {
		member(writer, "json_attr_t", isJSON ? `${base}/state` : `${base}/problem_text`);
		member(writer, "json_attr_tpl", `{{{'text':${isJSON ? "value_json['problem_text']" : "value"}}|to_json}}`);
	}
	writer.endObject();
}

/** Writes the origin of the announcement. Home Assistant refuses a message in which `url` is not a web address. */
export function writeOrigin(writer: JSONWriter, version: string, contact: string): void {
	writer.beginObject();
	member(writer, "name", PRODUCT);
	member(writer, "sw", version);
	if (contact.startsWith("https:")) member(writer, "url", contact);
	writer.endObject();
}

function writeUpdate(writer: JSONWriter, id: string, { base, language }: Announcement): void {
	begin(writer, UPDATE, UPDATE, id);
	member(writer, "name", UPDATE_NAMES[language]);
	member(writer, "dev_cla", "firmware");
	member(writer, "ent_cat", "config");
	member(writer, "stat_t", `${base}/${UPDATE}`);
	member(writer, "pl_inst", COMMAND_INSTALL);
	writer.endObject();
}

/** Writes a button. Without commands, it removes the button instead. */
function writeButton(
	writer: JSONWriter,
	id: string,
	{ hasCommands, language }: Announcement,
	key: string,
	names: readonly string[],
): void {
	if (hasCommands) {
		begin(writer, key, "button", id);
		member(writer, "name", names[language]);
		member(writer, "ent_cat", "diagnostic");
		member(writer, "pl_prs", key);
	} else {
		writer.key(key);
		writer.beginObject();
		member(writer, "p", "button");
	}
	writer.endObject();
}

function begin(writer: JSONWriter, key: string, component: string, id: string): void {
	writer.key(key);
	writer.beginObject();
	member(writer, "p", component);
	member(writer, "uniq_id", `${id}_${key}`);
}

function member(writer: JSONWriter, name: string, value: string): void {
	writer.key(name);
	writer.string(value);
}
