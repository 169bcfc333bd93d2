/** The firmware's start on the ESP32. */
import { Gateway } from "../../modules/app/gateway.js";
import { Zigbee } from "../../modules/app/zigbee.js";
import { start } from "./start.js";

export default function main(): void {
	// The one use of what only a radio needs, beside its port (host.ts).
	start((host) => new Gateway(host, HAS_RADIO ? Zigbee : undefined));
}
