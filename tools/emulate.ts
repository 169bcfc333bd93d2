/**
 * `npm run emulate`: builds a board's firmware for Espressif's QEMU and runs it with a simulated meter. Prints `ready
 * https://… http://…` when it accepts connections. The exit code is 0 after SIGTERM or SIGINT, 2 after a bad command
 * line, and otherwise 1.
 */
import { join } from "node:path";
import { describeCoordinator } from "../hosts/node/factory.js";
import { checkPorts } from "../hosts/node/ports.js";
import { type SimulatedCoprocessor, startSimulatedCoprocessor } from "../hosts/node/simulated-coprocessor.js";
import { startTool } from "../hosts/node/tool-program.js";
import { GatewayClient } from "./api/client.js";
import { Emulator, freePort, SERVES, temporaryFolder } from "./emulate/emulator.js";
import { emulatedBoard, minutes, prepareFirmware } from "./emulate/firmware.js";
import { readBuild } from "./emulate/flash.js";
import { type EmulateOptions, parseOptions, USAGE } from "./emulate/options.js";
import { needQEMU } from "./emulate/qemu.js";
import { type EmulatedUnit, openUnit } from "./emulate/state.js";

/** Longest time from power-on to the first reply. */
const START_LIMIT_MS = 300_000;
const LOGIN_LIMIT_MS = 60_000;
const WATCH_MS = 1000;

function readOptions(): EmulateOptions {
	try {
		const options = parseOptions(process.argv.slice(2));
		if (options !== undefined) return options;
		process.stdout.write(USAGE);
		process.exit(0);
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\nnpm run emulate -- --help lists the options.\n`);
		process.exit(2);
	}
}

class Emulation {
	readonly #options: EmulateOptions;
	#emulator: Emulator | undefined;
	#endMeter: (() => Promise<void>) | undefined;
	#radio: SimulatedCoprocessor | undefined;
	#isEnding = false;

	constructor(options: EmulateOptions) {
		this.#options = options;
	}

	async run(): Promise<void> {
		const options = this.#options;
		const { board } = options;
		needQEMU(board.chip);
		await checkPorts(options);
		const places = await prepareFirmware({ ...options, say: (text) => this.#say(text) });
		if (this.#isEnding) return;
		const folder = temporaryFolder();
		const unit = openUnit(options.state ?? folder, emulatedBoard(board), readBuild(join(places.project, "build")));
		if (unit.isUpdated) this.#say("The new build was written to the flash; settings are kept.");
		const ports = {
			httpsPort: options.httpsPort || (await freePort()),
			httpPort: options.httpPort || (await freePort()),
		};
		const meterSocket = join(folder, "meter");
		const say = (text: string) => this.#say(text);
		if (board.zigbee !== undefined)
			this.#radio = await startSimulatedCoprocessor({ stateFolder: options.state ?? folder, say });
		if (this.#isEnding) return void this.#radio?.end();
		const radioPort = this.#radio === undefined ? undefined : Number(new URL(this.#radio.path).port);
		const startMs = performance.now();
		const onLine = (line: string) => this.#say(`  ${line}`);
		this.#emulator = new Emulator({ board, ...unit, ...ports, meterSocket, radioPort, onLine });
		this.#emulator.start();
		await this.#startMeter(meterSocket);
		await this.#emulator.untilLine(SERVES, START_LIMIT_MS);
		await this.#emulator.untilAnswers(START_LIMIT_MS);
		if (this.#isEnding) return;
		this.#say(`It is ready, ${minutes(performance.now() - startMs)} after power-on.`);
		await this.#setUp(ports.httpsPort, unit);
		if (this.#isEnding) return;
		this.#describe(unit, join(places.folder, "update.key"));
		process.stdout.write(`ready https://localhost:${ports.httpsPort} http://localhost:${ports.httpPort}\n`);
		this.#watch();
	}

	async end(code: number): Promise<void> {
		if (this.#isEnding) return;
		this.#isEnding = true;
		await Promise.all([this.#endMeter?.(), this.#emulator?.kill(), this.#radio?.end()]);
		process.exit(code);
	}

	fail(message: string): void {
		if (this.#isEnding) return;
		process.stderr.write(`${message}\n`);
		void this.end(1);
	}

	async #startMeter(socket: string): Promise<void> {
		const { meter, quiet } = this.#options;
		if (meter === undefined || this.#isEnding) return;
		const { end } = await startTool({
			name: "meter",
			words: "The simulated meter",
			args: [...meter, "--socket", socket, ...(quiet ? ["--quiet"] : [])],
			ready: /^meter (.+)$/,
			onEnded: (message) => this.fail(message),
		});
		this.#endMeter = end;
	}

	async #setUp(port: number, { labelPassword }: EmulatedUnit): Promise<void> {
		const { settings } = this.#options;
		if (settings.length === 0) return;
		const client = new GatewayClient(port, labelPassword);
		await client.loginWithin(LOGIN_LIMIT_MS);
		for (const [path, body] of settings) {
			await client.post(path, body);
			this.#say(`Set: ${path}`);
		}
	}

	#describe(unit: EmulatedUnit, key: string): void {
		const { board, meter } = this.#options;
		const { uart } = board.meter;
		this.#say(
			meter === undefined
				? `Nothing is connected to UART ${uart}`
				: `Simulated meter at UART ${uart}: ${meter.join(" ")}`,
		);
		if (this.#radio !== undefined) {
			this.#say(`Simulated Zigbee coprocessor at UART ${board.zigbee!.uart}`);
			this.#say(describeCoordinator(this.#radio.coordinator));
		}
		this.#say(`User admin, label password ${unit.labelPassword}${unit.isNew ? "" : " (unless changed since)"}`);
		this.#say(`Key that signs updates for it: ${key}`);
	}

	#watch(): void {
		const looking = setInterval(() => {
			if (this.#emulator?.failure === undefined) return;
			clearInterval(looking);
			this.fail(this.#emulator.failure);
		}, WATCH_MS);
	}

	#say(message: string): void {
		if (!this.#options.quiet) process.stderr.write(`${message}\n`);
	}
}

const emulation = new Emulation(readOptions());
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void emulation.end(0));
process.on("disconnect", () => void emulation.end(0));
emulation.run().catch((error: Error) => emulation.fail(error.message));
