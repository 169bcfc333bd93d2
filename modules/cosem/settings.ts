/** DLMS/COSEM settings as used by the meter reader. */
import { serverAddressLength } from "../hdlc/address.js";
import type { IECSettings } from "../iec62056-21/protocol.js";

export const AUTH_NONE = 0;
export const AUTH_LOW = 1;
/** This and higher values authenticate with challenges. */
export const AUTH_HIGH_GMAC = 2;
export const AUTH_HIGH_SHA256 = 3;

/** Tries the sign-on first, then HDLC at a fixed speed. */
export const OPENING_AUTO = 0;
/** Sign-on of IEC 62056-21, mode E. */
export const OPENING_MODE_E = 1;
/** HDLC at a fixed speed. */
export const OPENING_DIRECT = 2;

export interface DLMSSettings {
	/** AUTH_…. */
	readonly auth: number;
	readonly ciphered: boolean;
	/** Security suite, 0 or 1. */
	readonly suite: number;
	/** True to release the association by RLRQ. */
	readonly release: boolean;
	/** True if the meter sends deviations with the sign of ISO 8601 (dlms/date-time.ts). */
	readonly swappedDeviation: boolean;
	/** HDLC addresses (hdlc/address.ts). */
	readonly client: number;
	readonly logical: number;
	readonly physical: number;
	readonly addressLength: number;
	readonly receiveTimeoutMs: number;
	/** Password, ASCII. */
	readonly password: Uint8Array;
	/** Keys, 16 bytes each, or empty. */
	readonly encryptionKey: Uint8Array;
	readonly authenticationKey: Uint8Array;
	/**
	 * List of objects to read (dlms/poll-list.ts); empty: the default list. The same array object until the list changes.
	 */
	readonly objects: Uint8Array;
	/** OPENING_…. */
	readonly opening: number;
	/** Speed of OPENING_DIRECT, Bd. */
	readonly directBaud: number;
	/** Opening that worked before; OPENING_AUTO if unknown. */
	readonly learnedOpening: number;
	/** Speed of the meter's unsolicited pushes, Bd; 0: the meter must be polled. */
	readonly pushBaud: number;
	/** System title (8 bytes) and invocation counter (4) of a recent push, or empty. */
	readonly learnedPush: Uint8Array;
	/** The gateway's system title, 8 bytes. */
	readonly title: Uint8Array;
	/** Stores the opening that worked; OPENING_AUTO deletes it. */
	learnOpening(opening: number): void;
	/** Stores `learnedPush`; an empty array deletes it. */
	learnPush(push: Uint8Array): void;
}

/** Settings of DLMS/COSEM and of the sign-on. */
export interface COSEMSettings extends IECSettings {
	/** API value of the setting `protocol`. */
	readonly protocol: string;
	/** True for protocol iec62056 with mode E if the meter announces it. */
	readonly handsOver: boolean;
	readonly dlms: DLMSSettings;
}

/** Returns whether the server address fits into `length` bytes (0: any length). */
export function isServerAddress(logical: number, physical: number, length: number): boolean {
	return serverAddressLength({ client: 0, logical, physical, length }) > 0;
}
