/** The simulated coprocessor, with zigbee-herdsman as coordinator and a scripted host as node; then its faults. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Air } from "../../tools/zigbee/air.js";
import { Coordinator, type CoordinatorEvent } from "../../tools/zigbee/coordinator.js";
import { NETWORK } from "../../tools/zigbee/coordinator-network.js";
import { SimulatedCoprocessor } from "../../tools/zigbee/coprocessor.js";
import type { Faults } from "../../tools/zigbee/faults.js";
import { FrameReader } from "../../tools/zigbee/frames.js";
import { END_DEVICE, formedCoordinator, NVMemory, ROUTER } from "../../tools/zigbee/nvram.js";
import { serveTCP, type TCPPort } from "../../tools/zigbee/tcp-port.js";
import { APP_CNF, ScriptedDevice, SYS, ZDO } from "./scripted-device.js";

const COORDINATOR_IEEE = Buffer.from("010a0000004b1200", "hex");
const NODE_IEEE = Buffer.from("020b0000004b1200", "hex");
const NODE = "0x00124b0000000b02";

const NO_NETWORK = "020100";
const JOINED = "000100";
const RESTORED = "0d0000";
const NEVER_JOINED = "020000";

describe("The simulated coprocessor, with herdsman as its coordinator's host", function () {
	this.timeout(120_000);
	const air = new Air({ keptMs: 300 });
	const coordinatorChip = new SimulatedCoprocessor({
		air,
		ieee: COORDINATOR_IEEE,
		nv: formedCoordinator(COORDINATOR_IEEE, NETWORK),
	});
	const events: CoordinatorEvent[] = [];
	const folder = mkdtempSync(join(tmpdir(), "zigbee-"));
	let port: TCPPort;
	let coordinator: Coordinator;

	before(async () => {
		port = await serveTCP(coordinatorChip, 0);
		const onEvent = (event: CoordinatorEvent) => void events.push(event);
		coordinator = new Coordinator({ port: `tcp://127.0.0.1:${port.port}`, folder, takesDuplicates: true, onEvent });
		await coordinator.start();
	});
	after(async () => {
		await coordinator.stop();
		await port.close();
		coordinatorChip.close();
		rmSync(folder, { recursive: true });
	});

	/** The next event of this name, which may have arrived earlier. */
	async function until<Name extends CoordinatorEvent["event"]>(name: Name, isIt = (_: CoordinatorEvent) => true) {
		for (let waited = 0; waited < 5000; waited += 10) {
			const index = events.findIndex((event) => event.event === name && isIt(event));
			if (index >= 0) return events.splice(index, 1)[0] as Extract<CoordinatorEvent, { event: Name }>;
			await sleep(10);
		}
		throw new Error(`no ${name}: ${JSON.stringify(events)}`);
	}

	it("resumes a network that was formed before", async () => {
		assert.equal((await until("started")).network, "resumed");
	});

	for (const [role, name] of [
		[ROUTER, "Router"],
		[END_DEVICE, "EndDevice"],
	] as const) {
		it(`lets a ${name} join, be interviewed and configured, report, restart, and leave`, async () => {
			events.length = 0;
			const chip = new SimulatedCoprocessor({ air, ieee: NODE_IEEE, pollMs: 20 });
			const device = new ScriptedDevice(chip);
			try {
				await device.begin(role);
				// Polls as often as a mains-powered node that is being commissioned.
				await device.request(APP_CNF, 0x0c, [0x31, 0, 20, 0, 0, 0]);
				assert.equal(await device.commission(2), NO_NETWORK);
				await coordinator.permitJoin(60);
				assert.equal(await device.commission(2), JOINED);
				await coordinator.permitJoin(0);
				assert.ok(device.notifications.includes(`45c0 0${role === ROUTER ? 7 : 6}`), device.notifications.join());
				const info = await device.request(ZDO, 0x50);
				assert.match(info.toString("hex"), /^....0[67]621a000077665544332211dd010a0000004b12000f$/);

				assert.equal((await until("joined")).device, NODE);
				await until("interview", (event) => event.event === "interview" && event.status === "successful");
				const definition = await until("definition");
				assert.equal(definition.type, name);
				assert.equal(definition.model, "meter-reader");
				assert.deepEqual([...definition.exposes].sort(), ["energy", "identify", "power"]);
				assert.equal((await until("configured")).problem, "");
				assert.ok(device.commands.includes("0702:06"), device.commands.join());
				assert.equal(await device.report(0x0702, 0x0000, 0x0400), 0);
				const { values } = await until("values", (event) => event.event === "values" && "power" in event.values);
				assert.deepEqual({ ...values }, { energy: 12345.68, power: -250 });

				await device.reset();
				await device.register();
				assert.equal(await device.commission(0), RESTORED);
				if (role === END_DEVICE) await until("announced");

				await coordinator.removeAll();
				assert.equal((await until("left")).device, NODE);
				await sleep(20);
				assert.ok(
					device.notifications.some((line) => /^45c9 ....020b0000004b1200010000$/.test(line)),
					device.notifications.join(),
				);
				await device.reset();
				assert.equal(await device.commission(0), NEVER_JOINED);
			} finally {
				chip.close();
			}
		});
	}

	it("drops messages that an end device does not fetch from its parent, and notifies the sender", async () => {
		const chip = new SimulatedCoprocessor({ air, ieee: NODE_IEEE, pollMs: 20 });
		const device = new ScriptedDevice(chip);
		try {
			await device.begin(END_DEVICE);
			await coordinator.permitJoin(60);
			assert.equal(await device.commission(2), JOINED);
			const { shortAddress } = chip.network!;
			await device.request(APP_CNF, 0x0c, [0x31, 0, 0, 0, 0, 0]);
			// The node still polls once for each earlier frame.
			await sleep(150);
			const received = device.commands.length;
			const statuses: number[] = [];
			coordinatorChip.transmit(
				{
					...{ source: 0, sourceEndpoint: 1, destination: shortAddress, destinationEndpoint: 1, profile: 0x0104 },
					...{ cluster: 0x0702, payload: Buffer.of(0x10, 1, 0, 0, 0), wantsAck: true },
				},
				(status) => statuses.push(status),
			);
			await sleep(400);
			assert.deepEqual(statuses, [0xf0]);
			assert.equal(device.commands.length, received);
		} finally {
			chip.close();
			await coordinator.permitJoin(0);
		}
	});
});

describe("The simulated coprocessor alone", () => {
	const air = new Air();
	let chip: SimulatedCoprocessor;
	let device: ScriptedDevice;
	const begin = (faults: Partial<Faults> = {}, build?: SimulatedCoprocessor["build"]) => {
		chip = new SimulatedCoprocessor({ air, ieee: NODE_IEEE, faults, ...(build === undefined ? {} : { build }) });
		device = new ScriptedDevice(chip);
		return device.wait(SYS, 0x80);
	};
	afterEach(() => chip.close());

	it("identifies itself at its start and on request", async () => {
		assert.equal((await begin()).toString("hex"), "000201020701");
		assert.equal((await device.request(SYS, 0x02)).toString("hex"), "0201020701d1fe3401");
		assert.equal((await device.request(SYS, 0x04)).toString("hex"), NODE_IEEE.toString("hex"));
		chip.close();
		assert.equal((await begin({}, "1.2")).toString("hex"), "000200020603");
		assert.equal((await device.request(SYS, 0x02)).length, 5);
	});

	it("rejects an unknown command, and one that is too short", async () => {
		await begin();
		const refused = device.wait(0, 0, 3);
		void device.request(SYS, 0x70).catch(() => {});
		assert.equal((await refused).toString("hex"), "022170");
		const short = device.wait(0, 0, 3);
		void device.request(SYS, 0x07, [1]).catch(() => {});
		assert.equal((await short).toString("hex"), "042107");
	});

	it("does not answer an unknown APP_CNF command", async () => {
		await begin();
		const frames: Buffer[] = [];
		chip.onBytes = (bytes) => frames.push(bytes);
		chip.receive(Buffer.from("fe002f7758", "hex"));
		chip.receive(Buffer.from("fe00210120", "hex"));
		assert.equal(Buffer.concat(frames).toString("hex"), "fe02610179051e");
	});

	it("ignores input during a reset, then restarts, or starts its boot loader", async () => {
		await begin();
		const bytes: Buffer[] = [];
		chip.setLines(true, false);
		chip.receive(Buffer.from("fe00210120", "hex"));
		const started = device.wait(SYS, 0x80);
		chip.setLines(false, false);
		assert.equal((await started)[0], 1);
		chip.setLines(true, true);
		chip.setLines(false, true);
		chip.onBytes = (piece) => bytes.push(piece);
		chip.receive(Buffer.of(0x55, 0x55));
		assert.equal(Buffer.concat(bytes).toString("hex"), "00cc");
	});

	it("has a binding table of one row with four clusters unless configured otherwise", async () => {
		const coordinator = new SimulatedCoprocessor({
			air,
			ieee: COORDINATOR_IEEE,
			nv: formedCoordinator(COORDINATOR_IEEE, NETWORK),
		});
		const host = new ScriptedDevice(coordinator);
		try {
			await host.wait(SYS, 0x80);
			await host.request(ZDO, 0x40, [0, 0]);
			await host.wait(ZDO, 0xc0);
			await begin();
			await device.begin(ROUTER);
			await host.request(ZDO, 0x36, [0x0f, 0xfc, 0xff, 60, 1]);
			assert.equal(await device.commission(2), JOINED);
			const short = chip.network!.shortAddress;
			const statuses: number[] = [];
			for (const cluster of [0, 1, 2, 3, 4]) {
				const answered = host.wait(ZDO, 0xa1);
				const row = [...NODE_IEEE, 1, cluster, 0, 3, ...COORDINATOR_IEEE, 1];
				await host.request(ZDO, 0x21, [short & 0xff, short >> 8, ...row]);
				statuses.push((await answered)[2]);
			}
			assert.deepEqual(statuses, [0, 0, 0, 0, 0x8c]);
		} finally {
			coordinator.close();
		}
	});

	it("keeps its network in its memory, which can be stored in a file", async () => {
		await begin();
		const nv = formedCoordinator(COORDINATOR_IEEE, NETWORK);
		const again = new NVMemory(JSON.parse(JSON.stringify(nv.contents)));
		assert.deepEqual(again.network, nv.network);
		assert.equal(again.network?.channel, 15);
		assert.equal(again.network?.panId, 0x1a62);
	});

	it("makes the faults of its options: silence, lost and late replies, split frames, and garbage before them", async () => {
		await begin();
		const pieces: Buffer[] = [];
		chip.onBytes = (piece) => pieces.push(piece);
		const ping = Buffer.from("fe00210120", "hex");
		const all = () => Buffer.concat(pieces.splice(0)).toString("hex");
		chip.faults.silent = true;
		chip.receive(ping);
		assert.equal(all(), "");
		chip.faults.silent = false;
		chip.faults.lostAnswers = 1;
		chip.receive(ping);
		assert.equal(all(), "");
		chip.receive(ping);
		assert.equal(all(), "fe02610179051e");
		chip.faults.lateMs = 10;
		chip.receive(ping);
		assert.equal(all(), "");
		await sleep(30);
		assert.equal(all(), "fe02610179051e");
		chip.faults.lateMs = 0;
		chip.faults.pieceBytes = 1;
		chip.faults.garbage = 9;
		chip.receive(ping);
		assert.equal(pieces.length, 16);
		const frames = new FrameReader().push(Buffer.concat(pieces));
		assert.deepEqual(
			frames.map(({ data }) => data.toString("hex")),
			["7905"],
		);
	});
});
