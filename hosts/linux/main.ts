/** The firmware's start on Linux. */
import { Gateway } from "../../modules/app/gateway.js";
import { NETWORK_WITH_CABLE } from "../../modules/wifi/cable-part.js";
import { ZIGBEE_BRIDGE } from "../../modules/zigbee/bridge-part.js";
import { start } from "./start.js";

export default function main(): void {
	start((host) => new Gateway(host, [ZIGBEE_BRIDGE, NETWORK_WITH_CABLE]));
}
