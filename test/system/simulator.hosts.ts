/** `npm start` as a user runs it: with a meter started by hand, with the built-in meter, its certificate, its end. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MAKER, PRODUCT } from "../../modules/product/product.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { isError, type TestGateway, vectorOf } from "../api/gateway.js";
import { isReadout, withoutNames } from "../api/meter-checks.js";
import { certificateOf, type EngineName, METER, OUR_METER, ProcessGateway, Program } from "../api/process-gateway.js";

for (const engine of ["node", "xs"] satisfies EngineName[]) {
	describe(`npm start -- --engine ${engine}`, function () {
		this.timeout(120_000);
		const stopping: (() => Promise<void>)[] = [];
		let gateway: ProcessGateway | undefined;

		async function start(options: Parameters<typeof ProcessGateway.start>[1] = {}): Promise<ProcessGateway> {
			const started = await ProcessGateway.start(engine, options);
			gateway = started;
			stopping.push(() => started.stop());
			return started;
		}
		afterEach(async function () {
			if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
			gateway = undefined;
			for (const stop of stopping.splice(0)) await stop();
		});

		async function login(to: TestGateway): Promise<void> {
			to.token = await to.loginByChallenge();
		}

		it("with --meter reads a meter that was started by hand with a telegram file", async () => {
			for (const name of ["iskraemeco-mt382-dsmr3-stx-in-ident", "metcom-mcs301-maxima"]) {
				const vector = vectorOf(name);
				const meter = new Program("the meter", METER, ["--telegram", vectorPath("iec62056-21", name)]);
				stopping.push(() => meter.end());
				const meterPath = (await meter.firstLine()).replace(/^meter /, "");
				const reading = await start({ meterPath });
				await login(reading);
				const readout = await reading.read("iec62056/read?lang=de");
				isReadout(readout, { language: "de" });
				assert.equal(readout.status, 0);
				assert.equal(readout.meter_id, vector.meterId);
				assert.deepEqual(withoutNames(readout), vector.readings);
				// The gateway ends before the meter, because it has the meter's port open.
				await reading.stop();
				stopping.splice(0);
				await meter.end();
			}
		});

		it("without --meter reads a simulated household, whose values move", async () => {
			const reading = await start({ meterPath: OUR_METER });
			await login(reading);
			const first = await reading.read("iec62056/read");
			isReadout(first);
			assert.equal(first.status, 0);
			const codes = first.readings.map((one: { obis: string }) => one.obis);
			for (const code of ["1.8.0", "2.8.0", "16.7.0", "32.7.0", "31.7.0"]) assert.ok(codes.includes(code), code);
			assert.ok(Math.abs(first.timestamp - Date.now() / 1000) < 30);
			const second = await reading.read("iec62056/read");
			assert.notDeepEqual(second.readings, first.readings);
			// The readout has only the rows of the simulated telegram, on which other programs rely.
			assert.ok(!codes.includes("P.01"));
			// The built-in meter is the same in both engines, so one engine suffices for the rest.
			if (engine !== "node") return;
			const { period_secs, columns, rows } = await reading.read("meter/profile?entries=4");
			assert.deepEqual([period_secs, columns.length, rows.length], [900, 2, 4]);
			assert.ok(Date.now() / 1000 - rows[3].timestamp < 1000);
		});

		it("has its own certificate for its host name, and keeps the certificate across a restart", async () => {
			const served = await start();
			const certificate = new X509Certificate(served.certificate);
			assert.match(served.hostname, /^smgw-[0-9a-f]{6}$/);
			assert.equal(certificate.subject, `O=${MAKER}\nOU=${PRODUCT}\nCN=${served.hostname}`);
			assert.equal(certificate.issuer, certificate.subject);
			const names = `DNS:${served.hostname}, DNS:${served.hostname}.local, IP Address:192.168.4.1`;
			assert.equal(certificate.subjectAltName, names);
			assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
			assert.ok(certificate.verify(certificate.publicKey));
			const years = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 31_557_600_000;
			assert.ok(years > 9.9 && years < 10.1);
			await login(served);
			// Once the gateway has an address, the certificate names that too and keeps its key. A browser that trusts it
			// therefore shows no warning.
			const { ip } = await served.untilNetwork(({ connected }) => connected);
			let shown = await certificateOf(served.httpsPort);
			for (let tries = 0; tries < 50 && shown.subjectAltName === names; tries++) {
				await sleep(200);
				shown = await certificateOf(served.httpsPort);
			}
			assert.equal(shown.subjectAltName, `${names}, IP Address:${ip}`);
			assert.ok(shown.publicKey.equals(certificate.publicKey));
			await served.restart();
			assert.equal(new X509Certificate(served.certificate).fingerprint256, shown.fingerprint256);
			await login(served);
		});

		it("keeps the clock's state across a restart of its own, whether the clock was set or not", async () => {
			const started = await start({ args: ["--time", "none"] });
			await login(started);
			assert.equal((await started.read("system/clock")).is_valid, false);
			assert.equal((await started.post("system/reboot")).status, 200);
			await started.rebooted();
			await login(started);
			assert.equal((await started.read("system/clock")).is_valid, false);
			await started.write("system/clock", { timestamp: 1_800_000_000 });
			assert.equal((await started.post("system/reboot")).status, 200);
			await started.rebooted();
			await login(started);
			const { timestamp } = await started.read("system/clock");
			assert.ok(timestamp >= 1_800_000_000 && timestamp < 1_800_000_060, `shows ${timestamp}`);
		});

		it("with damaged state reports what is lost, and loses nothing else", async () => {
			const restarted = await start();
			await login(restarted);
			await restarted.write("iec62056/config", { baudrate_max: 4800 });
			await restarted.write("iec62056/control", { log_en: true });
			const { publicKey } = new X509Certificate(restarted.certificate);
			// The file of a write that a power cut interrupted.
			writeFileSync(join(restarted.stateFolder, "flash", "iec62056.new"), "half");
			await restarted.restart("control");
			assert.match(restarted.diagnosis, /control was damaged/);
			assert.ok(new X509Certificate(restarted.certificate).publicKey.equals(publicKey));
			await login(restarted);
			assert.equal((await restarted.read("iec62056/config")).baudrate_max, 4800);
			assert.equal((await restarted.read("iec62056/control")).log_en, false);
		});

		it("ends within 8 s during a readout, and after its restart accepts no earlier login", async () => {
			const ended = await start();
			await login(ended);
			await ended.connectMeter({ telegram: vectorOf("metcom-mcs301-maxima").telegram, faults: { silence: 1000 } });
			const reading = ended.begin("GET", "iec62056/read");
			await ended.pass(200);
			const before = performance.now();
			const broken = assert.rejects(reading.reply());
			await ended.restart();
			await broken;
			assert.ok(performance.now() - before < 8000);
			isError(await ended.get("meter/protocol"), 401, "unauthorized");
		});
	});
}
