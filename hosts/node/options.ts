/**
 * Command line of the simulator. The options should not change, because tests, documentation and users depend on them.
 */
import { existsSync, readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { parseArgs } from "node:util";
import { WAKE_BUTTON, WAKE_NONE, WAKE_SUPPLY, WAKE_TIMER } from "../../modules/io/flash.js";
import { pointOf } from "./p256.js";

export const USAGE = `Usage: npm start -- [options]

Runs the gateway on this computer, with a simulated meter unless --meter names a real one.

  --engine xs|node       what runs the firmware: the XS engine of the device, or Node (default xs)
  --https-port N         port for HTTPS; 0: any free port (default 8443)
  --http-port N          port for HTTP; 0: any free port (default 8080)
  --mode client|ap       a device in the owner's network, or one that is its own access point and serves the API over
                         plain HTTP too (default client)
  --state DIR            folder of the flash contents (default .state)
  --meter PATH           serial port with the meter, real or a pseudo-terminal
  --console PATH         serial port, real or a pseudo-terminal, for Improv and settings files (default: none)
  --cable                the unit has an Ethernet port; cable.txt of the state folder sets the state of its cable: in,
                         out, or in no-dhcp (default: no Ethernet port)
  --zigbee PATH|tcp://HOST:PORT|none
                         Zigbee coprocessor: a serial port, real or a pseudo-terminal, or a TCP port; none: the unit has no
                         radio (default: a simulated one; with --speed, none)
  --hub-demo             starts a stand-in for Home Assistant, whose page shows what the gateway sends, and stores in --state
                         that the gateway reads its meter each minute and sends the values there
  --password TEXT        label password for a new --state (default: random)
  --time ISO|none        time of the clock at the start, e.g. 2026-01-31T12:00:00Z; none: the clock was never set
                         (default: the computer's time)
  --speed N              runs the time of gateway and simulated meter N times as fast (1 to 100000, default 1) while
                         no client is connected and the meter is not being read
  --ntp SERVER[:PORT][,...]
                         up to 4 time servers, by name or IPv4 address (default: no time server)
  --report-key FILE|none the manufacturer's public key (PEM), for which diagnostic reports are sealed; none: no
                         reports (default: a development key, made in --state)
  --settings-key FILE    a public key (PEM) that may sign settings files (docs/fleet.md); may be given twice
  --supply usb|battery[:VOLTS]
                         supply of the unit: USB, or three cells with VOLTS in total (default usb; power.txt of the
                         state folder can override it)
  --wake timer|button|usb
                         starts as after a wake-up from sleep with this cause, not as after power-on
  --update-key FILE|none public key (P-256, PEM) that may sign a firmware; up to two such options; none: no update is accepted
                         (default: a development key, made in --state)
  --quiet                prints only the line "ready …" and errors
  --help                 prints this text
`;

export const STATE_FOLDER = ".state";
export const HTTPS_PORT = 8443;
export const NO_RADIO = "none";
const NO_KEY = "none";

const PASSWORD_LIMIT = 64;
const SERVERS_LIMIT = 4;
/** Voltage of fresh cells. */
const CELLS_VOLTAGE = 4.5;
const CELLS_LIMIT = 6;
const SPEED_LIMIT = 100_000;
/** Number of update keys. It permits the current key and its successor. */
const UPDATE_KEYS_LIMIT = 2;
/** Limit of a DNS name (RFC 1035, 2.3.4). */
const NAME_LIMIT = 253;
/** A label has at most 63 characters (RFC 1035, 2.3.4; RFC 1123, 2.1). */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

export interface Options {
	readonly engine: "xs" | "node";
	readonly httpsPort: number;
	readonly httpPort: number;
	readonly mode: "client" | "ap";
	readonly state: string;
	readonly meter: string | undefined;
	readonly console: string | undefined;
	readonly cable: boolean;
	/** Path or `tcp://` address of the coprocessor. Undefined: the simulated coprocessor. */
	readonly zigbee: string | undefined;
	readonly hubDemo: boolean;
	readonly password: string | undefined;
	/** Initial time, Unix ms. Null: the clock was never set. Undefined: the computer's time. */
	readonly timeMs: number | null | undefined;
	readonly speed: number;
	readonly ntp: string;
	/** Value of `HostInfo.reportKey`. Undefined: the key in the state folder (simulator-keys.ts). */
	readonly reportKey: string | undefined;
	/** Value of `HostInfo.settingsKeys`. */
	readonly settingsKeys: string;
	/** Initial contents of power.txt. Empty: power from USB. */
	readonly power: string;
	readonly wakeReason: number;
	/**
	 * Public keys that may sign a firmware, as points in hex. Undefined: the key in the state folder (simulator-keys.ts).
	 */
	readonly updateKeys: readonly string[] | undefined;
	readonly quiet: boolean;
	readonly help: boolean;
}

/** Throws an Error with a message for the user if the command line is invalid. */
export function parseOptions(args: string[]): Options {
	const { values } = parseArgs({
		args,
		strict: true,
		allowPositionals: false,
		options: {
			engine: { type: "string", default: "xs" },
			"https-port": { type: "string", default: String(HTTPS_PORT) },
			"http-port": { type: "string", default: "8080" },
			mode: { type: "string", default: "client" },
			state: { type: "string", default: STATE_FOLDER },
			meter: { type: "string" },
			console: { type: "string" },
			cable: { type: "boolean", default: false },
			zigbee: { type: "string" },
			"hub-demo": { type: "boolean", default: false },
			password: { type: "string" },
			time: { type: "string" },
			speed: { type: "string", default: "1" },
			ntp: { type: "string", default: "" },
			"report-key": { type: "string" },
			"settings-key": { type: "string", multiple: true, default: [] },
			supply: { type: "string", default: "usb" },
			wake: { type: "string" },
			"update-key": { type: "string", multiple: true, default: [] },
			quiet: { type: "boolean", default: false },
			help: { type: "boolean", default: false },
		},
	});
	const httpsPort = toPort("--https-port", values["https-port"]);
	const httpPort = toPort("--http-port", values["http-port"]);
	if (httpPort === httpsPort && httpPort !== 0) throw new Error("--https-port and --http-port must differ");
	return {
		engine: oneOf("--engine", values.engine, ["xs", "node"]),
		httpsPort,
		httpPort,
		mode: oneOf("--mode", values.mode, ["client", "ap"]),
		state: toPath("--state", values.state)!,
		meter: toPath("--meter", values.meter),
		console: toPath("--console", values.console),
		cable: values.cable,
		zigbee: toRadio(values.zigbee, values.speed),
		hubDemo: values["hub-demo"],
		password: toPassword(values.password),
		timeMs: toTime(values.time),
		speed: toSpeed(values.speed, values.ntp),
		ntp: toServers(values.ntp),
		reportKey: toReportKey("--report-key", values["report-key"]),
		settingsKeys: (toKeys("--settings-key", values["settings-key"]) ?? []).join(" "),
		power: toPower(values.supply),
		wakeReason: toWakeReason(values.wake),
		updateKeys: toKeys("--update-key", values["update-key"]),
		quiet: values.quiet,
		help: values.help,
	};
}

function oneOf<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
	const word = words.find((candidate) => candidate === value);
	if (word === undefined) throw new Error(`${name} is ${words.join(" or ")}, not "${value}"`);
	return word;
}

function toPort(name: string, value: string): number {
	const port = Number(value);
	if (!/^\d+$/.test(value) || port > 65_535) throw new Error(`${name} is a number from 0 to 65535, not "${value}"`);
	return port;
}

function toPath(name: string, value: string | undefined): string | undefined {
	if (value === "") throw new Error(`${name} needs a path`);
	return value;
}

function toRadio(value: string | undefined, speed: string): string | undefined {
	toPath("--zigbee", value);
	// In accelerated time there is no simulated coprocessor, because it runs at normal speed.
	if (value === undefined) return speed === "1" ? undefined : NO_RADIO;
	if (!value.includes("://")) return value;
	const port = Number(/^tcp:\/\/[^/:\s]+:(\d+)$/.exec(value)?.[1] ?? 0);
	if (port < 1 || port > 65_535) throw new Error(`--zigbee is a path, tcp://HOST:PORT or none, not "${value}"`);
	return value;
}

function toPassword(value: string | undefined): string | undefined {
	if (value === undefined || new RegExp(`^[\\x20-\\x7e]{1,${PASSWORD_LIMIT}}$`).test(value)) return value;
	throw new Error(`--password is 1 to ${PASSWORD_LIMIT} printable ASCII characters`);
}

function toTime(value: string | undefined): number | null | undefined {
	if (value === undefined) return undefined;
	if (value === "none") return null;
	const timeMs = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
	if (Number.isNaN(timeMs))
		throw new Error(`--time is a date and time such as 2026-01-31T12:00:00Z, or none, not "${value}"`);
	return timeMs;
}

/** Returns the public key in the file. Throws an Error with a message for the user if the file contains none. */
function toKey(name: string, path: string): string {
	const point = existsSync(path) ? pointOf(readFileSync(path)) : undefined;
	if (point === undefined) throw new Error(`${name} is a file with a public key on P-256, not "${path}"`);
	return Buffer.from(point).toString("hex");
}

function toReportKey(name: string, path: string | undefined): string | undefined {
	if (path === undefined) return undefined;
	return path === NO_KEY ? "" : toKey(name, path);
}

function toKeys(name: string, paths: readonly string[]): string[] | undefined {
	if (paths.length === 0) return undefined;
	if (paths.length === 1 && paths[0] === NO_KEY) return [];
	if (paths.length > UPDATE_KEYS_LIMIT) throw new Error(`${name} is given ${UPDATE_KEYS_LIMIT} times at most`);
	return paths.map((path) => toKey(name, path));
}

function toPower(value: string): string {
	if (value === "usb") return "";
	const [, volts = String(CELLS_VOLTAGE)] = /^battery(?::(\d+(?:\.\d+)?))?$/.exec(value) ?? [undefined, ""];
	if (volts === "" || Number(volts) > CELLS_LIMIT)
		throw new Error(`--supply is usb, battery, or battery:VOLTS up to ${CELLS_LIMIT}, not "${value}"`);
	return `cells 3\nbattery ${volts}\nusb 0\n`;
}

function toWakeReason(value: string | undefined): number {
	if (value === undefined) return WAKE_NONE;
	const reasons = { timer: WAKE_TIMER, button: WAKE_BUTTON, usb: WAKE_SUPPLY };
	return reasons[oneOf("--wake", value, ["timer", "button", "usb"])];
}

export function startTime({ timeMs }: Options): number | undefined {
	return timeMs === undefined ? Date.now() : (timeMs ?? undefined);
}

function toSpeed(value: string, ntp: string): number {
	const speed = Number(value);
	if (!/^\d+$/.test(value) || speed < 1 || speed > SPEED_LIMIT)
		throw new Error(`--speed is a number from 1 to ${SPEED_LIMIT}, not "${value}"`);
	if (speed > 1 && ntp !== "")
		throw new Error("--speed and --ntp exclude each other: time servers run at normal speed");
	return speed;
}

function toServers(value: string): string {
	if (value === "") return value;
	const servers = value.split(",");
	if (servers.length > SERVERS_LIMIT) throw new Error(`--ntp takes at most ${SERVERS_LIMIT} servers`);
	for (const server of servers) {
		if (!isServer(server))
			throw new Error(`--ntp is names or IPv4 addresses, each with or without :PORT, not "${server}"`);
	}
	return value;
}

function isServer(text: string): boolean {
	const [, host, port = "123"] = /^([^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
	if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return false;
	if (/^[\d.]+$/.test(host)) return isIPv4(host);
	return host.length <= NAME_LIMIT && host.split(".").every((label) => LABEL.test(label));
}
