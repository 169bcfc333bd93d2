/**
 * A dialect is the local protocol of another maker's meter, which the gateway imitates for batteries and wallboxes.
 * Each dialect is a frozen table. It has paths for plain HTTP with their messages, and services for multicast DNS, or
 * its own port.
 */
import type { SettingField } from "../../config/schema.js";
import type { Message } from "../../live-meter/message.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";

export interface Page {
	readonly path: string;
	readonly message: Message;
	/** Maximum length of the message, bytes. */
	readonly room: number;
	readonly isLive: boolean;
}

/**
 * Service that multicast DNS announces, at the port for plain HTTP. Its TXT strings contain only identifiers, no
 * measured values.
 */
export interface AnnouncedService {
	readonly type: string;
	readonly instance: Message;
	readonly txt: readonly Message[];
	/** True if an entry `ip=` with the present address follows the TXT strings. */
	readonly hasAddress: boolean;
}

export interface Dialect {
	/** Name of the dialect in the API, which is also the name of its setting. */
	readonly name: string;
	readonly enabled: SettingField<boolean>;
	/** Maximum age of values in replies, ms. The setting `max_age_secs` replaces it. */
	readonly maxAgeMs: number;
	readonly pages: readonly Page[];
	readonly rpcSource?: Message;
	readonly services: readonly AnnouncedService[];
	readonly open?: (values: LiveValues, index: number) => DialectPort;
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
