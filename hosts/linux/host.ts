/** The Host of the firmware that runs in XS on Linux. */
import { decodeHex } from "../../modules/bytes/hex.js";
import { type Sleep, WAKE_NONE } from "../../modules/io/flash.js";
import type { Clock, Ending, Host, ListenerPort, Storage, UDPOptions, UDPPort } from "../../modules/io/host.js";
import { createButtonPort } from "../native/button.js";
import { NativeCrypto } from "../native/crypto.js";
import { FLASH } from "../native/flash.js";
import { NativeInflater } from "../native/inflater.js";
import { MEMORY } from "../native/memory.js";
import { NativeNetwork } from "../native/network.js";
import { SDKResources, SDKText, SDKTimers } from "../native/platform.js";
import { createListenerPort } from "../native/streams.js";
import { createUDPPort } from "../native/udp.js";
import { TextAir } from "../simulated/air.js";
import { BootLoader, SLOTS } from "../simulated/boot-loader.js";
import { createEthernetPort, textCable } from "../simulated/cable.js";
import { ASKED_FOR, POWER_ON, SLEPT, StoredRetained } from "../simulated/ending.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID, IMAGE_FAILS, IMAGE_HANGS, IMAGE_HEARS_NOTHING } from "../simulated/image.js";
import { SimulatedPower } from "../simulated/power.js";
import { createWiFiPort, QUICK_JOIN_MS, UP_LIMIT_MS } from "../simulated/radio.js";
import { LinuxPort } from "./serial.js";
import { System } from "./system.js";

class LinuxClock implements Clock {
	/** Unix time at which the monotonic clock was 0; undefined if the clock was never set. */
	#startMs: number | undefined;

	monotonicMs(): number {
		return System.monotonicMs();
	}

	utcMs(): number | undefined {
		return this.#startMs === undefined ? undefined : this.#startMs + System.monotonicMs();
	}

	setUTC(utcMs: number): void {
		this.#startMs = utcMs - System.monotonicMs();
	}
}

class LinuxStorage implements Storage {
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	get(key: string): Uint8Array | undefined {
		const value = System.getValue(this.#folder, key);
		return value === undefined ? undefined : new Uint8Array(value);
	}

	set(key: string, value: Uint8Array): void {
		System.setValue(this.#folder, key, value);
	}

	delete(key: string): void {
		System.deleteValue(this.#folder, key);
	}
}

/** Network that opens another TCP port if the requested one is reserved or in use. */
class LinuxNetwork extends NativeNetwork {
	override tcpListener(port: number): ListenerPort {
		return createListenerPort({ port, secure: false, timers: this.timers, onReplaced: traceReplaced });
	}
}

function traceReplaced(port: number, real: number): void {
	System.trace(`tcp port ${port} is localhost:${real} here`);
}

/**
 * Returns the end of the previous program. The runner passes on a restart or a sleep; tools/linux.ts passes a fault as
 * `cause`.
 */
function endingOf(cause: string | undefined): Ending {
	if (setting("WAKE") !== undefined) return SLEPT;
	if (setting("RESTARTED") !== undefined) return ASKED_FOR;
	return cause === undefined ? POWER_ON : { cause, isFault: true };
}

/** A firmware that hangs is restarted after this time, as on the ESP32. */
const WATCHDOG_MS = 5000;

const ACCESS_POINT_ADDRESS = "127.0.0.1";

/** Keeps multicast within the access point's network, which on Linux is this computer. */
function withoutNetwork({ io, pins }: UDPPort): UDPPort {
	return {
		io: class extends io {
			constructor(options: UDPOptions) {
				super(options.group === undefined ? options : { ...options, accessPoint: true });
			}
		},
		pins,
	};
}

const setting = (name: string): string | undefined => System.setting(`GATEWAY_${name}`);

/**
 * Creates the Host. `ready` prints the runner's line "ready" as soon as the gateway is in its network. If the image simulates a hang or a failure at its start
 * (hosts/simulated/image.ts), the caller must call only `fail`.
 */
export function createHost(): { host: Host; ready(): void; fail?(): void } {
	const state = setting("STATE")!;
	const quiet = setting("QUIET") !== undefined;
	const trace = (line: string): void => {
		if (!quiet) System.trace(line);
	};
	const timers = new SDKTimers();
	const text = new SDKText();
	const clock = new LinuxClock();
	const utcMs = setting("UTC_MS");
	if (utcMs) clock.setUTC(Number(utcMs));
	const ports = { http: setting("HTTP_PORT")!, https: setting("HTTPS_PORT")! };
	const textFile = (name: string) => () => {
		try {
			return text.decode(new Uint8Array(System.readFile(`${state}/${name}`)));
		} catch {
			return "";
		}
	};
	const [ip, netmask, gateway] = setting("LEASE")!.split(" ");
	/** True if the gateway opens its listeners. It does not if the device woke up only for a reading. */
	let isServing = false;
	const listener = (scheme: "http" | "https") =>
		createListenerPort({
			port: Number(ports[scheme]),
			secure: scheme === "https",
			timers,
			onListening: (port) => {
				ports[scheme] = String(port);
				isServing = true;
			},
		});
	const udp = createUDPPort({ accessPoint: ACCESS_POINT_ADDRESS, replacePorts: true, trace });
	const readPower = textFile("power.txt");
	const sleep: Sleep = {
		wakeReason: Number(setting("WAKE") ?? WAKE_NONE),
		begin: (ms) => {
			timers.set(() => {
				trace(`The gateway sleeps for ${Math.round(ms / 1000)} s, or until its button is pressed.`);
				System.sleep(String(clock.utcMs() ?? ""), ports.http, ports.https, ms);
			}, 0);
		},
	};
	const crypto = new NativeCrypto();
	const zigbee = setting("ZIGBEE");
	const restart = () => System.restart(String(clock.utcMs() ?? ""), ports.http, ports.https);
	const restartSoon = () => void timers.set(restart, 0);
	const keys = setting("UPDATE_KEYS") ?? "";
	const update = new BootLoader({
		storage: new LinuxStorage(state),
		slots: SLOTS.map((name) => FLASH.open(name)!),
		crypto,
		keys: keys.split(" ").flatMap((hex) => (hex === "" ? [] : (decodeHex(text.encode(hex), 0, hex.length) ?? []))),
		revoked: [],
		securityLevel: 0,
		inflater: () => new NativeInflater(),
		restart: restartSoon,
	});
	const { flags = 0, version = setting("VERSION")! } = update.image ?? {};
	const isDeaf = (flags & IMAGE_HEARS_NOTHING) !== 0;
	const host: Host = {
		info: {
			board: setting("BOARD") ?? "linux",
			chip: IMAGE_CHIP,
			serial: setting("SERIAL")!,
			labelPassword: setting("LABEL_PASSWORD")!,
			firmwareVersion: version,
			builtUtcMs: Number(setting("BUILT_UTC_MS")),
			manufacturer: "Smart-Meter Gateway project",
			model: "Linux",
			deviceId: IMAGE_DEVICE_ID,
			hostname: setting("HOSTNAME")!,
			timeServers: setting("TIME_SERVERS") ?? "",
			reportKey: setting("REPORT_KEY") ?? "",
			settingsKeys: setting("SETTINGS_KEYS") ?? "",
			upgradeUrl: setting("UPGRADE_URL") ?? "",
		},
		clock,
		timers,
		serial: {
			meter: new LinuxPort({ path: setting("METER")!, timers, trace }),
			...(zigbee === undefined ? {} : { zigbee: new LinuxPort({ path: zigbee, timers, trace }) }),
		},
		network: new LinuxNetwork(
			{
				http: listener("http"),
				https: listener("https"),
				udp: setting("ANNOUNCE") === undefined ? withoutNetwork(udp) : udp,
			},
			timers,
		),
		flash: FLASH,
		storage: new LinuxStorage(`${state}/flash`),
		retained: new StoredRetained(new LinuxStorage(state)),
		ending: endingOf(setting("ENDING")),
		update,
		crypto,
		memory: MEMORY,
		text,
		power: new SimulatedPower(() => `${readPower()}\n${setting("POWER") ?? ""}`),
		resources: new SDKResources(),
		wifi: createWiFiPort({
			air: new TextAir(isDeaf ? () => "nothing" : textFile("air.txt")),
			timers,
			lease: { ip, netmask, gateway },
			accessPointKey: setting("ACCESS_POINT_KEY")!,
			joinMs: QUICK_JOIN_MS,
			onUp: System.up,
		}),
		...(setting("CABLE") === undefined
			? {}
			: {
					ethernet: createEthernetPort({
						cable: textCable(isDeaf ? () => "out" : textFile("cable.txt")),
						timers,
						lease: { ip, netmask, gateway },
						onUp: System.up,
					}),
				}),
		button: createButtonPort((target) => System.watchButton(target)),
		sleep,
		restart: restartSoon,
		trace,
	};
	const ready = () => {
		const addresses = isServing ? ` https://localhost:${ports.https} http://localhost:${ports.http}` : "";
		// A gateway that only reads its meter serves nothing, and need not be in its network.
		if (setting("RESTARTED") === undefined) System.ready(`ready${addresses}`, isServing ? UP_LIMIT_MS : 0);
		else if (sleep.wakeReason !== WAKE_NONE) trace(`The gateway wakes.${addresses}`);
		else trace("The gateway restarts.");
	};
	const fail = () => {
		trace(`The firmware ${version} has failed.`);
		timers.set(restart, (flags & IMAGE_FAILS) !== 0 ? 0 : WATCHDOG_MS);
	};
	return { host, ready, ...((flags & (IMAGE_FAILS | IMAGE_HANGS)) === 0 ? {} : { fail }) };
}
