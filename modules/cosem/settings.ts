/** DLMS/COSEM settings for the meter reader. */
import { serverAddressLength } from "../hdlc/address.js";
import type { IECSettings } from "../iec62056-21/protocol.js";

export const AUTH_NONE = 0;
export const AUTH_LOW = 1;
/** With this value and higher ones, both sides authenticate with challenges. */
export const AUTH_HIGH_GMAC = 2;
export const AUTH_HIGH_SHA256 = 3;

/** Mode E first and, if its sign-on fails, HDLC at a fixed speed. */
export const OPENING_AUTO = 0;
export const OPENING_MODE_E = 1;
export const OPENING_DIRECT = 2;

export interface DLMSSettings {
	readonly auth: number;
	readonly ciphered: boolean;
	readonly suite: number;
	readonly release: boolean;
	/** True if the meter sends the deviation in its times with the sign of ISO 8601 (dlms/date-time.ts). */
	readonly swappedDeviation: boolean;
	/** HDLC addresses of the client and, in two halves, of the server (hdlc/address.ts). */
	readonly client: number;
	readonly logical: number;
	readonly physical: number;
	readonly addressLength: number;
	readonly receiveTimeoutMs: number;
	/** Password in ASCII. */
	readonly password: Uint8Array;
	/** Encryption key and authentication key: 16 bytes each, or empty. */
	readonly encryptionKey: Uint8Array;
	readonly authenticationKey: Uint8Array;
	/**
	 * List of the objects to read (dlms/poll-list.ts); empty for the default list. Until the setting changes, this is
	 * the same array object.
	 */
	readonly objects: Uint8Array;
	readonly opening: number;
	/** Fixed speed that OPENING_DIRECT uses, Bd. */
	readonly directBaud: number;
	/** Opening that has worked with this meter; OPENING_AUTO if none is known. */
	readonly learnedOpening: number;
	/** Speed of pushes, Bd; 0 if the gateway requests the data instead. */
	readonly pushBaud: number;
	/** Sender of the pushes: its system title (8 bytes) and its last counter (4 bytes). Empty if it is unknown. */
	readonly learnedPush: Uint8Array;
	readonly rows: string;
	/** Body of the last push without OBIS codes that fits no known list (dlms/lists.ts); empty at first. */
	seenList: Uint8Array;
	/** System title of the gateway, 8 bytes. */
	readonly title: Uint8Array;
	/** Stores the opening that has worked. OPENING_AUTO deletes the stored opening. */
	learnOpening(opening: number): void;
	/** Stores the sender of the pushes. An empty array deletes the stored sender. */
	learnPush(push: Uint8Array): void;
}

export interface COSEMSettings extends IECSettings {
	readonly protocol: string;
	/** True if a session of the protocol iec62056 uses mode E when the meter announces it. */
	readonly usesModeE: boolean;
	readonly dlms: DLMSSettings;
}

/** True if the address can be encoded in `length` bytes; if `length` is 0, in any length. */
export function isServerAddress(logical: number, physical: number, length: number): boolean {
	return serverAddressLength({ client: 0, logical, physical, length }) > 0;
}
