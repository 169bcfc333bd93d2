/** Replaces part.ts in a firmware that is built without MQTT. */
import { ENTRY_MQTT, ENTRY_MQTT_ANNOUNCED } from "../../config/entries.js";
import { Absent, absentPart, keptEntry } from "../../part/absent.js";

const NAME = "mqtt";

export const MQTT = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry("mqtt", ENTRY_MQTT), keptEntry("mqtt_announced", ENTRY_MQTT_ANNOUNCED)]),
		open: (core) => new Absent(NAME, core, "mqtt_cert"),
		state: () => ["mqtt_state", "absent", "mqtt_sent", 0],
	},
	["mqtt", "mqtt/send"],
);
