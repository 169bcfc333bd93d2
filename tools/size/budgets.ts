/**
 * Budget of each part of the firmware in its flash slot, in bytes. `npm run size` fails if a part exceeds its budget.
 * In this case make the part smaller, or raise its budget and reduce a line of RESERVED by the same amount. A test
 * checks that the sum of all lines fits the slot.
 *
 * A new folder of modules/ needs a line here, taken from RESERVED if possible. Each budget is the part's size on the
 * board where it is largest, plus about a hundred bytes. Boards with 4 MB of flash have 31 to 39 KB left after their
 * omissions (tools/sdk/omissions.ts, docs/hardware.md).
 *
 * Only the size of the whole script is measured. A folder's share is estimated from its number of characters. In fact,
 * folders with tables of objects (fields, routes, hosts/esp32) take a quarter more than estimated, and folders with
 * long expressions (readout, hdlc, json) take a third less.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/absent.ts": 850,
	"modules/amis": 4700,
	"modules/api": 17350,
	"modules/app": 15950,
	"modules/auth": 20800,
	"modules/backfill": 11100,
	"modules/bytes": 7850,
	"modules/certificate": 9650,
	"modules/config": 15700,
	"modules/core": 1150,
	"modules/cosem": 38800,
	"modules/diagnostics": 8950,
	"modules/dlms": 53050,
	"modules/dns": 22400,
	"modules/hawkbit": 14700,
	"modules/hdlc": 19850,
	"modules/history": 28050,
	"modules/hpke": 1500,
	"modules/http": 40350,
	"modules/homeassistant": 22000,
	"modules/iec62056-21": 31650,
	"modules/improv": 6650,
	"modules/io": 8300,
	"modules/json": 13000,
	"modules/kmp": 5350,
	"modules/live-meter": 37300,
	"modules/mbus": 21300,
	"modules/meter": 86100,
	"modules/mqtt": 39200,
	"modules/obis": 12200,
	"modules/omitted.ts": 250,
	"modules/ota": 33200,
	"modules/part.ts": 700,
	"modules/parts.ts": 350,
	"modules/peaks": 6000,
	"modules/power": 8000,
	"modules/prices": 4100,
	"modules/product.ts": 100,
	"modules/provision": 10800,
	"modules/publish": 15950,
	"modules/readout": 21800,
	"modules/sml": 10300,
	"modules/sntp": 7000,
	"modules/system": 20700,
	"modules/tic": 9300,
	"modules/time": 9600,
	/** Used by statistics for the hub, and by Shelly's RPC. */
	"modules/websocket": 6600,
	"modules/wifi": 32000,
	"modules/without.ts": 100,
	"modules/zigbee": 60600,
	"hosts/esp32": 18000,
	"hosts/native": 16350,

	/** Property names, and the engine's tables of names, modules and natives. */

	"SDK: modules": 2900,
	"engine: built-ins": 25200,
	"names and tables": 76500,
	"resource web.bin": 130300,
	/** The web page (hosts/browser), compressed. */
	"resource obis-names.bin": 15000,
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
	"what is to come": 3400,
});
