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
	"modules/api": 108000,
	"modules/app": 38000,
	"modules/auth": 12500,
	"modules/bytes": 8000,
	"modules/config": 40000,
	"modules/diagnostics": 10000,
	"modules/dlms": 51000,
	"modules/dns": 26500,
	"modules/hdlc": 23500,
	"modules/history": 23500,
	"modules/hpke": 2000,
	"modules/http": 47000,
	"modules/hub": 15000,
	"modules/iec62056-21": 25500,
	"modules/improv": 7500,
	"modules/io": 10000,
	"modules/json": 15500,
	"modules/meter": 75000,
	"modules/mqtt": 33500,
	"modules/obis": 15000,
	"modules/ota": 18500,
	"modules/power": 8000,
	"modules/publish": 4500,
	"modules/readout": 18500,
	"modules/sml": 11000,
	"modules/sntp": 8500,
	"modules/time": 9000,
	"modules/wifi": 10500,
	"modules/zigbee": 55000,
	"hosts/esp32": 20000,
	"hosts/native": 17500,

	/** The names of properties, and the tables of names, modules and natives. */
	"names and tables": 66500,
	"engine: built-ins": 30000,
	"SDK: modules": 3000,

	/** The page (hosts/browser), compressed. */
	"resource web.bin": 98500,
	"resource obis-names.bin": 15500,
	"resource timezones.bin": 8500,

	/** NATIVE_ESTIMATE_BYTES of report.ts, and what has come to it since it was measured. */
	"ESP-IDF and all C": 973000,
});

/** Rooms for what is to come, script and C together. Who builds one gives it lines above and takes its line away here. */
export const RESERVED: Readonly<Record<string, number>> = Object.freeze({
	/** More of DLMS. */
	more: 5000,
});
