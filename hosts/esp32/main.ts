/** The firmware's start on the ESP32. */
import { Gateway } from "../../modules/app/gateway.js";
import type { Extra } from "../../modules/part/part.js";
import { networkWithCable } from "../../modules/parts/network/cable-part.js";
import { zigbeeBridge } from "../../modules/parts/zigbee/bridge-part.js";
import { start } from "./start.js";

export default function main(): void {
	const extras: Extra[] = [];
	if (HAS_RADIO) extras.push(zigbeeBridge());
	if (HAS_ETHERNET) extras.push(networkWithCable());
	start((host) => new Gateway(host, extras));
}
