/** Discovery messages, checked against Home Assistant's schema for the discovery of a device. */
import assert from "node:assert/strict";
import { put } from "../../modules/config/schema.js";
import { idOf } from "../../modules/mqtt/messages.js";
import {
	MQTT_COMMANDS,
	MQTT_LANG,
	MQTT_PAUSE_SECS,
	MQTT_TOPICS,
	TOPICS_JSON,
	TOPICS_VALUES,
} from "../../modules/parts/mqtt/fields.js";
import { PRODUCT } from "../../modules/product/product.js";
import { BASE, Bed, DISCOVERY_TOPIC, SENT_MS } from "./bed.js";

/**
 * Members that Home Assistant accepts; it rejects messages with other members
 * (homeassistant/components/mqtt/schemas.py).
 */
const ROOT = "dev o cmps stat_t cmd_t avty avty_t avty_mode avty_tpl pl_avail pl_not_avail qos e".split(" ");
const COMPONENT =
	"p uniq_id name dev_cla unit_of_meas stat_cla val_tpl stat_t ent_cat exp_aft sug_dsp_prc pl_on pl_off json_attr_t json_attr_tpl".split(
		" ",
	);
const ID = /^[a-zA-Z0-9_-]+$/;
const UNITS: Record<string, readonly string[]> = {
	energy: ["kWh", "GJ"],
	power: ["W"],
	voltage: ["V"],
	current: ["A"],
	gas: ["m³"],
};
const PLACES: Record<string, number> = { energy: 2, power: 0, voltage: 1, current: 2, gas: 2 };
const CLASSES: Record<string, string> = { energy: "total_increasing", gas: "total_increasing" };

/** The gateway's own entities. */
const OWN = ["time", "meter", "problem", "meter_number", "battery", "rssi"];
/** Components that remove the buttons while commands are not permitted. */
const NO_BUTTONS = { read: { p: "button" }, identify: { p: "button" } };
const BINARY = ["meter", "problem"];

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
	readonly cmps: Record<string, Record<string, string> & { readonly sug_dsp_prc?: number }>;
}

describe("MQTT discovery", () => {
	let bed: Bed;
	afterEach(() => bed.stop());

	function announced(setUp: (bed: Bed) => void = () => {}): { text: string; payload: Announced } {
		bed = new Bed();
		setUp(bed);
		bed.start().measured(TWENTY);
		bed.advance(SENT_MS);
		const text = bed.broker.retained.get(DISCOVERY_TOPIC)!;
		return { text, payload: JSON.parse(text) };
	}

	for (const [what, topics] of [
		["one JSON text", undefined],
		["a topic for each value", TOPICS_VALUES],
	] as const) {
		it(`has only members that Home Assistant accepts, in 5.25 KB for 22 entities: ${what}`, () => {
			const { text, payload } = announced((one) => {
				if (topics !== undefined) one.set(put(MQTT_TOPICS, topics));
				one.metering.freshSecs = 2100;
			});
			for (const key of Object.keys(payload)) assert.ok(ROOT.includes(key), key);
			assert.ok(payload.dev.ids.length > 0 && payload.o.name.length > 0);
			assert.equal(payload.avty_t, `${BASE}/status`);
			const { read, identify, ...entities } = payload.cmps;
			assert.deepEqual({ read, identify }, NO_BUTTONS);
			const components = Object.entries(entities);
			assert.equal(components.length, 22);
			const ids = new Set<string>();
			const names = new Set<string>();
			for (const [key, component] of components) {
				assert.match(key, ID);
				for (const member of Object.keys(component)) assert.ok(COMPONENT.includes(member), member);
				assert.equal(component.p, BINARY.includes(key) ? "binary_sensor" : "sensor");
				assert.ok(component.name.length > 0);
				ids.add(component.uniq_id);
				names.add(component.name);
				if (topics === undefined) assert.equal(component.val_tpl, `{{value_json['${key}']}}`);
				else assert.equal(component.stat_t, `${BASE}/${key}`);
				assert.equal(component.ent_cat, OWN.includes(key) ? "diagnostic" : undefined);
				if (OWN.includes(key)) continue;
				assert.ok(UNITS[component.dev_cla].includes(component.unit_of_meas), key);
				assert.equal(component.sug_dsp_prc, PLACES[component.dev_cla], key);
				assert.equal(component.stat_cla, CLASSES[component.dev_cla] ?? "measurement", key);
			}
			assert.equal(ids.size, components.length);
			assert.equal(names.size, components.length);
			const bytes = Buffer.byteLength(text);
			assert.ok(bytes <= 5376, `${bytes} bytes`);
		});
	}

	it("describes the device: model, hardware, network address, and a link to its page", () => {
		bed = new Bed({ radio: { address: {}, station: { rssi: -61 }, mac: "246F28AABBCC" } }).start().publish();
		const { dev } = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!);
		const { board, chip, manufacturer, model, serial, firmwareVersion } = bed.world.info;
		assert.deepEqual(dev, {
			...{ ids: `smgw_${idOf(serial)}`, name: "gateway", mf: manufacturer, mdl: model, mdl_id: board, hw: chip },
			...{ sw: firmwareVersion, sn: serial, cu: "https://gateway.local/", cns: [["mac", "24:6f:28:aa:bb:cc"]] },
		});
	});

	it("is sent again on request, because Home Assistant forgets a device that its user deletes", () => {
		bed = new Bed().start();
		bed.measured().advance(20_000);
		const before = bed.broker.count(DISCOVERY_TOPIC);
		bed.broker.retained.delete(DISCOVERY_TOPIC);
		bed.service.test({ finished: () => {} });
		bed.advance(20_000);
		assert.equal(bed.broker.count(DISCOVERY_TOPIC), before + 1);
		assert.ok(JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!).cmps["1_0_1_8_0"]);
	});

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
		bed = new Bed({ power, radio }).start().publish("1-0:1.8.0*255(5*kWh)");
		const { cmps } = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!);
		assert.deepEqual(Object.keys(cmps), [...OWN, "1_0_1_8_0", "read", "identify"]);
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
		const state = () => JSON.parse(bed.broker.last.get(`${BASE}/state`)!);
		const time = "2026-11-22T10:00:00Z";
		const rest = { problem: "off", problem_text: null, meter_number: "TST5METER", battery: 90, "1_0_1_8_0": 5 };
		assert.deepEqual(state(), { time, meter: "on", ...rest, rssi: -61 });
		// Over Ethernet there is no signal strength; and now the meter can't be read.
		radio.station = undefined;
		bed.fail().advance(SENT_MS);
		assert.deepEqual(state(), { time, meter: "off", ...rest, rssi: null });
		bed.advance(10_000);
		bed.publish("1-0:1.8.0*255(6*kWh)");
		assert.deepEqual([state().meter, state()["1_0_1_8_0"]], ["on", 6]);
	});

	it("reports even before the first readout that the meter can't be read, and still remembers the announced values", () => {
		bed = new Bed().start().publish("1-0:1.8.0*255(5*kWh)");
		const { storage } = bed.world;
		bed.stop();
		bed = new Bed({ storage, isSet: false }).start();
		bed.fail().advance(SENT_MS);
		const state = () => JSON.parse(bed.broker.last.get(`${BASE}/state`)!);
		assert.deepEqual(state(), {
			time: null,
			meter: "off",
			problem: "off",
			problem_text: null,
			meter_number: null,
		});
		const announced = () => JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!).cmps;
		assert.deepEqual(Object.keys(announced()), ["time", "meter", "problem", "meter_number", "read", "identify"]);
		bed.advance(11_000);
		bed.publish("1-0:2.8.0*255(7*kWh)");
		assert.deepEqual(announced()["1_0_1_8_0"], undefined, "the same meter may send that value again");
		bed.advance(11_000);
		bed.service.forgetMeter();
		bed.publish("1-0:2.8.0*255(7*kWh)");
		assert.deepEqual(announced()["1_0_1_8_0"], { p: "sensor" });
	});

	it("has the peaks as powers, null while unknown, and withdraws them when they are turned off", () => {
		const peaks = { values: [4329, 1210, Number.NaN] };
		bed = new Bed({ peaks }).start();
		const cmps = () => JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!).cmps;
		bed.publish("1-0:1.8.0*255(5*kWh)");
		assert.deepEqual(cmps().peak, {
			p: "sensor",
			uniq_id: "al0001_peak",
			name: "Peak of the month",
			dev_cla: "power",
			unit_of_meas: "W",
			stat_cla: "measurement",
			val_tpl: "{{value_json['peak']}}",
		});
		const shown = () => Object.keys(cmps()).filter((key) => key.startsWith("peak"));
		assert.deepEqual(shown(), ["peak", "peak_mean", "peak_forecast"]);
		const state = JSON.parse(bed.broker.last.get(`${BASE}/state`)!);
		assert.deepEqual([state.peak, state.peak_mean, state.peak_forecast], [4329, 1210, null]);
		peaks.values = [];
		// The peaks part calls this after a change of its settings.
		bed.service.forgetMeter();
		bed.advance(11_000);
		bed.publish("1-0:1.8.0*255(6*kWh)");
		for (const key of ["peak", "peak_mean", "peak_forecast"]) assert.deepEqual(cmps()[key], { p: "sensor" });
	});

	it("has a topic for each entity of the gateway too", () => {
		bed = new Bed({ radio: { address: {}, station: undefined } });
		bed.set(put(MQTT_TOPICS, TOPICS_VALUES));
		bed.start().measured("1-0:1.8.0*255(5*kWh)");
		bed.advance(SENT_MS);
		assert.equal(bed.broker.last.get(`${BASE}/meter`), "on");
		assert.equal(bed.broker.last.get(`${BASE}/rssi`), "None", "unknown, as Home Assistant expects it");
		assert.equal(bed.broker.last.get(`${BASE}/time`), "2026-11-22T10:00:00Z");
	});

	it("makes an identifier from any serial number", () => {
		assert.equal(idOf("SMG-00012_A"), "smg-00012_a");
		assert.equal(idOf("Ä 1/#+"), "__1___");
	});

	it("has no more than 64 values of the meter", () => {
		bed = new Bed().start();
		const block = Array.from({ length: 70 }, (_, i) => `1-0:${i + 1}.7.1*255(${i}.5*V)`).join("\r\n");
		bed.publish(block);
		const { cmps } = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!);
		assert.equal(Object.keys(cmps).length, 64 + 4 + 2);
		const state = JSON.parse(bed.broker.last.get(`${BASE}/state`)!);
		assert.equal(Object.keys(state).length, 64 + 5);
	});

	const componentsOf = () => JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!).cmps;
	const state = () => JSON.parse(bed.broker.last.get(`${BASE}/state`)!);

	it("has an entity for the present problem, whose text is an attribute", () => {
		for (const [topics, attributes, template] of [
			[TOPICS_JSON, "state", "{{{'text':value_json['problem_text']}|to_json}}"],
			[TOPICS_VALUES, "problem_text", "{{{'text':value}|to_json}}"],
		] as const) {
			bed = new Bed();
			bed.set(put(MQTT_TOPICS, topics));
			bed.start();
			bed.problem = 'The meter does not answer: check the head\'s "position".';
			bed.fail().advance(SENT_MS);
			const { problem } = componentsOf();
			assert.deepEqual([problem.p, problem.dev_cla, problem.ent_cat], ["binary_sensor", "problem", "diagnostic"]);
			assert.deepEqual([problem.json_attr_t, problem.json_attr_tpl], [`${BASE}/${attributes}`, template]);
			if (topics === TOPICS_JSON) assert.deepEqual([state().problem, state().problem_text], ["on", bed.problem]);
			else assert.equal(bed.broker.last.get(`${BASE}/problem_text`), bed.problem);
			bed.stop();
		}
		bed = new Bed();
	});

	it("has the meter's own number, or else its identification, in characters that every program accepts", () => {
		for (const [block, meterId, number] of [
			["C.1.0(12345678)", "TST5METER", "12345678"],
			["0.0.0(00-11)", "TST5METER", "00-11"],
			['0-0:96.1.0(1"2)', "TST5METER", '1"2'],
			["0-1:96.1.0(77)", "TST5METER", "TST5METER"],
			["1.7.0(1*W)", "T\u00c4\n1", "T???1"],
		] as const) {
			bed = new Bed().start().publish(`${block}\r\n1-0:1.8.0(5*kWh)`, meterId);
			assert.equal(state().meter_number, number, block);
			bed.stop();
		}
		bed = new Bed();
	});

	it("has import minus export if the meter sends both powers, but not their difference", () => {
		for (const [block, net] of [
			["1-0:1.7.0(0.421*kW)\r\n1-0:2.7.0(0*kW)", 421],
			["1-0:1.7.0(0*kW)\r\n1-0:2.7.0(1.2345*kW)", -1234.5],
			["1.7.0(0.3*W)\r\n2.7.0(0.1*W)", 0.2],
			["1-0:1.7.0(0.421*kW)", undefined],
			["1-0:1.7.0(0.421*kW)\r\n1-0:2.7.0(0*kW)\r\n1-0:16.7.0(0.4*kW)", undefined],
			["1-0:1.7.0(0.421*kW)\r\n1-0:2.8.0(5*kWh)", undefined],
			["1-0:21.7.0(0.421*kW)\r\n1-0:22.7.0(0*kW)", undefined],
		] as const) {
			bed = new Bed().start().publish(block);
			assert.equal(state().power_net, net, block);
			const { power_net: component } = componentsOf();
			assert.equal(component?.dev_cla, net === undefined ? undefined : "power");
			assert.equal(component?.stat_cla, net === undefined ? undefined : "measurement");
			assert.equal(component?.ent_cat, undefined);
			bed.stop();
		}
		bed = new Bed();
	});

	it("removes import minus export when another meter does not have it", () => {
		bed = new Bed().start();
		bed.measured("1-0:1.7.0(0.421*kW)\r\n1-0:2.7.0(0*kW)").advance(11_000);
		bed.service.forgetMeter();
		bed.publish("1-0:1.7.0(0.421*kW)");
		assert.deepEqual(componentsOf().power_net, { p: "sensor" });
	});

	it("lets momentary values expire, but neither counters nor meter and problem, and announces a changed limit", () => {
		bed = new Bed().start();
		bed.metering.freshSecs = 2100;
		bed.publish(`${TWENTY}\r\n1-0:2.6.0(5*kW)`);
		const expiry = () =>
			Object.fromEntries(
				Object.entries<{ exp_aft?: number }>(componentsOf()).map(([key, { exp_aft }]) => [key, exp_aft]),
			);
		const { time, meter, problem, meter_number: number, ...values } = expiry();
		// These two say that the meter is silent, so they must not become unavailable then.
		assert.deepEqual([meter, problem], [undefined, undefined]);
		assert.deepEqual([time, number], [undefined, undefined]);
		assert.deepEqual([values["1_0_1_8_0"], values["1_0_16_7_0"], values["7_0_3_0_0"]], [undefined, 2100, undefined]);
		// A maximum of the billing period.
		assert.equal(values["1_0_2_6_0"], undefined);
		const count = bed.broker.count(DISCOVERY_TOPIC);
		for (const [freshSecs, pauseSecs, expected, announcements] of [
			[2100, 10, 2100, 0],
			[300, 10, 300, 1],
			[300, 3600, 10_800, 2],
			[0, 10, undefined, 3],
		] as const) {
			bed.set(put(MQTT_PAUSE_SECS, pauseSecs));
			bed.metering.freshSecs = freshSecs;
			bed.advance(3_600_000);
			bed.publish(TWENTY);
			assert.equal(expiry()["1_0_16_7_0"], expected);
			assert.equal(bed.broker.count(DISCOVERY_TOPIC), count + announcements);
		}
	});

	it("publishes momentary values as unknown at once when they are too old, and again for Home Assistant", () => {
		bed = new Bed({ peaks: { values: [4329, Number.NaN, Number.NaN] } });
		bed.set(put(MQTT_PAUSE_SECS, 3600));
		bed.start();
		bed.measured().advance(30_000);
		assert.deepEqual([state()["1_0_16_7_0"], state()["1_0_1_8_0"]], [-421, 1234.567]);
		bed.fail(true).advance(SENT_MS);
		assert.deepEqual([state()["1_0_16_7_0"], state()["1_0_1_8_0"], state().meter], [null, 1234.567, "off"]);
		bed.broker.publish("homeassistant/status", "online");
		bed.advance(11_000);
		assert.deepEqual([state()["1_0_16_7_0"], state()["1_0_1_8_0"], state().meter], [null, 1234.567, "off"]);
		assert.equal(state().peak, 4329, "the month's peak is still true");
		bed.measured().advance(3_600_000);
		assert.equal(state()["1_0_16_7_0"], -421);
	});

	it("has buttons and an install command only while commands are permitted", () => {
		const firmware = { latest: "0.0.0", progress: undefined };
		bed = new Bed({ firmware });
		bed.set(put(MQTT_COMMANDS, true), put(MQTT_LANG, "pl"));
		bed.start().measured();
		bed.advance(SENT_MS);
		const announced = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!);
		for (const key of Object.keys(announced)) assert.ok(ROOT.includes(key), key);
		assert.equal(announced.cmd_t, `${BASE}/command`);
		const { read, identify, update } = announced.cmps;
		assert.deepEqual(read, {
			p: "button",
			uniq_id: "al0001_read",
			name: "Odczytaj teraz",
			ent_cat: "diagnostic",
			pl_prs: "read",
		});
		assert.deepEqual([identify.p, identify.name, identify.pl_prs], ["button", "Zidentyfikuj", "identify"]);
		const ofUpdate = {
			p: "update",
			uniq_id: "al0001_update",
			name: "Oprogramowanie",
			dev_cla: "firmware",
			ent_cat: "config",
			stat_t: `${BASE}/update`,
			pl_inst: "install",
		};
		assert.deepEqual(update, ofUpdate);
		bed.set(put(MQTT_COMMANDS, false));
		bed.service.settingsChanged();
		bed.advance(1000);
		bed.measured().advance(20_000);
		const { cmd_t: topic, cmps } = JSON.parse(bed.broker.retained.get(DISCOVERY_TOPIC)!);
		assert.deepEqual([topic, cmps.read, cmps.identify], [undefined, NO_BUTTONS.read, NO_BUTTONS.identify]);
		assert.deepEqual(cmps.update, ofUpdate);
	});

	it("publishes installed and newest version, and the progress of an installation", () => {
		const firmware: { latest: string; progress: number | undefined } = { latest: "0.0.0", progress: undefined };
		bed = new Bed({ firmware }).start();
		const shown = () => JSON.parse(bed.broker.retained.get(`${BASE}/update`)!);
		const update = { installed_version: "0.0.0", latest_version: "0.0.0", title: PRODUCT };
		assert.deepEqual(shown(), { ...update, in_progress: false, update_percentage: null });
		for (const [latest, progress, percentage] of [
			["1.2.3", undefined, null],
			["1.2.3", -1, null],
			["1.2.3", 0, 0],
			["1.2.3", 57, 57],
			["1.2.3", -1, null],
			["1.2.3", undefined, null],
		] as const) {
			Object.assign(firmware, { latest, progress });
			bed.service.whenUpdateChanged();
			bed.advance(100);
			assert.deepEqual(shown(), {
				...update,
				latest_version: latest,
				in_progress: progress !== undefined,
				update_percentage: percentage,
			});
		}
		bed.measured().advance(11_000);
		// A failed installation is a problem.
		bed.problem = "The file is for another board.";
		bed.service.whenUpdateChanged();
		bed.advance(1000);
		assert.deepEqual([state().problem, state().problem_text], ["on", bed.problem]);
	});
});
