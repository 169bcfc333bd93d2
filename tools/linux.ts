/**
 * `npm run linux`: builds the firmware with the Moddable SDK and runs it in XS, with the options and the meter of `npm
 * start`. SIGUSR1 presses the button; SIGUSR2 prints the memory in use. The exit code is 0 after SIGTERM or SIGINT, 2
 * after a bad command line, and otherwise 1.
 */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FROM_OUTSIDE, keepFault, losePower, takeEnding } from "../hosts/node/ending.js";
import {
	describeAccount,
	describeButton,
	describeCable,
	describeCoordinator,
	describeMeter,
	openUnit,
} from "../hosts/node/factory.js";
import { NO_RADIO, type Options, parseOptions, startTime, USAGE } from "../hosts/node/options.js";
import { checkPorts } from "../hosts/node/ports.js";
import { type SimulatedCoprocessor, startSimulatedCoprocessor } from "../hosts/node/simulated-coprocessor.js";
import { type SimulatedMeter, startSimulatedMeter } from "../hosts/node/simulated-meter.js";
import { describeKeys, openKeys } from "../hosts/node/simulator-keys.js";
import { buildFirmware, type Firmware } from "./sdk/linux.js";
import { OMISSIONS, readNames } from "./sdk/omissions.js";
import { MACHINE_ENDED, type RunSettings, runFirmware } from "./sdk/run.js";
import { type Bits, ROOT } from "./sdk/sdk.js";

/** Names that --without accepts. For the radio there is `--zigbee none` instead. */
const LEFT_OUT = Object.keys(OMISSIONS).filter((name) => name !== "zigbee");

const HELP = `${USAGE.replace("npm start", "npm run linux").replace(/ {2}--engine.*\n/, "")}
  --bits 32|64           width of the machine code; with 32 the memory has the same layout as on the microcontroller
                         (default: 32 where this computer has the libraries for it)
  --announce             the gateway is reachable in this computer's network and announces itself there by mDNS (default: only on this
                         computer)
  --without NAMES        builds the firmware without these parts and meter protocols, separated by commas:
                         ${LEFT_OUT.join(", ")}
  --build                only builds
`;

interface LinuxOptions extends Options {
	readonly bits: Bits | undefined;
	readonly buildOnly: boolean;
	readonly announce: boolean;
	readonly without: readonly string[];
}

function takeFlag(args: string[], name: string): boolean {
	const index = args.indexOf(name);
	if (index >= 0) args.splice(index, 1);
	return index >= 0;
}

function takeValue(args: string[], name: string): string | undefined {
	const index = args.indexOf(name);
	return index < 0 ? undefined : (args.splice(index, 2)[1] ?? "");
}

function readOptions(args: string[]): LinuxOptions {
	try {
		const bits = takeValue(args, "--bits");
		if (bits !== undefined && bits !== "32" && bits !== "64") throw new Error(`--bits is 32 or 64, not "${bits}"`);
		const buildOnly = takeFlag(args, "--build");
		const announce = takeFlag(args, "--announce");
		const without = readNames(takeValue(args, "--without") ?? "");
		if (without.includes("zigbee")) throw new Error("The radio is left out by --zigbee none.");
		const options = parseOptions(args);
		if (options.engine !== "xs") throw new Error("npm run linux has the engine xs only; npm start has both");
		if (!options.help)
			return { ...options, bits: bits && (Number(bits) as Bits), buildOnly, announce, without } as LinuxOptions;
		process.stdout.write(HELP);
		process.exit(0);
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\nnpm run linux -- --help lists the options.\n`);
		process.exit(2);
	}
}

class LinuxProgram {
	readonly #options: LinuxOptions;
	#meter: SimulatedMeter | undefined;
	#coprocessor: SimulatedCoprocessor | undefined;
	#gateway: ChildProcess | undefined;
	#hasFailed = false;
	#ending = false;

	constructor(options: LinuxOptions) {
		this.#options = options;
	}

	async run(): Promise<void> {
		const options = this.#options;
		this.#say("Building the firmware with the Moddable SDK …");
		const { bits, without } = options;
		const firmware = await buildFirmware({ main: "hosts/linux/main", bits, without });
		this.#say(`Built for XS with ${firmware.bits} bits.`);
		if (options.buildOnly) return void this.end(0);
		await checkPorts(options);
		const settings = await this.#settings();
		if (this.#ending) return;
		this.#say(describeMeter(settings.meter, !options.meter));
		if (this.#coprocessor !== undefined) this.#say(describeCoordinator(this.#coprocessor.coordinator));
		this.#say(describeAccount(options.state, settings.factory));
		this.#say(describeButton());
		if (options.cable) this.#say(describeCable(options.state));
		for (const line of describeKeys(options, options.httpsPort)) this.#say(line);
		this.#start(firmware, settings);
	}

	async end(code: number): Promise<void> {
		if (this.#ending) return;
		this.#ending = true;
		this.#gateway?.kill("SIGTERM");
		await Promise.all([this.#meter?.end(), this.#coprocessor?.end()]);
		if (this.#gateway !== undefined && !this.#hasFailed) losePower(this.#options.state);
		process.exit(code);
	}

	fail(message: string): void {
		if (this.#ending) return;
		process.stderr.write(`${message}\n`);
		void this.end(1);
	}

	async #settings(): Promise<RunSettings> {
		const { state, meter, mode, ntp, quiet, httpPort, httpsPort, announce, power, wakeReason } = this.#options;
		const { zigbee } = this.#options;
		const factory = openUnit(this.#options, (text) => this.#say(text));
		if (!meter) this.#meter = await startSimulatedMeter({ isQuiet: quiet, onEnded: (message) => this.fail(message) });
		if (zigbee === undefined)
			this.#coprocessor = await startSimulatedCoprocessor({ stateFolder: state, say: (text) => this.#say(text) });
		const { cause, isFault } = takeEnding(state);
		const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
		return {
			state,
			ending: isFault ? cause : undefined,
			factory,
			version,
			settingsKeys: this.#options.settingsKeys,
			meter: meter ?? this.#meter!.path,
			zigbee: zigbee === NO_RADIO ? undefined : (zigbee ?? this.#coprocessor?.path),
			httpPort,
			httpsPort,
			accessPoint: mode === "ap",
			quiet,
			utcMs: startTime(this.#options),
			timeServers: ntp,
			...openKeys(this.#options),
			announce,
			power,
			wakeReason,
			cable: this.#options.cable,
		};
	}

	#start(firmware: Firmware, settings: RunSettings): void {
		const gateway = runFirmware(firmware, settings, "inherit");
		this.#gateway = gateway;
		gateway.on("error", (error) => this.fail(`The firmware could not be started: ${error.message}`));
		gateway.on("exit", (code, signal) => {
			if (code === MACHINE_ENDED) this.#keepFault("the XS machine gave up");
			if (signal !== null && !FROM_OUTSIDE.includes(signal)) this.#keepFault(`signal ${signal}`);
			if (signal !== null) this.fail(`The firmware has ended: signal ${signal}`);
			else void this.end(code === 0 ? 0 : 1);
		});
		for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => gateway.kill(signal));
	}

	#keepFault(cause: string): void {
		this.#hasFailed = true;
		keepFault(this.#options.state, cause);
	}

	#say(message: string): void {
		if (!this.#options.quiet) process.stderr.write(`${message}\n`);
	}
}

const program = new LinuxProgram(readOptions(process.argv.slice(2)));
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void program.end(0));
process.on("disconnect", () => void program.end(0));
// Without these handlers, Node would open its debugger on SIGUSR1 and end on SIGUSR2.
for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => {});
program.run().catch((error: Error) => program.fail(error.message));
