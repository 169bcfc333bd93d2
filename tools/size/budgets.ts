/**
 * Budget of each part of the firmware in its flash slot, in bytes. `npm run size` shows it beside the measured size,
 * and fails if the size exceeds it. In that case make the part smaller, or raise its line and reduce a reserved room
 * below; a test checks that the sum of all lines fits the slot.
 *
 * A new folder of modules/ needs a line here, taken from RESERVED if possible. Each line is the part's size on the
 * board where it is largest, plus about a hundred bytes: a board with radio and Ethernet has 10 KB left in all. A
 * larger feature has to make room first, or be left out of some boards.
 *
 * Only the sum of the script is measured; a folder's share is estimated by its characters. A count of the slots
 * (2026-11-22) showed a quarter more than that for folders with tables of objects (fields, routes, hosts/esp32), and a
 * third less for folders with long expressions (readout, hdlc, json); most were wrong by about a tenth. So a budget
 * shows growth well, but the true size only roughly.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/api": 16800,
	"modules/app": 15300,
	"modules/auth": 20800,
	"modules/bytes": 7700,
	"modules/certificate": 8700,
	"modules/config": 15300,
	"modules/core": 1200,
	"modules/cosem": 36400,
	"modules/diagnostics": 9000,
	"modules/dlms": 47600,
	"modules/dns": 22400,
	"modules/hdlc": 19800,
	"modules/history": 23400,
	"modules/hpke": 1600,
	"modules/http": 40700,
	"modules/homeassistant": 13600,
	"modules/iec62056-21": 31000,
	"modules/improv": 6400,
	"modules/io": 8200,
	"modules/json": 13000,
	"modules/live-meter": 23500,
	"modules/mbus": 1300,
	"modules/meter": 78200,
	"modules/mqtt": 37800,
	"modules/obis": 12200,
	"modules/ota": 28500,
	"modules/part.ts": 700,
	"modules/parts.ts": 400,
	"modules/power": 8100,
	"modules/prices": 4200,
	"modules/publish": 11500,
	"modules/readout": 18900,
	"modules/sml": 10300,
	"modules/sntp": 7000,
	"modules/system": 20100,
	"modules/tic": 8500,
	"modules/time": 9400,
	"modules/wifi": 32000,
	"modules/zigbee": 59900,
	"hosts/esp32": 18000,
	"hosts/native": 15800,

	/** Property names, and the tables of names, modules and natives. */
	"names and tables": 67700,
	"engine: built-ins": 24200,
	"SDK: modules": 2900,

	/** The page (hosts/browser), compressed. */
	"resource web.bin": 121850,
	"resource obis-names.bin": 15100,
	"resource timezones.bin": 8000,

	/**
	 * The value of native.ts for the C3, which is the largest. The board with that chip has no radio, so that the room
	 * for modules/zigbee is free there.
	 */
	"ESP-IDF and all C": 982000,
});

/** Room reserved for future parts, script and C together. A new part moves its bytes from here to a line above. */
export const RESERVED: Readonly<Record<string, number>> = Object.freeze({
	/** Reserve for corrections. */
	"what is to come": 0,
});
