/** The firmware's start on the ESP32. */
import { Gateway } from "../../modules/app/gateway.js";
import { Zigbee } from "../../modules/zigbee/owner.js";
import { CablePolicy } from "../../modules/wifi/cable.js";
import { start } from "./start.js";

export default function main(): void {
	// The one use of what only a coprocessor or Ethernet needs, beside their ports (host.ts).
	start((host) => new Gateway(host, HAS_RADIO ? Zigbee : undefined, HAS_ETHERNET ? CablePolicy : undefined));
}
