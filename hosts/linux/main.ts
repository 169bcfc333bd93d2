/** The firmware's start on Linux. */
import { Gateway } from "../../modules/app/gateway.js";
import { networkWithCable } from "../../modules/parts/network/cable-part.js";
import { zigbeeBridge } from "../../modules/parts/zigbee/bridge-part.js";
import { start } from "./start.js";

export default function main(): void {
	start((host) => new Gateway(host, [zigbeeBridge(), networkWithCable()]));
}
