/**
 * Home Assistant with our own integration (hosts/homeassistant), and our gateway in XS as on the device: discovery, values,
 * silence, restarts, keys, tokens, updates, and a year of history.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { PASSWORD } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { serverIdentity } from "../api/server-identity.js";
import { Unit } from "../history/unit.js";
import { makeFile, SIGNER, VERSION } from "../update/firmware-files.js";
import { FileServer } from "./file-server.js";
import { waitFor } from "./home.js";
import { type Answer, type EntityState, HomeAssistant } from "./home-assistant.js";
import { EXPORT, type House, IMPORT, LATER, showHouse, wattsOf } from "./live-meter.js";
import { Mosquitto } from "./mosquitto.js";
import { freePort, PEER_SOURCES, PeerMissing } from "./peer.js";

const DOMAIN = "smart_meter_gateway";
const CUSTOM = join(PEER_SOURCES, "..", "..", "hosts", "homeassistant", "custom_components");
const FLOWS = "/api/config/config_entries/flow";
const FOUND_LIMIT_MS = 60_000;
/** A value is on the way for a second, and Home Assistant asks once more after it. */
const VALUE_LIMIT_MS = 10_000;
/** The meter counts as silent after 30 s; a gateway without power is noticed after 40 s, and a request takes 20 s. */
const SILENCE_LIMIT_MS = 90_000;
const RETURN_LIMIT_MS = 120_000;
const INSTALL_LIMIT_MS = 180_000;
/** Home Assistant reloads the entry 30 s after an entity was enabled. */
const ENABLE_LIMIT_MS = 60_000;
/** Usual time of the case with a year of history. */
const YEAR_CASE_MS = 150_000;
/** Time in which values are counted, s. */
const WATCH_S = 20;
const DAY_S = 86_400;
const HOUR_S = 3600;
/** Values whose entities are compared with those of MQTT. */
const KEYS = ["power_net", "1_0_1_8_1", "1_0_32_7_0", "0_1_24_2_1"];
const COMPLAINT = /(WARNING|ERROR).*smart_meter_gateway/;
/** Expected of any custom integration, and while the gateway is gone or another one. */
const EXPECTED = /custom integration|Error fetching|not ready|Authentication failed|could not authenticate/;

interface IntegratedHome {
	readonly hass: HomeAssistant;
	readonly gateway: ProcessGateway;
	readonly serial: string;
	entry: string;
	/** The gateway's certificate after it was changed, PEM. */
	certificate: string;
}

/** The counters of LATER, with a power that is imported. */
const LAST: House = { ...LATER, taken: IMPORT.taken, given: IMPORT.given };

export async function prepareIntegration(): Promise<IntegratedHome> {
	const hass = await HomeAssistant.start("zeroconf:\n", CUSTOM);
	try {
		const key = join(mkdtempSync(join(tmpdir(), "integration-")), "key.pem");
		writeFileSync(key, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
		// The gateway serves three connections; two are for Home Assistant.
		const args = ["--https-port", String(await freePort()), "--update-key", key];
		const gateway = await ProcessGateway.start("xs", { isAhead: true, connections: 1, args });
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
		await showHouse(gateway, IMPORT);
		await gateway.untilNetwork(({ connected }) => connected);
		const { serial } = (await gateway.read("system/version")).device;
		return { hass, gateway, serial: serial.toLowerCase(), entry: "", certificate: "" };
	} catch (error) {
		await hass.end();
		throw error;
	}
}

export async function endIntegration({ hass, gateway }: IntegratedHome): Promise<void> {
	try {
		await gateway.stop();
	} finally {
		await hass.end();
	}
}

/** The integration's entity with this key, as registered. */
async function entityOf({ hass, serial }: IntegratedHome, key: string): Promise<Answer | undefined> {
	const [registry] = await hass.sendCommands({ type: "config/entity_registry/list" });
	return registry.find((one: Answer) => one.platform === DOMAIN && one.unique_id === `${serial}_${key}`);
}

/** State of the integration's entity with this key. */
async function stateOf(home: IntegratedHome, key: string): Promise<EntityState | undefined> {
	const found = await entityOf(home, key);
	return found === undefined ? undefined : home.hass.state(found.entity_id);
}

/**
 * Enables an entity that is disabled at first, as Home Assistant's page does; returns its id once it has a value. It is
 * unavailable until the entry reloads.
 */
async function enable(home: IntegratedHome, key: string): Promise<string> {
	const { hass } = home;
	const { entity_id, disabled_by } = (await entityOf(home, key))!;
	assert.equal(disabled_by, "integration");
	await hass.sendCommands({ type: "config/entity_registry/update", entity_id, disabled_by: null });
	return waitFor(`no ${key}`, ENABLE_LIMIT_MS, async () => {
		const { state = "unavailable" } = (await hass.state(entity_id)) ?? {};
		return state === "unavailable" ? undefined : entity_id;
	});
}

async function until(home: IntegratedHome, key: string, expected: string | number, limitMs: number): Promise<void> {
	let shown: string | undefined;
	await waitFor("", limitMs, async () => {
		shown = (await stateOf(home, key))?.state;
		return shown === expected || Number(shown) === expected ? true : undefined;
	}).catch(() => assert.equal(shown, expected, `${key}\n${home.hass.log.slice(-3000)}`));
}

/** Shows these values to the gateway, and waits until Home Assistant has them. */
async function untilShown(home: IntegratedHome, house: House, limitMs = VALUE_LIMIT_MS): Promise<void> {
	const of = await showHouse(home.gateway, house);
	await until(home, "power_net", wattsOf(of), limitMs);
	await until(home, "1_0_1_8_1", of("1.8.1"), limitMs);
	await until(home, "0_1_24_2_1", 1234.567, limitMs);
}

/** Enters the password in a flow of this source, once there is one. */
async function enterPassword({ hass, serial }: IntegratedHome, source: string): Promise<Answer> {
	const flow = await waitFor(`no flow by ${source}`, FOUND_LIMIT_MS, async () => {
		const [flows] = await hass.sendCommands({ type: "config_entries/flow/progress" });
		// Other gateways may run in this network.
		return flows.find(
			({ handler, context }: Answer) =>
				handler === DOMAIN && context.source === source && serial.endsWith(context.unique_id),
		);
	});
	// Shows the form, as its page does.
	await hass.request("GET", `${FLOWS}/${flow.flow_id}`);
	return hass.request("POST", `${FLOWS}/${flow.flow_id}`, { password: PASSWORD, allow_control: true });
}

const reload = ({ hass, entry }: IntegratedHome) =>
	hass.request("POST", `/api/config/config_entries/entry/${entry}/reload`);

/** Writes a year of readings, each quarter of an hour, into the flash of the gateway. Returns the imported Wh. */
async function writeYear({ gateway }: IntegratedHome): Promise<number> {
	const unit = new Unit("UTC");
	const endS = Math.floor(Date.now() / 1000 / HOUR_S) * HOUR_S;
	let [imported, exported] = [1_000_000, 2_000_000];
	for (let timeS = endS - 365 * DAY_S; timeS <= endS; timeS += HOUR_S / 4) {
		imported += (timeS / 900) % 96;
		exported += (timeS / 900) % 7;
		unit.read(timeS, { import: imported, export: exported });
	}
	const bytes = new Uint8Array(unit.partition.size);
	unit.partition.read(0, bytes);
	await gateway.cutPower();
	writeFileSync(join(gateway.stateFolder, "partitions", "history.bin"), bytes);
	await gateway.restorePower();
	await gateway.login();
	return unit.sum("days");
}

/** All rows of a statistic, with the consumption as the energy dashboard asks for it. */
async function rowsOf({ hass, serial }: IntegratedHome, key: string): Promise<Answer[]> {
	const id = `${DOMAIN}:${serial}_${key}`;
	const [result] = await hass.sendCommands({
		type: "recorder/statistics_during_period",
		...{ start_time: "1999-12-31T00:00:00Z", statistic_ids: [id], period: "hour", types: ["change", "sum"] },
	});
	return result[id] ?? [];
}

export const integrationCases = [
	{
		name: "Home Assistant discovers the gateway, and shows its values after the password is entered",
		async run(home: IntegratedHome) {
			const isInNetwork = Object.values(networkInterfaces()).some((list) =>
				list?.some(({ family, internal }) => family === "IPv4" && !internal),
			);
			if (!isInNetwork) throw new PeerMissing("this computer is in no network");
			const { hass, gateway } = home;
			const result = await enterPassword(home, "zeroconf");
			assert.equal(result.type, "create_entry", JSON.stringify(result));
			home.entry = result.result.entry_id;
			const { tokens } = await gateway.read("system/tokens");
			assert.deepEqual(
				tokens.map(({ name, scope }: Answer) => [name, scope]),
				[["Home Assistant", "full"]],
			);
			await untilShown(home, IMPORT);
			assert.equal((await stateOf(home, "0_1_24_2_1"))?.attributes.device_class, "gas");
			assert.equal((await stateOf(home, "0_2_24_2_1"))?.attributes.device_class, "water");
			await until(home, "meter", "on", VALUE_LIMIT_MS);
			const [devices] = await hass.sendCommands({ type: "config/device_registry/list" });
			const device = devices.find((one: Answer) => one.serial_number?.toLowerCase() === home.serial);
			assert.equal(device.name, gateway.hostname);
			assert.match(device.configuration_url, /^https:/);
		},
	},
	{
		name: "Home Assistant has each new value within seconds, and one for each second",
		async run(home: IntegratedHome) {
			await untilShown(home, EXPORT);
			const entity_id = await enable(home, "last_readout");
			await untilShown(home, LATER);
			const start = new Date().toISOString();
			await sleep(WATCH_S * 1000);
			// Its recorder has each state; the test would be too slow to see all.
			const path = `/api/history/period/${start}?filter_entity_id=${entity_id}`;
			const [states] = await home.hass.request("GET", path);
			assert.ok(states.length >= 0.7 * WATCH_S, `${states.length} values in ${WATCH_S} s`);
		},
	},
	{
		name: "a browser and Home Assistant share the gateway: without the event stream, Home Assistant polls",
		async run(home: IntegratedHome) {
			const { gateway } = home;
			await gateway.restart();
			await gateway.login();
			const page = await waitFor("the stream is not free", RETURN_LIMIT_MS, async () => {
				const follower = gateway.follow();
				await sleep(500);
				if (follower.status === 200) return follower;
				follower.leave();
				return undefined;
			});
			await untilShown(home, LAST, RETURN_LIMIT_MS);
			assert.equal(page.isClosed, false);
			await untilShown(home, LATER, 30_000);
			page.leave();
		},
	},
	{
		name: "the power is unavailable while the meter is silent, and comes back with it; counters stay",
		async run(home: IntegratedHome) {
			home.gateway.silenceMeter(true);
			await until(home, "power_net", "unavailable", SILENCE_LIMIT_MS);
			assert.equal(Number((await stateOf(home, "1_0_1_8_1"))?.state), 13.001);
			assert.equal((await stateOf(home, "meter"))?.state, "off");
			assert.equal((await stateOf(home, "problem"))?.attributes.meter, "meter/silent");
			home.gateway.silenceMeter(false);
			await untilShown(home, LATER, RETURN_LIMIT_MS);
			await until(home, "meter", "on", VALUE_LIMIT_MS);
		},
	},
	{
		name: "all values are unavailable without the gateway, and back after its restart and that of Home Assistant",
		async run(home: IntegratedHome) {
			const { gateway, hass } = home;
			await gateway.cutPower();
			for (const key of ["power_net", "1_0_1_8_1", "meter"]) await until(home, key, "unavailable", SILENCE_LIMIT_MS);
			await gateway.restorePower();
			await gateway.login();
			await untilShown(home, LAST, RETURN_LIMIT_MS);
			await hass.end();
			await hass.begin();
			await untilShown(home, LATER, RETURN_LIMIT_MS);
		},
	},
	{
		name: "a certificate with another key is refused until the password is entered again",
		async run(home: IntegratedHome) {
			const { gateway } = home;
			const { cert, key } = serverIdentity(gateway.hostname);
			home.certificate = cert;
			const reply = await gateway.post("system/certificate", `${cert}${key}`);
			assert.equal(reply.status, 200, reply.text);
			await gateway.rebooted(cert);
			await gateway.login();
			await until(home, "power_net", "unavailable", SILENCE_LIMIT_MS);
			const result = await enterPassword(home, "reauth");
			assert.equal(result.reason, "reauth_successful", JSON.stringify(result));
			await untilShown(home, LAST, RETURN_LIMIT_MS);
			assert.equal((await gateway.read("system/tokens")).tokens.length, 1);
		},
	},
	{
		name: "after its token is revoked, Home Assistant asks for the password, and shows values again",
		async run(home: IntegratedHome) {
			const { gateway } = home;
			const [{ id }] = (await gateway.read("system/tokens")).tokens;
			assert.equal((await gateway.request("DELETE", `system/tokens/${id}`)).status, 200);
			await until(home, "power_net", "unavailable", SILENCE_LIMIT_MS);
			const result = await enterPassword(home, "reauth");
			assert.equal(result.reason, "reauth_successful", JSON.stringify(result));
			await untilShown(home, LATER, RETURN_LIMIT_MS);
		},
	},
	{
		name: "Home Assistant installs what the gateway has found, with progress, and a file of its own",
		async run(home: IntegratedHome) {
			const { gateway, hass } = home;
			const files = await FileServer.start();
			try {
				await gateway.write("system/upgrade", { upgrade_url: files.url });
				const found = await waitFor("no newer version", FOUND_LIMIT_MS, async () => {
					const update = await stateOf(home, "update");
					return update?.state === "on" ? update : undefined;
				});
				assert.equal(found.attributes.latest_version, VERSION);
				const installing = hass.call("update/install", found.entity_id);
				const shown = new Set<unknown>();
				await waitFor("it is not installed", INSTALL_LIMIT_MS, async () => {
					const update = await hass.state(found.entity_id);
					if (update?.attributes.in_progress) shown.add(update.attributes.update_percentage);
					return update?.attributes.installed_version === VERSION ? true : undefined;
				});
				await installing;
				assert.ok([...shown].filter((one) => typeof one === "number").length >= 3, [...shown].join());
				await gateway.rebooted(home.certificate);
				await gateway.login();
				const folder = join(hass.folder, DOMAIN);
				mkdirSync(folder, { recursive: true });
				const own = { chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID, version: "1.3.0-own", buildNumber: 4 };
				const image = makeSimulatorImage({ version: own.version, build: own.buildNumber, size: 1_000_000 });
				writeFileSync(join(folder, "own.ota"), makeFile(image, own));
				await reload(home);
				await waitFor("the file is not found", FOUND_LIMIT_MS, async () =>
					(await stateOf(home, "update"))?.attributes.latest_version === "1.3.0-own" ? true : undefined,
				);
				// During its trial a gateway accepts no other firmware.
				await waitFor("the trial does not end", INSTALL_LIMIT_MS, async () =>
					(await gateway.read("system/status")).ota_state === "idle" ? true : undefined,
				);
				await hass.call("update/install", found.entity_id);
				await gateway.rebooted(home.certificate);
				await gateway.login();
				assert.equal((await gateway.read("system/version")).firmware.version, "1.3.0-own");
			} finally {
				files.stop();
			}
		},
	},
	{
		name: "a year of history is there on the first day, and the same after it was imported again",
		async run(home: IntegratedHome) {
			const { hass, serial } = home;
			// At the end of an hour, a new row would come in the middle of this case.
			const leftMs = HOUR_S * 1000 - (Date.now() % (HOUR_S * 1000));
			if (leftMs < YEAR_CASE_MS) await sleep(leftMs);
			const imported = await writeYear(home);
			await untilShown(home, LAST, RETURN_LIMIT_MS);
			await reload(home);
			const rows = await waitFor("no statistics", RETURN_LIMIT_MS, async () => {
				const found = await rowsOf(home, "import");
				// The newest hours may come a moment after the year.
				return found.length > 600 && Math.round(found.at(-1).sum * 1000) === imported ? found : undefined;
			});
			assert.equal(rows[0].change, 0);
			assert.ok(rows.every(({ change }) => change >= 0));
			assert.ok(rows[1].start <= Date.now() - 364 * DAY_S * 1000);
			await reload(home);
			await sleep(VALUE_LIMIT_MS);
			assert.deepEqual(await rowsOf(home, "import"), rows);
			const [first, second] = ["import", "export"].map((key) => `${DOMAIN}:${serial}_${key}`);
			assert.deepEqual(await hass.validateEnergy(first, second), []);
		},
	},
	{
		name: "diagnostics have no secret, and the removal revokes the token",
		async run(home: IntegratedHome) {
			const { gateway, hass, serial } = home;
			const text = JSON.stringify(await hass.request("GET", `/api/diagnostics/config_entry/${home.entry}`));
			assert.ok(text.includes("1_0_1_8_1"), text.slice(0, 500));
			assert.ok(!text.toLowerCase().includes(serial));
			await hass.request("DELETE", `/api/config/config_entries/entry/${home.entry}`);
			// The gateway may close an idle connection of the test just when the next request is sent.
			await waitFor("the token stays", VALUE_LIMIT_MS, async () => {
				const reply = await gateway.get("system/tokens").catch(() => undefined);
				return reply?.status === 200 && JSON.parse(reply.text).tokens.length === 0 ? true : undefined;
			});
		},
	},
	{
		name: "the entities have the ids that discovery by MQTT gave them, so that their history continues",
		async run(home: IntegratedHome) {
			const { gateway, hass, serial } = home;
			const broker = await Mosquitto.start();
			try {
				await gateway.write("mqtt", { enabled: true, url: `mqtt://127.0.0.1:${broker.port}`, user: "", password: "" });
				await hass.addBroker(broker.port);
				const tail = serial.slice(-6);
				const ids = await waitFor("no discovery", RETURN_LIMIT_MS, async () => {
					const { entities } = await hass.discovered();
					const found = KEYS.map(
						(key) => entities.find((one: Answer) => one.unique_id === `${tail}_${key}`)?.entity_id,
					);
					return found.includes(undefined) ? undefined : found;
				});
				await gateway.write("mqtt", { enabled: false });
				await waitFor("the entities stay", RETURN_LIMIT_MS, async () =>
					(await hass.discovered()).entities.length === 0 ? true : undefined,
				);
				const flow = await hass.request("POST", FLOWS, { handler: DOMAIN });
				await hass.request("POST", `${FLOWS}/${flow.flow_id}`, { host: gateway.authority(true) });
				const answers = { password: PASSWORD, allow_control: false };
				const result = await hass.request("POST", `${FLOWS}/${flow.flow_id}`, answers);
				assert.equal(result.type, "create_entry", JSON.stringify(result));
				const shown = await waitFor("no entities", VALUE_LIMIT_MS, async () => {
					const states = await Promise.all(KEYS.map((key) => stateOf(home, key)));
					return states.includes(undefined) ? undefined : states.map((state) => state!.entity_id);
				});
				assert.deepEqual(shown, ids);
			} finally {
				await broker.stop();
			}
		},
	},
	{
		name: "Home Assistant logs no other error about the integration",
		async run({ hass }: IntegratedHome) {
			const complaints = hass.log.split("\n").filter((line) => COMPLAINT.test(line) && !EXPECTED.test(line));
			assert.deepEqual(complaints, []);
		},
	},
];
