/**
 * Entities as Home Assistant's REST API wants them (developers.home-assistant.io, "REST API"): an id, and the body of
 * POST /api/states/<entity_id>.
 *
 *     sensor.<host>_<key>, binary_sensor.<host>_<key>    keys: publish/entities.ts
 *
 * Ids are made of the host name and of OBIS codes, never of names: they last. All attributes are sent each time, since each
 * POST replaces them. A momentary value older than FRESH_MS is not sent: the hub would take it for what is now.
 */
import { lowerCase } from "../bytes/ascii.js";
import type { JSONWriter } from "../json/writer.js";
import { Entities, type EntitySources, LAST_READOUT, MEASUREMENT } from "../publish/entities.js";
import type { Readout } from "../readout/readout.js";

/** Momentary values are those of now for so long. */
export const FRESH_MS = 900_000;

/** Bytes of the longest body: names and codes have limits, the meter's own is cut. */
export const BODY_SIZE = 1024;
const METER_ID_LIMIT = 64;

const UNKNOWN = "unknown";

/** What there is to publish at one moment. */
export interface Snapshot {
	readonly sources: EntitySources;
	readonly hostname: string;
	/** LANGUAGE_… of obis/names.ts. */
	readonly language: number;
	/** The owner tests whether the hub takes something: there is always something then. */
	readonly isTest: boolean;
	/** The last good readout of a meter. */
	readonly readout: Readout | undefined;
	/** It is older than FRESH_MS. */
	readonly isOld: boolean;
	/** The last attempt to read has failed. */
	readonly hasFailed: boolean;
	/** Shared: nothing is kept in it. */
	readonly writer: JSONWriter;
}

/** Goes over the entities of a snapshot. */
export class StateBodies {
	/** Id of the entity gone to: `sensor.gateway_1_0_1_8_0`. */
	id = "";
	/** Where its body ends. */
	end = 0;
	readonly #snapshot: Snapshot;
	readonly #slug: string;
	readonly #entities: Entities;
	/** Where bodies are written, and from where on. */
	readonly #into: Uint8Array;
	readonly #start: number;
	#index = -1;

	/** Bodies are written to `into[start..)`, which has room for BODY_SIZE bytes. `hasValues`: the readout's too. */
	constructor(snapshot: Snapshot, hasValues: boolean, into: Uint8Array, start: number) {
		this.#into = into;
		this.#start = start;
		this.#snapshot = snapshot;
		this.#slug = slugOf(snapshot.hostname);
		this.#entities = new Entities(snapshot.sources, { ...snapshot, hasValues });
	}

	/** Goes to the next entity; false when there is none. */
	next(): boolean {
		const entities = this.#entities;
		do {
			this.#index++;
			if (this.#index >= entities.count) return false;
			entities.seek(this.#index);
		} while (this.isLeftOut(entities));
		this.write(entities);
		return true;
	}

	private isLeftOut({ own, stateClass }: Entities): boolean {
		const { isOld, isTest, readout } = this.#snapshot;
		// The hub may know the last readout from before the gateway has started.
		if (own === LAST_READOUT) return readout === undefined && !isTest;
		return own === undefined && isOld && stateClass === MEASUREMENT;
	}

	private write(entities: Entities): void {
		const { hostname, readout, writer } = this.#snapshot;
		const { own, key, name, value, unit, deviceClass, stateClass } = entities;
		this.id = `${own?.component ?? "sensor"}.${this.#slug}_${key}`;
		writer.begin(this.#into, this.#start, this.#start + BODY_SIZE);
		writer.beginObject();
		this.attribute("state", value === "" ? UNKNOWN : value);
		writer.key("attributes");
		writer.beginObject();
		this.attribute("friendly_name", `${hostname} ${name}`);
		this.attribute("unit_of_measurement", unit);
		this.attribute("device_class", deviceClass);
		this.attribute("state_class", stateClass);
		this.attribute("obis", entities.obis);
		if (own === undefined && readout !== undefined) {
			writer.key("meter_id");
			writer.ascii(readout.meterId, 0, Math.min(METER_ID_LIMIT, readout.meterId.length));
		}
		writer.endObject();
		writer.endObject();
		this.end = writer.position;
	}

	private attribute(name: string, value: string): void {
		if (value === "") return;
		const { writer } = this.#snapshot;
		writer.key(name);
		writer.string(value);
	}
}

/** The host name as an entity id may have it: small letters, digits, single underscores, none at an end. */
function slugOf(hostname: string): string {
	let slug = "";
	for (const part of lowerCase(hostname).split("-")) if (part !== "") slug += slug === "" ? part : `_${part}`;
	return slug;
}
