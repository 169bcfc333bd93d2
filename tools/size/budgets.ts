/**
 * Budget of each part of the firmware in its flash slot, in bytes. `npm run size` fails if a part exceeds its budget.
 * In this case make the part smaller, or raise its budget and reduce a line of RESERVED by the same amount. A test
 * checks that the sum of all lines fits the slot.
 *
 * A new folder of modules/ needs a line here, taken from RESERVED if possible. Each budget is the part's size on the
 * board where it is largest, plus about a hundred bytes. docs/performance.md lists what is left on boards with 4 MB of
 * flash after their omissions (tools/sdk/omissions.ts).
 *
 * Only the size of the whole script is measured. A folder's share is estimated from its number of characters. In fact,
 * folders with tables of objects (fields, routes, hosts/esp32) take a quarter more than estimated, and folders with
 * long expressions (readout, hdlc, json) take a third less.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/part/absent.ts": 850,
	"modules/amis": 4400,
	"modules/api": 15900,
	"modules/app": 16300,
	"modules/auth": 19050,
	"modules/backfill": 10300,
	"modules/bytes": 7400,
	"modules/certificate": 8950,
	"modules/config": 14550,
	"modules/core": 1150,
	"modules/cosem": 35750,
	"modules/diagnostics": 8200,
	"modules/dlms": 48650,
	"modules/dns": 20500,
	"modules/hawkbit": 13500,
	"modules/hdlc": 18600,
	"modules/history": 26400,
	"modules/hpke": 1450,
	"modules/http": 37600,
	"modules/homeassistant": 19650,
	"modules/iec62056-21": 29250,
	"modules/improv": 6150,
	"modules/io": 7950,
	"modules/json": 11950,
	"modules/kmp": 5150,
	"modules/live-meter": 35200,
	"modules/mbus": 20100,
	"modules/meter": 81550,
	"modules/mqtt": 37800,
	"modules/obis": 11350,
	"modules/product/omitted.ts": 250,
	"modules/ota": 30500,
	"modules/part/part.ts": 700,
	"modules/app/parts.ts": 350,
	"modules/peaks": 6000,
	"modules/power": 7450,
	"modules/prices": 3800,
	"modules/product/product.ts": 100,
	"modules/provision": 10200,
	"modules/publish": 15050,
	"modules/readout": 24300,
	"modules/sml": 9500,
	"modules/sntp": 6500,
	"modules/system": 19200,
	"modules/tic": 8850,
	"modules/time": 8850,
	/** Used by statistics for the hub, and by Shelly's RPC. */
	"modules/websocket": 6050,
	"modules/wifi": 30350,
	"modules/product/without.ts": 100,
	"modules/zigbee": 55400,
	"hosts/esp32": 17400,
	"hosts/native": 15050,

	/** Property names, and the engine's tables of names, modules and natives. */

	"SDK: modules": 2900,
	"engine: built-ins": 25200,
	"names and tables": 73500,
	"resource web.bin": 132600,
	/** The web page (hosts/browser), compressed. */
	"resource obis-names.bin": 15200,
	"resource timezones.bin": 8000,

	/** Largest value from native.ts, which belongs to a board with Ethernet. */
	"ESP-IDF and all C": 962000,

	/**
	 * Maximum on the C3. There, a few more bytes of script can add or remove the padding (native.ts). Other chips have
	 * none.
	 */
	"padding to a page": 17600,
});

/** Room for future parts, for script and C together. For a new part, move its bytes from here to a budget above. */
export const RESERVED: Readonly<Record<string, number>> = Object.freeze({
	/** Together with the budgets, this fills the slot of the board slzb-06. */
	"what is to come": 38_350,
});
