/** Signers and signed settings files for tests, and their results. */
import { generateKeyPairSync } from "node:crypto";
import { keySigner, type Signer } from "../../tools/ota/keys.js";
import { makeSettingsFile, SETTINGS_FILE_LIMIT } from "../../tools/ota/settings-file.js";
import type { JSONObject, TestGateway } from "../api/gateway.js";

export const newSigner = (): Signer => keySigner(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);

export const SIGNER = newSigner();

/** A key in the form of `HostInfo.settingsKeys`. */
export const keyOf = ({ point }: Signer): string => Buffer.from(point).toString("hex");

export function signed(settings: object, counter: number, addressee = "", signer = SIGNER): Buffer {
	return makeSettingsFile({ settings: JSON.stringify({ backup: 1, settings }), counter, addressee, signer });
}

/** Settings of many groups, with lists and a certificate; a file of them has SETTINGS_FILE_LIMIT bytes. */
export function largestSettings(certificate: string): object {
	const settings = {
		"system/timezone": { timezone: "Europe/Warsaw" },
		mqtt: {
			enabled: true,
			url: "mqtts://broker.example",
			user: "u".repeat(64),
			password: "p".repeat(64),
			cert: certificate,
		},
		"dlms/config": { auth: "high_gmac", block_cipher_key: "00".repeat(16), auth_key: "d0".repeat(16) },
		"dlms/obis": {
			entries: Array.from({ length: 24 }, (_, i) => ({ code: [1, 0, i, 7, 0, 255], class_id: 3, attribute: 2 })),
		},
		"mbus/config": { secondary: Array(16).fill("12345678A7321704").join(" ") },
		"live-meter/clients": { clients: [{ address: "192.168.1.40" }, { address: "10.0.0.7" }] },
		provision: { group: "g".repeat(32) },
	};
	const room = SETTINGS_FILE_LIMIT - signed({ ...settings, later: "" }, 1).length;
	return { ...settings, later: "x".repeat(room) };
}

/** State and counter in the status. */
export async function stateOf(gateway: TestGateway): Promise<[state: string, counter: number]> {
	const { provision_state, provision_counter } = await gateway.read("system/status");
	return [provision_state, provision_counter];
}

/** Events of settings files in the log, oldest first. */
export async function eventsOf(gateway: TestGateway): Promise<string[]> {
	const { events } = await gateway.read("system/log");
	return events
		.filter(({ event }: JSONObject) => event.startsWith("provision"))
		.map(({ event, detail }: JSONObject) => `${event} ${detail}`);
}
