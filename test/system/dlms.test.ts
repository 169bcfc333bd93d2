/** DLMS meters at line speed: `npm run meter` on a paced pseudo-terminal, the gateway with either engine. */
import assert from "node:assert/strict";
import { isError, type JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";

const KEY = "000102030405060708090a0b0c0d0e0f";
const AUTHENTICATION_KEY = "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf";
const PASSWORD = "a pass w0rd";
/** Settings without security, with a short time-out. */
const PLAIN = {
	auth: "none",
	use_encryption: false,
	client_address: 16,
	server_physical: 17,
	opening: "direct",
	baudrate: 9600,
	receive_timeout_ms: 400,
	password: "",
	block_cipher_key: "",
	auth_key: "",
};
const LOW = { ...PLAIN, auth: "low", client_address: 32, password: PASSWORD };
const KEYS = { block_cipher_key: KEY, auth_key: AUTHENTICATION_KEY };
const GMAC = { ...PLAIN, ...KEYS, auth: "high_gmac", use_encryption: true, client_address: 1 };

for (const engine of ["node", "xs"] as const) {
	describe(`DLMS meters on a line, engine ${engine}`, function () {
		this.timeout(60_000);
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await ProcessGateway.loggedIn(engine, { isAhead: true });
			await gateway.write("meter/protocol", { protocol: "dlms" });
			for (const secret of [PASSWORD, KEY, AUTHENTICATION_KEY]) gateway.plant(secret);
		});
		after(() => gateway.stop());

		const connect = async (line: readonly string[], config: JSONObject) => {
			const args = ["--protocol", "dlms", "--baud-pace", "--quiet", "--password", PASSWORD];
			await gateway.connectProgram([...args, ...line]);
			await gateway.write("dlms/config", config);
		};

		for (const [what, line, config, mode, baud] of [
			["no authentication", [], PLAIN, "", 9600],
			["a password, at 19200 Bd", ["--baud", "19200"], { ...LOW, baudrate: 19200 }, "", 19200],
			["keys", [], GMAC, "", 9600],
			["keys, after mode E", ["--mode-e"], { ...GMAC, opening: "auto" }, "E", 9600],
		] as [string, string[], JSONObject, string, number][]) {
			it(`are read: ${what}`, async () => {
				await connect(line, config);
				const startMs = performance.now();
				const readout = await gateway.read("iec62056/read");
				this.ctx.test!.title += ` (${Math.round(performance.now() - startMs)} ms)`;
				assert.deepEqual([readout.protocol, readout.mode, readout.baudrate], ["DLMS/COSEM", mode, baud]);
				assert.deepEqual([readout.status, readout.missing], [0, []]);
				assert.equal(readout.readings.length, 14);
				const voltage = readout.readings.find(({ obis }: JSONObject) => obis === "32.7.0");
				assert.equal(voltage.value1_unit, "V");
				assert.match(voltage.value1, /^2\d\d\.\d$/);
			});
		}
		it("give their load profile with keys", async () => {
			await connect([], GMAC);
			const { status, period_secs, rows } = await gateway.read("meter/profile?entries=12");
			assert.deepEqual([status, period_secs, rows.length], [0, 900, 12]);
			for (let i = 1; i < rows.length; i++) {
				assert.equal(rows[i].timestamp, rows[i - 1].timestamp + 900);
				assert.equal(rows[i].values[1] - rows[i - 1].values[1], 1000);
			}
		});
		for (const [what, config, error, lastError] of [
			["password", { ...LOW, password: "another" }, "meter_auth_failed", "dlms/authentication"],
			["key", { ...GMAC, block_cipher_key: "11".repeat(16) }, "meter_auth_failed", "dlms/authentication"],
			["address", { ...PLAIN, server_physical: 18 }, "meter_timeout", "hdlc/silence"],
			["speed", { ...PLAIN, baudrate: 4800 }, "meter_timeout", "hdlc/silence"],
		] as [string, JSONObject, string, string][]) {
			it(`are not read with a wrong ${what}: ${lastError}`, async () => {
				await connect([], config);
				isError(await gateway.get("iec62056/read"), 500, error);
				assert.equal((await gateway.read("iec62056/last")).last_error, lastError);
			});
		}
		it("show no password in the log, not even in the echo of the optical head", async () => {
			await gateway.write("iec62056/control", { log_en: true });
			await connect(["--echo"], LOW);
			assert.equal((await gateway.read("iec62056/read")).status, 0);
			const { entries } = await gateway.read("iec62056/log");
			const sent = entries.filter(({ kind }: JSONObject) => kind === "sent").map(({ hex }: JSONObject) => hex);
			assert.ok(sent.join("").includes("2a".repeat(PASSWORD.length)));
			await gateway.write("iec62056/control", { log_en: false });
			gateway.checkTraces();
		});
	});
}
