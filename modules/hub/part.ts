/** Sending to a Home Assistant hub (API text, "Hub"; decisions 44, 45). */
import { backupGroup } from "../api/backup-group.js";
import { route, settingsRoutes } from "../api/route.js";
import { TrustedCertificates } from "../config/trusted-certificates.js";
import type { Core } from "../core/core.js";
import { secondsOf } from "../core/facts.js";
import { sample } from "../core/metrics-text.js";
import { METHOD_GET } from "../http/request.js";
import { METER } from "../meter/part.js";
import { applied, changed, part } from "../part.js";
import { Outlet } from "../publish/outlet.js";
import { WIFI_HOSTNAME } from "../wifi/fields.js";
import { NETWORK } from "../wifi/part.js";
import { HUB as ENTRY, HUB_CERTIFICATE, HUB_CERTIFICATE_LIMIT, HUB_ENABLED, HUB_TOKEN, HUB_URL } from "./fields.js";
import { Hub } from "./hub.js";
import { EVENT_HUB_BACK, EVENT_HUB_FAILED, HUB_EVENTS } from "./log-events.js";
import { getHubSend, HUB_SETTINGS } from "./routes.js";

export const HUB = part<Outlet<Hub>>({
	name: "hub",
	events: HUB_EVENTS,
	entries: Object.freeze([ENTRY]),
	routes: Object.freeze([
		...settingsRoutes("hub", HUB_SETTINGS),
		route(METHOD_GET, "hub/send", getHubSend, { waits: true }),
	]),
	backup: Object.freeze([
		backupGroup("hub", HUB_SETTINGS, {
			secrets: Object.freeze([HUB_TOKEN, HUB_CERTIFICATE]),
			boundTo: HUB_URL,
			needing: HUB_ENABLED,
		}),
	]),
	reactions: Object.freeze([
		applied(ENTRY.fields, ({ output }: Outlet<Hub>) => output?.settingsChanged()),
		// The hub's entities are called by the gateway's name.
		changed([WIFI_HOSTNAME], ({ output }: Outlet<Hub>) => output?.settingsChanged()),
	]),
	open: (core) => {
		const { config, storage, ledger } = core;
		const place = { store: config, storage, memory: ledger };
		const certificates = new TrustedCertificates(place, HUB_CERTIFICATE, "hub_cert", HUB_CERTIFICATE_LIMIT);
		return new Outlet(certificates, openHub(core, certificates));
	},
	state: ({ output }, core) => ["hub_state", stateOf(output, core), "hub_sent", secondsOf(output?.sentUtcMs ?? 0)],
	status: (_, { config }) => ["home_hub_enabled", config.get(HUB_ENABLED)],
	metrics: ({ output }) =>
		sample("gateway_hub_states_total", "States that the hub has taken.", output?.taken) +
		sample("gateway_hub_failures_total", "Failed attempts to send to the hub.", output?.failures),
	report: ({ output }, core, section) => (section === "network" ? `hub: ${stateOf(output, core)}` : ""),
});

function openHub(core: Core, certificates: TrustedCertificates): Hub | undefined {
	const { clock, config, crypto, driver, events, host, ledger, live, text, turn, writer } = core;
	if (core.safeMode !== "" || host.network.tcpClient === undefined) return undefined;
	const { manager, settings } = core.find(NETWORK);
	const { names, reader } = core.find(METER);
	return new Hub({
		certificates,
		clock,
		config,
		crypto,
		driver,
		ledger,
		live,
		names,
		networkSettings: settings,
		ports: host.network,
		power: host.power,
		radio: manager,
		reader,
		text,
		turn,
		user: {
			hubChanged: (failure) =>
				failure === undefined ? events.note(EVENT_HUB_BACK) : events.note(EVENT_HUB_FAILED, failure.code),
		},
		writer,
	});
}

/** `hub_state`: "unsupported" where nothing can be sent, as in safe mode. */
function stateOf(hub: Hub | undefined, { config }: Core): string {
	return config.get(HUB_ENABLED) ? (hub?.state ?? "unsupported") : "off";
}
