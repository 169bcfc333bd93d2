/**
 * Home Assistant's own integrations Shelly, HomeWizard and DSMR read our gateway, in XS as on the device. HomeWizard asks
 * only the ports of a meter, 80 and 443, so the gateway listens there.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { ProcessGateway } from "../api/process-gateway.js";
import { waitFor } from "./home.js";
import { type Answer, HomeAssistant } from "./home-assistant.js";
import { EXPORT, type House, IMPORT, LATER, showHouse, sum, wattsOf } from "./live-meter.js";
import { PeerMissing } from "./peer.js";

const HTTP = 80;
const HTTPS = 443;
const TELEGRAMS = 2001;
const LOOPBACK = "127.0.0.1";
/** Home Assistant asks HomeWizard each 5 s; Shelly sends counters at once, and each minute. */
const COUNTERS_LIMIT_MS = 120_000;
/** A connection that fails is tried again after up to a minute. */
const RETURN_LIMIT_MS = 180_000;
const SILENCE_LIMIT_MS = 120_000;
const FLOWS = "/api/config/config_entries/flow";
const COMPLAINT = /(WARNING|ERROR).*(shelly|homewizard|dsmr)/;
/** Expected while the meter is silent or the gateway is gone. */
const OURS = /connect|communicat|Error fetching|unavailable|Timeout|not ready/i;

interface MeteredHome {
	readonly hass: HomeAssistant;
	readonly gateway: ProcessGateway;
	/** Address of this computer in its network, if any. */
	readonly address: string | undefined;
}

async function requireFree(port: number): Promise<void> {
	const server = createServer().listen(port);
	try {
		await once(server, "listening");
	} catch (error) {
		throw new PeerMissing(`port ${port} can't be opened: ${(error as NodeJS.ErrnoException).code}`);
	}
	server.close();
	await once(server, "close");
}

export async function prepareHomeMeters(): Promise<MeteredHome> {
	for (const port of [HTTP, HTTPS, TELEGRAMS]) await requireFree(port);
	const own = Object.values(networkInterfaces())
		.flatMap((list) => list ?? [])
		.find(({ family, internal }) => family === "IPv4" && !internal);
	const hass = await HomeAssistant.start("zeroconf:\n");
	try {
		const args = ["--http-port", String(HTTP), "--https-port", String(HTTPS)];
		const gateway = await ProcessGateway.start("xs", { isAhead: true, args });
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
		const addresses = own === undefined ? [LOOPBACK] : [LOOPBACK, own.address];
		await gateway.write("live-meter/clients", { clients: addresses.map((address) => ({ address })) });
		// Without values Shelly's WebSocket is refused, and Home Assistant tries what it discovers only once.
		await showHouse(gateway, IMPORT);
		await gateway.write("live-meter", { shelly: true, homewizard: true, telegrams: true, shelly_udp_port: 0 });
		await gateway.untilNetwork(({ connected }) => connected);
		return { hass, gateway, address: own?.address };
	} catch (error) {
		await hass.end();
		throw error;
	}
}

export async function endHomeMeters({ hass, gateway }: MeteredHome): Promise<void> {
	try {
		await gateway.stop();
	} finally {
		await hass.end();
	}
}

/** Entities of the integrations: integration, end of the unique identifier, and the value in W, kWh or m³. */
type Shown = readonly [platform: string, id: string, value: number];

function shownOf(of: (code: string) => number): readonly Shown[] {
	return [
		["shelly", "-em:0-total_act_power", wattsOf(of)],
		["shelly", "-emdata:0-total_act", sum(of, "1")],
		["shelly", "-emdata:0-total_act_ret", sum(of, "2")],
		["homewizard", "_active_power_w", wattsOf(of)],
		["homewizard", "_total_power_import_kwh", sum(of, "1")],
		["homewizard", "_total_power_export_kwh", sum(of, "2")],
		["homewizard", "_gas_meter_G0067890", 1234.567],
		["homewizard", "_water_meter_W0024680", 12.345],
		["dsmr", "_current_electricity_usage", of("1.7.0")],
		["dsmr", "_current_electricity_delivery", of("2.7.0")],
		["dsmr", "_electricity_used_tariff_1", of("1.8.1")],
		["dsmr", "_electricity_delivered_tariff_2", of("2.8.2")],
		["dsmr", Buffer.from("G0067890").toString("hex"), 1234.567],
	];
}

const POWERS = shownOf(() => 0).filter(([, id]) => /(power(_w)?|usage|delivery)$/.test(id));

/** States of these entities, in their order. */
async function statesOf({ hass }: MeteredHome, shown: readonly Shown[]): Promise<string[]> {
	const [registry] = await hass.sendCommands({ type: "config/entity_registry/list" });
	const states = await hass.states();
	return shown.map(([platform, id]) => {
		const entity = registry.find((one: Answer) => one.platform === platform && one.unique_id.endsWith(id));
		return states.find(({ entity_id }) => entity_id === entity?.entity_id)?.state ?? `no ${id}`;
	});
}

async function untilStates(home: MeteredHome, limitMs: number, shown: readonly Shown[], expected: unknown[]) {
	let states: string[] = [];
	await waitFor("", limitMs, async () => {
		states = await statesOf(home, shown);
		return states.every((state, i) => state === expected[i] || Number(state) === expected[i]) ? true : undefined;
	}).catch(() => assert.deepEqual(states, expected));
}

async function untilShown(home: MeteredHome, house: House, limitMs = RETURN_LIMIT_MS): Promise<void> {
	const shown = shownOf(await showHouse(home.gateway, house));
	await untilStates(
		home,
		limitMs,
		shown,
		shown.map(([, , value]) => value),
	);
}

const untilUnavailable = (home: MeteredHome) =>
	untilStates(
		home,
		SILENCE_LIMIT_MS,
		POWERS,
		POWERS.map(() => "unavailable"),
	);

/**
 * Answers the forms of a flow until its integration is added. Home Assistant discovers the gateway again while its entry
 * is removed, so both WebSockets may be in use for a moment; and DSMR does not wait long for a telegram.
 */
async function finishFlow(hass: HomeAssistant, flow: Answer, forms: Record<string, unknown>): Promise<void> {
	let result = flow;
	for (const [step, answers] of Object.entries(forms)) {
		if (result.step_id !== step) continue;
		result = await waitFor(`${step}: no connection`, RETURN_LIMIT_MS, async () => {
			const reply = await hass.request("POST", `${FLOWS}/${flow.flow_id}`, answers);
			return reply.errors?.base?.startsWith("cannot_") ? undefined : reply;
		});
	}
	assert.equal(result.type, "create_entry", JSON.stringify(result));
}

/** Reads the telegrams with Home Assistant's DSMR, as from a serial port. */
async function addDSMR(hass: HomeAssistant): Promise<void> {
	const flow = await hass.request("POST", FLOWS, { handler: "dsmr" });
	await finishFlow(hass, flow, { user: { port: `socket://${LOOPBACK}:${TELEGRAMS}`, dsmr_version: "5" } });
}

/** Identifiers of the entries of Shelly and HomeWizard. */
async function entriesOf(hass: HomeAssistant): Promise<string[]> {
	const [entries] = await hass.sendCommands({ type: "config_entries/get" });
	return entries
		.filter(({ domain }: Answer) => ["shelly", "homewizard"].includes(domain))
		.map(({ entry_id }: Answer) => entry_id);
}

export const homeMeterCases = [
	{
		name: "Home Assistant discovers the gateway as a Shelly and as a HomeWizard P1 meter, reads its telegrams, and shows all",
		async run(home: MeteredHome) {
			const { hass, address } = home;
			if (address === undefined) throw new PeerMissing("this computer is in no network");
			for (const handler of ["shelly", "homewizard"]) {
				const flow = await waitFor(`${handler} is not discovered`, RETURN_LIMIT_MS, async () => {
					const [flows] = await hass.sendCommands({ type: "config_entries/flow/progress" });
					return flows.find((one: Answer) => one.handler === handler && one.context.source === "zeroconf");
				});
				await finishFlow(hass, flow, { confirm_discovery: {}, discovery_confirm: {} });
			}
			await addDSMR(hass);
			await untilShown(home, IMPORT);
		},
	},
	{
		name: "Home Assistant reads the gateway by its address",
		async run(home: MeteredHome) {
			const { hass } = home;
			for (const entry of await entriesOf(hass))
				await hass.request("DELETE", `/api/config/config_entries/entry/${entry}`);
			await finishFlow(hass, await hass.request("POST", FLOWS, { handler: "shelly" }), {
				user: { device: "manual" },
				user_manual: { host: LOOPBACK, port: HTTP, verify_ssl: false },
			});
			await finishFlow(hass, await hass.request("POST", FLOWS, { handler: "homewizard" }), {
				user: { ip_address: LOOPBACK },
			});
			await untilShown(home, IMPORT);
			const [devices] = await hass.sendCommands({ type: "config/device_registry/list" });
			const models = devices.map(({ model_id }: Answer) => model_id);
			assert.ok(models.includes("SPEM-003CEBEU") && models.includes("HWE-P1"), JSON.stringify(devices));
		},
	},
	{
		name: "power changes its sign, and the counters rise with the meter's",
		async run(home: MeteredHome) {
			await untilShown(home, EXPORT);
			await untilShown(home, LATER, COUNTERS_LIMIT_MS);
		},
	},
	{
		name: "power is unavailable while the meter is silent, and comes back with it",
		async run(home: MeteredHome) {
			home.gateway.silenceMeter(true);
			await untilUnavailable(home);
			home.gateway.silenceMeter(false);
			await untilShown(home, LATER);
		},
	},
	{
		name: "the values are back after a restart of the gateway, and of Home Assistant",
		async run(home: MeteredHome) {
			const { gateway, hass } = home;
			await gateway.restart();
			await gateway.login();
			await untilShown(home, { ...LATER, taken: "00.250", given: "00.000" });
			await hass.end();
			await hass.begin();
			await untilShown(home, LATER);
		},
	},
	{
		name: "Home Assistant logs no other error about the meters",
		async run({ hass }: MeteredHome) {
			const complaints = hass.log.split("\n").filter((line) => COMPLAINT.test(line) && !OURS.test(line));
			assert.deepEqual(complaints, []);
		},
	},
];
