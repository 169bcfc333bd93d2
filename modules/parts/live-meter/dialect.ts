/**
 * A dialect is the local protocol of another maker's meter, which the gateway imitates for batteries and wallboxes.
 * Each dialect is a frozen table. It has paths for plain HTTP with their messages, and services for multicast DNS, or
 * its own port.
 */
import type { SettingField } from "../../config/schema.js";
import type { Core } from "../../core/core.js";
import { METHOD_GET } from "../../http/request.js";
import type { JSONWriter } from "../../json/writer.js";
import type { Message } from "../../live-meter/message.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";

export interface Page {
	readonly path: string;
	readonly message: Message;
	/** Maximum length of the message, bytes. */
	readonly room: number;
	readonly isLive: boolean;
	/** Method of the request, beside POST to a path of RPC. */
	readonly method: number;
	/** Writes the beginning of the object, before the message, which then begins with a comma. */
	begin?(writer: JSONWriter, live: LiveValues): void;
	/** Called before the reply. */
	act?(core: Core): void;
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

export const NO_REGISTERS = 0;
export const FIXED_REGISTERS = 1;
export const VALUE_REGISTERS = 2;

/** Registers of a dialect that is read by Modbus (modbus-port.ts). */
export interface Registers {
	/** Returns VALUE_REGISTERS if values are among these registers. */
	kind(first: number, count: number): number;
	/**
	 * Returns REPLY_HEAD bytes followed by the registers, with the shown values if the kind is VALUE_REGISTERS. They are
	 * NaN before the first readout; returns undefined if the registers can't say that.
	 */
	read(
		first: number,
		count: number,
		values: Float64Array | undefined,
		id: string,
		unit: number,
	): Uint8Array | undefined;
}

export interface Dialect {
	/** Name of the dialect in the API, which is also the name of its setting. */
	readonly name: string;
	readonly enabled: SettingField<boolean>;
	/** Maximum age of values in replies, ms. The setting `max_age_secs` replaces it. */
	readonly maxAgeMs: number;
	readonly pages: readonly Page[];
	readonly rpcSource?: Message;
	/** Beginnings of the paths that belong to the dialect. For other pages there, it replies 404 with `missing`. */
	readonly places?: readonly string[];
	readonly services: readonly AnnouncedService[];
	readonly registers?: Registers;
	/** True if the port is a UDP port. Only the first dialect of those that are on has one. */
	readonly isUDP?: boolean;
	/** Opens the port of the dialect. */
	readonly open?: (values: LiveValues, index: number, dialects: readonly Dialect[]) => DialectPort;
	/** Setting of another dialect that needs the same port. */
	readonly also?: SettingField<boolean>;
}

export function page(
	path: string,
	message: Message,
	room: number,
	isLive = true,
	more: Partial<Pick<Page, "act" | "begin" | "method">> = {},
): Page {
	return Object.freeze({ path, message, room, isLive, method: METHOD_GET, ...more });
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
	const { pages, places = [], services } = own;
	return Object.freeze({
		...own,
		pages: Object.freeze(pages),
		places: Object.freeze(places),
		services: Object.freeze(services),
	});
}
