/**
 * Part c: number of XS slots after a garbage collection in the virtual world, minus the slots of the loaded code.
 * test/system/memory.test.ts checks the limit.
 */
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { IECMeter, METER_BLOCK } from "../meter/iec-meter.js";
import { progress, type Row, type Section } from "./report.js";
import { capture, KOHLER } from "./telegrams.js";
import { XSWorld } from "./xs-world.js";

const READOUT_PROBES = 8;
const REQUESTS = 100;
const PLAIN_CONNECTIONS = 4;

export async function measureSlots(): Promise<Section> {
	progress("  slots alive …");
	const xs = await XSWorld.start();
	const rows: Row[] = [];
	const add = (probe: string, slots: number) => rows.push({ probe, slots });
	try {
		xs.world.serial.meter.connect(new IECMeter({ source: () => capture(KOHLER) }));
		add("gateway started, idle", await xs.slots());
		await xs.login();
		add("logged in, idle", await xs.slots());
		const caller = await beginReadout(xs);
		add("during a readout of 577 records", await mostDuringReadout(xs));
		await xs.reply(caller);
		caller.close();
		await xs.advance(100);
		add("with this readout stored", await xs.slots());
		await addRequests(xs, add);
		await addWorst(xs, add);
	} finally {
		await xs.stop();
	}
	return {
		part: "c",
		title: `Slots alive beyond the ${xs.engine.baseline} of the loaded code (limit 2000, the chip has 4096)`,
		notes: [],
		rows,
	};
}

async function addRequests(xs: XSWorld, add: (probe: string, slots: number) => void): Promise<void> {
	const client = xs.world.connect();
	for (let i = 0; i < REQUESTS; i++) await xs.request("meter/protocol", {}, client);
	add(`after ${REQUESTS} requests, connection open`, await xs.slots());
	client.close();
	await slowReader(xs);
	add("while the reply waits for a slow reader", await xs.slots());
}

async function addWorst(xs: XSWorld, add: (probe: string, slots: number) => void): Promise<void> {
	await xs.request("iec62056/control", { body: { log_en: true } });
	await beginReadout(xs);
	await xs.advance(1000);
	add("and during a readout with the session log", await xs.slots());
	for (let i = 0; i < PLAIN_CONNECTIONS; i++) await halfRequest(xs, false);
	add("and with all connections in use", await xs.slots());
	await halfRequest(xs, false);
	await halfRequest(xs, true);
	add("and with one more connection on each port", await xs.slots());
}

async function beginReadout(xs: XSWorld): Promise<VirtualClient> {
	const client = xs.world.connect();
	xs.send(client, "iec62056/read");
	const { meterEvents } = xs.world.serial.meter;
	const from = meterEvents.length;
	await xs.until(() => meterEvents.indexOf(METER_BLOCK, from) >= 0);
	return client;
}

async function mostDuringReadout(xs: XSWorld): Promise<number> {
	const line = xs.world.serial.meter;
	const from = line.sentByMeter;
	let most = 0;
	for (let i = 1; i <= READOUT_PROBES; i++) {
		await xs.until(() => line.sentByMeter - from >= (i * capture(KOHLER).message.length) / (READOUT_PROBES + 1));
		most = Math.max(most, await xs.slots());
	}
	return most;
}

async function slowReader(xs: XSWorld): Promise<void> {
	const client = xs.world.connect();
	client.paused = true;
	xs.send(client, "iec62056/last");
	await xs.advance(500);
}

async function halfRequest(xs: XSWorld, secure: boolean): Promise<void> {
	xs.world.connect(secure).send("GET /api/v1/");
	await xs.advance(10);
}
