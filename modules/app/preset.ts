/**
 * What a unit can be given before its first start, and asked while it does not run. For hosts whose units are set up by
 * whoever makes them.
 */
import { ACCESS_IS_DEFAULT } from "../config/access-fields.js";
import { NetworkSettings } from "../config/network.js";
import { ConfigStore } from "../config/store.js";
import type { Storage, TextCodec } from "../io/host.js";

/** The unit is in this network from its first start on, with DHCP; lengths as in StationOptions. */
export function presetNetwork(storage: Storage, text: TextCodec, network: { ssid: string; password: string }): void {
	const settings = new NetworkSettings(new ConfigStore(storage, text), { hostname: "", accessPointKey: "" });
	settings.setStation({ ...network, dhcp: true });
	settings.keepStation();
}

/** The keys of settings that can't be read: damaged, or in a format of a newer firmware. The gateway would begin them anew. */
export function unreadableSettings(storage: Storage, text: TextCodec): string[] {
	return [...new ConfigStore(storage, text).damaged];
}

/** Nobody has changed the password. */
export function hasLabelPassword(storage: Storage, text: TextCodec): boolean {
	return new ConfigStore(storage, text).get(ACCESS_IS_DEFAULT);
}
