/**
 * What is published, as Home Assistant's REST API wants it (developers.home-assistant.io, "REST API"): entity ids, and the
 * body of each POST /api/states/<entity_id>. First the entities of the gateway itself, then a readout's values.
 *
 *     sensor.<host>_last_readout    when the meter was read
 *     binary_sensor.<host>_meter    whether the last attempt to read it went well
 *     sensor.<host>_battery         where there is room for cells
 *     sensor.<host>_rssi            in a network by radio
 *     sensor.<host>_<key>           a value (publish/values.ts)
 *
 * Ids come of the host name and of OBIS codes, never of names: they last. All attributes are sent each time, since each
 * POST replaces them. A momentary value older than FRESH_MS is not sent: the hub would take it for what is now.
 */
import { lowerCase } from "../bytes/ascii.js";
import type { Power, TextCodec } from "../io/host.js";
import type { JSONWriter } from "../json/writer.js";
import { batteryPercent } from "../power/battery.js";
import { PublishedValues } from "../publish/values.js";
import type { Readout } from "../readout/readout.js";
import { utcText } from "../time/iso.js";

/** Momentary values are those of now for so long. */
export const FRESH_MS = 900_000;

/** Bytes of the longest body: names and codes have limits, the meter's own is cut. */
export const BODY_SIZE = 1024;
const METER_ID_LIMIT = 64;

/** Places of the gateway's own entities; values follow. */
const LAST_READOUT = 0;
const METER = 1;
const BATTERY = 2;
const RSSI = 3;
const FIRST_VALUE = 4;

const UNKNOWN = "unknown";
const MEASUREMENT = "measurement";

/** Names of the gateway's own entities by LANGUAGE_…, in the order of their places. */
const OWN_NAMES: readonly (readonly string[])[] = Object.freeze([
	Object.freeze(["Last readout", "Meter", "Battery", "Wi-Fi signal"]),
	Object.freeze(["Letzte Ablesung", "Zähler", "Batterie", "WLAN-Signal"]),
	Object.freeze(["Ostatni odczyt", "Licznik", "Bateria", "Sygnał Wi-Fi"]),
]);
const OWN_KEYS = Object.freeze(["last_readout", "meter", "battery", "rssi"]);

/** What there is to publish at one moment. */
export interface Snapshot {
	readonly hostname: string;
	/** LANGUAGE_… of obis/names.ts. */
	readonly language: number;
	/** Somebody wants to know whether the hub takes something: there is always something then. */
	readonly isTest: boolean;
	/** The last good readout of a meter. */
	readonly readout: Readout | undefined;
	/** It is older than FRESH_MS. */
	readonly isOld: boolean;
	/** The last attempt to read has failed. */
	readonly hasFailed: boolean;
	readonly power: Power | undefined;
	/** dBm; undefined in no network by radio. */
	readonly rssi: number | undefined;
	/** Table of OBIS names (obis/names.ts). */
	readonly names: Uint8Array | undefined;
	readonly text: TextCodec;
	/** Shared: nothing is kept in it. */
	readonly writer: JSONWriter;
}

/** Goes over the entities of a snapshot. */
export class Entities {
	/** Of the entity gone to: `sensor.gateway_1_0_1_8_0`. */
	id = "";
	/** Where its body ends. */
	end = 0;
	readonly #snapshot: Snapshot;
	readonly #slug: string;
	readonly #values: PublishedValues | undefined;
	/** Where bodies are written, and from where on. */
	readonly #into: Uint8Array;
	readonly #start: number;
	#index = -1;

	/** Bodies are written to `into[start..)`, which has room for BODY_SIZE bytes. `withValues`: the readout's too. */
	constructor(snapshot: Snapshot, withValues: boolean, into: Uint8Array, start: number) {
		this.#into = into;
		this.#start = start;
		this.#snapshot = snapshot;
		this.#slug = slugOf(snapshot.hostname);
		const { readout } = snapshot;
		if (withValues && readout !== undefined) this.#values = new PublishedValues(readout, snapshot);
	}

	/** Goes to the next entity; false when there is none. */
	next(): boolean {
		do this.#index++;
		while (this.isLeftOut());
		if (this.#index < FIRST_VALUE) this.putOwn(this.#index);
		else if (this.#values === undefined || this.#index - FIRST_VALUE >= this.#values.count) return false;
		else this.putValue(this.#values);
		return true;
	}

	private isLeftOut(): boolean {
		const { power, rssi, isOld, isTest, readout } = this.#snapshot;
		const place = this.#index - FIRST_VALUE;
		// The hub may know of one from before the gateway has started.
		if (this.#index === LAST_READOUT) return readout === undefined && !isTest;
		if (this.#index === BATTERY) return (power?.cells ?? 0) === 0;
		if (this.#index === RSSI) return rssi === undefined;
		const values = this.#values;
		if (place < 0 || values === undefined || place >= values.count) return false;
		values.seek(place);
		return isOld && values.stateClass === MEASUREMENT;
	}

	private putOwn(place: number): void {
		const { readout, hasFailed, power, rssi, text, language } = this.#snapshot;
		this.id = `${place === METER ? "binary_" : ""}sensor.${this.#slug}_${OWN_KEYS[place]}`;
		const name = (OWN_NAMES[language] ?? OWN_NAMES[0])[place];
		if (place === LAST_READOUT) {
			const utcMs = readout?.utcMs ?? 0;
			this.begin(utcMs === 0 ? UNKNOWN : utcText(utcMs, text), name, "timestamp");
		} else if (place === METER) {
			this.begin(hasFailed ? "off" : readout === undefined ? UNKNOWN : "on", name, "connectivity");
		} else if (place === BATTERY) {
			const volts = power?.batteryVoltage();
			const percent = volts === undefined ? UNKNOWN : String(batteryPercent(volts, power?.cells ?? 0));
			this.begin(percent, name, "battery", "%", MEASUREMENT);
		} else this.begin(String(rssi ?? UNKNOWN), name, "signal_strength", "dBm", MEASUREMENT);
		this.finish();
	}

	private putValue(values: PublishedValues): void {
		const { writer } = this.#snapshot;
		this.id = `sensor.${this.#slug}_${values.key}`;
		this.begin(values.value, values.name, values.deviceClass, values.unit, values.stateClass);
		this.attribute("obis", values.obis);
		const meterId = this.#snapshot.readout?.meterId;
		if (meterId !== undefined) {
			writer.key("meter_id");
			writer.ascii(meterId, 0, Math.min(METER_ID_LIMIT, meterId.length));
		}
		this.finish();
	}

	/** The body up to what only values have. */
	private begin(state: string, name: string, deviceClass: string, unit = "", stateClass = ""): void {
		const { writer } = this.#snapshot;
		writer.begin(this.#into, this.#start, this.#start + BODY_SIZE);
		writer.beginObject();
		this.attribute("state", state);
		writer.key("attributes");
		writer.beginObject();
		this.attribute("friendly_name", `${this.#snapshot.hostname} ${name}`);
		this.attribute("unit_of_measurement", unit);
		this.attribute("device_class", deviceClass);
		this.attribute("state_class", stateClass);
	}

	private attribute(name: string, value: string): void {
		if (value === "") return;
		const { writer } = this.#snapshot;
		writer.key(name);
		writer.string(value);
	}

	private finish(): void {
		const { writer } = this.#snapshot;
		writer.endObject();
		writer.endObject();
		this.end = writer.position;
	}
}

/** Of a host name, what an entity id may have of it: small letters, digits, single underscores, none at an end. */
function slugOf(hostname: string): string {
	let slug = "";
	for (const part of lowerCase(hostname).split("-")) if (part !== "") slug += slug === "" ? part : `_${part}`;
	return slug;
}
