/** Our MQTT messages, as Mosquitto delivers them, and the entities that Home Assistant makes from them. */
import assert from "node:assert/strict";
import { vectorOf } from "../api/gateway.js";
import { VERSION } from "../update/firmware-files.js";
import { FileServer } from "./file-server.js";
import { type Home, METER, sendNow, shownBy, VALUES, waitFor } from "./home.js";
import type { Answer, EntityState } from "./home-assistant.js";
import type { Mosquitto } from "./mosquitto.js";

const COME_LIMIT_MS = 40_000;
/** Time in which the values of a readout have arrived, also during the pause between two of them, ms. */
const VALUES_MS = 15_000;
/** Limit for a new connection, ms; retry delays are 10 s ± 50 %, then twice that. */
const RETURN_LIMIT_MS = 60_000;
const STATISTICS_LEAD_MS = 40_000;
/** Largest message with 20 entities, bytes. */
const DISCOVERY_LIMIT = 4608;
const INSTALL_LIMIT_MS = 120_000;

function brokerOf({ broker }: Home): Mosquitto {
	if (broker instanceof Error) throw broker;
	return broker;
}

interface Discovered {
	readonly entities: ReadonlyMap<string, EntityState>;
	readonly devices: readonly Answer[];
}

/** The gateway's entities in Home Assistant, by key. */
export async function entitiesIn({ hass }: Pick<Home, "hass">): Promise<Discovered> {
	const { entities, devices } = await hass.discovered();
	const states = new Map((await hass.states()).map((state) => [state.entity_id, state]));
	const found = new Map<string, EntityState>();
	for (const { entity_id, unique_id } of entities) {
		const state = states.get(entity_id);
		if (state !== undefined) found.set(/^[^_]+_(.*)$/.exec(unique_id)![1], state);
	}
	return { entities: found, devices };
}

const stateOf = async (home: Home, key: string) => (await entitiesIn(home)).entities.get(key)?.state;

/** Waits until Home Assistant has this state of the entity. */
function until(home: Home, key: string, expected: string | undefined, limitMs = COME_LIMIT_MS): Promise<true> {
	return waitFor(`${key} is not ${expected}`, limitMs, async () =>
		isSame(await stateOf(home, key), expected) ? true : undefined,
	);
}

async function checkValues(home: Home): Promise<void> {
	const { entities } = await entitiesIn(home);
	for (const [key, expected] of Object.entries(VALUES)) {
		const state = entities.get(key);
		assert.ok(state, `${key} is not there: ${[...entities.keys()]}`);
		assert.deepEqual(shownBy(state), expected, key);
	}
}

/** Compares what Home Assistant's page of the device shows with the discovery message. */
async function checkDevicePage({ hass, gateway }: Home, { dev, cmps }: Answer): Promise<void> {
	const { entities, devices } = await hass.discovered();
	const [{ configuration_url, hw_version, model_id, connections }] = devices;
	assert.equal(configuration_url, `https://${gateway.hostname}.local/`);
	assert.ok(dev.hw && dev.mdl_id && dev.cns.length > 0, JSON.stringify(dev));
	assert.deepEqual([hw_version, model_id, connections], [dev.hw, dev.mdl_id, dev.cns]);
	const places = Object.fromEntries(
		entities.map(({ unique_id, options }) => [unique_id, options.sensor?.suggested_display_precision]),
	);
	const sensors = Object.values<Answer>(cmps).filter(({ sug_dsp_prc }) => sug_dsp_prc !== undefined);
	assert.ok(sensors.length > 0);
	for (const { uniq_id, sug_dsp_prc } of sensors) assert.equal(places[uniq_id], sug_dsp_prc, uniq_id);
}

const COMPLAINT = /(WARNING|ERROR).*\[homeassistant\.(components\.(mqtt|sensor|energy|recorder)|util\.json)/;
/** Errors expected when the test stops the broker. */
const OURS = /connect/i;
const KEY = "1_0_1_8_0";
const VALUE = "15882.6927";

/** Compares texts exactly and numbers by value, since programs may format numbers differently. */
function isSame(state: string | undefined, expected: string | undefined): boolean {
	return state === expected || (expected === VALUE && Number(state) === Number(VALUE));
}

export const mqttCases = [
	{
		name: "Home Assistant makes a device and its entities from the gateway's discovery message, of 4.5 KB for 20 entities",
		async run(home: Home) {
			const { gateway, hass } = home;
			const broker = brokerOf(home);
			await hass.addBroker(broker.port);
			await gateway.write("mqtt", { enabled: true, url: `mqtt://127.0.0.1:${broker.port}` });
			await gateway.read("iec62056/read");
			const { retcode, code } = await sendNow(gateway, "mqtt/send");
			assert.deepEqual([retcode, code], [0, "ok"]);
			await until(home, KEY, VALUE);
			await checkValues(home);
			const { entities, devices } = await entitiesIn(home);
			assert.equal(devices.length, 1);
			const [{ name, manufacturer, model, sw_version, serial_number }] = devices;
			const { model: ourModel, serial, firmware_version } = await gateway.read("system/status");
			assert.deepEqual([name, model, serial_number], [gateway.hostname, ourModel ?? model, serial ?? serial_number]);
			assert.ok(manufacturer && sw_version, `${manufacturer} ${sw_version} ${firmware_version}`);
			assert.equal(entities.get("time")!.attributes.device_class, "timestamp");
			const [config] = await broker.retained("homeassistant/device/+/config");
			await checkDevicePage(home, JSON.parse(config.payload));
			// Size with 20 entities: the bytes before the entities, and 20 times the size of one.
			const { cmps, ...root } = JSON.parse(config.payload);
			const head = Buffer.byteLength(JSON.stringify(root));
			const each = (Buffer.byteLength(config.payload) - head) / Object.keys(cmps).length;
			assert.ok(head + 20 * each <= DISCOVERY_LIMIT, `${head} bytes and ${each} for each entity`);
		},
	},
	{
		name: "Home Assistant shows a problem with its text, the meter's number, and buttons once commands are permitted",
		async run(home: Home) {
			const { gateway, hass } = home;
			brokerOf(home);
			const { readings } = await gateway.read("iec62056/last");
			const number = (readings as unknown as Answer[]).find(({ obis }) => /(96\.1\.0|C\.1\.0|0\.0\.0)$/.test(obis));
			const first = (await entitiesIn(home)).entities;
			assert.equal(first.get("meter_number")!.state, number?.value1 ?? (await gateway.read("iec62056/last")).meter_id);
			assert.equal(first.get("problem")!.state, "off");
			assert.equal(first.get("problem")!.attributes.text, null);
			assert.deepEqual([first.has("read"), first.has("identify")], [false, false]);
			const update = first.get("update")!;
			const { installed_version, latest_version, supported_features } = update.attributes;
			assert.equal(update.state, "off");
			assert.equal(installed_version, latest_version);
			// Progress only: without commands there is nothing to install.
			assert.equal(Number(supported_features) & 1, 0);
			await gateway.write("mqtt", { commands: true });
			await gateway.read("iec62056/read");
			const button = await waitFor("no button", RETURN_LIMIT_MS, async () =>
				(await entitiesIn(home)).entities.get("read"),
			);
			assert.ok((await entitiesIn(home)).entities.has("identify"));
			const before = (await gateway.read("system/status")).meter_readouts;
			await hass.call("button/press", button.entity_id);
			await waitFor("the meter is not read", RETURN_LIMIT_MS, async () =>
				(await gateway.read("system/status")).meter_readouts > before ? true : undefined,
			);
			// The meter does not speak this protocol.
			await gateway.write("meter/protocol", { protocol: "dlms" });
			await hass.call("button/press", button.entity_id);
			await until(home, "problem", "on", INSTALL_LIMIT_MS);
			const { text } = (await entitiesIn(home)).entities.get("problem")!.attributes;
			assert.match(String(text), /meter/);
			await gateway.write("meter/protocol", { protocol: "iec62056" });
			await gateway.read("iec62056/read");
			await until(home, "problem", "off", RETURN_LIMIT_MS);
		},
	},
	{
		name: "Home Assistant installs a signed file, with progress, and shows the new version after the restart",
		async run(home: Home) {
			const { gateway, hass } = home;
			const broker = brokerOf(home);
			const files = await FileServer.start();
			try {
				await gateway.write("system/upgrade", { upgrade_url: files.url });
				const found = await waitFor("no newer version", COME_LIMIT_MS, async () => {
					const update = (await entitiesIn(home)).entities.get("update");
					return update?.state === "on" ? update : undefined;
				});
				assert.equal(found.attributes.latest_version, VERSION);
				await hass.call("update/install", found.entity_id);
				const shown = new Set<unknown>();
				await waitFor("it is not installed", INSTALL_LIMIT_MS, async () => {
					const state = await hass.state(found.entity_id);
					if (state?.attributes.in_progress) shown.add(state.attributes.update_percentage);
					return state?.attributes.installed_version === VERSION ? true : undefined;
				});
				assert.ok([...shown].filter((one) => typeof one === "number").length >= 3, [...shown].join());
				await gateway.rebooted();
				await gateway.login();
				assert.equal((await gateway.read("system/version")).firmware.version, VERSION);
				const state = await hass.state(found.entity_id);
				assert.deepEqual([state?.state, state?.attributes.in_progress], ["off", false]);
				const retained = await broker.retained("smgw/+/command");
				assert.deepEqual(retained, []);
				await gateway.connectMeter({ telegram: vectorOf(METER).telegram });
				await gateway.read("iec62056/read");
				await until(home, KEY, VALUE, RETURN_LIMIT_MS);
			} finally {
				files.stop();
			}
		},
	},
	{
		name: "Home Assistant has the entities again after a restart, and accepts them for its energy dashboard",
		async run(home: Home) {
			const { hass } = home;
			brokerOf(home);
			await hass.restartBeforeStatistics(STATISTICS_LEAD_MS);
			await until(home, KEY, VALUE);
			await checkValues(home);
			const { entities } = await entitiesIn(home);
			const [imported, exported] = [KEY, "1_0_2_8_0"].map((key) => entities.get(key)!.entity_id);
			assert.deepEqual(await hass.validateEnergy(imported, exported), []);
		},
	},
	{
		name: "Home Assistant shows the entities as unavailable without the broker, and has them again after a restart of either",
		async run(home: Home) {
			const { gateway } = home;
			const broker = brokerOf(home);
			await broker.observe("smgw/+/status", async (observer) => {
				await gateway.restart();
				await gateway.login();
				await observer.find(({ payload }) => payload === "offline");
				await observer.find(({ payload, retain }) => payload === "online" && !retain, RETURN_LIMIT_MS);
			});
			// No retained message was lost.
			await until(home, KEY, VALUE, RETURN_LIMIT_MS);
			await broker.end();
			await until(home, KEY, "unavailable");
			// The broker restarts without stored messages.
			await broker.begin();
			await gateway.read("iec62056/read");
			await until(home, KEY, VALUE, RETURN_LIMIT_MS);
			await checkValues(home);
		},
	},
	{
		name: "Home Assistant also gets each value from a separate topic",
		async run(home: Home) {
			const { gateway } = home;
			const broker = brokerOf(home);
			await gateway.write("mqtt", { topics: "values" });
			await gateway.read("iec62056/read");
			await waitFor("no topic of its own", RETURN_LIMIT_MS, async () => {
				const [message] = await broker.retained(`smgw/+/${KEY}`);
				return isSame(message?.payload, VALUE) ? true : undefined;
			});
			await until(home, KEY, VALUE, RETURN_LIMIT_MS);
			// Momentary values are not retained, so Home Assistant gets them with the next readout.
			await gateway.read("iec62056/read");
			await gateway.pass(VALUES_MS);
			await checkValues(home);
		},
	},
	{
		name: "Home Assistant removes device and entities when discovery is turned off",
		async run(home: Home) {
			const { gateway } = home;
			const broker = brokerOf(home);
			assert.equal((await broker.retained("homeassistant/device/+/config")).length, 1);
			await gateway.write("mqtt", { discovery: false });
			await until(home, KEY, undefined);
			assert.deepEqual((await entitiesIn(home)).devices, []);
			assert.deepEqual(await broker.retained("homeassistant/#"), []);
			await gateway.write("mqtt", { discovery: true });
			await gateway.read("iec62056/read");
			await until(home, KEY, VALUE, RETURN_LIMIT_MS);
			await gateway.write("mqtt", { enabled: false });
			await until(home, KEY, undefined);
			assert.deepEqual(await broker.retained("homeassistant/#"), []);
		},
	},
	{
		name: "Home Assistant logs no error about the MQTT messages",
		async run(home: Home) {
			brokerOf(home);
			const complaints = home.hass.log.split("\n").filter((line) => COMPLAINT.test(line) && !OURS.test(line));
			assert.deepEqual(complaints, []);
		},
	},
];
