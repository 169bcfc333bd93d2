/** Starts a firmware that linux.ts has built. The settings are passed to hosts/linux/host.ts in the environment. */

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { statSync } from "node:fs";
import type { FactoryData } from "../../hosts/node/factory.js";
import { hostnameOf } from "../../hosts/node/host.js";
import { LEASE_OF_NONE, leaseOfComputer } from "../../hosts/node/lease.js";
import { WAKE_NONE } from "../../modules/io/flash.js";
import type { Firmware } from "./linux.js";

export interface RunSettings {
	readonly state: string;
	readonly factory: FactoryData;
	readonly version: string;
	readonly meter: string;
	readonly zigbee?: string | undefined;
	/** Port of the HTTP server, or 0 for any free port. `httpsPort` is the same for HTTPS. */
	readonly httpPort: number;
	readonly httpsPort: number;
	readonly accessPoint?: boolean;
	readonly quiet?: boolean;
	/** Unix time at the start; undefined if the clock was never set. */
	readonly utcMs: number | undefined;
	readonly timeServers?: string;
	readonly reportKey?: string;
	readonly settingsKeys?: string;
	/** Public keys that may sign a firmware (`Update.keys`), in hex. */
	readonly updateKeys?: readonly string[];
	/**
	 * True if the firmware joins this computer's network, with its address and mDNS. By default it is reachable only from
	 * this computer.
	 */
	readonly announce?: boolean;
	readonly board?: string;
	/** Fault of the previous run, or undefined if power was switched on. */
	readonly ending?: string | undefined;
	/** Initial contents of power.txt in the state folder. Default: power from USB. */
	readonly power?: string;
	/** True if there is an Ethernet port. The file cable.txt in the state folder controls its cable. */
	readonly cable?: boolean;
	/** Cause of the start, WAKE_…. Default: no sleep. */
	readonly wakeReason?: number;
}

/** Exit code after an abort of the XS machine. */
export const MACHINE_ENDED = 3;

/**
 * Starts the firmware. It prints `ready https://… http://…` when it accepts connections and is in its network, and ends with exit code 0
 * after SIGTERM. SIGUSR1 presses the button for a short time; SIGUSR2 prints the memory in use.
 */
export function runFirmware({ runner, firmware }: Firmware, settings: RunSettings, stdio: StdioOptions): ChildProcess {
	const { state, factory, version, meter, httpPort, httpsPort, utcMs, timeServers, reportKey, board } = settings;
	const { updateKeys = [] } = settings;
	const { accessPoint, quiet, announce, ending, power = "", wakeReason = WAKE_NONE } = settings;
	const lease = announce ? leaseOfComputer() : LEASE_OF_NONE;
	const env: Record<string, string> = {
		GATEWAY_STATE: state,
		GATEWAY_SERIAL: factory.serial,
		GATEWAY_LABEL_PASSWORD: factory.labelPassword,
		GATEWAY_ACCESS_POINT_KEY: factory.accessPointKey,
		GATEWAY_HOSTNAME: hostnameOf(factory),
		GATEWAY_VERSION: version,
		GATEWAY_BUILT_UTC_MS: String(Math.floor(statSync(firmware).mtimeMs)),
		GATEWAY_METER: meter,
		GATEWAY_HTTP_PORT: String(httpPort),
		GATEWAY_HTTPS_PORT: String(httpsPort),
		GATEWAY_UTC_MS: utcMs === undefined ? "" : String(utcMs),
		GATEWAY_LEASE: `${lease.ip} ${lease.netmask} ${lease.gateway}`,
		GATEWAY_TIME_SERVERS: timeServers ?? "",
		GATEWAY_REPORT_KEY: reportKey ?? "",
		GATEWAY_SETTINGS_KEYS: settings.settingsKeys ?? "",
		GATEWAY_UPDATE_KEYS: updateKeys.join(" "),
		GATEWAY_POWER: power,
	};
	if (wakeReason !== WAKE_NONE) env["GATEWAY_WAKE"] = String(wakeReason);
	if (accessPoint) env["GATEWAY_ACCESS_POINT"] = "1";
	if (quiet) env["GATEWAY_QUIET"] = "1";
	if (settings.cable) env["GATEWAY_CABLE"] = "1";
	if (announce) env["GATEWAY_ANNOUNCE"] = "1";
	if (settings.zigbee !== undefined) env["GATEWAY_ZIGBEE"] = settings.zigbee;
	if (ending !== undefined) env["GATEWAY_ENDING"] = ending;
	if (board !== undefined) env["GATEWAY_BOARD"] = board;
	return spawn(runner, [firmware], { env: { ...process.env, ...env }, stdio });
}
