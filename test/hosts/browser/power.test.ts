import assert from "node:assert/strict";
import { phasesOf } from "../../../hosts/browser/kit/phases.js";
import { apparentOf, countersOf, importedWh, isKnown, powerOf } from "../../../hosts/browser/kit/power.js";
import type { Reading } from "../../../hosts/browser/kit/replies.js";

function reading(obis: string, value: number | null, unit: string, billingPeriod: number | null = null): Reading {
	return {
		obis_long: `1-0:${obis}`,
		obis,
		value1: String(value ?? ""),
		value2: "",
		value1_number: value,
		value1_unit: unit,
		medium: 1,
		channel: 0,
		billing_period: billingPeriod,
		mapping_id: "00000000",
		en: null,
	};
}

describe("present power", () => {
	it("is the signed sum if the meter sends it", () => {
		assert.equal(powerOf([reading("1.7.0", 9, "kW"), reading("16.7.0", -0.25, "kW")]), -250);
	});

	it("is import minus export", () => {
		assert.equal(powerOf([reading("1.7.0", 1.5, "kW"), reading("2.7.0", 200, "W")]), 1300);
		assert.equal(powerOf([reading("2.7.0", 0.4, "kW")]), -400);
		assert.equal(powerOf([reading("1.7.0", 0, "kW")]), 0);
		assert.equal(powerOf([reading("2.7.0", 0, "kW")]), undefined);
	});

	it("is the sum of the phases, signed or in two directions", () => {
		assert.equal(powerOf([reading("36.7.0", 100, "W"), reading("56.7.0", -40, "W"), reading("76.7.0", 7, "W")]), 67);
		assert.equal(powerOf([reading("21.7.0", 0.1, "kW"), reading("42.7.0", 0.03, "kW")]), 70);
	});

	it("is apparent power if the meter sends no other, and only in VA", () => {
		const linky = [reading("9.7.0", 1800, "VA"), reading("10.7.0", 0, "VA")];
		assert.equal(powerOf(linky), undefined);
		assert.equal(apparentOf(linky), 1800);
		assert.equal(apparentOf([reading("10.7.0", 0.25, "kVA")]), -250);
		assert.equal(apparentOf([reading("9.7.0", 1800, "W"), reading("10.7.0", null, "VA")]), undefined);
	});

	it("is found by codes without their last group, which some meters send", () => {
		assert.equal(powerOf([reading("1.7", 0.5, "kW")]), 500);
	});

	it("is not another attribute of the object, such as its scaler", () => {
		const scaler = { ...reading("16.7.0", -1, "W"), attribute: 3 };
		assert.equal(powerOf([scaler, reading("16.7.0", 9, "W")]), 9);
		assert.equal(powerOf([scaler]), undefined);
	});

	it("is unknown without a number, in a unit other than power, or from a billing period", () => {
		assert.equal(powerOf([]), undefined);
		assert.equal(powerOf([reading("16.7.0", null, "kW")]), undefined);
		assert.equal(powerOf([reading("16.7.0", 5, "kvar")]), undefined);
		assert.equal(powerOf([reading("1.7.0", 5, "kW", 3)]), undefined);
	});
});

describe("phases", () => {
	it("have power (signed or in two directions), voltage and current, if the meter sends them", () => {
		const voltage = reading("32.7.0", 231.2, "V");
		const current = reading("71.7", 0.4, "A");
		const l2 = [reading("41.7.0", 0.1, "kW"), reading("42.7.0", 300, "W")];
		assert.deepEqual(phasesOf([voltage, reading("36.7.0", -5, "W"), ...l2, current]), [
			{ name: "L1", watts: -5, voltage, current: undefined },
			{ name: "L2", watts: -200, voltage: undefined, current: undefined },
			{ name: "L3", watts: undefined, voltage: undefined, current },
		]);
	});

	it("have no voltage and current that the gateway considers too old", () => {
		assert.deepEqual(phasesOf([reading("32.7.0", null, "V"), reading("31.7.0", null, "A")]), []);
	});

	it("are empty for a meter that sends sums only", () => {
		assert.deepEqual(phasesOf([reading("16.7.0", 5, "W"), reading("32.7.0", 230, "V", 1)]), []);
	});
});

describe("energy", () => {
	it("is import minus export, in Wh", () => {
		assert.equal(importedWh([reading("1.8.0", 12.5, "kWh"), reading("2.8.0", 500, "Wh")]), 12_000);
		assert.equal(importedWh([reading("1.8.0", 0.001, "MWh")]), 1000);
	});

	it("is unknown without a present import counter", () => {
		assert.equal(importedWh([reading("2.8.0", 5, "kWh")]), undefined);
		assert.equal(importedWh([reading("1.8.0", 5, "kWh", 1)]), undefined);
	});

	it("is unknown, and in no total, while a counter is unconfirmed", () => {
		const [first, second] = [reading("1.8.1", 5, "kWh"), reading("1.8.2", 6, "kWh")];
		const doubtful = { ...first, unconfirmed: true };
		assert.equal(importedWh([{ ...reading("1.8.0", 5, "kWh"), unconfirmed: true }]), undefined);
		assert.deepEqual([isKnown(first), isKnown(doubtful), isKnown(reading("16.7.0", null, "W"))], [true, false, false]);
		assert.ok(isKnown(reading("96.1.1", null, "")));
		assert.deepEqual(
			[countersOf([first, second]), countersOf([doubtful, second])].map((all) => all.map(({ tariff }) => tariff)),
			[
				[0, 1, 2],
				[1, 2],
			],
		);
	});

	it("is listed with import before export and totals before tariffs, and without billing periods", () => {
		const readings = [
			reading("2.8.0", 1, "kWh"),
			reading("1.8.2", 2, "kWh"),
			reading("1.8.0", 3, "kWh"),
			reading("1.8.0", 4, "kWh", 1),
			reading("1.8.4", 5, "kWh"),
			reading("1.8.6", 6, "kWh"),
			reading("1.8.10", 7, "kWh"),
		];
		assert.deepEqual(
			countersOf(readings).map(({ isExport, tariff, reading: { value1 } }) => [isExport, tariff, value1]),
			[
				[false, 0, "3"],
				[false, 2, "2"],
				[false, 4, "5"],
				[false, 6, "6"],
				[true, 0, "1"],
			],
		);
	});
});
