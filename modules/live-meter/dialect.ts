/**
 * A dialect: another maker's local protocol, in which batteries and wallboxes query the gateway. Each is a frozen
 * table: paths over plain HTTP with their messages, and services in multicast DNS, or a port of its own.
 */
import type { SettingField } from "../config/schema.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";
import type { Message } from "./message.js";

export interface Page {
	readonly path: string;
	readonly message: Message;
	/** Maximum length of the message, bytes. */
	readonly room: number;
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
	/** Maximum age, ms, unless the setting `max_age_secs` replaces it. */
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
