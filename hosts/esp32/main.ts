/** The firmware's start on the ESP32. */
import { Gateway } from "../../modules/app/gateway.js";
import { NETWORK_WITH_CABLE } from "../../modules/wifi/cable-part.js";
import { ZIGBEE_BRIDGE } from "../../modules/zigbee/bridge-part.js";
import { start } from "./start.js";

export default function main(): void {
	// The one use of what only a coprocessor or Ethernet needs, beside their ports (host.ts).
	start(
		(host) => new Gateway(host, [HAS_RADIO ? ZIGBEE_BRIDGE : undefined, HAS_ETHERNET ? NETWORK_WITH_CABLE : undefined]),
	);
}
