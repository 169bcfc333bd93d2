/** Settings of the Ethernet port: on or off, DHCP or a static address. */

import { type BodyValues, needed } from "../../../api/body.js";
import { UNSUPPORTED } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { booleanMember } from "../../../api/members.js";
import { failField, settingsOf, writeSettings } from "../../../api/settings.js";
import { parseIPv4 } from "../../../bytes/ipv4.js";
import { type Put, put } from "../../../config/schema.js";
import { CABLE_LOST, CABLE_NO_ADDRESS } from "../../../network/cable.js";
import {
	ETHERNET_DHCP,
	ETHERNET_DNS,
	ETHERNET_ENABLED,
	ETHERNET_GATEWAY,
	ETHERNET_IP,
	ETHERNET_NETMASK,
} from "../fields.js";
import type { Networking } from "../networking.js";
import { isStatic, writeWayBack } from "./settings.js";

const ADDRESS = Object.freeze([ETHERNET_IP, ETHERNET_NETMASK, ETHERNET_GATEWAY] as const);
const ADDRESS_SETTINGS = Object.freeze([ETHERNET_DHCP, ...ADDRESS, ETHERNET_DNS]);

export const ETHERNET_SETTINGS = settingsOf(
	Object.freeze([ETHERNET_ENABLED, ...ADDRESS_SETTINGS]),
	[ETHERNET_ENABLED.name, ETHERNET_DHCP.name],
	{ show, accept },
);

export function isEthernetEnabled({ core, part }: Exchange<Networking>): boolean {
	return part.manager?.cable !== undefined && core.config.get(ETHERNET_ENABLED);
}

/** `error`: CABLE_WELL, CABLE_LOST or CABLE_NO_ADDRESS. */
export function ethernetErrorOf(error: number | undefined): string {
	if (error === CABLE_LOST) return "ethernet/lost";
	return error === CABLE_NO_ADDRESS ? "ethernet/no-address" : "";
}

export function acceptEthernet(exchange: Exchange<Networking>, values: BodyValues): readonly Put[] | undefined {
	const dhcp = needed(values, ETHERNET_DHCP);
	const dns = values.get(ETHERNET_DNS) ?? "";
	if (!dhcp && !isStatic(exchange, values, ADDRESS)) return undefined;
	if (!dhcp && dns !== "" && parseIPv4(dns) <= 0) {
		failField(exchange, ETHERNET_DNS, "dns must be an IPv4 address, or empty for that of the gateway.");
		return undefined;
	}
	return [
		put(ETHERNET_ENABLED, values.get(ETHERNET_ENABLED)),
		put(ETHERNET_DHCP, dhcp),
		put(ETHERNET_DNS, dhcp ? "" : dns),
		...ADDRESS.map((field) => put(field, dhcp ? "" : values.get(field))),
	];
}

function show(exchange: Exchange<Networking>): void {
	const enabled = isEthernetEnabled(exchange);
	exchange.object((writer) => {
		booleanMember(writer, ETHERNET_ENABLED.name, enabled);
		writeSettings(writer, exchange.core.config, ADDRESS_SETTINGS);
		writeWayBack(exchange);
	});
}

function accept(exchange: Exchange<Networking>, values: BodyValues): readonly Put[] | undefined {
	if (!values.get(ETHERNET_ENABLED) || exchange.part.manager?.cable !== undefined)
		return acceptEthernet(exchange, values);
	exchange.fail(501, UNSUPPORTED, "This device has no Ethernet port.");
	return undefined;
}
