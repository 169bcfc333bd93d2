/** SML meters at line speed: `npm run meter` on a paced pseudo-terminal, the gateway with either engine. */
import assert from "node:assert/strict";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";

const SENDS = ["--protocol", "sml", "--baud-pace", "--push-seconds", "1", "--quiet"];

for (const engine of ["node", "xs"] as const) {
	describe(`meters that send SML, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway;
		/** Connects a meter; the old line closes with its program, so the gateway must not be listening at that time. */
		const connect = async (...options: string[]) => {
			await gateway.write("meter/protocol", { protocol: "iec62056" });
			await gateway.connectProgram([...SENDS, ...options]);
			await gateway.write("meter/protocol", { protocol: "sml" });
		};
		const value = (readout: JSONObject, code: string) => readout.readings.find(({ obis }: JSONObject) => obis === code);

		before(async () => {
			gateway = await ProcessGateway.loggedIn(engine, { isAhead: true });
		});
		after(() => gateway.stop());

		const isRead = (readout: JSONObject) => {
			assert.deepEqual([readout.protocol, readout.mode, readout.baudrate, readout.status], ["SML", "", 9600, 0]);
			assert.equal(readout.meter_id, "1SMG0000074565");
			const { obis_long, value1, value1_unit, value1_number } = value(readout, "1.8.0");
			assert.deepEqual([obis_long, value1_unit, value1_number], ["1-0:1.8.0", "Wh", Number(value1)]);
		};

		it("are read", async () => {
			await connect();
			isRead(await gateway.read("iec62056/read"));
		});
		it("keep the last readout up to date", async () => {
			const before = await gateway.read("iec62056/last");
			let after = before;
			for (let tries = 0; tries < 20 && after.timestamp === before.timestamp; tries++) {
				await gateway.pass(600);
				after = await gateway.read("iec62056/last");
			}
			assert.ok(after.timestamp > before.timestamp);
			assert.deepEqual([after.last_error, after.running], [null, false]);
		});
		it("are read from other makers too, even with lost and damaged bytes", async () => {
			await connect("--make", "holley-zdba", "--lose", "1500", "--damage", "1500", "--seed", "3");
			let readout = await gateway.read("iec62056/read");
			for (let i = 0; i < 10 && readout.meter_id !== "1HLY0200074565"; i++)
				readout = await gateway.read("iec62056/read");
			assert.deepEqual([readout.meter_id, readout.status], ["1HLY0200074565", 0]);
			assert.match(value(readout, "32.7.0").value1, /^2\d\d\.\d$/);
		});
	});
}
