/** Readouts of every captured meter, and of failing meters, with `GET iec62056/read`. Runs in virtual time. */
import assert from "node:assert/strict";
import type { MeterFaults } from "../../tools/meter/faults.js";
import type { MeterMode } from "../../tools/meter/telegram.js";
import { iecVectors } from "../vectors.js";
import { isError, type JSONObject, type MeterSetup, vectorOf } from "./gateway.js";
import { isReadout, sentTo, withoutNames } from "./meter-checks.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const zmf100 = vectorOf("landis-gyr-zmf100-m26-padded-left");
const logarex = vectorOf("logarex-lk13-history");

function bytes(text: string): Uint8Array {
	return new Uint8Array(Buffer.from(text, "latin1"));
}

/** A telegram of this identification and block, with ETX and BCC. */
function framed(ident: string, block: string): Uint8Array {
	const check = bytes(`${block}\x03`).reduce((sum, byte) => sum ^ byte, 0);
	return bytes(`${ident}\r\n\x02${block}\x03${String.fromCharCode(check)}`);
}

describe("GET iec62056/read", () => {
	let gateway: VirtualGateway;

	async function start(meter: MeterSetup | undefined, config: JSONObject = {}): Promise<void> {
		gateway = await VirtualGateway.loggedIn();
		await gateway.connectMeter(meter);
		await gateway.write("iec62056/config", config);
	}

	afterEach(() => gateway.stop());

	it("gets 503 while two clients wait for the meter; the third place still answers quick requests", async () => {
		await start({ telegram: zmf100.telegram, faults: { silence: 1000 } });
		const waiting = [0, 1].map(() => gateway.begin("GET", "iec62056/read"));
		await gateway.pass(100);
		const refused = await gateway.get("iec62056/read");
		isError(refused, 503, "busy");
		assert.equal(refused.headers.get("retry-after"), "5");
		assert.equal((await gateway.get("meter/protocol")).status, 200);
		for (const exchange of waiting) isError(await exchange.reply(), 500, "meter_timeout");
		isError(await gateway.get("iec62056/read"), 500, "meter_timeout");
	});

	describe("of each captured meter", () => {
		for (const vector of iecVectors()) {
			it(`has the values that were checked by hand, in each language: ${vector.name}`, async () => {
				const mode = vector.mode as MeterMode;
				await start(
					{ telegram: vector.telegram, mode, pushBaud: 9600 },
					{ mode_d_enabled: mode === "D", mode_d_baudrate: 9600 },
				);
				for (const language of ["en", "de", "pl"]) {
					const readout = await gateway.read(`iec62056/read?lang=${language}`);
					isReadout(readout, { language });
					assert.deepEqual(withoutNames(readout), vector.readings);
					assert.equal(readout.meter_id, vector.meterId);
					assert.equal(readout.mode, mode);
					assert.equal(readout.status, vector.check === "wrong" ? 3 : 0);
					if (mode === "D") assert.equal(readout.baudrate, 9600);
					const nowS = Math.floor((gateway.world.time.utcMs() ?? 0) / 1000);
					// The gateway returns a readout with a wrong check only late, when no better one has arrived.
					if (vector.check !== "wrong") assert.equal(readout.timestamp, nowS);
					assert.ok(readout.timestamp >= START_UTC_MS / 1000 && readout.timestamp <= nowS);
				}
				const last = await gateway.read("iec62056/last?lang=xx");
				isReadout(last, { last: true });
				if (vector.check === "wrong") {
					assert.deepEqual([last.status, last.readings, last.timestamp], [1, [], 0]);
					assert.equal((await gateway.untilIdle(5000)).last_error, "iec62056-21/check");
				} else assert.deepEqual(withoutNames(last), vector.readings);
			});
		}
	});

	describe("of a failing meter", () => {
		for (const [what, faults, echo, code, lastError] of [
			["that is silent", { silence: 1000 }, false, "meter_timeout", "silence"],
			["that is silent, through a head with an echo", { silence: 1000 }, true, "meter_timeout", "echo-only"],
			["that stops before its block", { cut: 0 }, false, "meter_timeout", "no-block"],
		] as [string, MeterFaults, boolean, string, string][]) {
			it(`replies 500 ${code} for a meter ${what}; /last has the cause and keeps its readout`, async () => {
				await start({ telegram: zmf100.telegram });
				const good = await gateway.read("iec62056/read");
				await gateway.pass(10_000);
				await gateway.connectMeter({ telegram: zmf100.telegram, faults, echo });
				const attemptS = Math.floor((gateway.world.time.utcMs() ?? 0) / 1000);
				isError(await gateway.get("iec62056/read"), 500, code);
				const last = await gateway.read("iec62056/last");
				assert.equal(last.last_error, `iec62056-21/${lastError}`);
				assert.equal(last.last_attempt, attemptS);
				assert.equal(last.running, false);
				assert.deepEqual([last.status, last.timestamp], [0, good.timestamp]);
				assert.deepEqual(last.readings, good.readings);
			});
		}
		it("replies 500 meter_error if the meter sends noise", async () => {
			await start({ telegram: bytes(`/AB\r\n${"\x7f".repeat(40)}`), mode: "A" });
			isError(await gateway.get("iec62056/read"), 500, "meter_error");
			assert.equal((await gateway.untilIdle(5000)).last_error, "iec62056-21/no-ident");
		});
		it("replies 500 meter_error if the meter sends an error message", async () => {
			await start({ telegram: framed("/LGZ4TEST", "(ER01)") });
			isError(await gateway.get("iec62056/read"), 500, "meter_error");
			assert.equal((await gateway.untilIdle(5000)).last_error, "iec62056-21/meter-error");
		});
		it("returns what was received with status 2, in this reply only, if the meter always stops in its block", async () => {
			await start({ telegram: logarex.telegram });
			const good = await gateway.read("iec62056/read");
			await gateway.connectMeter({ telegram: logarex.telegram, faults: { cut: 300 } });
			const readout = await gateway.read("iec62056/read");
			isReadout(readout);
			assert.equal(readout.status, 2);
			const readings = withoutNames(readout);
			assert.ok(readings.length > 3);
			assert.deepEqual(readings, logarex.readings.slice(0, readings.length));
			const last = await gateway.untilIdle(5000);
			assert.deepEqual([last.status, last.timestamp], [0, good.timestamp]);
			assert.deepEqual(last.readings, good.readings);
			assert.equal(last.last_error, "iec62056-21/cut");
		});
		it("returns all that fits with status 2 if the meter sends more", async () => {
			let block = "";
			for (let i = 0; i < 2000; i++) block += `1.8.${i % 60}*${i % 100}(${String(i).padStart(9, "0")}*kWh)\r\n`;
			await start({ telegram: framed("/LGZ6TEST", `${block}!\r\n`) }, { baudrate_max: 19200 });
			const readout = await gateway.read("iec62056/read");
			isReadout(readout);
			assert.equal(readout.status, 2);
			assert.ok(readout.readings.length > 500);
			readout.readings.forEach((reading: JSONObject, i: number) => {
				assert.equal(reading.value1_number, i);
			});
		});
		it("returns status 3, in this reply only, if the check is always wrong", async () => {
			await start({ telegram: zmf100.telegram });
			const good = await gateway.read("iec62056/read");
			await gateway.connectMeter({ telegram: zmf100.telegram, faults: { wrongBCC: 1000 } });
			const bad = await gateway.read("iec62056/read");
			assert.equal(bad.status, 3);
			assert.deepEqual(withoutNames(bad), zmf100.readings);
			const last = await gateway.untilIdle(5000);
			assert.deepEqual([last.status, last.timestamp], [0, good.timestamp]);
			assert.equal(last.last_error, "iec62056-21/check");
		});
		it("replies 500 after 60 s if the meter needs longer; the readout continues and then appears in /last", async () => {
			const long = vectorOf("iskraemeco-mt174-15-billing-periods");
			await start({ telegram: long.telegram }, { baudrate_max: 300 });
			const startMs = gateway.world.time.nowMs;
			isError(await gateway.get("iec62056/read"), 500, "meter_timeout");
			assert.equal(Math.round((gateway.world.time.nowMs - startMs) / 100), 600);
			assert.equal((await gateway.read("iec62056/last")).running, true);
			await gateway.pass(400_000);
			const last = await gateway.read("iec62056/last");
			assert.deepEqual([last.status, last.running, last.last_error], [0, false, null]);
			assert.deepEqual(withoutNames(last), long.readings);
		});
		it("replies 500 after 60 s if no telegram arrives in mode D, and continues to listen", async () => {
			await start(undefined, { mode_d_enabled: true });
			await gateway.connectMeter({ telegram: zmf100.telegram });
			isError(await gateway.get("iec62056/read"), 500, "meter_timeout");
			await gateway.connectMeter({ telegram: vectorOf("ebz-dd3-push").telegram, mode: "D", pushBaud: 2400 });
			assert.equal((await gateway.read("iec62056/read")).mode, "D");
		});
	});

	describe("of an unusual meter", () => {
		it("wakes a sleeping meter if the setting battery is on", async () => {
			await start({ telegram: zmf100.telegram, battery: true }, { battery: true });
			assert.deepEqual(withoutNames(await gateway.read("iec62056/read")), zmf100.readings);
			await gateway.write("iec62056/config", { battery: false });
			await gateway.pass(60_000);
			isError(await gateway.get("iec62056/read"), 500, "meter_timeout");
		});
		it("uses a lower speed if the meter announces one that it can't use, even after a restart", async () => {
			await start({ telegram: logarex.telegram, faults: { lieBaud: 2400 } });
			await gateway.write("iec62056/control", { log_en: true });
			assert.equal((await gateway.read("iec62056/read")).baudrate, 2400);
			const signOns = async () => (await sentTo(gateway)).filter((text) => text.startsWith("/?")).length;
			assert.ok((await signOns()) > 1);
			await gateway.restartAndLogin();
			assert.equal((await gateway.read("iec62056/read")).baudrate, 2400);
			assert.equal(await signOns(), 1);
		});
		it("uses the full speed again if the stored speed is damaged", async () => {
			await start({ telegram: logarex.telegram, faults: { lieBaud: 2400 } });
			await gateway.read("iec62056/read");
			await gateway.connectMeter({ telegram: logarex.telegram });
			await gateway.pass(5000);
			assert.equal((await gateway.read("iec62056/read")).baudrate, 2400);
			await gateway.restartAndLogin("iec_speed");
			assert.equal((await gateway.read("iec62056/read")).baudrate, 9600);
		});
		it("uses the full speed again if a setting of the session has changed", async () => {
			await start({ telegram: logarex.telegram, faults: { lieBaud: 2400 } });
			assert.equal((await gateway.read("iec62056/read")).baudrate, 2400);
			await gateway.connectMeter({ telegram: logarex.telegram });
			await gateway.write("iec62056/config", { baudrate_max: 19200 });
			await gateway.pass(5000);
			assert.equal((await gateway.read("iec62056/read")).baudrate, 9600);
		});
		it("reaches the meter only with its device address", async () => {
			await start({ telegram: zmf100.telegram, address: "7" }, { device_address: "8" });
			isError(await gateway.get("iec62056/read"), 500, "meter_timeout");
			await gateway.write("iec62056/config", { device_address: "7" });
			assert.equal((await gateway.read("iec62056/read")).status, 0);
		});
		it("has no times while the clock is not set", async () => {
			gateway = await VirtualGateway.loggedIn("client", {});
			await gateway.connectMeter({ telegram: zmf100.telegram });
			const readout = await gateway.read("iec62056/read");
			isReadout(readout);
			assert.deepEqual([readout.timestamp, readout.localtime, readout.status], [0, "", 0]);
			const last = await gateway.read("iec62056/last");
			assert.deepEqual([last.timestamp, last.last_attempt, last.status], [0, 0, 0]);
		});
	});

	describe("while settings change", () => {
		it("returns values of the simulator if it is turned on during the readout", async () => {
			await start({ telegram: zmf100.telegram, faults: { silence: 1000 } });
			const reading = gateway.begin("GET", "iec62056/read");
			await gateway.pass(500);
			await gateway.write("iec62056/control", { simulator_en: true });
			assert.ok((await (await reading.reply()).text).includes('"status":0'));
		});
		it("returns a telegram of mode D if mode D is turned on during the readout, and a block if it is turned off", async () => {
			const pushed = vectorOf("ebz-dd3-push");
			await start({ telegram: pushed.telegram, mode: "D", pushBaud: 2400 });
			const reading = gateway.begin("GET", "iec62056/read");
			await gateway.pass(500);
			await gateway.write("iec62056/config", { mode_d_enabled: true });
			assert.equal(JSON.parse((await reading.reply()).text).mode, "D");
			await gateway.connectMeter({ telegram: zmf100.telegram });
			const other = gateway.begin("GET", "iec62056/read");
			await gateway.pass(500);
			await gateway.write("iec62056/config", { mode_d_enabled: false });
			assert.equal(JSON.parse((await other.reply()).text).mode, "C");
		});
		it("starts and ends the log of mode D at once", async () => {
			await start({ telegram: vectorOf("ebz-dd3-push").telegram, mode: "D", pushBaud: 2400 });
			await gateway.write("iec62056/config", { mode_d_enabled: true });
			await gateway.pass(5000);
			for (let i = 0; i < 2; i++) {
				await gateway.write("iec62056/control", { log_en: true });
				await gateway.pass(5000);
				assert.ok((await gateway.read("iec62056/log")).entries.length > 0);
				await gateway.write("iec62056/control", { log_en: false });
				assert.deepEqual((await gateway.read("iec62056/log")).entries, []);
			}
		});
	});

	describe("with the log on", () => {
		it("keeps the newest part of a long session, and counts what was dropped", async () => {
			await start({ telegram: vectorOf("iskraemeco-mt174-15-billing-periods").telegram });
			await gateway.write("iec62056/control", { log_en: true });
			await gateway.read("iec62056/read");
			const log = await gateway.read("iec62056/log");
			assert.ok(log.dropped > 0);
			const received = log.entries.filter((entry: JSONObject) => entry.kind === "received");
			const hex = received.map((entry: JSONObject) => entry.hex).join("");
			assert.ok(hex.length / 2 > 3000 && hex.length / 2 <= 4096);
			const telegram = vectorOf("iskraemeco-mt174-15-billing-periods").telegram;
			assert.ok(Buffer.from(telegram).toString("hex").endsWith(hex));
		});
	});
});
