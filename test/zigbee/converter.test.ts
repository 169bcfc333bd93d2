/** The external converter, loaded as Zigbee2MQTT loads it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
	addExternalDefinition,
	type ExternalDefinitionWithExtend,
	findByDevice,
	setLogger,
} from "zigbee-herdsman-converters";
import { BOARDS } from "../../hosts/esp32/boards.js";

const FILE = join(import.meta.dirname, "../../../docs/zigbee2mqtt/smart-meter-gateway.mjs");
const CLUSTERS = { genPowerCfg: 1, seMetering: 0x0702, haElectricalMeasurement: 0x0b04 };
/** Model names of the simulator and the firmware on Linux. */
const BENCHES = ["Bench", "Linux"];

const modelOf = (board: string) => `Meter gateway ${board}`.slice(0, 32);

/** The converters check the name of this class. */
class Endpoint {}

/** A device after its interview; `requests` records its bindings and the attributes to report. */
function deviceOf(modelID: string, clusters: readonly (keyof typeof CLUSTERS)[], requests: string[] = []) {
	const attributes: Record<string, number> = { multiplier: 1, divisor: 1000, acPowerMultiplier: 1, acPowerDivisor: 1 };
	const endpoint = Object.assign(new Endpoint(), {
		ID: 1,
		inputClusters: clusters.map((name) => CLUSTERS[name]),
		getInputClusters: () => clusters.map((name) => ({ name })),
		supportsInputCluster: (name: keyof typeof CLUSTERS) => clusters.includes(name),
		supportsOutputCluster: () => false,
		getClusterAttributeValue: (_cluster: string, name: string) => attributes[name] ?? 10,
		saveClusterAttributeKeyValue: () => {},
		getDevice: () => device,
		bind: async (cluster: string) => requests.push(`bind ${cluster}`),
		read: async () => {},
		configureReporting: async (cluster: string, items: readonly { attribute: string }[]) => {
			for (const { attribute } of items) requests.push(`${cluster} ${attribute}`);
		},
	});
	const device = {
		ieeeAddr: "0x00124b0000000b02",
		type: "Router",
		modelID,
		manufacturerName: "SMLIGHT",
		endpoints: [endpoint],
		getEndpoint: () => endpoint,
		save: () => {},
	};
	return device;
}

describe("The external converter for Zigbee2MQTT", () => {
	let definition: ExternalDefinitionWithExtend & { zigbeeModel: string[] };

	before(async () => {
		const quiet = () => {};
		setLogger({ debug: quiet, info: quiet, warning: quiet, error: quiet });
		definition = (await import(pathToFileURL(FILE).href)).default;
		addExternalDefinition(definition);
	});

	const found = async (device: object) => {
		const one = await findByDevice(device as never, false);
		assert.ok(one, "no definition was found");
		return one;
	};

	async function shown(device: object): Promise<string[]> {
		const { exposes } = await found(device);
		const all = typeof exposes === "function" ? exposes(device as never, {}) : exposes;
		return all.map(({ name }) => name ?? "").sort();
	}

	it("knows each board with a radio, the simulator and the firmware on Linux, and nothing else", () => {
		const boards = BOARDS.filter(({ zigbee }) => zigbee !== undefined).map(({ model }) => model);
		assert.deepEqual(definition.zigbeeModel, [...boards, ...BENCHES].map(modelOf).sort());
	});

	it("exposes the exported energy, and only what the device has", async () => {
		const all = ["current", "energy", "identify", "power", "produced_energy", "voltage"];
		const model = modelOf("SLZB-06");
		assert.deepEqual(await shown(deviceOf(model, ["seMetering", "haElectricalMeasurement"])), all);
		const some = ["energy", "identify", "power", "produced_energy"];
		assert.deepEqual(await shown(deviceOf(model, ["seMetering"])), some);
		const withCells = deviceOf(modelOf("Battery gateway"), ["seMetering", "genPowerCfg"]);
		assert.deepEqual(await shown(withCells), ["battery", ...some]);
	});

	it("requests reports of the exported energy", async () => {
		for (const [clusters, count] of [
			[["seMetering"], 4],
			[["seMetering", "haElectricalMeasurement"], 7],
		] as const) {
			const requests: string[] = [];
			const device = deviceOf(modelOf("UZG-01"), clusters, requests);
			const one = await found(device);
			await one.configure?.(device as never, device.endpoints[0] as never, one);
			assert.ok(requests.includes("seMetering currentSummReceived"), requests.join());
			assert.equal(requests.length, count, requests.join());
		}
	});

	it("converts the exported energy, and supports firmware updates", async () => {
		const device = deviceOf(modelOf("SLZB-06"), ["seMetering"]);
		const one = await found(device);
		assert.equal(one.ota, true);
		const data = { currentSummDelivered: 12_345_679, currentSummReceived: 2345, instantaneousDemand: -250 };
		const message = {
			cluster: "seMetering",
			type: "attributeReport",
			data,
			device,
			endpoint: device.endpoints[0],
			meta: {},
		};
		const published = {};
		for (const { cluster, type, convert } of one.fromZigbee) {
			if (cluster !== "seMetering" || !type.includes("attributeReport")) continue;
			const meta = { state: {}, device, deviceExposesChanged: () => {} };
			Object.assign(published, await convert(one, message as never, () => {}, {}, meta as never));
		}
		assert.deepEqual(published, { energy: 12_345.679, produced_energy: 2.345, power: -250 });
	});
});
