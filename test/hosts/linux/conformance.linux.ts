/** Tests the Linux host against the host contract, in XS under the memory limits of the microcontroller. */
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildFirmware, type Firmware } from "../../../tools/sdk/linux.js";
import { runFirmware } from "../../../tools/sdk/run.js";
import { ROOT } from "../../../tools/sdk/sdk.js";
import { conformance, START_UTC_MS, TIME_SERVERS, UPDATE_KEY_HEX, VERSION, writeResources } from "../conformance.js";

let firmware: Firmware;

before("builds the firmware of the conformance suite", async function () {
	this.timeout(300_000);
	writeResources(join(ROOT, ".build", "samples"));
	firmware = await buildFirmware({ main: "test/hosts/portable/linux" });
});

conformance("Linux firmware", async ({ check, stateFolder, factory, meterPath, trace }) => {
	const gateway = runFirmware(
		firmware,
		{
			state: stateFolder,
			factory,
			version: VERSION,
			meter: meterPath,
			httpPort: 0,
			httpsPort: 0,
			utcMs: START_UTC_MS,
			timeServers: TIME_SERVERS,
			announce: true,
			updateKeys: [UPDATE_KEY_HEX],
			board: check,
		},
		["ignore", "ignore", "pipe"],
	);
	let output = "";
	createInterface(gateway.stderr!).on("line", (line) => {
		output += `${line}\n`;
		trace(line);
	});
	const exited = once(gateway, "close").then(([code, signal]) => {
		if (code !== 0) trace(`check failed: the firmware ended with ${signal ?? code}:\n${output}`);
	});
	return {
		press: () => void gateway.kill("SIGUSR1"),
		async stop() {
			gateway.kill("SIGTERM");
			await exited;
		},
	};
});
