/** Discovery messages for Home Assistant, checked by its schema for the discovery of a device. */
import assert from "node:assert/strict";
import { put } from "../../modules/config/schema.js";
import { MQTT_LANG, MQTT_TOPICS, TOPICS_VALUES } from "../../modules/mqtt/fields.js";
import { idOf } from "../../modules/mqtt/messages.js";
import { BASE, Bed, DISCOVERY_TOPIC } from "./bed.js";

/**
 * Members that Home Assistant accepts; it rejects messages with other members
 * (homeassistant/components/mqtt/schemas.py).
 */
const ROOT = "dev o cmps stat_t cmd_t avty avty_t avty_mode avty_tpl pl_avail pl_not_avail qos e".split(" ");
const COMPONENT = "p uniq_id name dev_cla unit_of_meas stat_cla val_tpl stat_t ent_cat pl_on pl_off".split(" ");
const ID = /^[a-zA-Z0-9_-]+$/;
const UNITS: Record<string, readonly string[]> = {
	energy: ["kWh", "GJ"],
	power: ["W"],
	voltage: ["V"],
	current: ["A"],
	gas: ["m³"],
};
const CLASSES: Record<string, string> = { energy: "total_increasing", gas: "total_increasing" };

/** The gateway's own entities. */
const OWN = ["time", "meter", "battery", "rssi"];

const TWENTY = [
	...["1-0:1.8.0", "1-0:1.8.1", "1-0:1.8.2", "1-0:2.8.0", "1-0:2.8.1", "1-0:2.8.2"].map(
		(code) => `${code}(1234.567*kWh)`,
	),
	...["1-0:1.7.0", "1-0:2.7.0", "1-0:16.7.0", "1-0:21.7.0", "1-0:41.7.0"].map((code) => `${code}(0.421*kW)`),
	...["1-0:32.7.0", "1-0:52.7.0", "1-0:72.7.0"].map((code) => `${code}(230.1*V)`),
	...["1-0:31.7.0", "1-0:51.7.0", "1-0:71.7.0"].map((code) => `${code}(1.83*A)`),
	"7-0:3.0.0(512.3*m3)",
].join("\r\n");

interface Announced {
	readonly dev: { readonly ids: string };
	readonly o: { readonly name: string };
	readonly avty_t: string;
	readonly cmps: Record<string, Record<string, string>>;
}

describe("MQTT discovery", () => {
	let bed: Bed;
	afterEach(() => bed.stop());

	function announced(setUp: (bed: Bed) => void = () => {}): { text: string; payload: Announced } {
		bed = new Bed();
		setUp(bed);
		bed.start().measured(TWENTY);
		bed.advance(1000);
		const text = bed.broker.retained.get(DISCOVERY_TOPIC)!;
		return { text, payload: JSON.parse(text) };
	}

	for (const [what, topics] of [
		["one JSON text", undefined],
		["a topic for each value", TOPICS_VALUES],
	] as const) {
		it(`has only members that Home Assistant accepts, in 4 KB for 20 entities: ${what}`, () => {
			const { text, payload } = announced((one) => {
				if (topics !== undefined) one.set(put(MQTT_TOPICS, topics));
			});
			for (const key of Object.keys(payload)) assert.ok(ROOT.includes(key), key);
			assert.ok(payload.dev.ids.length > 0 && payload.o.name.length > 0);
			assert.equal(payload.avty_t, `${BASE}/status`);
			const components = Object.entries(payload.cmps);
			assert.equal(components.length, 20);
			const ids = new Set<string>();
			const names = new Set<string>();
			for (const [key, component] of components) {
				assert.match(key, ID);
				for (const member of Object.keys(component)) assert.ok(COMPONENT.includes(member), member);
				assert.equal(component.p, key === "meter" ? "binary_sensor" : "sensor");
				assert.ok(component.name.length > 0);
				ids.add(component.uniq_id);
				names.add(component.name);
				if (topics === undefined) assert.equal(component.val_tpl, `{{value_json['${key}']}}`);
				else assert.equal(component.stat_t, `${BASE}/${key}`);
				assert.equal(component.ent_cat, OWN.includes(key) ? "diagnostic" : undefined);
				if (OWN.includes(key)) continue;
				assert.ok(UNITS[component.dev_cla].includes(component.unit_of_meas), key);
				assert.equal(component.stat_cla, CLASSES[component.dev_cla] ?? "measurement", key);
			}
			assert.equal(ids.size, components.length);
			assert.equal(names.size, components.length);
			const bytes = Buffer.byteLength(text);
			assert.ok(bytes <= 4096, `${bytes} bytes`);
		});
	}

	it("has names in the user's language, which changes no identifier", () => {
		const english = announced().payload.cmps;
		bed.stop();
		const german = announced((one) => one.set(put(MQTT_LANG, "de"))).payload.cmps;
		assert.deepEqual(Object.keys(english), Object.keys(german));
		for (const key of Object.keys(english)) assert.equal(english[key].uniq_id, german[key].uniq_id);
		assert.equal(german.time.name, "Letzte Ablesung");
		assert.notEqual(english["1_0_1_8_0"].name, german["1_0_1_8_0"].name);
	});

	it("has entities for the gateway itself: time, meter, battery and signal, with their states", () => {
		const power = { cells: 3, batteryVoltage: () => 4.35, usbVoltage: () => 5, temperatureC: () => 20 };
		const radio: { address: object; station: { rssi: number } | undefined } = { address: {}, station: { rssi: -61 } };
		bed = new Bed({ power, radio }).start();
		bed.measured("1-0:1.8.0*255(5*kWh)");
		bed.advance(1000);
		const { cmps } = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!);
		assert.deepEqual(Object.keys(cmps), [...OWN, "1_0_1_8_0"]);
		assert.deepEqual(cmps.meter, {
			p: "binary_sensor",
			uniq_id: "al0001_meter",
			name: "Meter",
			dev_cla: "connectivity",
			ent_cat: "diagnostic",
			pl_on: "on",
			pl_off: "off",
			val_tpl: "{{value_json['meter']}}",
		});
		assert.deepEqual([cmps.battery.dev_cla, cmps.battery.unit_of_meas], ["battery", "%"]);
		assert.deepEqual([cmps.rssi.dev_cla, cmps.rssi.unit_of_meas], ["signal_strength", "dBm"]);
		const state = () => JSON.parse(bed.broker.retained.get(`${BASE}/state`)!);
		const time = "2026-11-22T10:00:00Z";
		assert.deepEqual(state(), { time, meter: "on", battery: 90, rssi: -61, "1_0_1_8_0": 5 });
		// By Ethernet there is no signal, and the meter can't be read.
		radio.station = undefined;
		bed.service.meterFailed();
		bed.advance(1000);
		assert.deepEqual(state(), { time, meter: "off", battery: 90, rssi: null, "1_0_1_8_0": 5 });
		bed.advance(10_000);
		bed.measured("1-0:1.8.0*255(6*kWh)");
		bed.advance(1000);
		assert.deepEqual([state().meter, state()["1_0_1_8_0"]], ["on", 6]);
	});

	it("reports that the meter can't be read even before the first readout, and forgets no announced value by that", () => {
		bed = new Bed().start();
		bed.measured("1-0:1.8.0*255(5*kWh)");
		bed.advance(1000);
		const { storage } = bed.world;
		bed.stop();
		bed = new Bed({ storage, isSet: false }).start();
		bed.service.meterFailed();
		bed.advance(1000);
		const state = () => JSON.parse(bed.broker.retained.get(`${BASE}/state`)!);
		assert.deepEqual(state(), { time: null, meter: "off" });
		const announced = () => JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!).cmps;
		assert.deepEqual(Object.keys(announced()), ["time", "meter"]);
		bed.advance(11_000);
		bed.measured("1-0:2.8.0*255(7*kWh)");
		bed.advance(1000);
		assert.deepEqual(announced()["1_0_1_8_0"], undefined, "the same meter may send that value again");
		bed.advance(11_000);
		bed.service.forgetMeter();
		bed.measured("1-0:2.8.0*255(7*kWh)");
		bed.advance(1000);
		assert.deepEqual(announced()["1_0_1_8_0"], { p: "sensor" });
	});

	it("has the peaks as powers, null while unknown, and withdraws them when they are turned off", () => {
		const peaks = { values: [4329, 1210, Number.NaN] };
		bed = new Bed({ peaks }).start();
		const cmps = () => JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!).cmps;
		bed.measured("1-0:1.8.0*255(5*kWh)");
		bed.advance(1000);
		assert.deepEqual(cmps().peak, {
			p: "sensor",
			uniq_id: "al0001_peak",
			name: "Peak of the month",
			dev_cla: "power",
			unit_of_meas: "W",
			stat_cla: "measurement",
			val_tpl: "{{value_json['peak']}}",
		});
		assert.deepEqual(Object.keys(cmps()).slice(-4, -1), ["peak", "peak_mean", "peak_forecast"]);
		const state = JSON.parse(bed.broker.retained.get(`${BASE}/state`)!);
		assert.deepEqual([state.peak, state.peak_mean, state.peak_forecast], [4329, 1210, null]);
		peaks.values = [];
		// As the part does after a change of the peaks' settings.
		bed.service.forgetMeter();
		bed.advance(11_000);
		bed.measured("1-0:1.8.0*255(6*kWh)");
		bed.advance(1000);
		for (const key of ["peak", "peak_mean", "peak_forecast"]) assert.deepEqual(cmps()[key], { p: "sensor" });
	});

	it("has a topic for each entity of the gateway too", () => {
		bed = new Bed({ radio: { address: {}, station: undefined } });
		bed.set(put(MQTT_TOPICS, TOPICS_VALUES));
		bed.start().measured("1-0:1.8.0*255(5*kWh)");
		bed.advance(1000);
		assert.equal(bed.broker.retained.get(`${BASE}/meter`), "on");
		assert.equal(bed.broker.retained.get(`${BASE}/rssi`), "None", "unknown, as Home Assistant expects it");
		assert.equal(bed.broker.retained.get(`${BASE}/time`), "2026-11-22T10:00:00Z");
	});

	it("makes an identifier from any serial number", () => {
		assert.equal(idOf("SMG-00012_A"), "smg-00012_a");
		assert.equal(idOf("Ä 1/#+"), "__1___");
	});

	it("has no more than 64 values of the meter", () => {
		bed = new Bed().start();
		const block = Array.from({ length: 70 }, (_, i) => `1-0:${i + 1}.7.1*255(${i}.5*V)`).join("\r\n");
		bed.measured(block);
		bed.advance(1000);
		const { cmps } = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!);
		assert.equal(Object.keys(cmps).length, 66);
		const state = JSON.parse(bed.broker.retained.get(`${BASE}/state`)!);
		assert.equal(Object.keys(state).length, 66);
	});
});
