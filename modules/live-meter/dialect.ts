/**
 * A dialect: the local protocol of another maker's meter, in which batteries and wallboxes can ask the gateway. Each is a
 * frozen table (dialects.ts has the list): paths on plain HTTP, the message at each, and services in multicast DNS.
 */
import type { SettingField } from "../config/schema.js";
import type { Message } from "./message.js";

/** Message at a path of plain HTTP. */
export interface Page {
	readonly path: string;
	readonly message: Message;
	/** Maximum length of the message, bytes. */
	readonly room: number;
	/** True if the message has values, so that it needs a fresh readout. */
	readonly isLive: boolean;
}

/** Service in multicast DNS on the port of plain HTTP; texts have no codes but identifiers. */
export interface AnnouncedService {
	readonly type: string;
	readonly instance: Message;
	readonly txt: readonly Message[];
	/** True if an entry `ip=` with the present address follows. */
	readonly hasAddress: boolean;
}

export interface Dialect {
	/** Name in the API; that of its setting. */
	readonly name: string;
	readonly enabled: SettingField<boolean>;
	/** Maximum age of the values, ms; the setting `max_age_secs` replaces it. */
	readonly maxAgeMs: number;
	readonly pages: readonly Page[];
	/** Name of the unit in frames of RPC (rpc.ts); undefined for a dialect without. */
	readonly rpcSource?: Message;
	readonly services: readonly AnnouncedService[];
}

export function page(path: string, message: Message, room: number, isLive = true): Page {
	return Object.freeze({ path, message, room, isLive });
}

export function service(
	type: string,
	instance: Message,
	txt: readonly Message[],
	hasAddress = false,
): AnnouncedService {
	return Object.freeze({ type, instance, txt: Object.freeze(txt), hasAddress });
}

export function dialect(own: Dialect): Dialect {
	return Object.freeze({ ...own, pages: Object.freeze(own.pages), services: Object.freeze(own.services) });
}
