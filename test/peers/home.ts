/** A home: our gateway with a meter, Home Assistant, and a broker if available. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { type JSONObject, vectorOf } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { SIGNER } from "../update/firmware-files.js";
import { type EntityState, HomeAssistant } from "./home-assistant.js";
import { Mosquitto } from "./mosquitto.js";
import { PeerMissing } from "./peer.js";

/** Telegram of a meter for imported and exported energy. */
export const METER = "logarex-lk13-history";
/** Expected sensors in Home Assistant: state, unit, device class, state class. */
export const VALUES: Readonly<Record<string, readonly [string, string, string, string]>> = {
	"1_0_1_8_0": ["15882.6927", "kWh", "energy", "total_increasing"],
	"1_0_2_8_0": ["219.4882", "kWh", "energy", "total_increasing"],
	"1_0_16_7_0": ["28", "W", "power", "measurement"],
	"1_0_32_7_0": ["235.2", "V", "voltage", "measurement"],
};
/** Returns a file with the key that signs the test's firmware. */
function updateKeyFile(): string {
	const path = join(mkdtempSync(join(tmpdir(), "home-")), "key.pem");
	writeFileSync(path, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
	return path;
}

/** Limit for a test of an output, ms; the gateway pauses between two tests. */
const TEST_LIMIT_MS = 60_000;

export interface Home {
	readonly hass: HomeAssistant;
	/** The gateway, in XS as on the device. */
	readonly gateway: ProcessGateway;
	readonly broker: Mosquitto | PeerMissing;
}

export async function prepareHome(): Promise<Home> {
	const hass = await HomeAssistant.start();
	try {
		const gateway = await ProcessGateway.start("xs", { args: ["--update-key", updateKeyFile()] });
		await gateway.login();
		await gateway.connectMeter({ telegram: vectorOf(METER).telegram });
		const broker = await Mosquitto.start().catch((error: Error) => {
			if (error instanceof PeerMissing) return error;
			throw error;
		});
		return { hass, gateway, broker };
	} catch (error) {
		await hass.end();
		throw error;
	}
}

export async function endHome({ hass, gateway, broker }: Home): Promise<void> {
	try {
		await gateway.stop();
	} finally {
		await hass.end();
		if (broker instanceof Mosquitto) await broker.stop();
	}
}

/** Repeats `poll` until it returns something. */
export async function waitFor<T>(what: string, limitMs: number, poll: () => Promise<T | undefined>): Promise<T> {
	const limit = Date.now() + limitMs;
	for (;;) {
		const found = await poll();
		if (found !== undefined) return found;
		assert.ok(Date.now() < limit, what);
		await sleep(500);
	}
}

/** Reply of `GET hub/send` or `mqtt/send`, once the gateway accepts the request. */
export async function sendNow(gateway: ProcessGateway, path: "hub/send" | "mqtt/send"): Promise<JSONObject> {
	return waitFor(`${path} is busy`, TEST_LIMIT_MS, async () => {
		const { status, text } = await gateway.get(path);
		const result = JSON.parse(text);
		// A new gateway joins its network first.
		return status === 503 || result.code === "no_network" ? undefined : result;
	});
}

/** A state in the form of VALUES. */
export function shownBy({ state, attributes }: EntityState): readonly unknown[] {
	const { unit_of_measurement, device_class, state_class } = attributes;
	return [String(Number(state)), unit_of_measurement, device_class, state_class];
}

/** Home Assistant's slug of a name. */
export function slugOf(name: string): string {
	return name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
}
