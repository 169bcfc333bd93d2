/** Writes and checks the settings of a device that is not running, for hosts that preconfigure devices. */

import { put } from "../config/schema.js";
import { ConfigStore } from "../config/store.js";
import type { Storage, TextCodec } from "../io/host.js";
import { ACCESS_IS_DEFAULT } from "../parts/auth/fields.js";
import { HUB_ENABLED, HUB_TOKEN, HUB_URL } from "../parts/hub/fields.js";
import {
	SCHEDULE_ENABLED,
	SCHEDULE_PERIOD_UNIT,
	SCHEDULE_PERIOD_VALUE,
	UNIT_MINUTES,
} from "../parts/meter/schedule-fields.js";
import { NetworkSettings } from "../parts/network/settings.js";
import { ENTRIES } from "./parts.js";

/** Stores a Wi-Fi network that uses DHCP. The maximum lengths of name and password are those of StationOptions. */
export function presetNetwork(storage: Storage, text: TextCodec, network: { ssid: string; password: string }): void {
	const settings = new NetworkSettings(new ConfigStore(storage, text, ENTRIES), {
		hostname: "",
		accessPointKey: "",
		isGentle: false,
	});
	settings.setStation({ ...network, dhcp: true });
	settings.keepStation();
}

/**
 * Stores the settings of a hub, and a schedule of one readout per minute. Returns false if exactly these settings were
 * stored already. Throws if flash refuses.
 */
export function presetHub(storage: Storage, text: TextCodec, { url, token }: { url: string; token: string }): boolean {
	return new ConfigStore(storage, text, ENTRIES).change([
		put(SCHEDULE_ENABLED, true),
		put(SCHEDULE_PERIOD_UNIT, UNIT_MINUTES),
		put(SCHEDULE_PERIOD_VALUE, 1),
		put(HUB_ENABLED, true),
		put(HUB_URL, url),
		put(HUB_TOKEN, token),
	]);
}

/**
 * Returns the storage keys of settings that this firmware can't read, because they are damaged or were written by newer
 * firmware. The gateway would use the defaults instead.
 */
export function unreadableSettings(storage: Storage, text: TextCodec): string[] {
	return [...new ConfigStore(storage, text, ENTRIES).damaged];
}

export function hasLabelPassword(storage: Storage, text: TextCodec): boolean {
	return new ConfigStore(storage, text, ENTRIES).get(ACCESS_IS_DEFAULT);
}
