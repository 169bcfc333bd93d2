/** Replaces part.ts in a firmware that is built without MQTT. */
import { Absent, absentPart, keptEntry } from "../absent.js";

const NAME = "mqtt";

export const MQTT = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry("mqtt", 17), keptEntry("mqtt_announced", 18)]),
		open: (core) => new Absent(NAME, core, "mqtt_cert"),
		state: () => ["mqtt_state", "absent", "mqtt_sent", 0],
	},
	["mqtt", "mqtt/send"],
);
