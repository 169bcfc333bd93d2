/**
 * A P1 port that sends a telegram each second at 115200 Bd, while the page is loaded again and again and a firmware is
 * uploaded: each telegram that the meter sends is read, none is damaged. For each engine: p1-port.test.ts and p1-port.linux.ts.
 */
import assert from "node:assert/strict";
import { readMetrics } from "../api/metrics-text.js";
import type { EngineName, ProcessGateway } from "../api/process-gateway.js";
import { PageAndUpload, startUploadable } from "./page-and-upload.js";

/** `telegrams`: that are read meanwhile. */
export function p1Port(engine: EngineName, telegrams: number): void {
	describe(`A P1 port at 115200 Bd beside a page and an upload, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await startUploadable(engine);
		});
		after(() => gateway?.stop());

		/** Telegrams sent, those that were good, and those that were not. */
		const counts = async () => {
			const samples = readMetrics((await gateway.get("metrics")).text);
			const sum = (wanted: string) =>
				samples.filter(({ name }) => name === wanted).reduce((all, { value }) => all + Number(value), 0);
			const sent = gateway.diagnosis.split(" push\n").length - 1;
			return [sent, sum("smartmeter_readouts_total"), sum("smartmeter_readout_failures_total")];
		};

		it("is read without a gap", async function () {
			await gateway.login();
			await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115_200 });
			await gateway.connectProgram(["--protocol", "p1", "--baud-pace"]);
			const { readings } = await gateway.read("iec62056/read");
			assert.equal(readings.at(-1).obis_long, "0-1:24.2.1");
			const [sentBefore, readBefore, failedBefore] = await counts();
			const load = new PageAndUpload(gateway);
			let now = [sentBefore, readBefore, failedBefore];
			while (now[1] < readBefore + telegrams) {
				await load.go();
				now = await counts();
			}
			const [sent, read, failed] = now;
			this.test!.title += ` (${read - readBefore} telegrams, ${await load.end()})`;
			assert.equal(failed, failedBefore, gateway.diagnosis);
			// One may be on its way at either end.
			assert.ok(Math.abs(sent - sentBefore - (read - readBefore)) <= 1, `${sent - sentBefore} were sent`);
		});
	});
}
