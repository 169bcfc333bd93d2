/**
 * What each part of the firmware may take of its slot in flash, in bytes: `npm run size` shows it beside what the part
 * takes, and fails where that is more. Over its budget? Make the part smaller, or raise its line and take the bytes off a
 * room that is kept free below; the sum of all lines must fit the slot, which a test holds.
 *
 * A new folder of modules/ needs a line here: its room is among RESERVED, perhaps. Each line is what the part takes and
 * about a twentieth more, in steps of 500. The same lines hold for every board; one with a radio takes the most.
 *
 * Of our script only the sum is measured; a folder's share goes by its characters. Where the slots were counted out for
 * once (2026-11-22), a folder took up to a quarter more than its share where it holds tables of objects (config, api,
 * hosts/esp32), and up to a third less where it holds long expressions (readout, hdlc, json); most are a tenth off. So a
 * budget tells growth well, and the parts' true sizes roughly.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/api": 110500,
	"modules/app": 31500,
	"modules/auth": 12500,
	"modules/bytes": 5000,
	"modules/config": 41500,
	"modules/diagnostics": 10000,
	"modules/dlms": 55000,
	"modules/dns": 27500,
	"modules/hdlc": 25000,
	"modules/history": 24500,
	"modules/hpke": 2000,
	"modules/http": 49000,
	"modules/hub": 15500,
	"modules/iec62056-21": 27000,
	"modules/improv": 8000,
	"modules/io": 10500,
	"modules/json": 16500,
	"modules/meter": 66000,
	"modules/mqtt": 35000,
	"modules/obis": 15000,
	"modules/ota": 18000,
	"modules/power": 8000,
	"modules/publish": 4500,
	"modules/readout": 19500,
	"modules/sntp": 9000,
	"modules/time": 8500,
	"modules/wifi": 11000,
	"modules/zigbee": 36000,
	"hosts/esp32": 20500,
	"hosts/native": 18000,

	/** The names of properties, and the tables of names, modules and natives. */
	"names and tables": 61000,
	"engine: built-ins": 29500,
	"SDK: modules": 3500,

	/** The page (hosts/browser), compressed. */
	"resource web.bin": 95500,
	"resource obis-names.bin": 15500,
	"resource timezones.bin": 8500,

	/** NATIVE_ESTIMATE_BYTES of report.ts, and what has come to it since it was measured. */
	"ESP-IDF and all C": 1011500,
});

/** Rooms for what is to come, script and C together. Who builds one gives it lines above and takes its line away here. */
export const RESERVED: Readonly<Record<string, number>> = Object.freeze({
	/**
	 * Driver of the coprocessor, clusters, reports, pairing (only in images of boards with a radio), and what else meters
	 * speak (SML, DLMS push, profiles). Together they want about 115 000: the rest has to be saved elsewhere first.
	 */
	"Zigbee bridge, SML": 500,
});
