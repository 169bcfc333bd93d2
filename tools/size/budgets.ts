/**
 * Budget of each part of the firmware in its flash slot, in bytes. `npm run size` shows it beside the measured size,
 * and fails if the size exceeds it. In that case make the part smaller, or raise its line and reduce a reserved room
 * below; a test checks that the sum of all lines fits the slot.
 *
 * A new folder of modules/ needs a line here, taken from RESERVED if possible. Each line is the part's size on the
 * board where it is largest, plus about a hundred bytes. The least room is left on boards with a radio and without
 * Ethernet, 33 KB, and on those with both, 64 KB after their omissions (tools/sdk/omissions.ts). A larger feature has
 * to make room first, or be left out of some boards.
 *
 * Only the sum of the script is measured; a folder's share is estimated by its characters. A count of the slots
 * (2026-11-22) showed a quarter more than that for folders with tables of objects (fields, routes, hosts/esp32), and a
 * third less for folders with long expressions (readout, hdlc, json); most estimates were wrong by about a tenth. So a
 * budget shows growth well, but the true size only roughly.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/absent.ts": 800,
	"modules/api": 16640,
	"modules/app": 15230,
	"modules/auth": 20590,
	"modules/backfill": 10840,
	"modules/bytes": 7800,
	"modules/certificate": 8630,
	"modules/config": 15120,
	"modules/core": 1150,
	"modules/cosem": 38350,
	"modules/diagnostics": 8870,
	"modules/dlms": 47590,
	"modules/dns": 22220,
	"modules/hdlc": 19700,
	"modules/history": 27740,
	"modules/hpke": 1500,
	"modules/http": 40280,
	"modules/homeassistant": 21440,
	"modules/iec62056-21": 31430,
	"modules/improv": 6310,
	"modules/io": 8200,
	"modules/json": 12880,
	"modules/live-meter": 23470,
	"modules/mbus": 1250,
	"modules/meter": 81740,
	"modules/mqtt": 37680,
	"modules/obis": 12100,
	"modules/ota": 30330,
	"modules/part.ts": 700,
	"modules/parts.ts": 350,
	"modules/peaks": 5940,
	"modules/power": 7970,
	"modules/prices": 4050,
	"modules/product.ts": 100,
	"modules/publish": 11980,
	"modules/readout": 19340,
	"modules/sml": 10230,
	"modules/sntp": 6960,
	"modules/system": 20060,
	"modules/tic": 8420,
	"modules/time": 9520,
	/** For statistics by the hub, the only WebSocket (test/peers/statistics.ts). */
	"modules/websocket": 4020,
	"modules/wifi": 31660,
	"modules/without.ts": 100,
	"modules/zigbee": 59830,
	"hosts/esp32": 17760,
	"hosts/native": 15670,

	/** Property names, and the tables of names, modules and natives. */
	"names and tables": 67350,
	"engine: built-ins": 24450,
	"SDK: modules": 2870,

	/** The page (hosts/browser), compressed. */
	"resource web.bin": 123500,
	"resource obis-names.bin": 15000,
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
