/** Puts the parts of this folder together to one Host: the PC as the gateway's world. */
import { join } from "node:path";
import type { Host } from "../../modules/io/host.js";
import type { Identity } from "./certificate.js";
import type { FactoryData } from "./factory.js";
import { createListenerPort } from "./listener.js";
import { FolderResources, NodeClock, NodeCrypto, NodeText, NodeTimers } from "./platform.js";
import { FilePower } from "./power.js";
import { createSerialPort } from "./serial.js";
import { FileStorage } from "./storage.js";

/** Of the hardware variant that a desk is. */
const BENCH_DEVICE_ID = 0;

export interface HostSettings {
	/** Where flash contents, certificate and factory data are kept. */
	readonly stateFolder: string;
	readonly resourcesFolder: string;
	readonly factory: FactoryData;
	readonly firmwareVersion: string;
	/** When the firmware was built, Unix time. */
	readonly builtUtcMs: number;
	/** Path of the serial port that the meter is on. */
	readonly meterPath: string;
	/** 0 takes any port that is free. */
	readonly httpPort: number;
	readonly httpsPort: number;
	/** What HTTPS is served with (certificate.ts); undefined: there is no HTTPS. */
	readonly identity: Identity | undefined;
	/** The device is its own access point: everybody reaches it over that. */
	readonly accessPoint: boolean;
	/** What the clock shows at the start, Unix time. */
	readonly utcMs: number;
	trace(message: string): void;
	/** The port really listened on. */
	onListening?(secure: boolean, port: number): void;
	/** The gateway wants to start anew: whoever runs it does that. */
	onRestart?(): void;
	/** A listener could not open or died; a sentence for the user. */
	onListenFailed?(message: string): void;
}

/** The name of the unit in its network. */
export function hostnameOf({ serial }: FactoryData): string {
	return `smgw-${serial.slice(-6).toLowerCase()}`;
}

export function createHost(settings: HostSettings): Host {
	const { factory, stateFolder } = settings;
	const hostname = hostnameOf(factory);
	const listener = (port: number, identity: Identity | undefined) =>
		createListenerPort({
			port,
			accessPoint: settings.accessPoint,
			...(identity === undefined ? {} : { tls: identity }),
			onListening: (real) => settings.onListening?.(identity !== undefined, real),
			onFailed: (message) => settings.onListenFailed?.(message),
		});
	const http = listener(settings.httpPort, undefined);
	const { identity } = settings;
	const https = identity === undefined ? undefined : listener(settings.httpsPort, identity);
	const trace = (message: string) => settings.trace(message);
	return {
		info: {
			board: "bench",
			chip: "pc",
			...factory,
			firmwareVersion: settings.firmwareVersion,
			builtUtcMs: settings.builtUtcMs,
			manufacturer: "Smart-Meter Gateway project",
			model: "Bench",
			deviceId: BENCH_DEVICE_ID,
			hostname,
		},
		clock: new NodeClock(settings.utcMs),
		timers: new NodeTimers(),
		serial: { meter: createSerialPort(settings.meterPath, trace) },
		network: https === undefined ? { http } : { http, https },
		storage: new FileStorage(join(stateFolder, "flash")),
		crypto: new NodeCrypto(),
		text: new NodeText(),
		power: new FilePower(join(stateFolder, "power.txt")),
		resources: new FolderResources(settings.resourcesFolder),
		restart: () => void setImmediate(() => settings.onRestart?.()),
		trace,
	};
}
