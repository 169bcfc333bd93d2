/**
 * Budget of each part of the firmware in its flash slot, in bytes: `npm run size` shows it beside the measured size,
 * and fails if it is exceeded. In that case make the part smaller, or raise its line and reduce a reserved room below;
 * a test checks that the sum of all lines fits the slot.
 *
 * A new folder of modules/ needs a line here, taken from RESERVED if possible. Each line is the part's size plus about
 * a twentieth, in steps of 500. The same lines hold for every board; one with a radio needs the most.
 *
 * Only the sum of the script is measured; a folder's share is estimated by its characters. A count of the slots
 * (2026-11-22) showed a quarter more than that for folders with tables of objects (fields, routes, hosts/esp32), and a
 * third less for folders with long expressions (readout, hdlc, json); most were a tenth off. So a budget shows growth
 * well, but the true size only roughly.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/api": 17500,
	"modules/app": 16000,
	"modules/auth": 21000,
	"modules/bytes": 8000,
	"modules/certificate": 9000,
	"modules/config": 16000,
	"modules/core": 1500,
	"modules/cosem": 36500,
	"modules/diagnostics": 9500,
	"modules/dlms": 48500,
	"modules/dns": 23000,
	"modules/hdlc": 20500,
	"modules/history": 23500,
	"modules/hpke": 2000,
	"modules/http": 41000,
	"modules/homeassistant": 14000,
	"modules/iec62056-21": 31500,
	"modules/improv": 7000,
	"modules/io": 8500,
	"modules/json": 13500,
	"modules/live-meter": 24500,
	"modules/mbus": 1500,
	"modules/meter": 78000,
	"modules/mqtt": 33500,
	"modules/obis": 12500,
	"modules/ota": 23500,
	"modules/part.ts": 1000,
	"modules/parts.ts": 500,
	"modules/power": 8500,
	"modules/prices": 4000,
	"modules/publish": 10000,
	"modules/readout": 19000,
	"modules/sml": 11000,
	"modules/sntp": 7500,
	"modules/system": 20500,
	"modules/tic": 9000,
	"modules/time": 10000,
	"modules/wifi": 33000,
	"modules/zigbee": 62500,
	"hosts/esp32": 19000,
	"hosts/native": 16500,

	/** Property names, and the tables of names, modules and natives. */
	"names and tables": 63500,
	"engine: built-ins": 24000,
	"SDK: modules": 3000,

	/** The page (hosts/browser), compressed. */
	"resource web.bin": 124000,
	"resource obis-names.bin": 15500,
	"resource timezones.bin": 8500,

	/** native.ts, of the largest chip: the C3, which has no radio, so that the room for modules/zigbee is free. */
	"ESP-IDF and all C": 982000,
});

/** Room reserved for future parts, script and C together. A new part moves its bytes from here to a line above. */
export const RESERVED: Readonly<Record<string, number>> = Object.freeze({
	/** Additional reserve for corrections and new features. */
	"what is to come": 0,
});
