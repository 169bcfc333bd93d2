/** Zigbee settings, map and state. All boards have them; only the bridge needs a coprocessor. */

import { backupGroup } from "../../api/backup-group.js";
import { route } from "../../api/route.js";
import type { Core, Running } from "../../core/core.js";
import { type Facts, unixSeconds } from "../../core/facts.js";
import { sample } from "../../core/metrics-text.js";
import { METHOD_GET, METHOD_POST } from "../../http/request.js";
import { isMapping } from "../../obis/mapping.js";
import { changed, part } from "../../part/part.js";
import { MAPPING, MAPPING_ENTRY } from "../meter/mapping-fields.js";
import { ZIGBEE as ENTRY } from "./fields.js";
import { ZIGBEE_EVENTS } from "./log-events.js";
import {
	getZigbee,
	getZigbeeMap,
	isZigbeeEnabled,
	postZigbee,
	postZigbeeMap,
	postZigbeeReset,
	writeMap,
	ZIGBEE_MAP_BODY,
	ZIGBEE_SETTINGS,
} from "./routes.js";
import { NO_RADIO, type ZigbeeBridge } from "./status.js";

type Bridge = (ZigbeeBridge & Running) | undefined;

export const ZIGBEE = part<Bridge>({
	name: "zigbee",
	events: ZIGBEE_EVENTS,
	entries: Object.freeze([ENTRY, MAPPING_ENTRY]),
	routes: Object.freeze([
		route(METHOD_GET, "zigbee/config", getZigbee),
		route(METHOD_POST, "zigbee/config", postZigbee, { body: ZIGBEE_SETTINGS }),
		route(METHOD_POST, "zigbee/reset", postZigbeeReset),
		route(METHOD_GET, "zigbee/map", getZigbeeMap),
		route(METHOD_POST, "zigbee/map", postZigbeeMap, { body: ZIGBEE_MAP_BODY }),
	]),
	backup: Object.freeze([
		backupGroup("zigbee/config", ZIGBEE_SETTINGS),
		backupGroup("zigbee/map", ZIGBEE_MAP_BODY, { writeList: writeMap }),
	]),
	reactions: Object.freeze([
		changed(ENTRY.fields, (bridge: Bridge) => bridge?.settingsChanged()),
		changed(MAPPING_ENTRY.fields, (bridge: Bridge) => bridge?.mappingChanged()),
	]),
	open: (core) => {
		verifyMapping(core);
		return undefined;
	},
	state: (bridge) => [
		...["zigbee_state", bridge?.code ?? NO_RADIO],
		...["zigbee_sent", unixSeconds(bridge?.sentUtcMs ?? 0)],
	],
	status: (bridge, core) => {
		const facts: Facts[number][] = ["zigbee_enabled", isZigbeeEnabled(bridge, core)];
		const { joined, channel, panId } = bridge?.status() ?? {};
		if (joined && channel !== undefined && panId !== undefined)
			facts.push("zigbee_channel", channel, "zigbee_pan_id", panId);
		return facts;
	},
	metrics: (bridge) => {
		const sentS = unixSeconds(bridge?.sentUtcMs ?? 0);
		return (
			sample("gateway_zigbee_joined", "1 when the radio is in a network.", bridge && Number(bridge.isJoined)) +
			sample(
				"gateway_zigbee_report_timestamp_seconds",
				"Time of the last report that was acknowledged.",
				sentS || undefined,
			)
		);
	},
	report: (bridge, _, section) => {
		if (section !== "network") return "";
		return `zigbee: ${bridge?.code ?? NO_RADIO}, ${bridge?.status().coprocessor}`;
	},
});

/** Checks the stored map, which boards without a radio have too. */
export function verifyMapping({ config }: Core): void {
	config.verify(MAPPING, isMapping);
}
