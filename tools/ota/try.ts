/**
 * `npm run ota -- try`: updates a gateway that `npm start` or `npm run linux` runs. Makes a signed firmware file of the
 * next version, uploads it, and waits until the gateway runs this version.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadFactoryData } from "../../hosts/node/factory.js";
import { UPDATE_KEY_FILE } from "../../hosts/node/simulator-keys.js";
import { GatewayClient } from "../api/client.js";
import { fileSigner } from "./key-files.js";
import { makeSimulatorFile } from "./simulator-file.js";

/** Size of the image, bytes. It is roughly the size of a chip's firmware. */
const IMAGE_SIZE = 1_500_000;
const RESTART_LIMIT_MS = 60_000;
const RETRY_MS = 500;

export interface Trial {
	readonly state: string;
	readonly port: number;
	readonly password: string | undefined;
}

/** Throws an Error with a message for the user if there is no such gateway, or if it rejects the file. */
export async function tryUpdate({ state, port, password }: Trial, log: (text: string) => void): Promise<void> {
	const keyFile = join(state, UPDATE_KEY_FILE);
	for (const file of [keyFile, join(state, "factory.json")])
		if (!existsSync(file))
			throw new Error(`There is no ${file}: is ${state} the state folder of the gateway (--state)?`);
	const gateway = new GatewayClient(port, password ?? loadFactoryData(state).labelPassword);
	await gateway.login();
	const before = await gateway.version();
	const { version, buildNumber } = following(before);
	log(`${before} runs. Sending ${version} …`);
	const signer = fileSigner(keyFile);
	await gateway.post(
		"system/ota",
		makeSimulatorFile({ version, buildNumber, securityLevel: 0, size: IMAGE_SIZE, signer, packed: true }),
	);
	log("Accepted. The gateway restarts …");
	await untilVersion(gateway, version);
	log(`${version} runs, on trial: it is kept once it has worked for a minute (docs/firmware-files.md).`);
}

/** Returns the next version. Throws an Error if the version does not have three numbers. */
export function following(version: string): { version: string; buildNumber: number } {
	const [, series, third] = /^(\d+\.\d+\.)(\d+)/.exec(version) ?? [];
	if (third === undefined) throw new Error(`The version "${version}" has no third number to increase.`);
	const buildNumber = Number(third) + 1;
	return { version: `${series}${buildNumber}`, buildNumber };
}

/** Waits until the gateway runs the version. The restart ends all sessions, so a new login is needed. */
async function untilVersion(gateway: GatewayClient, version: string): Promise<void> {
	const limitMs = performance.now() + RESTART_LIMIT_MS;
	for (;;) {
		await sleep(RETRY_MS);
		try {
			await gateway.login();
			if ((await gateway.version()) === version) return;
		} catch {
			// The gateway is not running or is still starting.
		}
		if (performance.now() > limitMs) throw new Error(`The gateway does not come back with ${version}.`);
	}
}
