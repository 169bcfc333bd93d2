/** Converts the M-Bus settings to addresses of slaves. */
import type { ConfigStore } from "../../config/store.js";
import { parseAddress } from "../../mbus/secondary.js";
import type { Slaves } from "../../mbus/session.js";
import { MBUS_ADDRESS, MBUS_BAUDRATE, MBUS_METERS, MBUS_SECONDARY, MBUS_SLAVES_LIMIT } from "./mbus-fields.js";

/** Parses secondary addresses. Returns undefined if one is invalid, or if there are too many. */
export function secondaryOf(text: string): readonly Uint8Array[] | undefined {
	const addresses: Uint8Array[] = [];
	for (const word of text.split(" ")) {
		if (word === "") continue;
		const address = parseAddress(word);
		if (address === undefined || addresses.length === MBUS_SLAVES_LIMIT) return undefined;
		addresses.push(address);
	}
	return addresses;
}

export function slavesOf(config: ConfigStore): Slaves {
	const secondary = secondaryOf(config.get(MBUS_SECONDARY)) ?? [];
	return {
		baud: config.get(MBUS_BAUDRATE),
		address: config.get(MBUS_ADDRESS),
		count: config.get(MBUS_METERS),
		secondary,
	};
}
