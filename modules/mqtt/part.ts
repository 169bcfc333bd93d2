/** Publishing by MQTT (decision 60). What is published, docs/mqtt.md tells. */
import { backupGroup } from "../api/backup-group.js";
import { route, settingsRoutes } from "../api/route.js";
import { TrustedCertificates } from "../config/trusted-certificates.js";
import type { Core } from "../core/core.js";
import { secondsOf } from "../core/facts.js";
import { sample } from "../core/metrics-text.js";
import { METHOD_GET } from "../http/request.js";
import { DLMS_OBIS } from "../meter/dlms-fields.js";
import { METER_PROTOCOL } from "../meter/fields.js";
import { METER } from "../meter/part.js";
import { applied, changed, part } from "../part.js";
import { Outlet } from "../publish/outlet.js";
import { NETWORK } from "../wifi/part.js";
import {
	MQTT as ENTRY,
	MQTT_ANNOUNCED,
	MQTT_CERTIFICATE,
	MQTT_CERTIFICATE_LIMIT,
	MQTT_ENABLED,
	MQTT_PASSWORD,
	MQTT_URL,
} from "./fields.js";
import { EVENT_MQTT_FAILED, EVENT_MQTT_SENT, MQTT_EVENTS } from "./log-events.js";
import { MQTT_UP } from "./publisher.js";
import { getMQTTSend, MQTT_SETTINGS } from "./routes.js";
import { MQTTService } from "./service.js";

export const MQTT = part<Outlet<MQTTService>>({
	name: "mqtt",
	events: MQTT_EVENTS,
	entries: Object.freeze([ENTRY, MQTT_ANNOUNCED]),
	routes: Object.freeze([
		...settingsRoutes("mqtt", MQTT_SETTINGS),
		route(METHOD_GET, "mqtt/send", getMQTTSend, { waits: true }),
	]),
	backup: Object.freeze([
		backupGroup("mqtt", MQTT_SETTINGS, {
			secrets: Object.freeze([MQTT_PASSWORD, MQTT_CERTIFICATE]),
			boundTo: MQTT_URL,
			needing: MQTT_ENABLED,
		}),
	]),
	reactions: Object.freeze([
		// Another meter's values are not those that were announced.
		changed([METER_PROTOCOL, ...DLMS_OBIS.fields], ({ output }: Outlet<MQTTService>) => output?.forgetMeter()),
		applied(ENTRY.fields, ({ output }: Outlet<MQTTService>) => output?.settingsChanged()),
	]),
	open: (core) => {
		const { config, storage, ledger } = core;
		const place = { store: config, storage, memory: ledger };
		const certificates = new TrustedCertificates(place, MQTT_CERTIFICATE, "mqtt_cert", MQTT_CERTIFICATE_LIMIT);
		return new Outlet(certificates, openService(core, certificates));
	},
	state: ({ output }, core) => ["mqtt_state", stateOf(output, core), "mqtt_sent", secondsOf(output?.sentUtcMs ?? 0)],
	metrics: ({ output }) => {
		const { connections, published, failures, state } = output?.publisher ?? {};
		return (
			sample("gateway_mqtt_connected", "1 when the broker is.", state && Number(state === MQTT_UP)) +
			sample("gateway_mqtt_connections_total", "Sessions with the broker.", connections) +
			sample("gateway_mqtt_messages_total", "Messages that the broker has taken.", published) +
			sample("gateway_mqtt_failures_total", "Sessions and connections that have failed.", failures)
		);
	},
	report: ({ output }, core, section) => (section === "network" ? `mqtt: ${stateOf(output, core)}` : ""),
});

function openService(core: Core, certificates: TrustedCertificates): MQTTService | undefined {
	const { clock, config, crypto, driver, events, host, info, ledger, live, saving, text, turn, writer } = core;
	if (core.safeMode !== "" || host.network.tcpClient === undefined) return undefined;
	const { manager, settings } = core.find(NETWORK);
	const { names, reader } = core.find(METER);
	const service = new MQTTService({
		certificates,
		clock,
		config,
		crypto,
		driver,
		info,
		ledger,
		live,
		names,
		networkSettings: settings,
		ports: host.network,
		reader,
		saving,
		text,
		turn,
		user: {
			mqttChanged: (failure) =>
				failure === undefined ? events.note(EVENT_MQTT_SENT) : events.note(EVENT_MQTT_FAILED, failure.code),
		},
		writer,
	});
	// Without a radio there is always a network.
	if (manager === undefined) service.networkChanged(true);
	return service;
}

/** `mqtt_state`: "unsupported" where nothing can be sent, as in safe mode. */
function stateOf(service: MQTTService | undefined, { config }: Core): string {
	return config.get(MQTT_ENABLED) ? (service?.stateText ?? "unsupported") : "off";
}
