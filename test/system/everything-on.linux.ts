/**
 * The firmware on Linux with everything on: depth of the stack of each route, setting, restore and event; and minutes of
 * work in which the hub and MQTT share the one outgoing TLS connection.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { EverythingOn } from "./everything-on.js";
import { STACK, STACK_RESERVE } from "./memory-limits.js";
import { measureStackDepths } from "./stack-depths.js";

const MINUTES = Number(process.env["MINUTES"] ?? 3);
const LOOK_MS = 2000;
const LOOKS_A_READOUT = 10;
/** Failures and recoveries of the outputs in the event log. */
const OUTPUT_EVENT = /^(hub|mqtt)_/;

describe("The firmware on Linux with everything on", function () {
	this.timeout(1_800_000);

	it("leaves a reserve of stack in each route, setting, restore and event", async function () {
		const [deepest, ...others] = await measureStackDepths();
		this.test!.title += ` (${deepest.slots} of ${STACK}: ${deepest.action})`;
		const tooDeep = [deepest, ...others].filter(({ slots }) => slots > STACK - STACK_RESERVE);
		assert.deepEqual(tooDeep, []);
	});

	it("sends each readout to the hub and to the broker, and logs no failure when they wait for each other", async function () {
		const bed = await EverythingOn.start();
		try {
			const { gateway, peers } = bed;
			const stream = gateway.follow();
			const states = new Map<string, number>();
			const before = { hub: peers.hubRequests, messages: peers.messages };
			let looks = 0;
			const endMs = Date.now() + MINUTES * 60_000;
			const logged = async () => {
				const { events } = await bed.read("system/log");
				return events.map(({ event }: { event: string }) => event).filter((event: string) => OUTPUT_EVENT.test(event));
			};
			const known = (await logged()).length;
			while (Date.now() < endMs) {
				if (looks++ % LOOKS_A_READOUT === 0) void gateway.get("iec62056/read").catch(() => {});
				const { hub_state, mqtt_state } = await bed.read("system/status");
				for (const state of [`hub ${hub_state}`, `mqtt ${mqtt_state}`]) states.set(state, (states.get(state) ?? 0) + 1);
				await sleep(LOOK_MS);
			}
			stream.leave();
			const [requests, messages] = [peers.hubRequests - before.hub, peers.messages - before.messages];
			this.test!.title += ` (${requests} states, ${messages} messages; ${JSON.stringify(Object.fromEntries(states))})`;
			assert.deepEqual((await logged()).slice(known), []);
			assert.ok(requests > 0 && messages > 0);
		} finally {
			await bed.stop();
		}
	});
});
