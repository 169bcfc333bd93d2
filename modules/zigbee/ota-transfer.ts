/**
 * A transfer of the client of the OTA Upgrade cluster (ota-client.ts), its states, and the attributes that show it (ZCL
 * revision 8, 11.10).
 */

import type { HostInfo, Storage } from "../io/host.js";
import { MANUFACTURER, putUint32, uint32 } from "../ota/front.js";
import type { Updater } from "../ota/updater.js";
import { buildNumber } from "../ota/version.js";

export interface OTAWorld {
	/** Undefined: this unit has no place for another firmware. */
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

/** In the storage while a file is loaded: its version and size as the coordinator says, and the coordinator's endpoint. */
export const LOADING_KEY = "zb_ota";
const LOADING_LENGTH = 9;

export const ANY_32 = 0xffff_ffff;
const FIRST_ENDPOINT = 1;

/** Ids of the client's attributes, ascending. */
export const ATTRIBUTES: readonly number[] = Object.freeze([0, 1, 2, 3, 4, 6, 7, 8, 9]);
const TYPE_UINT16 = 0x21;
const TYPE_UINT32 = 0x23;
const TYPE_ENUM8 = 0x30;
const TYPE_IEEE_ADDRESS = 0xf0;

/** From the first question on, until the client is at REST again. */
export class Transfer {
	state = REST;
	/** How often the question that is due was asked in vain; for a block: the next wait for it. */
	tries = 0;
	/** The coordinator has asked for the question. */
	isNotified = false;
	/** The server's. */
	endpoint = FIRST_ENDPOINT;
	/** Version and size of the file that is loaded, as the coordinator says. */
	version = ANY_32;
	size = 0;
	/** When the coordinator was heard last. */
	heardMs = 0;
	/** The shortest time between two blocks, as the coordinator wants it. */
	periodMs = 0;
	/** The updater takes our file. */
	isOpen = false;
	/** The storage has it. */
	isKept = false;
	/** What has become of it; -1: that is not known, or was seen to. */
	outcome = -1;

	/** Takes what was being loaded when the program ended; false: nothing. */
	recall(storage: Storage): boolean {
		const loading = storage.get(LOADING_KEY);
		if (loading?.length !== LOADING_LENGTH) return false;
		this.version = uint32(loading, 0);
		this.size = uint32(loading, 4);
		this.endpoint = loading[8];
		return true;
	}

	/** So that it goes on after a restart, for the coordinator is about it. */
	keep(storage: Storage): void {
		if (this.isKept) return;
		const loading = new Uint8Array(LOADING_LENGTH);
		putUint32(loading, 0, this.version);
		putUint32(loading, 4, this.size);
		loading[8] = this.endpoint;
		this.isKept = true;
		try {
			storage.set(LOADING_KEY, loading);
		} catch {
			// Flash that keeps nothing: it does not go on by itself, that is all.
		}
	}
}

/** Version of the firmware that runs, as the headers of files have it. */
export function versionOf({ info }: OTAWorld): number {
	return buildNumber(info.firmwareVersion);
}

/** Writes type and value of an attribute at `at`, `transfer` undefined at REST; where it ends, or `at` when there is none. */
export function putAttribute(
	id: number,
	transfer: Transfer | undefined,
	world: OTAWorld,
	into: Uint8Array,
	at: number,
): number {
	const { state = REST, version = ANY_32, periodMs = 0, isOpen = false } = transfer ?? {};
	let type = TYPE_UINT32;
	let value = ANY_32;
	if (id === 0) {
		// The server is whoever asks first: none was set.
		type = TYPE_IEEE_ADDRESS;
		putUint32(into, at + 5, ANY_32);
	} else if (id === 1) value = isOpen ? (world.updater?.received ?? 0) : ANY_32;
	else if (id === 2) value = versionOf(world);
	else if (id === 4) value = state >= VERIFYING ? version : ANY_32;
	else if (id === 6) {
		type = TYPE_ENUM8;
		// Normal, download in progress, complete, waiting to upgrade, count down (ZCL 11.10.7).
		value = state < LOADING ? 0 : state - 1;
	} else {
		type = TYPE_UINT16;
		value = id === 3 ? 2 : id === 7 ? MANUFACTURER : id === 8 ? world.info.deviceId : periodMs;
		if (!ATTRIBUTES.includes(id)) return at;
	}
	into[at] = type;
	putUint32(into, at + 1, value);
	const width = type === TYPE_IEEE_ADDRESS ? 8 : type === TYPE_UINT32 ? 4 : type === TYPE_UINT16 ? 2 : 1;
	return at + 1 + width;
}
