import assert from "node:assert/strict";
import { cosemUnitText, UNIT_COUNT, unitIndex, unitText } from "../../modules/obis/units.js";
import { iecVectors } from "../vectors.js";

const indexOf = (text: string) => unitIndex(new Uint8Array(Buffer.from(text, "latin1")), 0, text.length);

describe("Units", () => {
	it("keep the spelling of the meter", () => {
		for (const text of ["kWh", "KWH", "kvarh", "kVArh", "kVarh", "P/S", "m3ph", "m3/h", "%", "deg", "Deg", "secs"]) {
			assert.equal(unitText(indexOf(text)), text);
		}
	});

	it("are each listed once, and are at most 255, so that a byte has a value left for a missing unit", () => {
		assert.ok(UNIT_COUNT <= 255);
		for (let index = 0; index < UNIT_COUNT; index++) {
			assert.equal(indexOf(unitText(index)), index);
			assert.match(unitText(index), /^[\x21-\x7e]{1,16}$/);
		}
	});

	it("have no number if they are not listed", () => {
		for (const text of ["", "kW ", " kW", "kWhh", "KwH", "°C"]) assert.equal(indexOf(text), -1, text);
	});

	it("are compared within the given bounds only", () => {
		const bytes = new Uint8Array(Buffer.from("xkWhx"));
		assert.equal(unitIndex(bytes, 1, 4), indexOf("kWh"));
		assert.equal(unitIndex(bytes, 1, 3), indexOf("kW"));
		assert.equal(unitIndex(bytes, 1, 5), -1);
		assert.equal(unitIndex(bytes, 2, 2), -1);
	});

	it("have no text for an invalid number", () => {
		for (const index of [-1, UNIT_COUNT, 255]) assert.equal(unitText(index), "");
	});

	it("include those of all captures", () => {
		for (const { name, readings } of iecVectors()) {
			for (const { value1_unit: unit } of readings) if (unit !== "") assert.ok(indexOf(unit) >= 0, `${name} ${unit}`);
		}
	});

	it("have the numbers of the Blue Book in DLMS", () => {
		const known: [number, string][] = [
			[1, "a"],
			[5, "h"],
			[8, "°"],
			[9, "°C"],
			[13, "m3"],
			[19, "l"],
			[27, "W"],
		];
		known.push([28, "VA"], [29, "var"], [30, "Wh"], [31, "VAh"], [32, "varh"], [33, "A"], [34, "C"], [35, "V"]);
		known.push([38, "Ohm"], [44, "Hz"], [45, "1/(Wh)"], [52, "K"], [56, "%"], [57, "Ah"], [60, "Wh/m3"], [70, "dBm"]);
		known.push([72, "dB"]);
		for (const [unit, text] of known) assert.equal(cosemUnitText(unit), text, String(unit));
	});

	it('have no text for the DLMS numbers that mean "no unit" and "other unit", nor for reserved numbers', () => {
		for (const unit of [0, 10, 58, 59, 68, 69, 73, 127, 254, 255, -1])
			assert.equal(cosemUnitText(unit), "", String(unit));
	});
});
