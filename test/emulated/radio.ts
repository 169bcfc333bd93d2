/**
 * The radio at its UART: the clock is set by a time server, a coordinator like Zigbee2MQTT lets the board in and gets
 * its readouts, and the board is in this network after a power cut.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVES } from "../../tools/emulate/emulator.js";
import { EMULATED_TIME_PORTS } from "../../tools/sdk/esp32.js";
import { serveTime } from "../api/time-server.js";
import type { EmulatedBoard } from "./board.js";
import { P1, readMeter } from "./readouts.js";

const JOIN_SECONDS = 254;
const CONFIGURED_LIMIT_MS = 120_000;
/** Longest error of the clock, s. The emulator may stop for some seconds. */
const ERROR_S = 20;
/** Time in which a restart would begin after the clock was set, ms. */
const RESTART_MS = 10_000;

export function radio(emulated: EmulatedBoard): void {
	it("joins a network, and is recognised and configured", async () => {
		const { watched } = emulated.network;
		await watched.coordinator.permitJoin(JOIN_SECONDS);
		await emulated.client.post("zigbee/reset");
		await emulated.until("zigbee/config", ({ state }) => state === "joined");
		const { problem } = await watched.take("configured", undefined, CONFIGURED_LIMIT_MS);
		assert.equal(problem, "");
		await emulated.note("joined, the meter's port not opened");
	});

	it("sends a readout to the coordinator", async () => {
		await readMeter(emulated, P1);
		await emulated.reports();
	});

	it("sets its clock by a time server, is in its network again after a power cut, and does not restart", async () => {
		const servers = await Promise.all(EMULATED_TIME_PORTS.map((port) => serveTime(Date.now, undefined, port)));
		try {
			await emulated.cutPower();
			await emulated.powerOnWithoutTime();
			await emulated.until("network/status", ({ ntp_last_sync }) => ntp_last_sync > 0);
			const { is_valid, timestamp } = await emulated.client.get("system/clock");
			assert.equal(is_valid, true);
			assert.ok(Math.abs(timestamp - Date.now() / 1000) <= ERROR_S, `the clock has ${timestamp}`);
			await emulated.reports();
			await sleep(RESTART_MS);
			assert.equal(emulated.emulator.lines.filter((line) => SERVES.test(line)).length, 1);
		} finally {
			for (const server of servers) server.close();
		}
		assert.ok(servers.every(({ requests }) => requests > 0));
	});
}
