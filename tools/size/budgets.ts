/**
 * Budget of each part of the firmware in its flash slot, in bytes. `npm run size` fails if a part exceeds its budget.
 * In this case make the part smaller, or raise its budget and reduce a line of RESERVED by the same amount. A test
 * checks that the sum of all lines fits the slot.
 *
 * A new folder of modules/ needs a line here, taken from RESERVED if possible. Each budget is the part's size on the
 * board where it is largest, plus about a hundred bytes. Boards with 4 MB of flash have 26 to 51 KB left after their
 * omissions (tools/sdk/omissions.ts, docs/hardware.md).
 *
 * Only the size of the whole script is measured. A folder's share is estimated from its number of characters. In fact,
 * folders with tables of objects (fields, routes, hosts/esp32) take a quarter more than estimated, and folders with
 * long expressions (readout, hdlc, json) take a third less.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/absent.ts": 850,
	"modules/amis": 4600,
	"modules/api": 17000,
	"modules/app": 16200,
	"modules/auth": 20400,
	"modules/backfill": 10900,
	"modules/bytes": 7700,
	"modules/certificate": 9450,
	"modules/config": 15400,
	"modules/core": 1150,
	"modules/cosem": 38050,
	"modules/diagnostics": 8800,
	"modules/dlms": 51250,
	"modules/dns": 21950,
	"modules/hawkbit": 14400,
	"modules/hdlc": 19750,
	"modules/history": 27650,
	"modules/hpke": 1500,
	"modules/http": 39050,
	"modules/homeassistant": 20600,
	"modules/iec62056-21": 31050,
	"modules/improv": 6500,
	"modules/io": 8400,
	"modules/json": 12750,
	"modules/kmp": 5400,
	"modules/live-meter": 36600,
	"modules/mbus": 21050,
	"modules/meter": 85000,
	"modules/mqtt": 39400,
	"modules/obis": 11950,
	"modules/omitted.ts": 250,
	"modules/ota": 32550,
	"modules/part.ts": 700,
	"modules/parts.ts": 350,
	"modules/peaks": 6300,
	"modules/power": 7850,
	"modules/prices": 4000,
	"modules/product.ts": 100,
	"modules/provision": 10600,
	"modules/publish": 15800,
	"modules/readout": 25200,
	"modules/sml": 10100,
	"modules/sntp": 6850,
	"modules/system": 20300,
	"modules/tic": 9350,
	"modules/time": 9400,
	/** Used by statistics for the hub, and by Shelly's RPC. */
	"modules/websocket": 6450,
	"modules/wifi": 31400,
	"modules/without.ts": 100,
	"modules/zigbee": 58550,
	"hosts/esp32": 17650,
	"hosts/native": 16050,

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
	"what is to come": 0,
});
