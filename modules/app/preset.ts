/** What a unit can be given before its first start. For hosts whose units are set up by whoever makes them. */
import { NetworkSettings } from "../config/network.js";
import { ConfigStore } from "../config/store.js";
import type { Storage, TextCodec } from "../io/host.js";

/** The unit is in this network from its first start on, with DHCP; lengths as in StationOptions. */
export function presetNetwork(storage: Storage, text: TextCodec, network: { ssid: string; password: string }): void {
	const settings = new NetworkSettings(new ConfigStore(storage, text), { hostname: "", accessPointKey: "" });
	settings.setStation({ ...network, dhcp: true });
	settings.keepStation();
}
