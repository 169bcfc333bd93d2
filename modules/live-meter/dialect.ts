/**
 * A dialect: the local protocol of another maker's meter, with which batteries and wallboxes can query the gateway.
 * Each one is a frozen table (listed in dialects.ts): paths over plain HTTP, the message at each path, and services in
 * multicast DNS.
 */
import type { SettingField } from "../config/schema.js";
import type { Message } from "./message.js";

/** Message at a path, over plain HTTP. */
export interface Page {
	readonly path: string;
	readonly message: Message;
	/** Maximum length of the message, bytes. */
	readonly room: number;
	/** True if the message contains values, so that it needs a fresh readout. */
	readonly isLive: boolean;
}

/** Service that multicast DNS announces, at the port for plain HTTP. Its texts contain no values, only identifiers. */
export interface AnnouncedService {
	readonly type: string;
	readonly instance: Message;
	readonly txt: readonly Message[];
	/** True if an entry `ip=` with the present address follows the texts. */
	readonly hasAddress: boolean;
}

export interface Dialect {
	/** Name in the API, which is also the name of its setting. */
	readonly name: string;
	readonly enabled: SettingField<boolean>;
	/** Maximum age of the values, ms, unless the setting `max_age_secs` replaces it. */
	readonly maxAgeMs: number;
	readonly pages: readonly Page[];
	/** Name of the unit in RPC frames (rpc.ts); undefined for a dialect without RPC. */
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
