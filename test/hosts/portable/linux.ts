/** The conformance suite's firmware for the Linux host. */
import { start } from "../../../hosts/linux/start.js";
import { CheckRunner } from "./check.js";
import { checks } from "./checks.js";

export default function main(): void {
	start((host) => new CheckRunner(host, checks));
}
