/** Makes firmware files (docs/firmware-files.md). */
import { createHash } from "node:crypto";
import {
	CONTENT_AT,
	encodeElementHead,
	encodeHeader,
	encodeMetadata,
	FORMAT,
	HEADER_LENGTH,
	HEADER_VERSION,
	type Header,
	IDENTIFIER,
	MANUFACTURER,
	type Metadata,
	PRODUCT,
	SIGNATURE_LENGTH,
	SIGNED_LENGTH,
	STACK_VERSION,
	TAG_IMAGE,
	TAG_METADATA,
	TAG_PACKED,
} from "./format.js";
import { isSignature, keyIdOf, type Signer } from "./keys.js";
import { pack } from "./pack.js";

export interface Firmware {
	readonly image: Uint8Array;
	readonly deviceId: number;
	readonly chip: string;
	readonly version: string;
	readonly buildNumber: number;
	readonly securityLevel: number;
	readonly signer: Signer;
	readonly packed?: boolean;
}

/** Faults of a file, for tests. The signature covers them. */
export interface Oddities {
	readonly header?: Partial<Header>;
	readonly metadata?: Partial<Metadata>;
	/** Data of the second element. Metadata and sizes default to those of these data. */
	readonly content?: Uint8Array;
}

const NAME_LENGTH = 32;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/**
 * Makes a firmware file. Throws a RangeError with a message for the user if a value does not fit. Throws an Error if
 * the signer's result is not a signature by its key.
 */
export function makeFirmwareFile(firmware: Firmware, odd: Oddities = {}): Buffer {
	const { image, deviceId, chip, version, buildNumber, securityLevel, signer, packed = true } = firmware;
	const content = odd.content ?? (packed ? pack(image) : image);
	const signed = encodeMetadata({
		format: FORMAT,
		isPacked: Number(packed),
		deviceId,
		product: PRODUCT,
		chip,
		buildNumber,
		version,
		securityLevel,
		contentLength: content.length,
		imageLength: image.length,
		contentHash: sha256(content),
		imageHash: sha256(image),
		keyId: keyIdOf(signer.point),
		...odd.metadata,
	});
	const signature = signer.sign(signed);
	if (!isSignature(signer.point, signed, signature))
		throw new Error("The signer's output is not a signature by the expected key.");
	const header = encodeHeader({
		identifier: IDENTIFIER,
		headerVersion: HEADER_VERSION,
		headerLength: HEADER_LENGTH,
		fieldControl: 0,
		manufacturer: MANUFACTURER,
		imageType: deviceId,
		fileVersion: buildNumber,
		stackVersion: STACK_VERSION,
		name: `${PRODUCT} ${version}`.slice(0, NAME_LENGTH),
		fileLength: CONTENT_AT + content.length,
		...odd.header,
	});
	return Buffer.concat([
		header,
		encodeElementHead({ tag: TAG_METADATA, length: SIGNED_LENGTH + SIGNATURE_LENGTH }),
		signed,
		signature,
		encodeElementHead({ tag: packed ? TAG_PACKED : TAG_IMAGE, length: content.length }),
		content,
	]);
}
