/**
 * A P1 port that sends a telegram each second at 115200 Bd, while the page is loaded again and again and a firmware is
 * uploaded: each telegram that the meter sends is read, none is damaged. For each engine: p1-port.test.ts and p1-port.linux.ts.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SLOT_SIZE } from "../../hosts/simulated/boot-loader.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { readMetrics } from "../api/metrics-text.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { makeFile, makeImage, SIGNER } from "../ota/bench.js";

const PIECE = 8192;
const PAUSE_MS = 25;

/** `telegrams`: that are read meanwhile. */
export function p1Port(engine: EngineName, telegrams: number): void {
	describe(`A P1 port at 115200 Bd beside a page and an upload, engine ${engine}`, function () {
		this.timeout(60_000);
		let folder = "";
		let gateway: ProcessGateway;

		before(async () => {
			folder = mkdtempSync(join(tmpdir(), "p1-"));
			const key = join(folder, "key.pem");
			writeFileSync(key, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
			gateway = await ProcessGateway.start(engine, { mode: "ap", args: ["--update-key", key] });
		});
		after(async () => {
			await gateway?.stop();
			rmSync(folder, { recursive: true });
		});

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
			const file = makeFile(makeImage(SLOT_SIZE), { packed: false, chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID });
			const [host, port] = gateway.authority(false).split(":");
			const headers = { Authorization: `Bearer ${gateway.token}`, "Content-Length": file.length };
			const upload = request({ host, port, method: "POST", path: "/api/v1/system/ota", headers, agent: false });
			upload.on("error", () => {});
			let uploaded = 0;
			let pages = 0;
			let now = [sentBefore, readBefore, failedBefore];
			while (now[1] < readBefore + telegrams) {
				const end = Math.min(uploaded + PIECE, file.length - 1);
				if (upload.writableNeedDrain === false) {
					upload.write(file.subarray(uploaded, end));
					uploaded = end;
				}
				assert.equal((await gateway.request("GET", "/", { secure: false })).status, 200);
				pages++;
				await sleep(PAUSE_MS);
				now = await counts();
			}
			assert.equal((await gateway.read("system/status")).ota_state, "receiving");
			upload.destroy();
			const [sent, read, failed] = now;
			this.test!.title += ` (${read - readBefore} telegrams, ${pages} pages, ${uploaded} bytes uploaded)`;
			assert.equal(failed, failedBefore, gateway.diagnosis);
			// One may be on its way at either end.
			assert.ok(Math.abs(sent - sentBefore - (read - readBefore)) <= 1, `${sent - sentBefore} were sent`);
		});
	});
}
