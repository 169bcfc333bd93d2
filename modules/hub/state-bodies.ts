/**
 * Writes entities for Home Assistant's REST API (developers.home-assistant.io, "REST API"): the id, and the body of
 * POST /api/states/<entity_id>.
 *
 *     sensor.<host>_<key>, binary_sensor.<host>_<key>    keys: publish/entities.ts
 *
 * Ids are made from OBIS codes and not from display names, so that they do not change. A POST replaces all attributes
 * of the entity, so each one contains all attributes. Momentary values that are too old are unknown, because the hub
 * would show the last ones as current for ever.
 */
import { lowerCase } from "../bytes/ascii.js";
import type { JSONWriter } from "../json/writer.js";
import {
	Entities,
	type EntitySources,
	LAST_READOUT,
	METER_NUMBER,
	PROBLEM,
	PROBLEM_TEXT,
} from "../publish/entities.js";
import type { Readout } from "../readout/readout.js";

/** Space for a body, bytes. A long meter id is cut. */
export const BODY_SIZE = 1024;
const METER_ID_LIMIT = 64;

const UNKNOWN = "unknown";

export interface Snapshot {
	readonly sources: EntitySources;
	readonly hostname: string;
	/** Language of the names: LANGUAGE_… (obis/names.ts). */
	readonly language: number;
	/** True for a test by the user. A test always sends something, even if there is no readout. */
	readonly isTest: boolean;
	readonly readout: Readout | undefined;
	/** True if the momentary values are too old (meter/value-age.ts). */
	readonly isOld: boolean;
	readonly hasFailed: boolean;
	/** JSON writer, which other code also uses. It keeps no state between calls. */
	readonly writer: JSONWriter;
}

export class StateBodies {
	id = "";
	end = 0;
	readonly #snapshot: Snapshot;
	readonly #slug: string;
	readonly #entities: Entities;
	/** Buffer for the bodies, and position in it at which a body starts (`#start`). */
	readonly #into: Uint8Array;
	readonly #start: number;
	#index = -1;

	/**
	 * Writes bodies into `into` from `start` on, where BODY_SIZE bytes must be free. `hasValues` is true to include the
	 * values of the readout.
	 */
	constructor(snapshot: Snapshot, hasValues: boolean, into: Uint8Array, start: number) {
		this.#into = into;
		this.#start = start;
		this.#snapshot = snapshot;
		this.#slug = slugOf(snapshot.hostname);
		this.#entities = new Entities(snapshot.sources, { ...snapshot, hasValues });
	}

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

	private isLeftOut({ own }: Entities): boolean {
		const { isTest, readout } = this.#snapshot;
		// Without a readout since the start, the time of the last readout is not sent, because the hub may still have
		// the time of a readout before the restart.
		if (own === LAST_READOUT) return readout === undefined && !isTest;
		// With the REST API each state needs a request of its own, so these entities are published through MQTT only.
		return own === PROBLEM || own === PROBLEM_TEXT || own === METER_NUMBER;
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
		if (!entities.isDiagnostic && readout !== undefined) {
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

/**
 * Returns the host name in the form for entity ids: lower-case letters, digits, and single underscores between them.
 */
export function slugOf(hostname: string): string {
	let slug = "";
	for (const part of lowerCase(hostname).split("-")) if (part !== "") slug += slug === "" ? part : `_${part}`;
	return slug;
}
