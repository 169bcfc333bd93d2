/**
 * Units. Meters send a unit as text of up to 16 characters (IEC 62056-21, 6.5). In a packed readout, one byte stands
 * for each known spelling. DLMS has numbers for units (Blue Book edition 14, 4.3.2, scaler_unit).
 */

/** Spellings of units as meters send them, frequent ones first. The index is the number in a packed record. */
const SPELLINGS = Object.freeze([
	"kWh",
	"kW",
	"V",
	"A",
	"kvarh",
	"W",
	"kVArh",
	"kVarh",
	"kvar",
	"m3",
	"Hz",
	"Wh",
	"MWh",
	"varh",
	"var",
	"kVAr",
	"kVar",
	"kVA",
	"VA",
	"kVAh",
	"VAh",
	"MW",
	"Mvar",
	"MVA",
	"Mvarh",
	"MVAh",
	"KWH",
	"KWh",
	"kwh",
	"KW",
	"GWh",
	"kVARh",
	"kVAR",
	"KVARH",
	"kVAhr",
	"VAr",
	"Var",
	"VAR",
	"VArh",
	"Varh",
	"VARh",
	"MVar",
	"MVAr",
	"MVArh",
	"kV",
	"mV",
	"mA",
	"kA",
	"deg",
	"Deg",
	"DEG",
	"grad",
	"hz",
	"HZ",
	"%",
	"P/S",
	"k",
	"h",
	"min",
	"m",
	"s",
	"sec",
	"secs",
	"d",
	"m3/h",
	"m3ph",
	"l",
	"l/h",
	"L",
	"GJ",
	"MJ",
	"kJ",
	"J",
	"Gcal",
	"C",
	"K",
	"bar",
	"mbar",
	"imp/kWh",
	"Imp/kWh",
	"I/kWh",
	"imp/kvarh",
	"V2h",
	"A2h",
	"dBm",
	"EUR",
	"PLN",
]);

/** DLMS units 0 to 72; reserved numbers are empty. */
const COSEM_UNITS = Object.freeze([
	...["", "a", "mo", "wk", "d", "h", "min", "s", "°", "°C", "", "m", "m/s", "m3", "m3", "m3/h", "m3/h", "m3/d"],
	...["m3/d", "l", "kg", "N", "Nm", "Pa", "bar", "J", "J/h", "W", "VA", "var", "Wh", "VAh", "varh", "A", "C", "V"],
	...["V/m", "F", "Ohm", "Ohm m2/m", "Wb", "T", "A/m", "H", "Hz", "1/(Wh)", "1/(varh)", "1/(VAh)", "V2h", "A2h"],
	...["kg/s", "S", "K", "1/(V2h)", "1/(A2h)", "1/m3", "%", "Ah", "", "", "Wh/m3", "J/m3", "mol%", "g/m3", "Pa s"],
	...["J/kg", "g/cm2", "atm", "", "", "dBm", "dBuV", "dB"],
]);

/** Number of spellings. It is at most 255, so that the byte 255 can have another meaning in a packed record. */
export const UNIT_COUNT = SPELLINGS.length;

/** Returns the number of a unit, 0 to 254; -1 for an unknown spelling. */
export function unitIndex(bytes: Uint8Array, start: number, end: number): number {
	const length = end - start;
	for (let index = 0; index < UNIT_COUNT; index++) {
		const spelling = SPELLINGS[index];
		if (spelling.length !== length) continue;
		let i = 0;
		while (i < length && spelling.charCodeAt(i) === bytes[start + i]) i++;
		if (i === length) return index;
	}
	return -1;
}

export function unitText(index: number): string {
	return SPELLINGS[index] ?? "";
}

/** Returns the unit's text; "" for 255 (no unit), 10 (currency), 254 (other) and reserved numbers. */
export function cosemUnitText(unit: number): string {
	return COSEM_UNITS[unit] ?? "";
}
