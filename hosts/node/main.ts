/**
 * The simulator (`npm start`). Prints `ready https://… http://…` when it accepts connections and is in its network. SIGUSR1 presses the
 * button for a short time; SIGUSR2 prints the slots of XS in use, without those of the loaded code. The exit code is 0 after SIGTERM or SIGINT, 2 after a bad command line, and otherwise 1.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { WAKE_BUTTON, WAKE_NONE, WAKE_SUPPLY, WAKE_TIMER } from "../../modules/io/flash.js";
import type { Ending, Host } from "../../modules/io/host.js";
import { ASKED_FOR, SLEPT } from "../simulated/ending.js";
import { IMAGE_FAILS, IMAGE_HANGS } from "../simulated/image.js";
import { UP_LIMIT_MS } from "../simulated/radio.js";
import { SimulatedButton } from "./button.js";
import { FROM_OUTSIDE, keepFault, losePower, takeEnding } from "./ending.js";
import type { Engine } from "./engine.js";
import { NodeEngine } from "./engine-node.js";
import { XSEngine } from "./engine-xs.js";
import {
	describeAccount,
	describeButton,
	describeCable,
	describeCoordinator,
	describeMeter,
	type FactoryData,
	openUnit,
	setHub,
} from "./factory.js";
import { FastTime } from "./fast-time.js";
import { createHost, type HostSettings, powerOf } from "./host.js";
import { type HubDemo, startHubDemo } from "./hub-demo.js";
import { NO_RADIO, type Options, parseOptions, startTime, USAGE } from "./options.js";
import { NodeTimers } from "./platform.js";
import { checkPorts } from "./ports.js";
import { type SimulatedCoprocessor, startSimulatedCoprocessor } from "./simulated-coprocessor.js";
import { type SimulatedMeter, startSimulatedMeter } from "./simulated-meter.js";
import { SimulatedSleep } from "./simulated-sleep.js";
import { describeKeys, openKeys, type SimulatorKeys } from "./simulator-keys.js";
import { startSlots } from "./slots.js";
import { GATEWAY_SCRIPT } from "./snapshot.js";
import { findXSWorker } from "./xs-worker.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

function readOptions(): Options {
	try {
		const options = parseOptions(process.argv.slice(2));
		if (!options.help) return options;
		process.stdout.write(USAGE);
		process.exit(0);
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\nnpm start -- --help lists the options.\n`);
		process.exit(2);
	}
}

const WAKERS: Readonly<Record<number, string>> = {
	[WAKE_TIMER]: "timer",
	[WAKE_BUTTON]: "button",
	[WAKE_SUPPLY]: "USB supply",
};

/** A firmware that hangs is restarted after this time, as on the ESP32. */
const WATCHDOG_MS = 5000;
const PANIC: Ending = Object.freeze({ cause: "panic", isFault: true });
const STOOD_STILL: Ending = Object.freeze({ cause: "the watchdog of tasks", isFault: true });

class Simulator {
	readonly #options: Options;
	readonly #ports = new Map<"https" | "http", number>();
	#engine: Engine | undefined;
	#meter: SimulatedMeter | undefined;
	/** The simulated coprocessor; undefined if the coprocessor is external or missing. */
	#coprocessor: SimulatedCoprocessor | undefined;
	#hub: HubDemo | undefined;
	/** Accelerated time, or undefined if the computer's time is used. */
	readonly #time: FastTime | undefined;
	readonly #button: SimulatedButton;
	readonly #simulatedSleep: SimulatedSleep;
	/** Resolves when the gateway is in its network. */
	readonly #isUp: Promise<void>;
	#onUp: () => void = () => {};
	#keys: SimulatorKeys = { updateKeys: [], reportKey: "" };
	#hasFailed = false;
	#ending = false;

	constructor(options: Options) {
		this.#options = options;
		this.#isUp = new Promise((resolve) => {
			this.#onUp = resolve;
		});
		if (options.speed > 1) this.#time = new FastTime(options.speed);
		const timers = this.#time ?? new NodeTimers();
		this.#button = new SimulatedButton(timers);
		const power = powerOf(options.state, options.power);
		this.#simulatedSleep = new SimulatedSleep(timers, () => power.usbVoltage());
	}

	async run(): Promise<void> {
		const options = this.#options;
		const utcMs = startTime(options);
		await checkPorts(options);
		const factory = openUnit(options, (text) => this.#say(text));
		this.#keys = openKeys(options);
		const onEnded = (message: string) => {
			if (!this.#ending) this.fail(message);
		};
		const say = (message: string) => this.#say(message);
		[this.#meter, this.#coprocessor] = await Promise.all([
			options.meter ? undefined : startSimulatedMeter({ isQuiet: options.quiet, time: this.#time, utcMs, onEnded }),
			options.zigbee ? undefined : startSimulatedCoprocessor({ stateFolder: options.state, say }),
		]);
		if (options.hubDemo) {
			this.#hub = await startHubDemo(onEnded);
			setHub(options.state, this.#hub);
		}
		const ending = takeEnding(options.state);
		const { wakeReason } = options;
		await this.#start(factory, utcMs, wakeReason === WAKE_NONE ? ending : SLEPT, wakeReason);
		if (this.#ending) return;
		this.#time?.started();
		this.#say(describeMeter(options.meter ?? this.#meter!.path, !options.meter));
		if (this.#coprocessor !== undefined) this.#say(describeCoordinator(this.#coprocessor.coordinator));
		if (this.#hub !== undefined)
			this.#say(`Values that the gateway sends, on the page of the stand-in: ${this.#hub.url}`);
		this.#say(describeAccount(options.state, factory));
		this.#say(describeButton());
		if (options.cable) this.#say(describeCable(options.state));
		for (const line of describeKeys(options, this.#ports.get("https") ?? options.httpsPort)) this.#say(line);
		// A gateway that only reads its meter serves nothing, and need not be in its network.
		if (this.#ports.size > 0) await Promise.race([this.#isUp, sleep(UP_LIMIT_MS, undefined, { ref: false })]);
		if (!this.#ending) process.stdout.write(`ready${this.#addresses}\n`);
	}

	get #addresses(): string {
		return (["https", "http"] as const)
			.filter((scheme) => this.#ports.has(scheme))
			.map((scheme) => ` ${scheme}://localhost:${this.#ports.get(scheme)}`)
			.join("");
	}

	/** Starts the gateway. `utcMs` is undefined if the clock was never set. `wakeReason` is WAKE_…. */
	async #start(factory: FactoryData, utcMs: number | undefined, ending: Ending, wakeReason = WAKE_NONE): Promise<void> {
		const options = this.#options;
		const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
		const restart = () => void this.#restart(factory, host).catch((error: Error) => this.fail(error.message));
		const update = startSlots({
			stateFolder: options.state,
			keys: this.#keys.updateKeys,
			restart: () => host.restart(),
		});
		const { flags = 0, version: updated } = update.image ?? {};
		if (updated !== undefined) this.#say(`The boot loader starts the firmware ${updated}.`);
		const fault = (flags & IMAGE_FAILS) !== 0 ? PANIC : (flags & IMAGE_HANGS) !== 0 ? STOOD_STILL : undefined;
		if (fault !== undefined) {
			if (fault === STOOD_STILL) await new Promise((resolve) => setTimeout(resolve, WATCHDOG_MS));
			this.#say(`The firmware has failed: ${fault.cause}.`);
			return this.#start(factory, utcMs, fault);
		}
		const host = createHost({
			stateFolder: options.state,
			resourcesFolder: join(root, "modules", "resources"),
			factory,
			firmwareVersion: version,
			builtUtcMs: Math.floor(statSync(GATEWAY_SCRIPT).mtimeMs),
			meterPath: options.meter ?? this.#meter!.path,
			isMeterPaced: this.#time === undefined || options.meter !== undefined,
			consolePath: options.console,
			hasEthernet: options.cable,
			...this.#radio,
			// After a restart the gateway has the same ports as before, even if any free port was requested.
			httpPort: this.#ports.get("http") ?? options.httpPort,
			httpsPort: this.#ports.get("https") ?? options.httpsPort,
			accessPoint: options.mode === "ap",
			utcMs,
			time: this.#time,
			timeServers: options.ntp,
			reportKey: this.#keys.reportKey,
			settingsKeys: options.settingsKeys,
			ending,
			power: options.power,
			wakeReason,
			button: this.#button,
			trace: (message) => this.#say(message),
			onListening: (secure, port) => this.#ports.set(secure ? "https" : "http", port),
			onListenFailed: (message) => this.fail(message),
			onUp: () => this.#onUp(),
			update,
			onRestart: restart,
			onSleep: (ms) => void this.#sleep(factory, host, ms).catch((error: Error) => this.fail(error.message)),
		} satisfies HostSettings);
		const engine = this.#makeEngine(host);
		this.#engine = engine;
		if (this.#time !== undefined && engine.settled !== undefined) this.#time.settled = () => engine.settled!();
		await engine.start();
		// A listener that cannot open reports this only after its constructor has returned, so one event is awaited.
		await new Promise((resolve) => setImmediate(resolve));
	}

	get #radio(): Pick<HostSettings, "coprocessor" | "setCoprocessorLines"> {
		const { zigbee } = this.#options;
		if (zigbee !== undefined) return zigbee === NO_RADIO ? {} : { coprocessor: zigbee };
		const { path, setLines } = this.#coprocessor!;
		return { coprocessor: path, setCoprocessorLines: setLines };
	}

	async #restart(factory: FactoryData, host: Host): Promise<void> {
		if (this.#ending) return;
		await this.#engine?.stop();
		if (this.#ending) return;
		this.#say("The gateway restarts.");
		await this.#start(factory, host.clock.utcMs(), ASKED_FOR);
	}

	async #sleep(factory: FactoryData, host: Host, ms: number): Promise<void> {
		if (this.#ending) return;
		await this.#engine?.stop();
		if (this.#ending) return;
		this.#say(`The gateway sleeps for ${Math.round(ms / 1000)} s, or until its button is pressed.`);
		const reason = await this.#simulatedSleep.sleep(ms);
		if (this.#ending) return;
		this.#say(`The gateway wakes, by its ${WAKERS[reason]}.`);
		await this.#start(factory, host.clock.utcMs(), SLEPT, reason);
		if (reason !== WAKE_TIMER && !this.#ending) this.#say(`It serves${this.#addresses}`);
	}

	pressButton(): void {
		if (!this.#simulatedSleep.press()) this.#button.press();
	}

	async printMemory(): Promise<void> {
		// The engine may be ending.
		const slots = await this.#engine?.slots?.().catch(() => undefined);
		if (slots !== undefined) process.stdout.write(`memory slots ${slots}\n`);
	}

	fail(message: string): void {
		if (this.#ending) return;
		process.stderr.write(`${message}\n`);
		void this.end(1);
	}

	async end(code: number): Promise<void> {
		if (this.#ending) return;
		this.#ending = true;
		try {
			await this.#engine?.stop();
		} finally {
			await this.#meter?.end();
			await this.#coprocessor?.end();
			await this.#hub?.end();
			if (this.#engine !== undefined && !this.#hasFailed) losePower(this.#options.state);
			process.exit(code);
		}
	}

	#makeEngine(host: Host): Engine {
		if (this.#options.engine === "node") return new NodeEngine(host);
		const program = findXSWorker();
		const onCrash = (message: string) => {
			this.#hasFailed = !FROM_OUTSIDE.some((signal) => message.endsWith(signal));
			if (this.#hasFailed) keepFault(this.#options.state, message);
			this.fail(message);
		};
		if (program) {
			return new XSEngine({ host, program, script: GATEWAY_SCRIPT, onCrash });
		}
		process.stderr.write(
			"The XS engine is not installed (its build needs gcc and make); Node runs the gateway instead.\n",
		);
		return new NodeEngine(host);
	}

	#say(message: string): void {
		if (!this.#options.quiet) process.stderr.write(`${message}\n`);
	}
}

const simulator = new Simulator(readOptions());
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void simulator.end(0));
process.on("SIGUSR1", () => simulator.pressButton());
process.on("SIGUSR2", () => void simulator.printMemory());
process.on("disconnect", () => void simulator.end(0));
simulator.run().catch((error: Error) => simulator.fail(error.message));
