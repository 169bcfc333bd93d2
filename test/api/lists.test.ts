/** A meter whose pushed list has no codes: how its owner finds the form of the list, and adds a row. Virtual time. */
import assert from "node:assert/strict";
import { hdlcPush } from "../../tools/meter/push-frames.js";
import { PushMeter } from "../../tools/meter/push-meter.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { elementsOf, notification } from "../dlms/lists.js";
import type { JSONObject } from "./gateway.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

describe("a pushed list without OBIS codes", () => {
	let gateway: VirtualGateway;

	before(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS });
		await gateway.write("dlms/config", { push_baudrate: 9600 });
		await gateway.write("meter/protocol", { protocol: "dlms" });
	});
	after(() => gateway.stop());

	function connect(telegram: Uint8Array): void {
		const { serial, time } = gateway.world;
		serial.meter.connect(new PushMeter({ source: () => telegram, baud: 9600, pushMs: 5000 }, time.nowMs));
	}
	const read = async () => JSON.parse((await gateway.get("iec62056/read")).text);
	const valuesOf = ({ readings }: JSONObject) =>
		readings.map(({ obis_long, value1, value1_unit }: JSONObject) => `${obis_long} ${value1} ${value1_unit}`.trim());

	it("that is known is read at once", async () => {
		connect(readTelegram(vectorPath("hdlc", "iskraemeco-am550-push-no-codes")));
		const readout = await read();
		assert.equal(readout.meter_id, "ISK1020784605887");
		assert.deepEqual(valuesOf(readout).slice(2), [
			"0-0:96.1.0 ISK84605887",
			"1-0:1.7.0 592 W",
			"1-0:2.7.0 0 W",
			"1-0:3.7.0 0 var",
			"1-0:4.7.0 112 var",
			"1-0:32.7.0 231.3 V",
		]);
		assert.equal((await gateway.read("dlms/config"))["list_seen"], "");
	});

	it("that is unknown gives no value, and is read with a row made from its description in list_seen", async () => {
		connect(hdlcPush(notification(elementsOf("09 0441423132 06 0000007b 12 08fc"))));
		const refused = await read();
		assert.equal(refused.code, "dlms-push/no-codes");
		assert.match(refused.message, /dlms\/config/);
		assert.equal((await gateway.read("system/status"))["meter_state"], "dlms-push/no-codes");
		const before = await gateway.read("dlms/config");
		assert.deepEqual([before["list_rows"], before["list_seen"]], ["", "0904(AB12) 06(123) 12(2300)"]);
		const row = `Mine: ${before["list_seen"].replace("06(123)", "06=1.8.0e1").replace("12(2300)", "12=32.7.0e-1")}`;
		const after = { list_rows: `06 06=1.8.0;${row}` };
		assert.deepEqual(await gateway.write("dlms/config", after), { ...before, ...after, list_seen: "" });
		assert.deepEqual(valuesOf(await read()), ["1-0:1.8.0 1230 Wh", "1-0:32.7.0 230.0 V"]);
		const { settings } = await gateway.read("system/backup");
		assert.equal(settings["dlms/config"].list_rows, after.list_rows);
	});
});
