/** The firmware's start on the ESP32. */
import { Gateway } from "../../modules/app/gateway.js";
import { start } from "./start.js";

export default function main(): void {
	start((host) => new Gateway(host));
}
