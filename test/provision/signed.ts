/** Signers and signed settings files for tests. */
import { generateKeyPairSync } from "node:crypto";
import { keySigner, type Signer } from "../../tools/ota/keys.js";
import { makeSettingsFile } from "../../tools/ota/settings-file.js";

export const newSigner = (): Signer => keySigner(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);

export const SIGNER = newSigner();

/** A key in the form of `HostInfo.settingsKeys`. */
export const keyOf = ({ point }: Signer): string => Buffer.from(point).toString("hex");

export function signed(settings: object, counter: number, addressee = "", signer = SIGNER): Buffer {
	return makeSettingsFile({ settings: JSON.stringify({ backup: 1, settings }), counter, addressee, signer });
}
