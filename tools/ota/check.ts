/** Checks a firmware file as a gateway does. Follows docs/firmware-files.md, and uses none of the gateway's code. */
import { createHash } from "node:crypto";
import { checkImage, isChip } from "./esp-image.js";
import {
	CONTENT_AT,
	decodeElementHead,
	decodeHeader,
	decodeMetadata,
	ELEMENT_HEAD_LENGTH,
	type ElementHead,
	FORMAT,
	HEADER_LENGTH,
	HEADER_VERSION,
	type Header,
	IDENTIFIER,
	MANUFACTURER,
	type Metadata,
	PRODUCT,
	SIGNATURE_LENGTH,
	SIGNED_AT,
	SIGNED_LENGTH,
	STACK_VERSION,
	TAG_IMAGE,
	TAG_METADATA,
	TAG_PACKED,
} from "./format.js";
import { isSignature, keyIdOf } from "./keys.js";
import { unpack } from "./pack.js";

export const INVALID_IMAGE = "ota_invalid_image";
export const BAD_SIGNATURE = "ota_bad_signature";
export const WRONG_DEVICE = "ota_wrong_device";
export const DOWNGRADE = "ota_downgrade";
export const WRITE_FAILED = "ota_write_failed";

export class Refusal extends Error {
	/** Code of `ota_last_error`. */
	readonly code: string;

	constructor(code: string, sentence: string) {
		super(sentence);
		this.code = code;
	}
}

export interface Target {
	readonly deviceId: number;
	readonly chip: string;
	/** Size of an OTA slot, bytes. */
	readonly slotSize: number;
	/** Public keys that may sign, as points. */
	readonly keys: readonly Uint8Array[];
	readonly revoked: readonly Uint8Array[];
	readonly securityLevel: number;
}

export interface Front {
	readonly header: Header;
	readonly metadata: Metadata;
	readonly signed: Uint8Array;
	readonly signature: Uint8Array;
}

export interface FirmwareFile extends Front {
	readonly content: Uint8Array;
}

function demand(condition: boolean, sentence: string, code = INVALID_IMAGE): asserts condition {
	if (!condition) throw new Refusal(code, sentence);
}

const hex = (value: number, digits = 4) => `0x${value.toString(16).toUpperCase().padStart(digits, "0")}`;
const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

/** Reads the part before the image. `fileLength`: length of the whole file. Does not check signature and board. */
export function readFront(bytes: Uint8Array, fileLength: number): Front {
	demand(bytes.length >= HEADER_LENGTH, `${bytes.length} bytes are not a firmware file.`);
	const header = decodeHeader(bytes);
	demand(header.identifier === IDENTIFIER, "This is not a Zigbee OTA file: it does not begin with 1E F1 EE 0B.");
	demand(header.headerVersion === HEADER_VERSION, `The header is of version ${hex(header.headerVersion)}.`);
	demand(header.headerLength === HEADER_LENGTH, `The header has ${header.headerLength} bytes, not ${HEADER_LENGTH}.`);
	demand(header.fieldControl === 0, "The header has optional fields.");
	demand(header.stackVersion === STACK_VERSION, `The header names the stack version ${header.stackVersion}.`);
	demand(header.manufacturer === MANUFACTURER, `Made for another manufacturer: ${hex(header.manufacturer)}.`);
	demand(header.fileLength === fileLength, `The file has ${fileLength} bytes; its header says ${header.fileLength}.`);
	demand(bytes.length >= CONTENT_AT, "The file ends before the image.");
	const first = decodeElementHead(bytes.subarray(HEADER_LENGTH));
	demand(
		first.tag === TAG_METADATA && first.length === SIGNED_LENGTH + SIGNATURE_LENGTH,
		`The first element is not a metadata element: tag ${hex(first.tag)}, ${first.length} bytes.`,
	);
	const signatureAt = SIGNED_AT + SIGNED_LENGTH;
	const signed = bytes.subarray(SIGNED_AT, signatureAt);
	const metadata = decodeMetadata(signed);
	checkSizes(header, metadata, decodeElementHead(bytes.subarray(CONTENT_AT - ELEMENT_HEAD_LENGTH)));
	return { header, metadata, signed, signature: bytes.subarray(signatureAt, signatureAt + SIGNATURE_LENGTH) };
}

export function readFirmwareFile(file: Uint8Array): FirmwareFile {
	return { ...readFront(file, file.length), content: file.subarray(CONTENT_AT) };
}

function checkSizes(header: Header, metadata: Metadata, { tag, length }: ElementHead): void {
	const { format, isPacked, deviceId, contentLength, imageLength } = metadata;
	demand(format === FORMAT, `The metadata has the form ${format}, which is not known.`);
	demand(isPacked <= 1, `Whether the image is packed is ${isPacked}, neither 0 nor 1.`);
	demand(
		tag === (isPacked ? TAG_PACKED : TAG_IMAGE),
		`The second element's tag is ${hex(tag)}, which is not what the metadata says.`,
	);
	demand(header.imageType === deviceId, `Header and metadata name two boards: ${header.imageType}, ${deviceId}.`);
	const left = header.fileLength - CONTENT_AT;
	demand(
		length === left && contentLength === left,
		`${left} bytes follow the metadata, which says ${contentLength}; the element says ${length}.`,
	);
	demand(imageLength > 0, "The image is empty.");
	demand(isPacked === 1 || imageLength === contentLength, "A plain image has the size of its element.");
}

/** Makes the checks that a gateway makes before it erases flash, in the same order. */
export function checkFront({ metadata, signed, signature }: Front, target: Target): void {
	const { imageLength, product, chip, deviceId, securityLevel } = metadata;
	demand(
		imageLength <= target.slotSize,
		`An image of ${imageLength} bytes is too large: a slot has ${target.slotSize}.`,
	);
	checkSignature(metadata.keyId, signed, signature, target);
	demand(product === PRODUCT, `It is for another product: "${product}".`, WRONG_DEVICE);
	demand(chip === target.chip, `It is for the chip "${chip}", not for "${target.chip}".`, WRONG_DEVICE);
	demand(
		deviceId === target.deviceId,
		`It is for the board with device id ${deviceId}, not for ${target.deviceId}.`,
		WRONG_DEVICE,
	);
	demand(
		securityLevel >= target.securityLevel,
		`Its security level is ${securityLevel}, below ${target.securityLevel}.`,
		DOWNGRADE,
	);
}

function checkSignature(id: Uint8Array, signed: Uint8Array, signature: Uint8Array, { keys, revoked }: Target): void {
	const name = Buffer.from(id).toString("hex");
	demand(!revoked.some((one) => isSame(one, id)), `Its key, ${name}, is revoked.`, BAD_SIGNATURE);
	const point = keys.find((key) => isSame(keyIdOf(key), id));
	demand(point !== undefined, `Its key, ${name}, is not accepted for signatures.`, BAD_SIGNATURE);
	demand(isSignature(point, signed, signature), `The signature is not that of its key, ${name}.`, BAD_SIGNATURE);
}

/** Returns the image as written to flash. Throws a Refusal if data or image differ from what was signed. */
export function imageOf({ metadata, content }: FirmwareFile): Uint8Array {
	const { isPacked, imageLength, contentHash, imageHash } = metadata;
	let image = content;
	try {
		if (isPacked) image = unpack(content, imageLength);
	} catch (error) {
		throw new Refusal(INVALID_IMAGE, `The packed image is damaged: ${(error as Error).message}.`);
	}
	demand(isSame(sha256(content), contentHash), "The SHA-256 of what comes in the file is not the one that was signed.");
	// A gateway cannot distinguish this fault from flash that has not stored the data.
	demand(isSame(sha256(image), imageHash), "The SHA-256 of the image is not the one that was signed.", WRITE_FAILED);
	return image;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

export function checkFirmwareFile(file: Uint8Array, target: Target): FirmwareFile {
	const parts = readFirmwareFile(file);
	checkFront(parts, target);
	const image = imageOf(parts);
	try {
		if (isChip(target.chip)) checkImage(image, target.chip);
	} catch (error) {
		throw new Refusal(INVALID_IMAGE, (error as Error).message);
	}
	return parts;
}
