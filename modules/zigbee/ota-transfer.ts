/** States and attributes of an OTA Upgrade transfer (ZCL revision 8, 11.10). */

import { putUint32LE, uint32LE } from "../bytes/integers.js";
import type { HostInfo, Storage } from "../io/host.js";
import { MANUFACTURER } from "../update/front.js";
import type { Updater } from "../update/updater.js";
import { buildNumber } from "../update/version.js";

export interface OTADeps {
	/** Undefined if this unit can't store a second firmware. */
	readonly updater: Updater | undefined;
	readonly info: Pick<HostInfo, "deviceId" | "firmwareVersion">;
	readonly crypto: { random(length: number): Uint8Array };
	readonly storage: Storage;
}

export const REST = 0;
export const ASKING = 1;
export const LOADING = 2;
export const VERIFYING = 3;
export const ENDING = 4;
export const HELD = 5;

/**
 * Key of the record that exists while a file is loaded. It has the file's version and size, as the coordinator has
 * stated them, and the coordinator's endpoint.
 */
export const LOADING_KEY = "zb_ota";
const LOADING_LENGTH = 9;

export const ANY_32 = 0xffff_ffff;
const FIRST_ENDPOINT = 1;

export const ATTRIBUTES: readonly number[] = Object.freeze([0, 1, 2, 3, 4, 6, 7, 8, 9]);
const TYPE_UINT16 = 0x21;
const TYPE_UINT32 = 0x23;
const TYPE_ENUM8 = 0x30;
const TYPE_IEEE_ADDRESS = 0xf0;

export class Transfer {
	state = REST;
	/** Number of attempts to send a query. For a block, it is the exponent of the wait. */
	tries = 0;
	isNotified = false;
	endpoint = FIRST_ENDPOINT;
	/** Version of the file, as the coordinator has stated it. */
	version = ANY_32;
	size = 0;
	lastMessageMs = 0;
	/** Minimum time between requests for blocks, ms, which the coordinator has set. */
	periodMs = 0;
	isOpen = false;
	isRecorded = false;
	/** Result of the updater; -1 if it is unknown or was processed. */
	outcome = -1;

	restore(storage: Storage): boolean {
		const loading = storage.get(LOADING_KEY);
		if (loading?.length !== LOADING_LENGTH) return false;
		this.version = uint32LE(loading, 0);
		this.size = uint32LE(loading, 4);
		this.endpoint = loading[8];
		return true;
	}

	record(storage: Storage): void {
		if (this.isRecorded) return;
		const loading = new Uint8Array(LOADING_LENGTH);
		putUint32LE(loading, 0, this.version);
		putUint32LE(loading, 4, this.size);
		loading[8] = this.endpoint;
		this.isRecorded = true;
		try {
			storage.set(LOADING_KEY, loading);
		} catch {
			// Without the record, the transfer is not resumed after a restart, but continues otherwise.
		}
	}
}

export function versionOf({ info }: OTADeps): number {
	return buildNumber(info.firmwareVersion);
}

/** Writes an attribute and returns the end, which is `at` for an unknown attribute. `transfer` is undefined in REST. */
export function putAttribute(
	id: number,
	transfer: Transfer | undefined,
	deps: OTADeps,
	into: Uint8Array,
	at: number,
): number {
	const { state = REST, version = ANY_32, periodMs = 0, isOpen = false } = transfer ?? {};
	let type = TYPE_UINT32;
	let value = ANY_32;
	if (id === 0) {
		// In UpgradeServerID, all ones mean that no server is configured.
		type = TYPE_IEEE_ADDRESS;
		putUint32LE(into, at + 5, ANY_32);
	} else if (id === 1) value = isOpen ? (deps.updater?.received ?? 0) : ANY_32;
	else if (id === 2) value = versionOf(deps);
	else if (id === 4) value = state >= VERIFYING ? version : ANY_32;
	else if (id === 6) {
		type = TYPE_ENUM8;
		// Values of ImageUpgradeStatus (ZCL 11.10.7): normal, download in progress, complete, waiting to upgrade, count
		// down.
		value = state < LOADING ? 0 : state - 1;
	} else {
		type = TYPE_UINT16;
		value = id === 3 ? 2 : id === 7 ? MANUFACTURER : id === 8 ? deps.info.deviceId : periodMs;
		if (!ATTRIBUTES.includes(id)) return at;
	}
	into[at] = type;
	putUint32LE(into, at + 1, value);
	const width = type === TYPE_IEEE_ADDRESS ? 8 : type === TYPE_UINT32 ? 4 : type === TYPE_UINT16 ? 2 : 1;
	return at + 1 + width;
}
