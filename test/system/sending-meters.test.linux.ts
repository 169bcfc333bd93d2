/**
 * Meters that send a telegram each second, while the page is loaded repeatedly and a firmware is uploaded: the gateway
 * reads every telegram undamaged.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { readMetrics } from "../api/metrics-text.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { byRun } from "../runs.js";
import { ANY, probe } from "./memory-limits.js";
import { PageAndUpload, startUploadable } from "./page-and-upload.js";

const PAUSE_MS = 50;

interface Kind {
	/** Options of the meter simulator. */
	readonly options: readonly string[];
	/** Settings, by path. */
	readonly settings: readonly (readonly [path: string, body: object])[];
	/** Code of the last reading in a telegram. */
	readonly lastCode: string;
	readonly protocol: string;
}

const KEYS = {
	block_cipher_key: "000102030405060708090a0b0c0d0e0f",
	auth_key: "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
};
const push = (baud: number): Kind["settings"] => [
	["dlms/config", { push_baudrate: baud, ...KEYS }],
	["meter/protocol", { protocol: "dlms" }],
];
const DLMS_PUSH = ["--protocol", "dlms-push", "--security", "both"];

const KINDS = {
	"a P1 port at 115200 Bd": {
		options: ["--protocol", "p1"],
		settings: [["iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115_200 }]],
		lastCode: "0-1:24.2.1",
		protocol: "IEC62056-21",
	},
	"a ciphered P1 port at 115200 Bd": {
		options: [...DLMS_PUSH, "--framing", "p1"],
		settings: push(115_200),
		lastCode: "0-1:24.2.1",
		protocol: "DLMS/COSEM",
	},
	"ciphered push in blocks": {
		options: [...DLMS_PUSH, "--blocks", "--segment", "60"],
		settings: push(9600),
		lastCode: "1-0:16.7.0",
		protocol: "DLMS/COSEM",
	},
	"ciphered push in M-Bus": {
		options: [...DLMS_PUSH, "--framing", "mbus", "--baud", "2400", "--push-seconds", "2"],
		settings: push(2400),
		lastCode: "1-0:16.7.0",
		protocol: "DLMS/COSEM",
	},
	"a ciphered list without codes": {
		options: [...DLMS_PUSH, "--without-codes"],
		settings: push(9600),
		lastCode: "1-0:2.7.0",
		protocol: "DLMS/COSEM",
	},
	SML: {
		options: ["--protocol", "sml", "--push-seconds", "1"],
		settings: [["meter/protocol", { protocol: "sml" }]],
		lastCode: "1-0:16.7.0",
		protocol: "SML",
	},
	TIC: {
		options: ["--protocol", "tic"],
		settings: [["meter/protocol", { protocol: "tic" }]],
		lastCode: "PJOURF+1",
		protocol: "TIC",
	},
} as const satisfies Record<string, Kind>;

/** How many telegrams of each kind of meter are read. */
const TELEGRAMS: Partial<Record<keyof typeof KINDS, number>> = byRun({
	test: { "a P1 port at 115200 Bd": 3, "a ciphered P1 port at 115200 Bd": 3 },
	linux: {
		"a P1 port at 115200 Bd": 10,
		"a ciphered P1 port at 115200 Bd": 8,
		"ciphered push in blocks": 8,
		"ciphered push in M-Bus": 5,
		"a ciphered list without codes": 5,
		SML: 8,
		TIC: 5,
	},
});

for (const engine of byRun({ test: ["xs"], linux: ["linux"] })) {
	describe(`Meters that send unsolicited data, during page loads and an upload, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await startUploadable(engine);
			await gateway.login();
		});
		after(() => gateway?.stop());

		/** Numbers of sent, good and bad telegrams. */
		const counts = async () => {
			const samples = readMetrics((await gateway.get("metrics")).text);
			const sum = (wanted: string) =>
				samples.filter(({ name }) => name === wanted).reduce((all, { value }) => all + Number(value), 0);
			const sent = gateway.diagnosis.split(" push\n").length - 1;
			return [sent, sum("smartmeter_readouts_total"), sum("smartmeter_readout_failures_total")];
		};

		for (const [name, count] of Object.entries(TELEGRAMS)) {
			const { options, settings, lastCode, protocol } = KINDS[name as keyof typeof KINDS] as Kind;
			it(`${name}: read without a gap`, async function () {
				// The line closes when the meter's program ends, so the gateway must not be listening at that time.
				await gateway.write("meter/protocol", { protocol: "iec62056" });
				await gateway.write("iec62056/config", { mode_d_enabled: false });
				await gateway.connectProgram([...options, "--baud-pace"]);
				for (const [path, body] of settings) await gateway.write(path, body);
				const readout = await gateway.read("iec62056/read");
				assert.deepEqual([readout.protocol, readout.status], [protocol, 0]);
				assert.equal(readout.readings.at(-1).obis_long, lastCode);
				const [sentBefore, readBefore, failedBefore] = await counts();
				const load = new PageAndUpload(gateway);
				let now = [sentBefore, readBefore, failedBefore];
				while (now[1] < readBefore + count) {
					await load.go();
					now = await counts();
				}
				if (engine === "linux") await probe(gateway, this, ANY);
				const [sent, read, failed] = now;
				this.test!.title += ` (${read - readBefore} telegrams, ${await load.end()})`;
				assert.equal(failed, failedBefore, gateway.diagnosis);
				// One telegram may be in transit at the beginning and at the end.
				assert.ok(Math.abs(sent - sentBefore - (read - readBefore)) <= 1, `${sent - sentBefore} were sent`);
				while ((await gateway.read("system/status")).ota_state === "receiving") await sleep(PAUSE_MS);
			});
		}
	});
}
