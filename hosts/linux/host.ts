/** Puts the natives of this folder and of hosts/native together to one Host: Linux as the gateway's world, in XS. */
import type { Clock, Host, Power, Storage, TextCodec } from "../../modules/io/host.js";
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

/** What the file says, as on the bench (README). */
class FilePower implements Power {
	readonly #path: string;
	readonly #text: TextCodec;

	constructor(path: string, text: TextCodec) {
		this.#path = path;
		this.#text = text;
	}

	get cells(): number {
		return this.value("cells", 0) ?? 0;
	}

	batteryVoltage(): number | undefined {
		return this.value("battery", 0);
	}

	usbVoltage(): number | undefined {
		return this.value("usb", 5);
	}

	temperatureC(): number | undefined {
		return this.value("temperature", 25);
	}

	private value(name: string, initial: number): number | undefined {
		let text = "";
		try {
			text = this.#text.decode(new Uint8Array(System.readFile(this.#path)));
		} catch {
			// There is none: everything is as it is at first.
		}
		for (const line of text.split("\n")) {
			const [word, number] = line.split(" ");
			if (word === name) return Number.isFinite(Number(number)) ? Number(number) : undefined;
		}
		return initial;
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
	const text = new SDKText();
	const clock = new LinuxClock();
	const utcMs = setting("UTC_MS");
	if (utcMs) clock.setUTC(Number(utcMs));
	const ports = { http: setting("HTTP_PORT")!, https: setting("HTTPS_PORT")! };
	const listener = (scheme: "http" | "https") =>
		createListenerPort({
			port: Number(ports[scheme]),
			timers,
			accessPoint: setting("ACCESS_POINT") !== undefined,
			...(scheme === "https" ? identity(state) : {}),
			onListening: (port) => {
				ports[scheme] = String(port);
			},
		});
	const host: Host = {
		info: {
			board: setting("BOARD") ?? "linux",
			chip: "pc",
			serial: setting("SERIAL")!,
			labelPassword: setting("LABEL_PASSWORD")!,
			firmwareVersion: setting("VERSION")!,
			builtUtcMs: Number(setting("BUILT_UTC_MS")),
			manufacturer: "Smart-Meter Gateway project",
			model: "Linux",
			deviceId: 0,
			hostname: setting("HOSTNAME")!,
		},
		clock,
		timers,
		serial: { meter: createSerialPort({ path: setting("METER")!, timers, trace }) },
		network: { http: listener("http"), https: listener("https") },
		storage: new LinuxStorage(`${state}/flash`),
		crypto: new NativeCrypto(),
		text,
		power: new FilePower(`${state}/power.txt`, text),
		resources: new SDKResources(),
		restart: () => {
			timers.set(() => System.restart(String(clock.utcMs() ?? ""), ports.http, ports.https), 0);
		},
		trace,
	};
	const ready = () => {
		if (setting("RESTARTED") === undefined) {
			System.print(`ready https://localhost:${ports.https} http://localhost:${ports.http}`);
		} else trace("The gateway starts anew.");
	};
	return { host, ready };
}

function identity(state: string): { certificate: Uint8Array; key: Uint8Array } {
	return {
		certificate: new Uint8Array(System.readFile(`${state}/certificate.pem`)),
		key: new Uint8Array(System.readFile(`${state}/key.pem`)),
	};
}
