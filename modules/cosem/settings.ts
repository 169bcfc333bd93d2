/** DLMS/COSEM settings for the meter reader. */
import { serverAddressLength } from "../hdlc/address.js";
import type { IECSettings } from "../iec62056-21/protocol.js";

export const AUTH_NONE = 0;
export const AUTH_LOW = 1;
/** From this value on, both sides authenticate by challenges. */
export const AUTH_HIGH_GMAC = 2;
export const AUTH_HIGH_SHA256 = 3;

/** Mode E; if its sign-on fails, HDLC at a fixed speed. */
export const OPENING_AUTO = 0;
export const OPENING_MODE_E = 1;
export const OPENING_DIRECT = 2;

export interface DLMSSettings {
	readonly auth: number;
	readonly ciphered: boolean;
	readonly suite: number;
	readonly release: boolean;
	/** True if the meter's deviation has the sign of ISO 8601 (dlms/date-time.ts). */
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
	/** Poll list (dlms/poll-list.ts); empty: the default list. The array is the same until the setting changes. */
	readonly objects: Uint8Array;
	readonly opening: number;
	/** Speed of OPENING_DIRECT, Bd. */
	readonly directBaud: number;
	/** Opening that has worked; OPENING_AUTO if unknown. */
	readonly learnedOpening: number;
	/** Speed of pushes, Bd; 0: the meter is polled. */
	readonly pushBaud: number;
	/** Sender of pushes: system title (8 bytes), counter (4 bytes); or empty. */
	readonly learnedPush: Uint8Array;
	readonly rows: string;
	/** Body of the last list without codes that no row fits; initially empty. */
	seenList: Uint8Array;
	/** Our system title, 8 bytes. */
	readonly title: Uint8Array;
	/** Stores the opening that has worked; OPENING_AUTO deletes it. */
	learnOpening(opening: number): void;
	/** Stores the sender of pushes; an empty array deletes it. */
	learnPush(push: Uint8Array): void;
}

export interface COSEMSettings extends IECSettings {
	readonly protocol: string;
	/** True for the protocol iec62056, which uses mode E if the meter announces it. */
	readonly usesModeE: boolean;
	readonly dlms: DLMSSettings;
}

/** True if the address fits `length` bytes (0: any). */
export function isServerAddress(logical: number, physical: number, length: number): boolean {
	return serverAddressLength({ client: 0, logical, physical, length }) > 0;
}
