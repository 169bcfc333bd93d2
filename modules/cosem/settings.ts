/** What a conversation in DLMS/COSEM goes by: the settings as the meter reader wants them, and the numbers in them. */
import { serverAddressLength } from "../hdlc/address.js";
import type { IECSettings } from "../iec62056-21/protocol.js";

/** `auth`. */
export const AUTH_NONE = 0;
export const AUTH_LOW = 1;
/** From here on with challenges. */
export const AUTH_HIGH_GMAC = 2;
export const AUTH_HIGH_SHA256 = 3;

/** How the conversation is opened; in the order of the setting's words. */
/** The sign-on first, HDLC at a fixed speed where nothing comes of it. */
export const OPENING_AUTO = 0;
/** By the sign-on of IEC 62056-21, mode E. */
export const OPENING_MODE_E = 1;
/** HDLC at a fixed speed. */
export const OPENING_DIRECT = 2;

/** As they are at the moment. */
export interface DLMSSettings {
	/** AUTH_… */
	readonly auth: number;
	readonly ciphered: boolean;
	/** Security suite, 0 or 1. */
	readonly suite: number;
	/** End the association by RLRQ. */
	readonly release: boolean;
	/** The meter gives deviations with the sign of ISO 8601 (dlms/date-time.ts). */
	readonly swappedDeviation: boolean;
	/** HDLC addresses, as hdlc/address.ts has them. */
	readonly client: number;
	readonly logical: number;
	readonly physical: number;
	readonly addressLength: number;
	readonly receiveTimeoutMs: number;
	/** ASCII. */
	readonly password: Uint8Array;
	/** 16 bytes each, or none. */
	readonly encryptionKey: Uint8Array;
	readonly authenticationKey: Uint8Array;
	/** The objects to ask for (dlms/poll-list.ts); no bytes: the default list. The same bytes as long as it is the same. */
	readonly objects: Uint8Array;
	/** OPENING_… */
	readonly opening: number;
	/** Speed of OPENING_DIRECT, Bd. */
	readonly directBaud: number;
	/** The opening that worked, OPENING_AUTO: none is known. */
	readonly learnedOpening: number;
	/** The speed at which the meter sends by itself, Bd; 0: it is asked. */
	readonly pushBaud: number;
	/** System title (8 bytes) and invocation counter (4) of a push of not long ago, or no bytes. */
	readonly learnedPush: Uint8Array;
	/** Our system title, 8 bytes. */
	readonly title: Uint8Array;
	/** Remembers the opening that worked; OPENING_AUTO forgets it. */
	learnOpening(opening: number): void;
	/** Remembers `learnedPush`; no bytes: forgets it. */
	learnPush(push: Uint8Array): void;
}

/** What all of it goes by: the sign-on's settings as well. */
export interface COSEMSettings extends IECSettings {
	/** The word of the setting, as the API has it. */
	readonly protocol: string;
	/** It is iec62056, and the meter's mode E is taken up. */
	readonly handsOver: boolean;
	readonly dlms: DLMSSettings;
}

/** The server's address can be told in `length` bytes (0: as many as it needs). */
export function isServerAddress(logical: number, physical: number, length: number): boolean {
	return serverAddressLength({ client: 0, logical, physical, length }) > 0;
}
