/** The Host on a PC, composed from the parts in this folder. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Sleep, WAKE_NONE } from "../../modules/io/flash.js";
import type { ButtonPort, CoprocessorPort, Ending, Host, Network } from "../../modules/io/host.js";
import { TextAir } from "../simulated/air.js";
import type { BootLoader } from "../simulated/boot-loader.js";
import { createEthernetPort, textCable } from "../simulated/cable.js";
import { POWER_ON } from "../simulated/ending.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID, IMAGE_HEARS_NOTHING } from "../simulated/image.js";
import { SimulatedPower } from "../simulated/power.js";
import { createWiFiPort, QUICK_JOIN_MS } from "../simulated/radio.js";
import { createClientPorts } from "./client.js";
import { createCoprocessorPort } from "./coprocessor.js";
import { retainedIn } from "./ending.js";
import type { FactoryData } from "./factory.js";
import type { FastTime } from "./fast-time.js";
import { leaseOfComputer } from "./lease.js";
import { createListenerPort } from "./listener.js";
import { FileFlash } from "./partitions.js";
import { FolderResources, NodeClock, NodeCrypto, NodeText, NodeTimers } from "./platform.js";
import { NodeResolver } from "./resolver.js";
import { createSerialPort } from "./serial.js";
import { FileStorage } from "./storage.js";
import { createUDPPort } from "./udp.js";

/**
 * Interval at which Wi-Fi and cable are checked in accelerated time. More frequent checks would slow accelerated time
 * down.
 */
const FAST_BEACON_MS = 60_000;

export interface HostSettings {
	readonly stateFolder: string;
	readonly resourcesFolder: string;
	readonly factory: FactoryData;
	readonly firmwareVersion: string;
	/** Build time, Unix ms. */
	readonly builtUtcMs: number;
	readonly meterPath: string;
	/** False for a pseudo-terminal, which transfers characters in no time. Default: true. */
	readonly isMeterPaced?: boolean;
	readonly consolePath?: string | undefined;
	/**
	 * Path of the serial port with the Zigbee coprocessor, or `tcp://HOST:PORT`. Undefined if there is no coprocessor.
	 */
	readonly coprocessor?: string | undefined;
	/** Sets the coprocessor's lines. Omitted if the lines are not wired. */
	readonly setCoprocessorLines?: CoprocessorPort["setLines"];
	/** Port number, or 0 for any free port. */
	readonly httpPort: number;
	readonly httpsPort: number | undefined;
	/** True if every client counts as connected through the access point. */
	readonly accessPoint: boolean;
	/** Unix time at the start; undefined if the clock was never set. */
	readonly utcMs?: number | undefined;
	/** Clock and timers that replace the computer's. */
	readonly time?: FastTime | undefined;
	readonly timeServers?: string;
	readonly reportKey?: string;
	readonly settingsKeys?: string;
	readonly upgradeUrl?: string;
	/** End of the previous program. Default: power cut. */
	readonly ending?: Ending;
	/** Power supply and sensors, unless power.txt in the state folder sets them. */
	readonly power?: string;
	/** Cause of this start, WAKE_…. Default: no sleep. */
	readonly wakeReason?: number;
	/** Boot loader with the firmware slots for this start. Without it the gateway accepts no update. */
	readonly update?: BootLoader;
	/** True if there is an Ethernet port. Its cable is controlled by the file cable.txt. */
	readonly hasEthernet?: boolean;
	readonly button?: ButtonPort;
	/** Returns the free heap that TLS clients see. If omitted, memory always suffices. */
	readonly freeBytes?: () => number;
	trace(message: string): void;
	onListening?(secure: boolean, port: number): void;
	/** Called when the gateway has got an address, and when its access point has been turned on. */
	onUp?(): void;
	/** Called for a restart, which the caller must perform. */
	onRestart?(): void;
	/**
	 * Called for sleep. The caller must end the gateway and restart it at the wake-up. If omitted, the gateway cannot
	 * sleep.
	 */
	onSleep?(ms: number): void;
	/** Called with a message for the user if a listener could not open or has failed. */
	onListenFailed?(message: string): void;
}

export function hostnameOf({ serial }: FactoryData): string {
	return `smgw-${serial.slice(-6).toLowerCase()}`;
}

export function createHost(settings: HostSettings): Host {
	const { factory, stateFolder } = settings;
	const trace = (message: string) => settings.trace(message);
	const onUp = () => settings.onUp?.();
	const { time } = settings;
	if (time !== undefined && settings.utcMs !== undefined) time.setUTC(settings.utcMs);
	const timers = time ?? new NodeTimers();
	const isDeaf = ((settings.update?.image?.flags ?? 0) & IMAGE_HEARS_NOTHING) !== 0;
	const host: Host = {
		info: {
			board: "bench",
			chip: IMAGE_CHIP,
			serial: factory.serial,
			labelPassword: factory.labelPassword,
			firmwareVersion: settings.update?.image?.version ?? settings.firmwareVersion,
			builtUtcMs: settings.builtUtcMs,
			manufacturer: "Smart-Meter Gateway project",
			model: "Bench",
			deviceId: IMAGE_DEVICE_ID,
			hostname: hostnameOf(factory),
			timeServers: settings.timeServers ?? "",
			reportKey: settings.reportKey ?? "",
			settingsKeys: settings.settingsKeys ?? "",
			upgradeUrl: settings.upgradeUrl ?? "",
		},
		clock: time ?? new NodeClock(settings.utcMs),
		timers,
		serial: {
			meter: createSerialPort(settings.meterPath, trace, settings.isMeterPaced),
			...(settings.consolePath === undefined ? {} : { console: createSerialPort(settings.consolePath, trace, false) }),
			...(settings.coprocessor === undefined
				? {}
				: { zigbee: createCoprocessorPort(settings.coprocessor, trace, settings.setCoprocessorLines) }),
		},
		network: createNetwork(settings),
		storage: new FileStorage(join(stateFolder, "flash")),
		flash: new FileFlash(join(stateFolder, "partitions")),
		crypto: new NodeCrypto(),
		text: new NodeText(),
		power: powerOf(stateFolder, settings.power),
		resources: new FolderResources(settings.resourcesFolder),
		wifi: createWiFiPort({
			air: new TextAir(isDeaf ? () => "nothing" : textFile(stateFolder, "air.txt")),
			timers,
			lease: leaseOfComputer(),
			accessPointKey: factory.accessPointKey,
			joinMs: QUICK_JOIN_MS,
			onUp,
			...(time === undefined ? {} : { beaconMs: FAST_BEACON_MS }),
		}),
		...(settings.hasEthernet
			? {
					ethernet: createEthernetPort({
						cable: textCable(isDeaf ? () => "out" : textFile(stateFolder, "cable.txt")),
						timers,
						lease: leaseOfComputer(),
						onUp,
						...(time === undefined ? {} : { lookMs: FAST_BEACON_MS }),
					}),
				}
			: {}),
		...(settings.button === undefined ? {} : { button: settings.button }),
		...(settings.update === undefined ? {} : { update: settings.update }),
		retained: retainedIn(stateFolder),
		ending: settings.ending ?? POWER_ON,
		...(settings.onSleep === undefined ? {} : { sleep: sleepOf(settings) }),
		restart: () => void setImmediate(() => settings.onRestart?.()),
		trace,
	};
	return time?.watch(host) ?? host;
}

/** Returns the simulated power supply. `initial` has the values that power.txt omits. */
export function powerOf(stateFolder: string, initial = ""): SimulatedPower {
	const read = textFile(stateFolder, "power.txt");
	return new SimulatedPower(() => `${read()}\n${initial}`);
}

function sleepOf({ wakeReason = WAKE_NONE, onSleep }: HostSettings): Sleep {
	return { wakeReason, begin: (ms) => void setImmediate(() => onSleep?.(ms)) };
}

function createNetwork(settings: HostSettings): Network {
	const { httpPort, httpsPort, accessPoint, trace } = settings;
	const listener = (port: number, secure: boolean) =>
		createListenerPort({
			port,
			secure,
			accessPoint,
			onListening: (real) => settings.onListening?.(secure, real),
			onFailed: (message) => settings.onListenFailed?.(message),
		});
	const resolver = new NodeResolver();
	return {
		http: listener(httpPort, false),
		...(httpsPort === undefined ? {} : { https: listener(httpsPort, true) }),
		tcpListener: (port) =>
			createListenerPort({
				port,
				secure: false,
				accessPoint,
				replacesPort: true,
				onListening: (real) => real !== port && trace(`tcp port ${port} is localhost:${real} here`),
			}),
		udp: createUDPPort((message) => trace(message)),
		...createClientPorts({ resolver, ...(settings.freeBytes === undefined ? {} : { freeBytes: settings.freeBytes }) }),
		resolve: (name, done) => resolver.resolve(name, done),
	};
}

function textFile(folder: string, name: string): () => string {
	return () => {
		try {
			return readFileSync(join(folder, name), "utf8");
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
			return "";
		}
	};
}
