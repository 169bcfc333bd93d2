/** The firmware's start on Linux. */
import { Gateway } from "../../modules/app/gateway.js";
import { Zigbee } from "../../modules/zigbee/owner.js";
import { CablePolicy } from "../../modules/wifi/cable.js";
import { start } from "./start.js";

export default function main(): void {
	start((host) => new Gateway(host, Zigbee, CablePolicy));
}
