/** Puts the natives of this folder and of hosts/native together to one Host: Linux as the gateway's world, in XS. */
import type { Clock, Host, Storage } from "../../modules/io/host.js";
import { NativeCrypto } from "../native/crypto.js";
import { SDKResources, SDKText, SDKTimers } from "../native/platform.js";
import { createListenerPort } from "../native/streams.js";
import { createSerialPort } from "./serial.js";
import { System } from "./system.js";

class LinuxClock implements Clock {
	/** Unix time when the monotonic clock shows 0; undefined: never set. */
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

/** What the runner was started with (tools/linux.ts). */
const setting = (name: string): string | undefined => System.setting(`GATEWAY_${name}`);

/** The host, and a function that prints the line by which the runner says that it serves. */
export function createHost(): { host: Host; ready(): void } {
	const state = setting("STATE")!;
	const quiet = setting("QUIET") !== undefined;
	const trace = (line: string): void => {
		if (!quiet) System.trace(line);
	};
	const timers = new SDKTimers();
	const clock = new LinuxClock();
	const utcMs = setting("UTC_MS");
	if (utcMs !== undefined) clock.setUTC(Number(utcMs));
	const addresses: string[] = [];
	const listener = (scheme: "http" | "https") =>
		createListenerPort({
			port: Number(setting(`${scheme.toUpperCase()}_PORT`)),
			timers,
			accessPoint: setting("ACCESS_POINT") !== undefined,
			...(scheme === "https" ? identity(state) : {}),
			onListening: (port) => addresses.unshift(` ${scheme}://localhost:${port}`),
		});
	const host: Host = {
		info: {
			board: setting("BOARD") ?? "linux",
			chip: "pc",
			serial: setting("SERIAL")!,
			labelPassword: setting("LABEL_PASSWORD")!,
			firmwareVersion: setting("VERSION")!,
			hostname: setting("HOSTNAME")!,
		},
		clock,
		timers,
		serial: { meter: createSerialPort({ path: setting("METER")!, timers, trace }) },
		network: { http: listener("http"), https: listener("https") },
		storage: new LinuxStorage(`${state}/flash`),
		crypto: new NativeCrypto(),
		text: new SDKText(),
		resources: new SDKResources(),
		trace,
	};
	return { host, ready: () => System.print(`ready${addresses.join("")}`) };
}

function identity(state: string): { certificate: Uint8Array; key: Uint8Array } {
	return {
		certificate: new Uint8Array(System.readFile(`${state}/certificate.pem`)),
		key: new Uint8Array(System.readFile(`${state}/key.pem`)),
	};
}
