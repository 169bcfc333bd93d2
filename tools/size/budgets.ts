/**
 * What each part of the firmware may take of its slot in flash, in bytes: `npm run size` shows it beside what the part
 * takes, and fails where that is more. Over its budget? Make the part smaller, or raise its line and take the bytes off a
 * room that is kept free below; the sum of all lines must fit the slot, which a test holds.
 *
 * A new folder of modules/ needs a line here: its room is among RESERVED, perhaps. Each line is what the part takes and
 * about a twentieth more, in steps of 500. The same lines hold for every board; one with a radio takes the most.
 *
 * Of our script only the sum is measured; a folder's share goes by its characters. Where the slots were counted out for
 * once (2026-11-22), a folder took up to a quarter more than its share where it holds tables of objects (fields, routes,
 * hosts/esp32), and up to a third less where it holds long expressions (readout, hdlc, json); most are a tenth off. So a
 * budget tells growth well, and the parts' true sizes roughly.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/api": 17500,
	"modules/app": 16000,
	"modules/auth": 21500,
	"modules/bytes": 8000,
	"modules/certificate": 9000,
	"modules/config": 16000,
	"modules/core": 1500,
	"modules/cosem": 36500,
	"modules/diagnostics": 9500,
	"modules/dlms": 50000,
	"modules/dns": 23000,
	"modules/hdlc": 20500,
	"modules/history": 24000,
	"modules/hpke": 2000,
	"modules/http": 41500,
	"modules/homeassistant": 14500,
	"modules/iec62056-21": 31500,
	"modules/improv": 7000,
	"modules/io": 10000,
	"modules/json": 13500,
	"modules/mbus": 1500,
	"modules/meter": 79000,
	"modules/mqtt": 33500,
	"modules/obis": 13000,
	"modules/ota": 24000,
	"modules/part.ts": 1000,
	"modules/parts.ts": 500,
	"modules/power": 8500,
	"modules/publish": 10000,
	"modules/readout": 19500,
	"modules/sml": 11000,
	"modules/sntp": 7500,
	"modules/system": 20500,
	"modules/time": 10000,
	"modules/wifi": 33000,
	"modules/zigbee": 62500,
	"hosts/esp32": 19000,
	"hosts/native": 16500,

	/** The names of properties, and the tables of names, modules and natives. */
	"names and tables": 63500,
	"engine: built-ins": 24500,
	"SDK: modules": 3000,

	/** The page (hosts/browser), compressed. */
	"resource web.bin": 113000,
	"resource obis-names.bin": 15500,
	"resource timezones.bin": 8500,

	/** native.ts, for the chip that takes most: the C3, which has no radio, so that its room for modules/zigbee is free. */
	"ESP-IDF and all C": 982000,
});

/** Rooms for what is to come, script and C together. Who builds one gives it lines above and takes its line away here. */
export const RESERVED: Readonly<Record<string, number>> = Object.freeze({
	/** All that is left beside the lines above: corrections, and what owners ask for. */
	"what is to come": 8500,
});
