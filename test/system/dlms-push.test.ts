/**
 * Meters that push DLMS/COSEM: `npm run meter` on a paced pseudo-terminal, read through the API. All tests run in XS,
 * one runs in Node too.
 */
import assert from "node:assert/strict";
import { isError, type JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";

const KEY = "000102030405060708090a0b0c0d0e0f";
const AUTHENTICATION_KEY = "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf";

for (const engine of ["node", "xs"] as const) {
	describe(`meters that push DLMS/COSEM, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway;
		const isWhole = engine === "xs";

		before(async () => {
			gateway = await ProcessGateway.loggedIn(engine, { isAhead: true });
			for (const secret of [KEY, AUTHENTICATION_KEY]) gateway.plant(secret);
			if (isWhole) return;
			await gateway.write("dlms/config", { push_baudrate: 9600 });
			await gateway.write("meter/protocol", { protocol: "dlms" });
		});
		after(() => gateway.stop());

		const connect = (...line: string[]) =>
			gateway.connectProgram(["--protocol", "dlms-push", "--baud-pace", "--quiet", "--push-seconds", "1", ...line]);
		const obis = ({ readings }: JSONObject) => readings.map((one: JSONObject) => `${one.obis} ${one.value1_unit}`);

		if (isWhole)
			it("are found by the probe of a new unit, and read with the settings that the probe advises", async () => {
				await connect("--segment", "60");
				const { unasked, settings } = await gateway.write("meter/probe", undefined);
				assert.deepEqual(unasked, { kind: "dlms_hdlc", baudrate: 9600, framing: "8N1", supported: true });
				assert.deepEqual(settings, { protocol: "dlms", push_baudrate: 9600 });
				const { protocol, ...config } = settings;
				await gateway.write("dlms/config", config);
				await gateway.write("meter/protocol", { protocol });
				const readout = await gateway.read("iec62056/read");
				assert.deepEqual(
					[readout.protocol, readout.mode, readout.baudrate, readout.status],
					["DLMS/COSEM", "", 9600, 0],
				);
				assert.deepEqual(obis(readout), ["1.0.0 ", "1.8.0 Wh", "2.8.0 Wh", "16.7.0 W"]);
			});

		it("are read with a key if they cipher, and with the status “unchecked” without an authentication tag", async () => {
			await connect("--security", "encrypt", "--framing", "mbus", "--baud", "9600", "--segment", "40");
			const missing = await gateway.get("iec62056/read");
			isError(missing, 500, "meter_auth_failed");
			assert.equal(JSON.parse(missing.text).code, "dlms-push/no-key");
			await gateway.write("dlms/config", { block_cipher_key: KEY });
			const readout = await gateway.read("iec62056/read");
			assert.equal(readout.status, 4);
			assert.equal(readout.readings.length, 4);
			assert.equal((await gateway.read("iec62056/last")).status, 4);
			await gateway.write("dlms/config", { auth_key: AUTHENTICATION_KEY });
			assert.equal(JSON.parse((await gateway.get("iec62056/read")).text).code, "dlms-push/no-tag");
		});

		if (isWhole)
			it("are read with the status “ok” with an authentication tag; replayed or changed telegrams are refused", async () => {
				await connect("--security", "both", "--blocks", "--segment", "50", "--replay", "2", "--dedicated");
				await gateway.write("dlms/config", { auth_key: AUTHENTICATION_KEY });
				assert.equal((await gateway.read("iec62056/read")).status, 0);
				let code: string | undefined;
				for (let i = 0; i < 6 && code === undefined; i++)
					code = JSON.parse((await gateway.get("iec62056/read")).text).code;
				assert.equal(code, "dlms-push/replay");
				await connect("--security", "both", "--wrong-tag", "1", "--invocation-counter", "100");
				assert.equal(JSON.parse((await gateway.get("iec62056/read")).text).code, "dlms/tag");
				gateway.checkTraces();
			});
	});
}
