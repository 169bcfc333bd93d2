/** Events around the whole gateway: its clock is set, what it is connected to comes and goes, it is renewed. */
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keySigner } from "../../tools/ota/keys.js";
import { makeSimulatorFile } from "../../tools/ota/simulator-file.js";
import { serveTime } from "../api/time-server.js";
import { until } from "../system/zigbee-network.js";
import { WholeGateway, type WholeOptions } from "./whole-gateway.js";

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Seconds by which a request sets the clock: forward, back, and over a change of summer time. */
const STEPS = [HOUR, -HOUR, 40 * DAY, -40 * DAY, 120 * DAY, -120 * DAY, 365 * DAY, -365 * DAY];
const ZONES = ["Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kathmandu", ""];
const AIR_WITHOUT_NETWORK = "elsewhere -60 1\n";

/** Times that the gateway gets from a request, a time server and the coordinator of its Zigbee network. */
export function clockEvents(name: string, options: WholeOptions): void {
	describe(`The clock of ${name}`, function () {
		this.timeout(600_000);
		let gateway: WholeGateway | undefined;

		const start = async (...args: readonly string[]): Promise<WholeGateway> => {
			gateway = await WholeGateway.startWhole({
				...options,
				args: [...(options.args ?? []), "--time", "none", ...args],
			});
			await gateway.login();
			assert.equal((await gateway.read("system/clock")).is_valid, false);
			return gateway;
		};

		afterEach(async function () {
			if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
			await gateway?.stop();
			gateway = undefined;
		});

		it("is set by requests with everything on: for the first time, forward and back; its time zone changes", async () => {
			const whole = await start();
			const set = (timestamp: number) => whole.write("system/clock", { timestamp });
			await whole.happens("the first time by a request", () => set(Math.floor(Date.now() / 1000)));
			await whole.reset();
			for (const step of STEPS) {
				const { timestamp } = await whole.read("system/clock");
				await whole.happens(`${step} s by a request`, () => set(timestamp + step));
			}
			for (const timezone of ZONES)
				await whole.happens(`time zone ${timezone}`, () => whole.write("system/timezone", { timezone }));
			await whole.worksOn();
		});

		it("is set by a time server", async () => {
			const startMs = Date.UTC(2031, 5, 7, 8, 9, 10) - Date.now();
			let release = () => {};
			const released = new Promise<void>((resolve) => {
				release = resolve;
			});
			const server = await serveTime(() => Date.now() + startMs, released);
			try {
				const whole = await start("--ntp", `localhost:${server.port}`);
				await whole.turnOn({ hasRadio: false });
				await whole.happens("the time of a server", async () => {
					release();
					await untilValid(whole);
				});
				assert.match((await whole.read("system/clock")).utc, /^2031-06-07T08:/);
				await whole.turnOn();
				await whole.worksOn();
			} finally {
				server.close();
			}
		});

		if (options.hasRadio === false) return;
		it("is set by the coordinator of its Zigbee network", async () => {
			const whole = await start();
			await whole.happens("the coordinator's time", async () => {
				await whole.reset();
				await untilValid(whole);
			});
			await whole.worksOn();
		});
	});
}

async function untilValid(gateway: WholeGateway): Promise<void> {
	await until(
		async () => (await gateway.read("system/clock")).is_valid || undefined,
		() => `the clock\n${gateway.diagnosis}`,
	);
}

/** Loss and return of all that the gateway is connected to; update, backup and factory reset. */
export function lifeEvents(name: string, options: WholeOptions): void {
	describe(`The life of ${name}`, function () {
		this.timeout(600_000);
		const folder = mkdtempSync(join(tmpdir(), "life-"));
		let key: KeyObject;
		let gateway: WholeGateway;

		before(async () => {
			const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
			key = pair.privateKey;
			const path = join(folder, "key.pem");
			writeFileSync(path, pair.publicKey.export({ format: "pem", type: "spki" }));
			gateway = await WholeGateway.startWhole({
				...options,
				args: [...(options.args ?? []), "--update-key", path],
			});
			await gateway.reset();
		});
		afterEach(function () {
			if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
		});
		after(async () => {
			await gateway?.stop();
			rmSync(folder, { recursive: true });
		});

		it("goes on after its network was lost and came back", async () => {
			const hasCable = options.args?.includes("--cable") ?? false;
			await gateway.happens("loss of the network", async () => {
				gateway.setAir(AIR_WITHOUT_NETWORK);
				if (hasCable) gateway.setCable("out");
				await gateway.untilNetwork(({ connected }) => !connected);
			});
			await gateway.happens("return of the network", async () => {
				gateway.setAir("");
				if (hasCable) gateway.setCable("in");
				await gateway.untilNetwork(({ connected }) => connected);
			});
			await gateway.turnOn();
			await gateway.worksOn();
		});

		for (const peer of ["hub", "broker"] as const) {
			it(`goes on after its ${peer} was lost and came back`, async () => {
				await gateway.happens(`loss of the ${peer}`, async () => {
					gateway.peers.leave(peer);
					await gateway.get("iec62056/read");
				});
				await gateway.happens(`return of the ${peer}`, () => gateway.peers.comeBack(peer));
				await gateway.turnOn();
				await gateway.worksOn();
			});
		}

		it("goes on after its meter was lost and came back", async () => {
			await gateway.happens("loss of the meter", async () => {
				await gateway.connectMeter(undefined);
				assert.equal((await gateway.get("iec62056/read")).status, 500);
			});
			await gateway.happens("return of the meter", () => gateway.connectProgram([]));
			await gateway.worksOn();
		});

		if (options.hasRadio !== false) {
			it("goes on after its radio was lost and came back", async () => {
				await gateway.happens("loss of the radio", async () => {
					await gateway.zigbee!.pull();
					await gateway.untilRadio("silent");
				});
				await gateway.happens("return of the radio", async () => {
					await gateway.zigbee!.plugIn();
					await gateway.untilRadio("joined");
				});
				await gateway.worksOn();
			});
		}

		it("goes on after an update with everything on, and is confirmed", async () => {
			const signer = keySigner(key);
			const file = makeSimulatorFile({
				...{ version: "9.0.0", buildNumber: 1, securityLevel: 0, size: 300_000, signer, packed: true },
			});
			await gateway.happens("an update", async () => {
				assert.equal((await gateway.post("system/ota", file)).status, 200);
				await gateway.rebooted();
				await gateway.reset();
			});
			assert.equal((await gateway.read("system/version")).firmware.version, "9.0.0");
			await gateway.happens("confirmation of an update", async () => {
				await gateway.post("system/reboot");
				await gateway.rebooted();
				await gateway.reset();
			});
			assert.equal((await gateway.read("system/status")).ota_state, "idle");
			await gateway.worksOn();
		});

		it("goes on after a factory reset, and after its backup was restored", async () => {
			const backup = await gateway.read("system/backup");
			const restart = async () => {
				assert.equal((await gateway.post("system/factory_reset")).status, 200);
				await gateway.rebooted();
				await gateway.login();
			};
			await gateway.happens("a factory reset", async () => {
				await restart();
				await gateway.turnOn();
			});
			await gateway.worksOn();
			await restart();
			await gateway.happens("a restore", async () => {
				assert.equal((await gateway.post("system/backup", backup)).status, 200);
				await gateway.turnOn();
			});
			await gateway.worksOn();
		});
	});
}
