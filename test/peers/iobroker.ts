/**
 * ioBroker's js-controller and its adapter mqtt-client, from npm, with the settings of docs/integrations.md: our topics
 * become states. The test starts the adapter itself, since the controller would need ioBroker's whole admin.
 */
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { npm } from "../../tools/release/peers.js";
import type { Mosquitto } from "./mosquitto.js";
import { installForNewerNode, nodeOf } from "./newer-node.js";
import { endChild, PeerMissing } from "./peer.js";
import { PAGE_BROKER, READER_PASSWORD } from "./reading-bed.js";
import { template } from "./templates.js";

const PACKAGES = [npm("iobroker.js-controller"), npm("iobroker.mqtt-client")];
const ADAPTER = "mqtt-client.0";
const SET_UP_LIMIT_MS = 60_000;
const CONTROLLER_MS = 2000;

async function iobroker(home: string, ...args: string[]): Promise<string> {
	const program = join("node_modules", "iobroker.js-controller", "iobroker.js");
	const { stdout } = await promisify(execFile)(nodeOf(home), [program, ...args], {
		cwd: home,
		timeout: SET_UP_LIMIT_MS,
		killSignal: "SIGKILL",
	});
	return stdout.trim();
}

/** Installs it without data; returns its folder. Throws PeerMissing. */
async function installIoBroker(): Promise<string> {
	const home = await installForNewerNode("iobroker", PACKAGES);
	const data = join(home, "iobroker-data");
	const fresh = join(home, "fresh");
	if (!existsSync(fresh)) {
		rmSync(data, { recursive: true, force: true });
		try {
			await iobroker(home, "setup", "first");
			await iobroker(home, "add", "mqtt-client", "--enabled=false");
		} catch (error) {
			throw new PeerMissing(`its first set-up failed: ${(error as Error).message}`);
		}
		cpSync(data, fresh, { recursive: true });
	}
	rmSync(data, { recursive: true, force: true });
	cpSync(fresh, data, { recursive: true });
	return home;
}

/**
 * A password as ioBroker's admin stores it: each character is combined by XOR with one of the installation's secret.
 */
async function hidden(home: string, password: string): Promise<string> {
	const { native } = JSON.parse(await iobroker(home, "object", "get", "system.config"));
	const codes = [...password].map((one, at) => one.charCodeAt(0) ^ native.secret.charCodeAt(at % native.secret.length));
	return String.fromCharCode(...codes);
}

export interface Adapter {
	/** Value of a state; empty if it is null, undefined if there is no such state. */
	value(id: string): Promise<string | undefined>;
	/** Makes a state null, if it exists. */
	clear(id: string): Promise<void>;
	end(): Promise<void>;
}

/** Starts controller and adapter with the page's settings for this broker. Throws PeerMissing. */
export async function startAdapter(broker: Mosquitto): Promise<Adapter> {
	const home = await installIoBroker();
	const words = { [PAGE_BROKER]: "127.0.0.1", "1883": String(broker.port) };
	const { native } = JSON.parse(template("iobroker.json", words));
	native.password = await hidden(home, READER_PASSWORD);
	const settings = JSON.stringify({ common: { enabled: true }, native });
	await iobroker(home, "object", "extend", `system.adapter.${ADAPTER}`, settings);
	const begin = (path: string, ...args: string[]) =>
		spawn(nodeOf(home), [join("node_modules", path), ...args], { cwd: home, stdio: "ignore" });
	const controller = begin("iobroker.js-controller/controller.js");
	// Starts the databases of states and objects.
	await sleep(CONTROLLER_MS);
	const adapter = begin("iobroker.mqtt-client/build/main.js", "--instance", "0");
	return {
		value: (id) => iobroker(home, "state", "getvalue", `${ADAPTER}.${id}`).catch(() => undefined),
		clear: async (id) => {
			await iobroker(home, "state", "set", `${ADAPTER}.${id}`, "null", "1").catch(() => {});
		},
		end: async () => {
			await endChild(adapter);
			await endChild(controller);
		},
	};
}
