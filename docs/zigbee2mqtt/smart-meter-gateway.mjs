/**
 * External converter of Zigbee2MQTT for the Smart-Meter Gateway: shows the exported energy (`produced_energy`), and offers
 * updates. Copy it into the folder data/external_converters of Zigbee2MQTT 2.x, restart Zigbee2MQTT, and press
 * "Reconfigure" on the device's page.
 *
 * A gateway that reports neither voltage nor current lacks the cluster Electrical Measurement, and a gateway without
 * cells lacks Power Configuration. The converter shows and configures only what the device has.
 */
import * as m from "zigbee-herdsman-converters/lib/modernExtend";

const BOARDS = [
	"Battery gateway",
	"Bench",
	"CC2652 Ethernet and USB",
	"CC2652 PoE",
	"CC2652 PoE 2022",
	"CC2652 PoE 2023",
	"China-GW",
	"ESP32-DevKitC with a TI module",
	"ESP32-PoE with a TI module",
	"ESP32-S3-DevKitC-1 with a TI module",
	"Linux",
	"SLS Gateway classic",
	"SLZB-06",
	"SLZB-06xU",
	"SLZB-MR4U",
	"SLZB-MRxU",
	"UZG-01",
	"WT32-ETH01 with a TI module",
	"ZBBridge-P",
];

const whole = m.electricityMeter({ producedEnergy: true });
const metering = m.electricityMeter({ cluster: "metering", producedEnergy: true });
const battery = m.battery();
const identify = m.identify();

const has = (device, cluster) => device?.endpoints?.some((endpoint) => endpoint.supportsInputCluster(cluster)) ?? false;

/** The parts for the device's clusters; without a known device, the whole meter and the identify button. */
function partsOf(device) {
	const isKnown = device?.endpoints !== undefined;
	const meter = !isKnown || has(device, "haElectricalMeasurement") ? whole : metering;
	return has(device, "genPowerCfg") ? [meter, battery, identify] : [meter, identify];
}

export default {
	// A device's model is "Meter gateway" and the board's name, cut to 32 characters.
	zigbeeModel: BOARDS.map((board) => `Meter gateway ${board}`.slice(0, 32)),
	model: "Smart-Meter Gateway",
	vendor: "Smart-Meter Gateway project",
	description: "Reads an electricity meter by its optical port",
	fromZigbee: [...whole.fromZigbee, ...battery.fromZigbee],
	toZigbee: [...whole.toZigbee, ...battery.toZigbee, ...identify.toZigbee],
	exposes: (device, options) =>
		partsOf(device).flatMap(({ exposes }) =>
			exposes.flatMap((expose) => (typeof expose === "function" ? expose(device, options) : [expose])),
		),
	configure: async (device, coordinator, definition) => {
		for (const { configure = [] } of partsOf(device)) {
			for (const one of configure) await one?.(device, coordinator, definition);
		}
	},
	ota: true,
};
