/** In the place of part.ts in a firmware without MQTT. */
import { absentPart, keptEntry } from "../absent.js";

export const MQTT = absentPart(
	{
		name: "mqtt",
		entries: Object.freeze([keptEntry("mqtt", 17), keptEntry("mqtt_announced", 18)]),
		state: () => ["mqtt_state", "absent", "mqtt_sent", 0],
	},
	["mqtt", "mqtt/send"],
	Object.freeze({ keys: "mqtt_cert", limit: 3072 }),
);
