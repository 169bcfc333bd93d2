/** Checks, with a model of NVS (nvs-model.ts), that the partition for settings has room for the largest values. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BOARDS } from "../../../hosts/esp32/boards.js";
import { STORAGE_VALUE_LIMIT } from "../../../hosts/node/virtual-storage.js";
import { ENTRIES } from "../../../modules/app/parts.js";
import { BLOB_PIECE } from "../../../modules/config/blob.js";
import { BYTES, CHOICE, type Field, TEXT } from "../../../modules/config/schema.js";
import { ENTRY_LIMIT } from "../../../modules/config/store.js";
import { CERTIFICATE_LIMIT } from "../../../modules/config/trusted-certificates.js";
import { CERTIFICATE_FILE_LIMIT } from "../../../modules/io/crypto.js";
import { OWN_FILE_LIMIT } from "../../../modules/parts/certificate/fields.js";
import { HUB_CERTIFICATE_LIMIT } from "../../../modules/parts/hub/fields.js";
import { PASSWORD_LIMIT, SSID_BYTES_LIMIT } from "../../../modules/parts/network/fields.js";
import { findPartition } from "../../../tools/factory/partitions.js";
import { omissionsOf } from "../../../tools/sdk/omissions.js";
import { ROOT } from "../native/compile.js";
import { NVSModel } from "./nvs-model.js";

/** Blobs that can exist at once (parts/certificate/certificates.ts, parts/hub/fields.ts, parts/mqtt/fields.ts). */
const BLOBS: readonly { name: string; limit: number; slots: number; part?: string }[] = [
	{ name: "tls", limit: CERTIFICATE_FILE_LIMIT, slots: 3 },
	{ name: "own", limit: OWN_FILE_LIMIT, slots: 2 },
	{ name: "hub_cert", limit: HUB_CERTIFICATE_LIMIT, slots: 2 },
	{ name: "mqtt_cert", limit: CERTIFICATE_LIMIT, slots: 2 },
	{ name: "hawk_cert", limit: CERTIFICATE_LIMIT, slots: 2, part: "hawkbit" },
	{ name: "prov_cert", limit: CERTIFICATE_LIMIT, slots: 2, part: "provision" },
];

/** ESP-IDF's radio calibration (cal_data, cal_mac, cal_version of esp_phy), and a few small values of the host. */
const OTHERS: readonly (readonly [string, number])[] = [
	["phy", 1904],
	["mac", 6],
	["version", 4],
	["password", 64],
	["abort", 64],
	["backfill_state", 64],
	["hub_statistics", 136],
];

/**
 * The radio takes these texts as bytes, so their routes limit the number of bytes (modules/parts/network/routes/settings.ts).
 */
const WIFI_ENTRIES = ["wifi", "network"];
const BYTE_LIMITS: readonly (readonly [RegExp, number])[] = [
	[/^(previous_|ap_)?ssid$/, SSID_BYTES_LIMIT],
	[/^(previous_|ap_)?password$/, PASSWORD_LIMIT],
];

/** Bytes of a number in flash (modules/config/store.ts). */
function bytesOf(value: number): number {
	return value >= -128 && value < 128 ? 1 : 8;
}

/** Longest value in flash, bytes. */
function longest(field: Field, entryKey: string): number {
	const [, limit] = BYTE_LIMITS.find(([name]) => name.test(field.name)) ?? [];
	if (limit !== undefined && WIFI_ENTRIES.includes(entryKey)) return limit;
	// A field that lists its permitted characters permits ASCII only: one byte per character.
	if (field.kind === TEXT) return field.maximum * (field.characters.length % 2 === 0 ? 1 : 4);
	if (field.kind === BYTES) return field.maximum;
	const values = field.kind === CHOICE ? field.choices : [field.minimum, field.maximum];
	return Math.max(...values.map((value) => (typeof value === "number" ? bytesOf(value) : String(value).length)));
}

/** Key and largest length of every value in a firmware without the parts in `omitted`. */
function everything(omitted: readonly string[]): (readonly [string, number])[] {
	const all = [...OTHERS];
	for (const { key: entryKey, fields } of ENTRIES.filter(({ key }) => !omitted.includes(key))) {
		const bytes = fields.reduce((sum, field) => sum + 3 + longest(field, entryKey), 4);
		all.push([entryKey, Math.min(bytes, ENTRY_LIMIT)]);
	}
	// Only the addresses of M-Bus make it longer (test/api/backup.test.ts).
	all.push(["together", omitted.includes("mbus") ? ENTRY_LIMIT : STORAGE_VALUE_LIMIT]);
	for (const { name, limit, slots } of BLOBS.filter(({ part = "" }) => !omitted.includes(part)))
		for (let slot = 0; slot < slots; slot++)
			for (let at = 0; at < limit; at += BLOB_PIECE)
				all.push([`${name}_${slot}_${at / BLOB_PIECE}`, Math.min(BLOB_PIECE, limit - at)]);
	return all;
}

/** The items in a random order that the seed determines. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
	const result = [...items];
	let state = seed;
	for (let i = result.length - 1; i > 0; i--) {
		state = (state * 1103515245 + 12345) % 2147483648;
		const j = Math.floor((state / 2147483648) * (i + 1));
		[result[i], result[j]] = [result[j], result[i]];
	}
	return result;
}

describe("The partition for settings", () => {
	for (const file of new Set(BOARDS.map((board) => board.partitions)))
		it(`of ${file} has room for all settings and certificates at maximum size, however often they are written`, () => {
			const table = readFileSync(join(ROOT, "hosts", "esp32", file), "utf8");
			const nvs = new NVSModel(findPartition(table, "nvs").size);
			// Left out by all boards with this table.
			const boards = BOARDS.filter(({ partitions }) => partitions === file);
			const omitted = omissionsOf(boards[0]).filter((name) => boards.every((one) => omissionsOf(one).includes(name)));
			for (let seed = 1; seed <= 200; seed++)
				for (const [key, bytes] of shuffled(everything(omitted), seed)) nvs.set(key, bytes);
			assert.ok(nvs.used > 0.3 && nvs.used < 0.95, String(nvs.used));
		});

	it("would be too small with ESP-IDF's default of 24 KB", () => {
		const nvs = new NVSModel(24 * 1024);
		assert.throws(() => {
			for (const [key, bytes] of everything([])) nvs.set(key, bytes);
		}, /full/);
	});
});
