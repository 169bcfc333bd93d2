/** Slaves of M-Bus over HTTP: their secondary addresses are checked, searched for and used. Virtual time. */
import assert from "node:assert/strict";
import { heatReading } from "../../tools/meter/heat.js";
import { MBusMeter, slaveTelegrams } from "../../tools/meter/mbus-meter.js";
import { isError, type JSONObject } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const IDENTS = [12_345_678, 12_345_699, 70_000_000];
const ADDRESSES = IDENTS.map((ident) => `${ident}a7321704`);

describe("M-Bus over HTTP", function () {
	this.timeout(20_000);
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS });
		await gateway.write("meter/protocol", { protocol: "mbus" });
	});
	afterEach(() => gateway.stop());

	function connect(): void {
		const telegrams = (ident: number) => (nowMs: number) =>
			slaveTelegrams(heatReading(START_UTC_MS, nowMs), ident, 4, false);
		const slaves = IDENTS.map((ident) => ({ address: 0, telegrams: telegrams(ident) }));
		gateway.world.serial.meter.connect(new MBusMeter({ slaves }));
	}

	it("finds slaves with the same primary address, and reads them by the secondary addresses found", async () => {
		connect();
		const searching = gateway.begin("POST", "mbus/search");
		await gateway.pass(1000);
		assert.equal((await gateway.read("system/status"))["meter_trying"], "mbus 2400");
		isError(await gateway.post("mbus/search"), 503, "busy");
		await gateway.pass(60_000);
		const { status, text } = await searching.reply();
		assert.deepEqual([status, JSON.parse(text)], [200, { addresses: ADDRESSES, complete: true }]);
		await gateway.write("mbus/config", { secondary: ADDRESSES.join(" ") });
		const { status: outcome, readings } = await gateway.read("iec62056/read");
		assert.equal(outcome, 0);
		const numbers = readings.filter(({ obis_long }: JSONObject) => /^0-\d:96\.1\.0/.test(obis_long));
		assert.deepEqual(
			numbers.map(({ obis_long, value1 }: JSONObject) => `${obis_long} ${value1}`),
			IDENTS.map((ident, i) => `0-${i + 1}:96.1.0 ${ident}`),
		);
	});
	it("releases the line when the client disconnects", async () => {
		connect();
		const searching = gateway.begin("POST", "mbus/search");
		await gateway.pass(1000);
		searching.abandon();
		await gateway.pass(1000);
		await gateway.write("mbus/config", { secondary: "7FFFFFFF" });
		assert.equal((await gateway.read("iec62056/read")).meter_id, "LUG70000000");
	});
	it("reports that the port can't be used", async () => {
		await gateway.connectMeter(undefined);
		const reply = await gateway.post("mbus/search");
		isError(reply, 500, "meter_error");
		assert.equal(JSON.parse(reply.text).code, "port");
	});
	it("refuses invalid addresses, and more than 16", async () => {
		const secondary = "1234FFFF 12345678A7321704";
		await gateway.write("mbus/config", { secondary });
		const many = Array(17).fill("12345678").join(" ");
		for (const wrong of ["1234", "1234567A", "12345678A73217", "12345678,12345679", many])
			isError(await gateway.post("mbus/config", { secondary: wrong }), 400, "invalid_field", "secondary");
		assert.equal((await gateway.read("mbus/config")).secondary, secondary);
	});
});
