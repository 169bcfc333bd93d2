import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { OBISCode } from "../../modules/obis/code.js";
import { LANGUAGE_DE, LANGUAGE_EN, LANGUAGE_PL, languageOf, NAME_LIMIT, OBISNames } from "../../modules/obis/names.js";
import { iecVectors } from "../vectors.js";

const ROOT = new URL("../../../", import.meta.url);
const table = new Uint8Array(readFileSync(new URL("modules/resources/obis-names.bin", ROOT)));
const LANGUAGES = [LANGUAGE_EN, LANGUAGE_DE, LANGUAGE_PL];

class Reader {
	readonly names = new OBISNames(table);
	readonly #code = new OBISCode();

	/** The name of an address, or null. */
	name(address: string, language = LANGUAGE_EN): string | null {
		const bytes = new Uint8Array(Buffer.from(address, "latin1"));
		assert.ok(this.#code.parse(bytes, 0, bytes.length), address);
		const into = new Uint8Array(NAME_LIMIT + 2).fill(0xff);
		const found = this.names.find(this.#code, language);
		const end = this.names.write(into, 1);
		assert.equal(end > 1, found);
		assert.equal(into[0], 0xff);
		assert.equal(into[NAME_LIMIT + 1], 0xff);
		return found ? new TextDecoder("utf-8", { fatal: true }).decode(into.subarray(1, end)) : null;
	}
}

const nameOf = (address: string, language?: number) => new Reader().name(address, language);
const all = (address: string) => LANGUAGES.map((language) => nameOf(address, language));

describe("Names of OBIS codes", () => {
	it("are the terms of the energy industry in three languages", () => {
		assert.deepEqual(all("1.8.0"), [
			"Active energy import total",
			"Wirkarbeit Bezug gesamt",
			"Energia czynna pobrana suma",
		]);
		assert.deepEqual(all("2.8.2"), [
			"Active energy export tariff 2",
			"Wirkarbeit Lieferung Tarif 2",
			"Energia czynna oddana strefa 2",
		]);
		assert.deepEqual(all("1-0:32.36.0"), [
			"Number of voltage swells L1",
			"Anzahl Spannungsüberhöhungen L1",
			"Liczba wzrostów napięcia, faza L1",
		]);
		assert.deepEqual(all("1.6.1"), [
			"Maximum demand, active power import, tariff 1",
			"Leistungsmaximum, Wirkleistung Bezug, Tarif 1",
			"Moc maksymalna, moc czynna pobrana, strefa 1",
		]);
	});

	it("are followed by the attribute's name, if it has one", () => {
		const { names } = new Reader();
		const into = new Uint8Array(NAME_LIMIT);
		const behind = (classId: number, attribute: number) =>
			LANGUAGES.map((language) => {
				names.translate(language);
				return Buffer.from(into.subarray(3, names.writeAttribute(classId, attribute, into, 3))).toString();
			});
		assert.deepEqual(behind(4, 5), [", capture time", ", Erfassungszeit", ", czas rejestracji"]);
		assert.deepEqual(behind(5, 6), behind(4, 5));
		assert.deepEqual(behind(5, 3), [", last average", ", letzter Mittelwert", ", ostatnia średnia"]);
		for (const [classId, attribute] of [
			[3, 2],
			[3, 1],
			[4, 6],
			[1, 3],
			[8, 10],
			[255, 127],
		])
			assert.deepEqual(behind(classId, attribute), ["", "", ""]);
	});

	it("don't depend on the form in which a meter sends the code", () => {
		for (const address of ["1-0:1.8.0*255", "1-1:1.8.0", "1-0:1.8.0", "1.8", "1.8.0*01", "1.8.0&12", "1.8.255"]) {
			assert.equal(nameOf(address), "Active energy import total", address);
		}
		for (const address of ["32.7", "32.7.0", "1-0:32.7.0*255", "32.25", "1-0:32.7.255"]) {
			assert.equal(nameOf(address), "Voltage L1", address);
		}
		for (const address of ["C.1.0", "0-0:C.1.0*255", "1-1:C.1.0", "0-0:96.1.0*255", "0-0:96.1.255*255"]) {
			assert.equal(nameOf(address), "Serial number", address);
		}
		for (const address of ["F.F", "F.F.0", "0-0:F.F.0*255", "1-0:97.97.0*255", "0-0:97.97.0", "1-1:F.F"]) {
			assert.equal(nameOf(address), "Error register", address);
		}
		assert.equal(nameOf("P.01"), nameOf("0-0:99.1.0*255"));
		assert.equal(nameOf("P.98"), "Event log");
	});

	it("cover tariffs 1 to 63", () => {
		assert.equal(nameOf("1.8.1"), "Active energy import tariff 1");
		assert.equal(nameOf("1-0:1.8.62*255"), "Active energy import tariff 62");
		assert.equal(nameOf("1.8.63"), "Active energy import tariff 63");
		assert.equal(nameOf("1.8.64"), null);
		assert.equal(nameOf("1.8.254"), null);
	});

	it("cover the three phases", () => {
		assert.deepEqual(
			["31.7", "51.7", "71.7"].map((code) => nameOf(code)),
			["Current L1", "Current L2", "Current L3"],
		);
		assert.deepEqual(
			["21.8.0", "41.8.0", "61.8.0"].map((code) => nameOf(code, LANGUAGE_DE)),
			["Wirkarbeit Bezug L1", "Wirkarbeit Bezug L2", "Wirkarbeit Bezug L3"],
		);
		assert.deepEqual(
			["151.7.0", "171.7.0", "191.7.0"].map((code) => nameOf(code)),
			["Reactive power net L1", "Reactive power net L2", "Reactive power net L3"],
		);
		assert.equal(nameOf("76.7.0"), "Active power net L3");
		assert.equal(nameOf("91.7.0"), "Neutral current");
		assert.equal(nameOf("131.7"), "Reactive power net");
		assert.equal(nameOf("20.7.0"), null);
		assert.equal(nameOf("80.7.0"), null);
	});

	it("distinguish devices on M-Bus from the meter", () => {
		assert.equal(nameOf("0-1:24.2.1"), "Meter reading (M-Bus channel 1)");
		assert.equal(nameOf("0-4:24.2.3"), "Meter reading 3 (M-Bus channel 4)");
		assert.equal(nameOf("0-2:96.1.0"), "Device serial number (M-Bus channel 2)");
		assert.equal(nameOf("0-0:24.2.1"), null);
		assert.equal(nameOf("1-3:0.2.8"), "Version of the P1 telegram");
		assert.equal(nameOf("1-0:0.2.8"), "Firmware signature");
		assert.equal(nameOf("1-0:96.1.0"), "Device ID (server ID)");
	});

	it("differ for other media", () => {
		assert.equal(nameOf("7-0:3.0.0*255"), "Gas volume");
		assert.equal(nameOf("8-0:1.0.0*255"), "Cold water volume");
		assert.equal(nameOf("6-0:1.0.0*255"), "Heat energy");
		assert.equal(nameOf("7-0:1.8.0"), null);
		assert.equal(nameOf("7-0:97.97.0*255"), "Error register");
		for (const medium of [2, 10, 12, 13, 14, 15, 16, 255]) assert.equal(nameOf(`${medium}-0:6.8.0`), null);
	});

	it("include the number of a demand limit", () => {
		assert.equal(nameOf("1-1:0.5.1.2"), "Demand limit 2");
		assert.equal(nameOf("1-0:0.5.1*4"), "Demand limit 4");
		assert.equal(nameOf("0.5.2.3"), "Demand limit tariff 3");
		assert.equal(nameOf("0.5.1"), null);
		assert.equal(nameOf("1-0:0.5.1*255"), null);
		assert.equal(nameOf("1.8.0.1"), null);
	});

	it("are missing for maker-specific codes", () => {
		for (const address of ["1-0:96.50.0*1", "1-0:96.90.1", "129-129:199.130.3", "1-0:200.1.0", "0-0:200.200.200"]) {
			assert.equal(nameOf(address), null, address);
		}
	});

	it("are missing for an unknown code after a known one", () => {
		const reader = new Reader();
		assert.ok(reader.name("1.8.0"));
		assert.equal(reader.name("1-0:200.1.0"), null);
	});
});

describe("Codes without a medium", () => {
	it("have the names of a heat meter's codes once one of these has arrived in the readout", () => {
		const reader = new Reader();
		reader.names.beginReadout();
		assert.equal(reader.name("6.8"), "Heat energy");
		assert.equal(reader.name("6.8.1"), "Heat energy, tariff register 1");
		assert.equal(reader.name("6.26*01"), "Volume");
		assert.equal(reader.name("0.0"), "Device number");
		assert.equal(reader.name("1.8.0"), null);
		assert.equal(reader.name("F.F"), "Error register");
		assert.equal(reader.name("1-0:1.8.0"), "Active energy import total");
		reader.names.beginReadout();
		assert.equal(reader.name("6.8.1"), "Reactive energy quadrant II (capacitive, export) tariff 1");
		assert.equal(reader.name("0.0"), "Meter number (ID 1)");
	});

	it("identify a heat meter also by 9.x, but not by similar codes", () => {
		assert.equal(nameOf("9.21"), "Owner's number");
		assert.equal(nameOf("9.4"), "Maximum flow and return temperature");
		assert.equal(nameOf("9.8"), "Apparent energy import total");
		assert.equal(nameOf("6.8.0"), "Reactive energy quadrant II (capacitive, export) total");
		assert.equal(nameOf("1-0:6.8"), "Reactive energy quadrant II (capacitive, export) total");
	});

	it("have names from the Turkish list, or else the general names, if they begin with the digits 96 instead of C", () => {
		assert.equal(nameOf("96.1.3"), "Date of manufacture");
		assert.equal(nameOf("C.1.3"), "Device ID 4");
		assert.equal(nameOf("96.77.0*1"), "Power failure, all phases");
		assert.equal(nameOf("96.6.1"), "Battery state");
	});
});

describe("Languages", () => {
	it("are English unless German or Polish is set", () => {
		assert.equal(languageOf("de"), LANGUAGE_DE);
		assert.equal(languageOf("pl"), LANGUAGE_PL);
		for (const text of ["en", "", "DE", "deu", "fr"]) assert.equal(languageOf(text), LANGUAGE_EN, text);
	});
});

describe("The table of names", () => {
	it("is rejected if its bytes are not a table of names", () => {
		assert.throws(() => new OBISNames(new Uint8Array(0)));
		assert.throws(() => new OBISNames(new Uint8Array(64)));
		assert.throws(() => new OBISNames(table.subarray(1)));
	});

	it("works at an odd position in a larger buffer", () => {
		const larger = new Uint8Array(table.length + 3);
		larger.set(table, 3);
		const names = new OBISNames(larger.subarray(3));
		const code = new OBISCode();
		code.parse(new Uint8Array(Buffer.from("1.8.0")), 0, 5);
		assert.ok(names.find(code, LANGUAGE_PL));
	});

	it("gives a well-formed name or none for every possible code", () => {
		const reader = new Reader();
		const group = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 255 }));
		const media = fc.constantFrom("", "0-0:", "0-1:", "1-0:", "1-255:", "6-0:", "7-1:", "255-255:");
		fc.assert(
			fc.property(media, group, group, group, fc.nat(2), (medium, c, d, e, language) => {
				const address = `${medium}${c}.${d}.${e}`;
				const name = reader.name(address, language);
				assert.ok(name === null || /^[\p{L}\d].*[\p{L}\d)%]$/u.test(name), `${address}: ${name}`);
			}),
			{ numRuns: 3000 },
		);
	});

	it("names every code of the captures except harmonics, some codes of heat meters, and the few others listed here", () => {
		const unknown = new Set<string>();
		for (const { readings } of iecVectors()) {
			const reader = new Reader();
			reader.names.beginReadout();
			for (const { obis_long: address } of readings) {
				if (address === "F") continue;
				const names = LANGUAGES.map((language) => reader.name(address, language));
				if (names.includes(null)) unknown.add(address.replace(/[*&].*/, ""));
			}
		}
		const harmonics = [
			"31.7.1",
			"31.7.2",
			"32.7.1",
			"32.7.2",
			"35.7.1",
			"51.7.1",
			"51.7.2",
			"52.7.1",
			"52.7.2",
			"55.7.1",
		];
		harmonics.push("71.7.1", "71.7.2", "72.7.1", "72.7.2", "75.7.1");
		const heat = ["6.36.5", "9.17", "9.18", "9.19", "9.2", "9.25", "9.6", "9.7"];
		const others = ["1-0:96.50.0", "96.90", "96.93"];
		// One capture is a test author's mix of a heat meter's list and one code of electricity.
		const mixed = ["81.7.6"];
		assert.deepEqual([...unknown].sort(), [...harmonics, ...heat, ...others, ...mixed].sort());
	});
});
