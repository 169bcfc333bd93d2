/**
 * Front of a firmware file: header (ZCL 11.4.2), signed metadata, and the header of the second element
 * (docs/firmware-files.md). Numbers are little-endian.
 */
import { uint16LE, uint32LE } from "../bytes/integers.js";
import type { Crypto } from "../io/crypto.js";
import { P256_SIGNATURE_LENGTH } from "../io/crypto.js";
import type { Update } from "../io/flash.js";
import type { HostInfo } from "../io/host.js";
import {
	DAMAGED,
	DOWNGRADE,
	NO_FIRMWARE_FILE,
	OTHER_FORM,
	TAKEN,
	TOO_LARGE,
	UNKNOWN_KEY,
	WRONG_DEVICE,
	WRONG_SIGNATURE,
} from "./refusals.js";

export interface FrontChecker {
	readonly info: Pick<HostInfo, "chip" | "deviceId">;
	readonly crypto: Pick<Crypto, "sha256" | "verifyP256">;
}

const PRODUCT = "smart-meter-gw";

const IDENTIFIER = 0x0beef11e;
const VERSION_AND_LENGTH = 0x0038_0100;
export const MANUFACTURER = 0xfff1;
const STACK_VERSION = 2;
const TAG_METADATA = 0xf001;
const TAG_PLAIN = 0x0000;
const TAG_PACKED = 0xf002;
const METADATA_LENGTH = 220;
const FORMAT = 1;

const FIELD_CONTROL = 8;
const MANUFACTURER_AT = 10;
const IMAGE_TYPE = 12;
const STACK_VERSION_AT = 18;
export const FILE_LENGTH = 52;
const METADATA_HEAD = 56;
const METADATA = 62;
/** Offset of a flag, which is 1 if the image is packed and 0 if it is not. */
export const PACKED_FLAG = METADATA + 1;
const DEVICE_ID = METADATA + 2;
const PRODUCT_AT = METADATA + 4;
const CHIP = METADATA + 20;
const VERSION = METADATA + 40;
const LEVEL = METADATA + 72;
const DATA_LENGTH = METADATA + 76;
export const IMAGE_LENGTH = METADATA + 80;
export const DATA_HASH = METADATA + 84;
export const IMAGE_HASH = METADATA + 116;
const KEY_ID = METADATA + 148;
const SIGNATURE = METADATA + 156;
const DATA_HEAD = SIGNATURE + P256_SIGNATURE_LENGTH;

export const FRONT_LENGTH = DATA_HEAD + 6;
export const KIND_LENGTH = 4;

const NAME_LENGTH = 16;
const VERSION_LENGTH = 32;
export const HASH_LENGTH = 32;
const ID_LENGTH = 8;

/**
 * Validates a front and its signature, which takes noticeable time. Returns TAKEN or a refusal. `total` is the file's
 * length that the sender has stated, or 0. The contents of the front may be used only after TAKEN.
 */
export function refusalOf(front: Uint8Array, { info, crypto }: FrontChecker, update: Update, total: number): number {
	if (refusalOfKind(front, FRONT_LENGTH)) return NO_FIRMWARE_FILE;
	const isPacked = front[PACKED_FLAG] === 1;
	const fileLength = uint32LE(front, FILE_LENGTH);
	const dataLength = uint32LE(front, DATA_LENGTH);
	const imageLength = uint32LE(front, IMAGE_LENGTH);
	if (
		uint32LE(front, 4) !== VERSION_AND_LENGTH ||
		uint16LE(front, FIELD_CONTROL) !== 0 ||
		uint16LE(front, METADATA_HEAD) !== TAG_METADATA ||
		uint32LE(front, METADATA_HEAD + 2) !== METADATA_LENGTH ||
		front[METADATA] !== FORMAT ||
		front[PACKED_FLAG] > 1
	)
		return OTHER_FORM;
	const deviceId = uint16LE(front, DEVICE_ID);
	if (
		uint16LE(front, MANUFACTURER_AT) !== MANUFACTURER ||
		uint16LE(front, STACK_VERSION_AT) !== STACK_VERSION ||
		uint16LE(front, IMAGE_TYPE) !== deviceId ||
		uint16LE(front, DATA_HEAD) !== (isPacked ? TAG_PACKED : TAG_PLAIN) ||
		uint32LE(front, DATA_HEAD + 2) !== dataLength ||
		fileLength !== FRONT_LENGTH + dataLength ||
		(total > 0 && fileLength !== total) ||
		dataLength === 0 ||
		imageLength === 0 ||
		(!isPacked && dataLength !== imageLength)
	)
		return DAMAGED;
	if (imageLength > update.slot.size) return TOO_LARGE;
	const isRevoked = update.revoked.some((id) => holds(front, KEY_ID, id, ID_LENGTH));
	const key = update.keys.find((point) => holds(front, KEY_ID, crypto.sha256(point), ID_LENGTH));
	if (isRevoked || key === undefined) return UNKNOWN_KEY;
	const signed = front.subarray(METADATA, SIGNATURE);
	if (!crypto.verifyP256(key, signed, front.subarray(SIGNATURE, DATA_HEAD))) return WRONG_SIGNATURE;
	if (
		deviceId !== info.deviceId ||
		textAt(front, PRODUCT_AT, NAME_LENGTH) !== PRODUCT ||
		textAt(front, CHIP, NAME_LENGTH) !== info.chip
	)
		return WRONG_DEVICE;
	return securityLevelOf(front) < update.securityLevel ? DOWNGRADE : TAKEN;
}

/** Returns TAKEN if the bytes begin like a firmware file; otherwise NO_FIRMWARE_FILE. */
export function refusalOfKind(bytes: Uint8Array, length: number): number {
	return length < KIND_LENGTH || uint32LE(bytes, 0) !== IDENTIFIER ? NO_FIRMWARE_FILE : TAKEN;
}

export function securityLevelOf(front: Uint8Array): number {
	return uint32LE(front, LEVEL);
}

export function versionOf(front: Uint8Array): string {
	return textAt(front, VERSION, VERSION_LENGTH);
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
	let end = at + length;
	while (end > at && bytes[end - 1] === 0) end--;
	return String.fromCharCode(...bytes.subarray(at, end));
}

/**
 * Returns true if the bytes at `at` are the first `length` bytes of `other`. It need not take constant time, because
 * nothing here is secret.
 */
export function holds(bytes: Uint8Array, at: number, other: Uint8Array, length: number): boolean {
	let i = 0;
	while (i < length && bytes[at + i] === other[i]) i++;
	return i === length;
}
