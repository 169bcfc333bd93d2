/**
 * Budget of each part of the firmware in its flash slot, in bytes. `npm run size` fails if a part exceeds its budget.
 * In this case make the part smaller, or raise its budget and reduce a line of RESERVED by the same amount. A test
 * checks that the sum of all lines fits the slot.
 *
 * A new folder of modules/ or modules/parts/ needs a line here, taken from RESERVED if possible. Each budget is the part's size on the
 * board where it is largest, plus about a hundred bytes. docs/performance.md lists what is left on boards with 4 MB of
 * flash after their omissions (tools/sdk/omissions.ts).
 *
 * Only the size of the whole script is measured. A folder's share is estimated from its number of characters. In fact,
 * folders with tables of objects (fields, routes, hosts/esp32) take a quarter more than estimated, and folders with
 * long expressions (readout, hdlc, json) take a third less.
 */
export const BUDGETS: Readonly<Record<string, number>> = Object.freeze({
	"modules/amis": 4400,
	"modules/api": 16450,
	"modules/app": 22250,
	"modules/auth": 10950,
	"modules/bytes": 7900,
	"modules/config": 14650,
	"modules/core": 2450,
	"modules/cosem": 35650,
	"modules/diagnostics": 8200,
	"modules/dlms": 48650,
	"modules/dns": 20500,
	"modules/hawkbit": 8000,
	"modules/hdlc": 18650,
	"modules/history": 23550,
	"modules/hpke": 1450,
	"modules/http": 37600,
	"modules/hub": 7100,
	"modules/iec62056-21": 29100,
	"modules/io": 8600,
	"modules/json": 11950,
	"modules/kmp": 5150,
	"modules/live-meter": 7700,
	"modules/mbus": 20100,
	"modules/meter": 48850,
	"modules/mqtt": 15150,
	"modules/network": 11350,
	"modules/obis": 11350,
	"modules/part": 1450,
	"modules/parts/auth": 8150,
	"modules/parts/backfill": 10300,
	"modules/parts/certificate": 8950,
	"modules/parts/hawkbit": 5750,
	"modules/parts/history": 3000,
	"modules/parts/hub": 12700,
	"modules/parts/live-meter": 36150,
	"modules/parts/mbus": 1350,
	"modules/parts/meter": 35900,
	"modules/parts/mqtt": 23150,
	"modules/parts/network": 18700,
	"modules/parts/peaks": 6000,
	"modules/parts/power": 1350,
	"modules/parts/prices": 9300,
	"modules/parts/provision": 9450,
	"modules/parts/publish": 3000,
	"modules/parts/system": 19300,
	"modules/parts/time": 1800,
	"modules/parts/update": 13800,
	"modules/parts/zigbee": 11000,
	"modules/power": 4850,
	"modules/product": 350,
	"modules/provision": 850,
	"modules/publish": 11800,
	"modules/readout": 24700,
	"modules/sml": 9100,
	"modules/sntp": 6500,
	"modules/tic": 8850,
	"modules/time": 7100,
	"modules/update": 16850,
	/** Used by statistics for the hub, and by Shelly's RPC. */
	"modules/websocket": 6050,
	"modules/zigbee": 44500,
	"hosts/esp32": 17400,
	"hosts/native": 15050,

	/** Property names, and the engine's tables of names, modules and natives. */

	"SDK: modules": 2900,
	"engine: built-ins": 25200,
	"names and tables": 74150,
	"resource web.bin": 139264,
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
	"what is to come": 4908,
});
