import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { LANGUAGE_DE } from "../../modules/obis/names.js";
import { PublishedValues } from "../../modules/publish/values.js";
import { recordsOfBlock } from "../readout/block.js";

const names = readFileSync(new URL("../../../modules/resources/obis-names.bin", import.meta.url));
const text = { encode: (value: string) => new TextEncoder().encode(value), decode: decoded };

function decoded(bytes: Uint8Array, start = 0, end = bytes.length): string {
	return new TextDecoder().decode(bytes.subarray(start, end));
}

/** Key, value, unit, device class and state class of each published value. */
function published(block: string): string[] {
	const values = new PublishedValues({ records: recordsOfBlock(block) }, { names, text, language: LANGUAGE_DE });
	return Array.from({ length: values.count }, (_, index) => {
		values.seek(index);
		const { key, value, unit, deviceClass, stateClass } = values;
		return [key, value, unit, deviceClass, stateClass].join(" ");
	});
}

describe("publish/values", () => {
	it("makes a stable key, whichever parts of the code the meter sends", () => {
		const block = "1-0:1.8.0*255(000123.4*kWh)\r\n2.8.0(5*kWh)\r\n1-1:32.7.0(230.1*V)\r\nC.7.0(3*V)";
		assert.deepEqual(
			published(block).map((line) => line.split(" ")[0]),
			["1_0_1_8_0", "2_8_0", "1_1_32_7_0", "c96_7_0"],
		);
	});

	it("converts each value to a fixed unit, and rounds nothing", () => {
		assert.deepEqual(published("1-0:1.8.0(1234567.8*Wh)\r\n1-0:2.8.0(1.5*MWh)\r\n1-0:16.7.0(-0.0421*kW)"), [
			"1_0_1_8_0 1234.5678 kWh energy total_increasing",
			"1_0_2_8_0 1500 kWh energy total_increasing",
			"1_0_16_7_0 -42.1 W power measurement",
		]);
		assert.deepEqual(published("6.8(0123.456*GJ)\r\n6.26(00012.3*m3)"), [
			"6_8 123.456 GJ energy total_increasing",
			"6_26 12.3 m³ volume total_increasing",
		]);
	});

	it("distinguishes gas from water, and recognises the values of a meter on M-Bus", () => {
		const onMBus = "0-1:24.1.0(003)\r\n0-1:24.2.1(101209112500W)(12785.123*m3)";
		assert.deepEqual(published(`7-0:3.0.0(1*m3)\r\n8-0:1.0.0(2*m3)\r\n9-0:1.0.0(3*m3)\r\n${onMBus}`), [
			"7_0_3_0_0 1 m³ gas total_increasing",
			"8_0_1_0_0 2 m³ water total_increasing",
			"9_0_1_0_0 3 m³ water total_increasing",
			"0_1_24_2_1 12785.123 m³ gas total_increasing",
		]);
	});

	it("marks counters that may fall, and maxima, as not increasing", () => {
		assert.deepEqual(published("1-0:16.8.0(12*kWh)\r\n1-0:76.8.0(1*kWh)\r\n1-0:1.6.0(5.2*kW)\r\n1-0:1.4.0(0.3*kW)"), [
			"1_0_16_8_0 12 kWh energy total",
			"1_0_76_8_0 1 kWh energy total",
			"1_0_1_6_0 5200 W power ",
			"1_0_1_4_0 300 W power measurement",
		]);
	});

	it("omits past billing periods, repeated codes, values without a known unit, and texts", () => {
		const block =
			"0.0.0(12345678)\r\n1.8.0(10*kWh)\r\n1.8.0*01(9*kWh)\r\n1.8.0(10*kWh)\r\n3.3(1*furlong)\r\n31.7.0(--*A)";
		assert.deepEqual(published(block), ["1_8_0 10 kWh energy total_increasing"]);
	});

	it("names a value in the configured language, or by its code if it has no name", () => {
		const records = recordsOfBlock("1-0:1.8.0(10*kWh)\r\n1-0:199.199.0(9*kWh)");
		const values = new PublishedValues({ records }, { names, text, language: LANGUAGE_DE });
		values.seek(0);
		assert.equal(values.name, "Wirkarbeit Bezug gesamt");
		values.seek(1);
		assert.equal(values.name, "1-0:199.199.0");
		assert.equal(values.obis, "1-0:199.199.0");
		values.seek(0);
		assert.equal(values.key, "1_0_1_8_0", "an earlier value can be selected again");
	});
});
