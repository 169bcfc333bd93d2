/** `npm run zigbee`: the Zigbee simulator. Ends after SIGTERM or SIGINT, and together with its parent process. */

import { openPseudoTerminal } from "./meter/pseudo-terminal.js";
import { UsageError } from "./meter/words.js";
import { Air } from "./zigbee/air.js";
import { NETWORK } from "./zigbee/coordinator-network.js";
import { SimulatedCoprocessor, START_WATCHDOG } from "./zigbee/coprocessor.js";
import type { Faults } from "./zigbee/faults.js";
import { moveNetwork } from "./zigbee/network-life.js";
import { NVFile } from "./zigbee/nv-file.js";
import { formedCoordinator, NVMemory } from "./zigbee/nvram.js";
import { COORDINATOR_PORT, HELP, parseOptions, type ZigbeeOptions } from "./zigbee/options.js";
import { serveTCP, type TCPPort } from "./zigbee/tcp-port.js";

/** Address of the coordinator, least significant byte first. */
const COORDINATOR_IEEE = Buffer.from("010a0000004b1200", "hex");
/** Address of the device, least significant byte first. */
const DEVICE_IEEE = Buffer.from("020b0000004b1200", "hex");

interface Order {
	readonly lines?: { readonly reset: boolean; readonly bootLoader: boolean };
	readonly faults?: Partial<Faults>;
	readonly crash?: true;
	readonly network?: { readonly channel?: number; readonly panId?: number };
}

async function run(options: ZigbeeOptions): Promise<void> {
	const { chip, faults, address, isBlank, keptMs, crashMs } = options;
	const air = new Air(keptMs === undefined ? {} : { keptMs });
	const file = new NVFile(options.nv);
	const fresh = () => (isBlank ? new NVMemory() : formedCoordinator(COORDINATOR_IEEE, NETWORK));
	const coordinator = new SimulatedCoprocessor({
		air,
		ieee: COORDINATOR_IEEE,
		nv: file.memory("coordinator", fresh),
	});
	const nv = file.memory("device", () => new NVMemory());
	const device = new SimulatedCoprocessor({ air, ieee: DEVICE_IEEE, nv, faults, ...chip });
	if (options.logs && !options.quiet) {
		log("coordinator", coordinator);
		log("device", device);
	}
	const port = await serveCoordinator(coordinator, options);
	const path =
		options.devicePort === undefined
			? await servePseudoTerminal(device, () => end(1))
			: `tcp://${address}:${(await serveTCP(device, options.devicePort, address)).port}`;
	if (crashMs !== undefined) setInterval(() => device.restart(START_WATCHDOG), crashMs);
	const end = (code: number) => {
		file.save();
		process.exit(code);
	};
	process.on("SIGTERM", () => end(0));
	process.on("SIGINT", () => end(0));
	process.on("disconnect", () => end(0));
	process.on("message", (message) => {
		const { lines, faults: wanted, crash, network } = message as Order;
		if (lines !== undefined) device.setLines(lines.reset, lines.bootLoader);
		if (wanted !== undefined) Object.assign(device.faults, wanted);
		if (crash) device.restart(START_WATCHDOG);
		if (network !== undefined) moveNetwork(coordinator, network);
	});
	process.stdout.write(`zigbee ${path} tcp://${address}:${port.port}\n`);
}

async function serveCoordinator(
	chip: SimulatedCoprocessor,
	{ coordinatorPort, address }: ZigbeeOptions,
): Promise<TCPPort> {
	if (coordinatorPort !== undefined) return serveTCP(chip, coordinatorPort, address);
	return serveTCP(chip, COORDINATOR_PORT, address).catch(() => serveTCP(chip, 0, address));
}

async function servePseudoTerminal(chip: SimulatedCoprocessor, failed: () => void): Promise<string> {
	const terminal = await openPseudoTerminal();
	chip.onBytes = (bytes) => terminal.write(bytes);
	terminal.onData((bytes) => chip.receive(bytes));
	terminal.onError((message) => {
		process.stderr.write(`${message}\n`);
		failed();
	});
	return terminal.path;
}

function log(name: string, chip: SimulatedCoprocessor): void {
	chip.onFrame = (isFromHost, { type, subsystem, command, data }) => {
		const code = Buffer.of((type << 5) | subsystem, command).toString("hex");
		const time = new Date().toISOString().slice(11, 23);
		process.stderr.write(`${time} ${name} ${isFromHost ? ">" : "<"} ${code} ${data.toString("hex")}\n`);
	};
}

try {
	const options = parseOptions(process.argv.slice(2));
	if (options === undefined) process.stdout.write(HELP);
	else await run(options);
} catch (error) {
	process.stderr.write(`${(error as Error).message}\n`);
	process.exit(error instanceof UsageError ? 2 : 1);
}
