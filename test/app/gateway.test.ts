/** Wi-Fi set up over the console by the browsers' client, with the whole gateway on virtual time. */

import assert from "node:assert/strict";
import { setImmediate as tick } from "node:timers/promises";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { VirtualCable } from "../../hosts/node/virtual-cable.js";
import { Gateway } from "../../modules/app/gateway.js";
import { networkWithCable } from "../../modules/parts/network/cable-part.js";
import { expectFaults } from "../faults.js";
import { openClient, statesOf, WebPort } from "./client.js";
import { VirtualConsole } from "./console.js";
import { packet } from "./packets.js";

const MINUTE = 60_000;

class Bed {
	readonly console: VirtualConsole;
	readonly world: VirtualWorld;
	readonly air: VirtualAir;
	/** Messages that the client could not use. */
	readonly problems: unknown[] = [];
	/** All bytes on the line. */
	written = Buffer.alloc(0);
	readonly port: WebPort;
	readonly client: ReturnType<typeof openClient>;
	readonly gateway: Gateway;

	constructor(
		{ storage }: Partial<Pick<VirtualWorld, "storage">> = {},
		hostname = "smgw-0102ef",
		cable?: VirtualCable,
	) {
		let made: VirtualConsole | undefined;
		let air: VirtualAir | undefined;
		this.world = new VirtualWorld({
			utcMs: Date.UTC(2026, 10, 20),
			info: { hostname, firmwareVersion: "1.2.3", chip: "esp32c3" },
			...(storage === undefined ? {} : { storage }),
			wifi: (timers) => {
				air = new VirtualAir(timers, {
					home: { password: "secret-of-home", rssi: -40 },
					open: { rssi: -9 },
					a: { rssi: -8 },
					silent: { password: "no-address", givesAddress: false },
				});
				return air.port;
			},
			...(cable === undefined ? {} : { ethernet: (timers) => cable.port(timers) }),
			console: (time) => {
				made = new VirtualConsole(time);
				return made;
			},
		});
		this.console = made!;
		this.air = air!;
		this.port = new WebPort((bytes) => this.console.send(bytes));
		this.console.onWritten = (piece) => {
			this.written = Buffer.concat([this.written, piece]);
			// Text of a log line comes before and after the packet.
			this.port.deliver(Buffer.concat([Buffer.from("IMPRO half a line"), piece, Buffer.from("log: IMPROV\n")]));
		};
		this.gateway = new Gateway(this.world, [networkWithCable()]);
		this.gateway.start();
		this.client = openClient(this.port, this.problems);
	}

	/** Advances time until the promise settles. */
	async settle<Result>(wanted: Promise<Result>): Promise<Result> {
		let isOver = false;
		const end = () => {
			isOver = true;
		};
		wanted.then(end, end);
		for (let i = 0; i < 4000 && !isOver; i++) {
			this.world.advance(20);
			await tick();
		}
		if (!isOver) throw new Error("nothing came in 80 s");
		return wanted;
	}

	/** Sends invalid bytes; returns the answer. */
	async raw(bytes: Uint8Array): Promise<Buffer> {
		const { length } = this.written;
		this.console.send(bytes);
		this.world.advance(500);
		await tick();
		return this.written.subarray(length);
	}

	initialize() {
		return this.settle(this.client.initialize(60_000));
	}

	join(ssid: string, password: string): Promise<void> {
		return this.settle(this.client.provision(ssid, password, 60_000));
	}
}

/** A command with these texts as data, each after its length. */
function command(code: number, ...texts: string[]): Buffer {
	const data = texts.flatMap((text) => [Buffer.byteLength(text), ...Buffer.from(text)]);
	return packet(3, [code, data.length, ...data]);
}

const errorPacket = (code: number) => Buffer.concat([Buffer.from("\n"), packet(2, [code])]);

describe("Wi-Fi set-up over the console (Improv)", () => {
	it("reports the unit and the networks, joins one of them, and reports the gateway's address there", async () => {
		const bed = new Bed();
		const states = statesOf(bed.client);
		assert.deepEqual(await bed.initialize(), {
			firmware: "Smart-Meter Gateway",
			version: "1.2.3",
			name: "smgw-0102ef",
			chipFamily: "esp32c3",
			osName: null,
			osVersion: null,
		});
		assert.deepEqual(await bed.settle(bed.client.scan(60_000)), [
			{ name: "a", rssi: -8, secured: false },
			{ name: "home", rssi: -40, secured: true },
			{ name: "open", rssi: -9, secured: false },
			{ name: "silent", rssi: -50, secured: true },
		]);
		assert.deepEqual((await bed.settle(bed.client.requestNetworkState(9000))).urls, []);
		await bed.join("home", "secret-of-home");
		assert.equal(bed.client.nextUrl, "https://192.0.2.20");
		assert.deepEqual(states, [2, 3, 4]);
		const network = await bed.settle(bed.client.requestNetworkState(9000));
		assert.ok(network.online && network.supportsWifi && !network.supportsEthernet);
		assert.deepEqual(network.urls, ["https://192.0.2.20"]);
		assert.equal(bed.air.radio?.station?.ssid, "home");
		// A later client gets the same address.
		await bed.settle(bed.client.requestCurrentState(9000));
		assert.equal(bed.client.nextUrl, "https://192.0.2.20");
		assert.deepEqual(bed.problems, []);
	});

	it("reports a wrong password soon, and a network that does not answer before the client gives up", async () => {
		const bed = new Bed();
		const states = statesOf(bed.client);
		await bed.initialize();
		const startMs = bed.world.time.nowMs;
		await assert.rejects(bed.join("home", "secret-of-hell"), /UNABLE_TO_CONNECT/);
		assert.ok(bed.world.time.nowMs - startMs < 10_000);
		for (const ssid of ["silent", "nowhere"]) {
			const triedMs = bed.world.time.nowMs;
			await assert.rejects(bed.join(ssid, "no-address"), /UNABLE_TO_CONNECT/);
			assert.ok(bed.world.time.nowMs - triedMs < 30_000, ssid);
		}
		// Joins in spite of the previous network's failure.
		await bed.join("home", "secret-of-home");
		assert.deepEqual(states, [2, 3, 2, 3, 2, 3, 2, 3, 4]);
		assert.deepEqual(bed.problems, []);
	});

	it("rejects what the API rejects, and passwords that are not UTF-8", async () => {
		const bed = new Bed();
		await bed.initialize();
		for (const [ssid, password] of [
			["", "secret-of-home"],
			["home", "short"],
			["home", "x".repeat(64)],
			["x".repeat(32), "secret-of-home"],
			["ä".repeat(17), "secret-of-home"],
			["ho\nme", "secret-of-home"],
		])
			await assert.rejects(bed.join(ssid, password), /UNABLE_TO_CONNECT/, ssid);
		const broken = command(1, "home", "12345678").subarray(0, -2);
		broken[broken.length - 1] = 0xff;
		const sum = broken.reduce((all, byte) => all + byte, 0) & 0xff;
		assert.deepEqual(await bed.raw(Buffer.from([...broken, sum])), errorPacket(3));
		assert.equal(bed.world.storage.get("wifi"), undefined);
	});

	it("sets and reports the hostname, even one whose packet clients would lose", async () => {
		const bed = new Bed({}, "gateway");
		await bed.initialize();
		// The name has 7 characters, so its packet has 10 bytes.
		assert.equal(await bed.settle(bed.client.getHostname(9000)), "gateway");
		assert.equal(await bed.settle(bed.client.getDeviceName(9000)), "gateway");
		assert.equal(await bed.settle(bed.client.setHostname("meter-7", 9000)), "meter-7");
		assert.equal(await bed.settle(bed.client.setDeviceName("cellar", 9000)), "cellar");
		for (const name of ["-meter", "meter-", "me ter", "x".repeat(32)])
			await assert.rejects(bed.settle(bed.client.setHostname(name, 9000)), /BAD_HOSTNAME/, name);
		assert.equal(await bed.settle(bed.client.getHostname(9000)), "cellar");
	});

	it("answers invalid packets with the standard's errors, and ignores packets that are not for it", async () => {
		const bed = new Bed();
		assert.deepEqual(await bed.raw(command(9)), errorPacket(2));
		const sum = command(2);
		sum[sum.length - 2]++;
		assert.deepEqual(await bed.raw(sum), errorPacket(1));
		assert.deepEqual(await bed.raw(packet(3, [])), errorPacket(1));
		assert.deepEqual(await bed.raw(packet(3, [2, 5])), errorPacket(1));
		assert.deepEqual(await bed.raw(packet(3, [1, 2, 9, 9])), errorPacket(1));
		assert.deepEqual(await bed.raw(packet(3, [1, 3, 1, 65, 9])), errorPacket(1));
		// Examples are the gateway's own packets sent back, and text for another device.
		for (const other of [packet(1, [2]), packet(4, [2, 0]), Buffer.from("AT+GMR\r\n".repeat(100))])
			assert.equal((await bed.raw(other)).length, 0);
		// An unfinished frame is dropped, and not joined with the next one.
		await bed.raw(command(1, "home", "secret-of-home").subarray(0, 15));
		bed.world.advance(2000);
		assert.deepEqual(await bed.raw(command(2)), Buffer.concat([Buffer.from("\n"), packet(1, [2])]));
	});

	it("carries out commands in order if they arrive all at once", async () => {
		const bed = new Bed();
		await bed.initialize();
		const all = await bed.raw(Buffer.concat([command(3), command(2), command(9), command(5)]));
		assert.deepEqual(
			all
				.toString("latin1")
				.match(/IMPROV\u0001./g)!
				.map((start) => start.charCodeAt(7)),
			[4, 1, 2, 4],
		);
	});

	it("changes settings only within five minutes of a start, or while no network is set; later it only reports", async () => {
		const first = new Bed();
		await first.initialize();
		first.world.advance(60 * MINUTE);
		await first.join("home", "secret-of-home");
		assert.deepEqual(await first.raw(command(1, "open", "")), errorPacket(4));
		assert.deepEqual(await first.raw(packet(3, [5, 5, ...Buffer.from("other")])), errorPacket(4));
		assert.equal(await first.settle(first.client.getHostname(9000)), "smgw-0102ef");

		const second = new Bed({ storage: first.world.storage });
		second.world.advance(4 * MINUTE);
		await second.initialize();
		await second.join("open", "");
		assert.equal(second.air.radio?.station?.ssid, "open");
		second.world.advance(2 * MINUTE);
		second.air.around.delete("open");
		second.world.advance(MINUTE);
		// State 0: settings can't be changed, and the gateway is in no network.
		assert.deepEqual(await second.raw(command(2)), Buffer.concat([Buffer.from("\n"), packet(1, [0])]));
	});

	it("never reveals a secret", async () => {
		const bed = new Bed();
		await bed.initialize();
		await bed.join("home", "secret-of-home");
		await bed.settle(bed.client.scan(60_000));
		for (let code = 0; code < 256; code++) await bed.raw(command(code));
		const { labelPassword, serial } = bed.world.info;
		for (const secret of ["secret-of-home", "access-point-key", labelPassword, serial])
			assert.ok(!bed.written.includes(secret), secret);
		assert.ok(!bed.world.traced.join("\n").includes("secret-of-home"));
	});

	it("reports the Ethernet address, and changes no network while Ethernet keeps Wi-Fi off", async () => {
		const bed = new Bed(undefined, undefined, new VirtualCable());
		bed.world.advance(5000);
		await bed.initialize();
		assert.equal(bed.client.nextUrl, "https://192.0.2.30");
		const network = await bed.settle(bed.client.requestNetworkState(9000));
		assert.ok(network.online && network.supportsWifi && network.supportsEthernet);
		assert.deepEqual(network.urls, ["https://192.0.2.30"]);
		await assert.rejects(bed.join("home", "secret-of-home"), /UNABLE_TO_CONNECT/);
		assert.equal(bed.air.radio, undefined);
	});

	it("reports an error if flash can't store the network", async () => {
		const bed = new Bed();
		await bed.initialize();
		expectFaults(/^fault: flash: wifi: flash is full/);
		bed.world.storage.set = () => {
			throw new Error("flash is full");
		};
		await assert.rejects(bed.join("home", "secret-of-home"), /UNKNOWN_ERROR/);
	});

	it("opens the console's port only with a radio, and closes it when the gateway stops", () => {
		const world = new VirtualWorld({ console: (time) => new VirtualConsole(time) });
		const { console } = world.serial;
		assert.ok(console instanceof VirtualConsole);
		new Gateway(world).start();
		// Without a radio there is nothing to set, so the console is not opened.
		assert.equal(console.end, undefined);
		const bed = new Bed();
		bed.console.send(command(2));
		assert.notEqual(bed.console.end, undefined);
		bed.gateway.stop();
		assert.equal(bed.console.end, undefined);
		bed.world.advance(MINUTE);
	});
});
