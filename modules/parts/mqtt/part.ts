/** Part that publishes over MQTT. docs/mqtt.md describes the messages. */

import { backupGroup } from "../../api/backup-group.js";
import { UNSUPPORTED } from "../../api/errors.js";
import { settingsRoutes } from "../../api/route.js";
import type { Core } from "../../core/core.js";
import { unixSeconds } from "../../core/facts.js";
import { sample } from "../../core/metrics-text.js";
import { kind } from "../../diagnostics/events.js";
import { COMMAND_IDENTIFY, COMMAND_READ } from "../../mqtt/messages.js";
import { applied, changed, part } from "../../part/part.js";
import { SETTINGS_FILES } from "../../provision/settings-files.js";
import { DLMS_OBIS } from "../meter/dlms-fields.js";
import { METER_PROTOCOL } from "../meter/fields.js";
import { METER } from "../meter/part.js";
import { NETWORK } from "../network/part.js";
import { PEAKS } from "../peaks/fields.js";
import { PROVISION } from "../provision/part.js";
import { OutputPart } from "../publish/output-part.js";
import { PUBLISH } from "../publish/part.js";
import { sendRoute } from "../publish/send-route.js";
import { UPDATE } from "../update/part.js";
import { MQTT as ENTRY, MQTT_ANNOUNCED, MQTT_CERTIFICATE, MQTT_ENABLED, MQTT_PASSWORD, MQTT_URL } from "./fields.js";
import { MQTT_UP } from "./publisher.js";
import { MQTT_SETTINGS } from "./routes.js";
import { EVENT_MQTT_FAILED, EVENT_MQTT_SENT, MQTT_PART, MQTTService } from "./service.js";

/** A command that changes something was carried out. The event's detail is the command. */
const EVENT_MQTT_COMMAND = kind(36, "mqtt_command", { isPlain: true });
/** A command was ignored. The event's detail is the reason. */
const EVENT_MQTT_IGNORED = kind(37, "mqtt_command_ignored", { isPlain: true });

const MQTT_EVENTS = Object.freeze([EVENT_MQTT_FAILED, EVENT_MQTT_SENT, EVENT_MQTT_COMMAND, EVENT_MQTT_IGNORED]);

export const MQTT = part<OutputPart<MQTTService>>({
	name: "mqtt",
	events: MQTT_EVENTS,
	entries: Object.freeze([ENTRY, MQTT_ANNOUNCED]),
	routes: Object.freeze([...settingsRoutes("mqtt", MQTT_SETTINGS), sendRoute("mqtt/send")]),
	backup: Object.freeze([
		backupGroup("mqtt", MQTT_SETTINGS, {
			secrets: Object.freeze([MQTT_PASSWORD, MQTT_CERTIFICATE]),
			boundTo: MQTT_URL,
			needing: MQTT_ENABLED,
		}),
	]),
	reactions: Object.freeze([
		changed([METER_PROTOCOL, ...DLMS_OBIS.fields, ...PEAKS.fields], ({ sender }: OutputPart<MQTTService>) =>
			sender?.forgetMeter(),
		),
		applied(ENTRY.fields, ({ sender }: OutputPart<MQTTService>) => sender?.settingsChanged()),
	]),
	open: (core) => {
		const deps = core.find(PUBLISH);
		if (deps === undefined) return new OutputPart<MQTTService>(core, MQTT_PART);
		const delayMs = (SPREAD_MS * core.crypto.random(1)[0]) / 255;
		const service = new MQTTService(
			core,
			deps,
			(name, whyNot) => command(core, name, whyNot),
			delayMs,
			SETTINGS_FILES ? core.find(PROVISION).receiver : undefined,
		);
		// A device without a radio counts as always connected.
		if (core.find(NETWORK).manager === undefined) service.whenNetworkChanged(true);
		return service;
	},
	state: ({ sender }, core) => [
		...["mqtt_state", stateOf(sender, core)],
		...["mqtt_sent", unixSeconds(sender?.output.sentUtcMs ?? 0)],
	],
	metrics: ({ sender }) => {
		const { connections, published, state } = sender?.publisher ?? {};
		const failures = state && sender?.output.failures;
		return (
			sample("gateway_mqtt_connected", "1 when the broker is.", state && Number(state === MQTT_UP)) +
			sample("gateway_mqtt_connections_total", "Sessions with the broker.", connections) +
			sample("gateway_mqtt_messages_total", "Messages that the broker accepted.", published) +
			sample("gateway_mqtt_failures_total", "Failed sessions and connections.", failures)
		);
	},
	report: ({ sender }, core, section) => (section === "network" ? `mqtt: ${stateOf(sender, core)}` : ""),
});

const IDENTIFY_MS = 15_000;
/**
 * Longest delay of the first connection, ms. It prevents that all gateways connect at the same time after a power cut.
 */
const SPREAD_MS = 10_000;
const NOBODY = Object.freeze({ finished: () => {} });

/** Carries out a command. If `whyNot` is not "", ignores the command and logs this reason. */
function command(core: Core, name: string, whyNot: string): void {
	let refusal = whyNot;
	if (refusal === "") {
		if (name === COMMAND_READ) core.find(METER).reader.read(NOBODY);
		else if (name === COMMAND_IDENTIFY) core.light?.identifying(true, IDENTIFY_MS);
		else {
			refusal = core.find(UPDATE)?.install() ?? UNSUPPORTED;
			if (refusal === "") core.events.note(EVENT_MQTT_COMMAND, name);
		}
	}
	if (refusal !== "") core.events.note(EVENT_MQTT_IGNORED, refusal);
}

/** Returns the state in the status. It is "unsupported" if publishing is impossible, for example in safe mode. */
function stateOf(service: MQTTService | undefined, { config }: Core): string {
	return config.get(MQTT_ENABLED) ? (service?.stateText ?? "unsupported") : "off";
}
