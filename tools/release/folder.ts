/**
 * Writes the folder of a release from what was built:
 *
 *   index.html, install/     the page that installs the firmware from a browser
 *   BOARD.ota                the signed firmware file, for gateways in use
 *   BOARD.bin                the whole flash of a new unit, to be written at 0
 *   BOARD/                   manifest.json and the parts, for the page
 *   openapi.json             the complete description of the API
 *   smart_meter_gateway.zip  the integration for Home Assistant
 *   hacs.json                what HACS must know of it
 *   sbom.cdx.json            the software bill of materials
 *   vex.cdx.json             known vulnerabilities of its components, and whether they matter here
 *   SHA256SUMS               of all files, for `sha256sum -c`
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Board } from "../../hosts/esp32/boards.js";
import { COMPLETE } from "../api/files.js";
import { findPartition } from "../factory/partitions.js";
import { checkFirmwareFile } from "../ota/check.js";
import { checkImage } from "../ota/esp-image.js";
import type { Signer } from "../ota/keys.js";
import { makeFirmwareFile } from "../ota/make.js";
import { ARCHIVE, makeArchive } from "./home-assistant.js";
import { writeInstallPage } from "./install-page.js";
import { manifestOf } from "./manifest.js";
import { readParts, wholeImage } from "./parts.js";
import { makeSBOM } from "./sbom.js";
import type { Scan } from "./scan.js";
import type { Version } from "./version.js";
import { makeVEX, readAssessments, type SBOM, unassessed } from "./vex.js";

const SUMS = "SHA256SUMS";

export interface ReleaseContents {
	readonly root: string;
	/** Path of the folder, which exists and is empty. */
	readonly folder: string;
	readonly version: Version;
	/** Boards, each with the folder of its build by ESP-IDF. */
	readonly built: readonly { readonly board: Board; readonly build: string }[];
	readonly signer: Signer;
	readonly securityLevel: number;
	readonly sdk: string | undefined;
	readonly idf: string | undefined;
	readonly scan?: ((sbom: SBOM) => Promise<Scan>) | undefined;
	readonly warn?: ((line: string) => void) | undefined;
}

/** Writes the folder. Throws an Error if gateways would reject an image. */
export async function writeRelease(contents: ReleaseContents): Promise<string[]> {
	const { root, folder, version, built, sdk, idf } = contents;
	for (const { board, build } of built) writeBoard(contents, board, build);
	copyFileSync(COMPLETE, join(folder, "openapi.json"));
	writeFileSync(join(folder, ARCHIVE), makeArchive(root, version.version));
	copyFileSync(join(root, "hosts", "homeassistant", "hacs.json"), join(folder, "hacs.json"));
	const sbom = makeSBOM({ root, sdk, idf }, version.version, version.builtUtcMs);
	writeFileSync(join(folder, "sbom.cdx.json"), sbom);
	writeFileSync(join(folder, "vex.cdx.json"), await vexOf(contents, JSON.parse(sbom)));
	const boards = built.map(({ board }) => board);
	await writeInstallPage(root, folder, version.version, boards);
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => statSync(join(folder, name)).isFile())
		.map((name) => name.replaceAll("\\", "/"))
		.sort();
	const sums = names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
	writeFileSync(join(folder, SUMS), sums.join(""));
	return [...names, SUMS];
}

async function vexOf({ root, scan, warn }: ReleaseContents, sbom: SBOM): Promise<string> {
	const rows = readAssessments(root, sbom);
	if (scan === undefined) return makeVEX(sbom, rows, []);
	const { findings, unknown, skipped } = await scan(sbom);
	if (skipped !== "") warn?.(`The scan of the SBOM was skipped, because OSV can't be reached: ${skipped}.`);
	const open = unassessed(rows, findings, sbom);
	for (const { id, ref } of open)
		warn?.(`${ref}: ${id} is not assessed: add it to tools/release/vulnerabilities.json.`);
	if (skipped === "")
		warn?.(`Scanned; ${findings.length} found, ${open.length} not assessed. Not in OSV: ${unknown.join(", ")}.`);
	return makeVEX(sbom, rows, open);
}

function writeBoard(contents: ReleaseContents, board: Board, build: string): void {
	const { root, folder, version, signer, securityLevel } = contents;
	const { name, deviceId, chip } = board;
	const parts = readParts(build);
	const { bytes: image, offset } = parts[parts.length - 1];
	checkImage(image, chip);
	const slot = findPartition(readFileSync(join(root, "hosts", "esp32", board.partitions), "utf8"), "ota_0");
	if (offset !== slot.offset) throw new Error(`The firmware of ${name} would be at ${offset}, not in the first slot.`);
	const { version: text, buildNumber } = version;
	const file = makeFirmwareFile({ image, deviceId, chip, version: text, buildNumber, securityLevel, signer });
	const target = { deviceId, chip, slotSize: slot.size, keys: [signer.point], revoked: [], securityLevel };
	checkFirmwareFile(file, target);
	mkdirSync(join(folder, name));
	for (const part of parts) writeFileSync(join(folder, name, part.name), part.bytes);
	const manifest = `${JSON.stringify(manifestOf(board, text, parts), null, "\t")}\n`;
	writeFileSync(join(folder, name, "manifest.json"), manifest);
	writeFileSync(join(folder, `${name}.bin`), wholeImage(parts));
	writeFileSync(join(folder, `${name}.ota`), file);
}

function sha256(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}
