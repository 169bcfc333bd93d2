/**
 * The first bytes of a firmware file, up to the data of its second element: the header of a Zigbee OTA upgrade file (ZCL
 * 11.4.2), the signed metadata, and what the second element is (docs/firmware-files.md). All numbers are little endian.
 */

import { type Crypto, P256_SIGNATURE_LENGTH } from "../io/crypto.js";
import type { Update } from "../io/flash.js";
import type { TextCodec } from "../io/host.js";
import {
	DAMAGED,
	DOWNGRADE,
	NO_FIRMWARE_FILE,
	OTHER_FORM,
	type Refusal,
	TOO_LARGE,
	UNKNOWN_KEY,
	WRONG_DEVICE,
	WRONG_SIGNATURE,
} from "./refusals.js";

/** What a file must be good for. */
export interface Judge {
	/** Of the board. */
	readonly chip: string;
	readonly deviceId: number;
	readonly update: Update;
	readonly crypto: Pick<Crypto, "sha256" | "verifyP256">;
	readonly text: TextCodec;
}

const PRODUCT = "smart-meter-gw";

const IDENTIFIER = 0x0beef11e;
const VERSION_AND_LENGTH = 0x0038_0100;
const MANUFACTURER = 0xfff1;
const STACK_VERSION = 2;
const TAG_METADATA = 0xf001;
const TAG_PLAIN = 0x0000;
const TAG_PACKED = 0xf002;
const METADATA_LENGTH = 220;
const FORMAT = 1;

/** Where the parts of the header begin. */
const FIELD_CONTROL = 8;
const MANUFACTURER_AT = 10;
const IMAGE_TYPE = 12;
const STACK_VERSION_AT = 18;
const FILE_LENGTH = 52;
/** The first element. */
const METADATA_HEAD = 56;
const METADATA = 62;
const KIND = METADATA + 1;
const DEVICE_ID = METADATA + 2;
const PRODUCT_AT = METADATA + 4;
const CHIP = METADATA + 20;
const VERSION = METADATA + 40;
const LEVEL = METADATA + 72;
const DATA_LENGTH = METADATA + 76;
const IMAGE_LENGTH = METADATA + 80;
const DATA_HASH = METADATA + 84;
const IMAGE_HASH = METADATA + 116;
const KEY_ID = METADATA + 148;
const SIGNATURE = METADATA + 156;
/** The second element. */
const DATA_HEAD = SIGNATURE + P256_SIGNATURE_LENGTH;

/** Bytes of all that. */
export const FRONT_LENGTH = DATA_HEAD + 6;

const NAME_LENGTH = 16;
const VERSION_LENGTH = 32;
const HASH_LENGTH = 32;
const ID_LENGTH = 8;

export class Front {
	readonly #bytes: Uint8Array;

	/** `bytes`: FRONT_LENGTH of them, which hold still. What they say counts once `refusal` has none. */
	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	/** Bytes of the whole file, as the header says. */
	get fileLength(): number {
		return uint32(this.#bytes, FILE_LENGTH);
	}

	get isPacked(): boolean {
		return this.#bytes[KIND] === 1;
	}

	/** Bytes of the second element's data. */
	get dataLength(): number {
		return uint32(this.#bytes, DATA_LENGTH);
	}

	/** Bytes of the image as it lies in flash. */
	get imageLength(): number {
		return uint32(this.#bytes, IMAGE_LENGTH);
	}

	version(text: TextCodec): string {
		return this.textAt(text, VERSION, VERSION_LENGTH);
	}

	isDataHash(hash: Uint8Array): boolean {
		return this.holds(DATA_HASH, hash, HASH_LENGTH);
	}

	isImageHash(hash: Uint8Array): boolean {
		return this.holds(IMAGE_HASH, hash, HASH_LENGTH);
	}

	/**
	 * Why the file is not taken; undefined: it is good as far as this tells. `total`: bytes of the whole file as its sender
	 * says, or 0. Takes the time to verify a signature.
	 */
	refusal(judge: Judge, total: number): Refusal | undefined {
		const { update, text } = judge;
		return (
			refusalOfKind(this.#bytes, FRONT_LENGTH) ??
			this.formRefusal(update.slot.size, total) ??
			this.signatureRefusal(judge) ??
			this.boardRefusal(judge, text) ??
			(uint32(this.#bytes, LEVEL) < update.securityLevel ? DOWNGRADE : undefined)
		);
	}

	private formRefusal(slotSize: number, total: number): Refusal | undefined {
		const bytes = this.#bytes;
		if (uint32(bytes, 4) !== VERSION_AND_LENGTH || uint16(bytes, FIELD_CONTROL) !== 0) return OTHER_FORM;
		const { dataLength, imageLength } = this;
		if (!isElement(bytes, METADATA_HEAD, TAG_METADATA, METADATA_LENGTH)) return OTHER_FORM;
		if (bytes[METADATA] !== FORMAT || bytes[KIND] > 1) return OTHER_FORM;
		const isWhole =
			uint16(bytes, MANUFACTURER_AT) === MANUFACTURER &&
			uint16(bytes, STACK_VERSION_AT) === STACK_VERSION &&
			uint16(bytes, IMAGE_TYPE) === uint16(bytes, DEVICE_ID) &&
			isElement(bytes, DATA_HEAD, this.isPacked ? TAG_PACKED : TAG_PLAIN, dataLength) &&
			this.fileLength === FRONT_LENGTH + dataLength &&
			(total === 0 || total === this.fileLength) &&
			dataLength > 0 &&
			imageLength > 0 &&
			(this.isPacked || dataLength === imageLength);
		if (!isWhole) return DAMAGED;
		return imageLength > slotSize ? TOO_LARGE : undefined;
	}

	private signatureRefusal({ update: { keys, revoked }, crypto }: Judge): Refusal | undefined {
		if (revoked.some((id) => this.holds(KEY_ID, id, ID_LENGTH))) return UNKNOWN_KEY;
		const key = keys.find((point) => this.holds(KEY_ID, crypto.sha256(point), ID_LENGTH));
		if (key === undefined) return UNKNOWN_KEY;
		const signed = this.#bytes.subarray(METADATA, SIGNATURE);
		const isSigned = crypto.verifyP256(key, signed, this.#bytes.subarray(SIGNATURE, DATA_HEAD));
		return isSigned ? undefined : WRONG_SIGNATURE;
	}

	private boardRefusal({ chip, deviceId }: Judge, text: TextCodec): Refusal | undefined {
		const isFor =
			uint16(this.#bytes, DEVICE_ID) === deviceId &&
			this.textAt(text, PRODUCT_AT, NAME_LENGTH) === PRODUCT &&
			this.textAt(text, CHIP, NAME_LENGTH) === chip;
		return isFor ? undefined : WRONG_DEVICE;
	}

	/** Without the zeros at its end. */
	private textAt(text: TextCodec, at: number, length: number): string {
		let end = at + length;
		while (end > at && this.#bytes[end - 1] === 0) end--;
		return text.decode(this.#bytes, at, end);
	}

	/** Whether the first `length` bytes of `other` stand there. Nothing of it is secret. */
	private holds(at: number, other: Uint8Array, length: number): boolean {
		let i = 0;
		while (i < length && this.#bytes[at + i] === other[i]) i++;
		return i === length;
	}
}

/** Of the first `length` bytes of a file: whether it is something else altogether. */
export function refusalOfKind(bytes: Uint8Array, length: number): Refusal | undefined {
	return length < 4 || uint32(bytes, 0) !== IDENTIFIER ? NO_FIRMWARE_FILE : undefined;
}

function isElement(bytes: Uint8Array, at: number, tag: number, length: number): boolean {
	return uint16(bytes, at) === tag && uint32(bytes, at + 2) === length;
}

function uint16(bytes: Uint8Array, at: number): number {
	return bytes[at] | (bytes[at + 1] << 8);
}

/** Of a sum, since the shift of a high bit is negative. */
export function uint32(bytes: Uint8Array, at: number): number {
	return uint16(bytes, at) + uint16(bytes, at + 2) * 0x1_0000;
}
