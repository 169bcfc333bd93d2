/** Describes a firmware file as text. */
import type { FirmwareFile } from "./check.js";
import { hardwareById } from "./hardware.js";

/** Returns one line for each fact, without a line end after the last one. */
export function describeFile({ header, metadata, signature, content }: FirmwareFile): string {
	const { manufacturer, imageType, fileVersion, stackVersion, name, fileLength } = header;
	const { isPacked, deviceId, chip, buildNumber, imageLength } = metadata;
	const board = hardwareById(deviceId)?.name ?? "unknown";
	const percent = Math.round((100 * content.length) / imageLength);
	const facts: readonly (readonly [string, string])[] = [
		["File", `${fileLength} bytes`],
		[
			"Zigbee",
			`manufacturer ${hexNumber(manufacturer)}, image type ${imageType}, file version ${fileVersion}, stack version ${stackVersion}, "${name}"`,
		],
		["Product", `"${metadata.product}"`],
		["Board", `${board}, device id ${deviceId}, chip "${chip}"`],
		["Version", `"${metadata.version}", build ${buildNumber}`],
		["Security level", `${metadata.securityLevel}`],
		["Image", `${imageLength} bytes, ${isPacked ? `packed to ${content.length} (${percent} %)` : "plain"}`],
		["SHA-256 of it", hex(metadata.imageHash)],
		...(isPacked ? ([["of it packed", hex(metadata.contentHash)]] as const) : []),
		["Key", hex(metadata.keyId)],
		["Signature r", hex(signature.subarray(0, 32))],
		["Signature s", hex(signature.subarray(32))],
	];
	return facts.map(([name, value]) => `${name.padEnd(16)}${value}`).join("\n");
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const hexNumber = (value: number) => `0x${value.toString(16).toUpperCase().padStart(4, "0")}`;
