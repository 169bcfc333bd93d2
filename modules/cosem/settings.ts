/** For the meter reader. */
import { serverAddressLength } from "../hdlc/address.js";
import type { IECSettings } from "../iec62056-21/protocol.js";

export const AUTH_NONE = 0;
export const AUTH_LOW = 1;
/** Challenges from here on. */
export const AUTH_HIGH_GMAC = 2;
export const AUTH_HIGH_SHA256 = 3;

/** Sign-on, then HDLC at a fixed speed. */
export const OPENING_AUTO = 0;
/** Mode E. */
export const OPENING_MODE_E = 1;
/** HDLC at a fixed speed. */
export const OPENING_DIRECT = 2;

export interface DLMSSettings {
	/** AUTH_…. */
	readonly auth: number;
	readonly ciphered: boolean;
	/** 0 or 1. */
	readonly suite: number;
	/** By RLRQ. */
	readonly release: boolean;
	/** Sign of ISO 8601 (dlms/date-time.ts). */
	readonly swappedDeviation: boolean;
	/** hdlc/address.ts. */
	readonly client: number;
	readonly logical: number;
	readonly physical: number;
	readonly addressLength: number;
	readonly receiveTimeoutMs: number;
	/** ASCII. */
	readonly password: Uint8Array;
	/** 16 bytes or empty. */
	readonly encryptionKey: Uint8Array;
	readonly authenticationKey: Uint8Array;
	/** dlms/poll-list.ts; empty: default. The same array until changed. */
	readonly objects: Uint8Array;
	/** OPENING_…. */
	readonly opening: number;
	/** Bd. */
	readonly directBaud: number;
	/** Has worked; OPENING_AUTO if unknown. */
	readonly learnedOpening: number;
	/** Bd; 0: polled. */
	readonly pushBaud: number;
	/** Title (8), counter (4); or empty. */
	readonly learnedPush: Uint8Array;
	/** Ours, 8 bytes. */
	readonly title: Uint8Array;
	/** OPENING_AUTO deletes. */
	learnOpening(opening: number): void;
	/** Empty deletes. */
	learnPush(push: Uint8Array): void;
}

export interface COSEMSettings extends IECSettings {
	/** In the API. */
	readonly protocol: string;
	/** iec62056, with mode E if announced. */
	readonly handsOver: boolean;
	readonly dlms: DLMSSettings;
}

/** In `length` bytes (0: any). */
export function isServerAddress(logical: number, physical: number, length: number): boolean {
	return serverAddressLength({ client: 0, logical, physical, length }) > 0;
}
