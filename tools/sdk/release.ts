/**
 * A publisher's choices, in a JSON file outside of this repository (`npm run build -- --release FILE`;
 * docs/flashing.md).
 */
import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pointOf } from "../ota/keys.js";

/** Values of RELEASE, as declared in hosts/esp32/sdk.d.ts. */
export interface Release {
	readonly updateKeys: readonly string[];
	readonly revokedKeys: readonly string[];
	readonly reportKey: string;
	/** Public keys for settings files, the value of `HostInfo.settingsKeys`. */
	readonly settingsKeys: string;
	readonly upgradeUrl: string;
	readonly securityLevel: number;
}

export const NO_RELEASE: Release = Object.freeze({
	updateKeys: Object.freeze([]),
	revokedKeys: Object.freeze([]),
	reportKey: "",
	settingsKeys: "",
	upgradeUrl: "",
	securityLevel: 0,
});

/** Limit of update keys and of settings keys. It permits the present key and the next one. */
const UPDATE_KEYS_MOST = 2;
/** Largest value of the field `security level` in firmware files. */
const SECURITY_LEVEL_MOST = 0xffff_ffff;

type Members = Record<string, unknown>;
const MEMBERS = ["update_keys", "revoked_keys", "report_key", "settings_keys", "upgrade_url", "security_level"];

/** Reads the JSON file. The keys in it are paths of PEM files, relative to the folder of the JSON file. */
export function readRelease(path: string): Release {
	const members = JSON.parse(readFileSync(path, "utf8")) as Members;
	const unknown = Object.keys(members).find((name) => !MEMBERS.includes(name));
	if (unknown !== undefined) throw new Error(`${path}: there is no "${unknown}". Members: ${MEMBERS.join(", ")}.`);
	const wrong = (name: string, what: string) => new Error(`${path}: "${name}" is ${what}.`);

	const texts = (name: string, most: number): readonly string[] => {
		const value = members[name] ?? [];
		if (Array.isArray(value) && value.length <= most && value.every((one) => typeof one === "string")) return value;
		throw wrong(name, `a list of at most ${most} texts`);
	};
	const pointIn = (name: string, file: string): string => {
		const bytes = readFileSync(resolve(dirname(path), file));
		// A private key would work too, but it must not be on a computer that builds firmware.
		if (bytes.includes("PRIVATE KEY")) throw wrong(name, `to name public keys; ${file} contains a private key`);
		return Buffer.from(pointOf(createPublicKey(bytes))).toString("hex");
	};

	const { report_key: report, upgrade_url: url = "", security_level: level = 0 } = members;
	if (report !== undefined && typeof report !== "string") throw wrong("report_key", "the path of a PEM file");
	if (typeof url !== "string" || (url !== "" && !(/^https:\/\/[!-~]+$/.test(url) && URL.canParse(url))))
		throw wrong("upgrade_url", "an address that begins with https://");
	if (!(Number.isInteger(level) && Number(level) >= 0 && Number(level) <= SECURITY_LEVEL_MOST))
		throw wrong("security_level", `a whole number from 0 to ${SECURITY_LEVEL_MOST}`);
	const revokedKeys = texts("revoked_keys", 16).map((id) => id.toLowerCase());
	if (!revokedKeys.every((id) => /^[0-9a-f]{16}$/.test(id)))
		throw wrong("revoked_keys", "a list of ids, 16 hex digits each");
	return {
		updateKeys: texts("update_keys", UPDATE_KEYS_MOST).map((file) => pointIn("update_keys", file)),
		revokedKeys,
		reportKey: report === undefined ? "" : pointIn("report_key", report),
		settingsKeys: texts("settings_keys", UPDATE_KEYS_MOST)
			.map((file) => pointIn("settings_keys", file))
			.join(" "),
		upgradeUrl: url,
		securityLevel: Number(level),
	};
}
