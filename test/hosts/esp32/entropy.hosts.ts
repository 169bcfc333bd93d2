/**
 * Tests when the ADC's noise feeds the ESP32's random generator, and what ends the chip's sleep, with fakes of ESP-IDF.
 * wifi-driver.test.ts tests this with the radio.
 */
import assert from "node:assert/strict";
import { BOARDS } from "../../../hosts/esp32/boards.js";
import { stepsOf, usePeer } from "../native/peer.js";

const HERE = "test/hosts/esp32";

describe("The ESP32's random generator and sleep", function () {
	this.timeout(60_000);
	/** Output of each step: the lines before the line with the step's name. */
	let steps: ReadonlyMap<string, readonly string[]>;
	const run = usePeer({
		sources: [
			...["adc-fake", "wifi-idf-fake", "xs-fake"].map((fake) => `-I${HERE}/${fake}`),
			"-Ihosts/esp32",
			"-Ihosts/native",
			`${HERE}/entropy-peer.c`,
			`${HERE}/adc-fake/adc-fake.c`,
			`${HERE}/wifi-idf-fake/idf-fake.c`,
			`${HERE}/xs-fake/xs-fake.c`,
			...["entropy", "prelaunch", "power", "power-retained"].map((name) => `hosts/esp32/${name}.c`),
		],
		output: "entropy-peer",
		libraries: ["m"],
	});

	before(() => {
		steps = stepsOf(run());
	});

	it("has noise before anything else, even before NVS and its keys", () => {
		assert.deepEqual(steps.get("prelaunch"), ["noise on", "storage 1"]);
	});

	it("releases the ADC during a voltage measurement, and gets it back even if that fails", () => {
		assert.deepEqual(steps.get("voltage"), ["noise off", "unit", "channel", "no unit", "noise on", "1234 mV"]);
		assert.deepEqual(steps.get("no unit"), ["noise off", "unit", "noise on", "-1 mV"]);
		assert.deepEqual(steps.get("no channel"), ["noise off", "unit", "channel", "no unit", "noise on", "-1 mV"]);
	});

	it("releases the ADC during a temperature measurement too, because the sensor shares the ADC's supply", () => {
		assert.deepEqual(steps.get("temperature"), ["noise off", "sensor", "no sensor", "noise on", "21 degrees"]);
		assert.deepEqual(steps.get("no sensor"), ["noise off", "sensor", "noise on", "-1 degrees"]);
	});

	it("switches the ADC's noise off before deep sleep, to save power", () => {
		assert.deepEqual(steps.get("no sleep"), []);
		assert.deepEqual(steps.get("deep sleep"), ["wakes after 1000000 us", "noise off", "deep sleep"]);
	});

	it("wakes by time, button or USB power; pins that can't wake the chip are ignored", () => {
		assert.deepEqual(steps.get("sleep by pins"), [
			"wakes after 900000000 us",
			"wakes when one of 0x1 is 0",
			"wakes when 2 is 1",
			"deep sleep",
		]);
		assert.deepEqual(steps.get("sleep by pins that can't wake it"), ["wakes after 1000000 us", "deep sleep"]);
		assert.ok(!steps.get("refused sleep")!.includes("deep sleep"));
	});

	it("keeps outputs that can be held in sleep, such as the reset line of a coprocessor on a battery board", () => {
		assert.deepEqual(steps.get("sleep with outputs"), ["wakes after 1000000 us", "holds 5", "deep sleep"]);
		const { zigbee } = BOARDS.find(({ cells }) => cells > 0)!;
		// RTC pins of the ESP32-S3 (its data sheet, 2.3).
		for (const pin of [zigbee!.reset, zigbee!.boot]) assert.ok(pin! <= 21);
	});

	it("restarts with the reason of the wake-up: none, none, the timer, the button, USB, USB, the button", () => {
		assert.deepEqual(steps.get("wake reasons"), ["0", "0", "1", "2", "3", "3", "2"]);
	});
});
