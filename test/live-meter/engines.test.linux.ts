/** The gateway as seven other meters, over real sockets, for each engine. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import type { JSONObject } from "../api/gateway.js";
import { type Memory, ProcessGateway } from "../api/process-gateway.js";
import { byRun } from "../runs.js";
import { CLIENT, RPCSocket, readModbus, receiveSMA, requestByUDP, requestCT002 } from "./dialect-clients.js";

const ON = { ecotracker: true, shelly: true, homewizard: true, shelly_udp_port: 2220 };
const OFF = {
	...{ ecotracker: false, shelly: false, homewizard: false, sma: false, sunspec: false, telegrams: false },
	...{ em24: false, ct002: false },
};
const TELEGRAM = [
	...["/TST5METER", "", "1-0:1.8.0(000012.572*kWh)", "1-0:2.8.0(000003.5*kWh)", "1-0:1.7.0(00.000*kW)"],
	...["1-0:2.7.0(00.321*kW)", "1-0:32.7.0(229.8*V)", "!", ""],
].join("\r\n");
/** Number of requests that each of two HTTP clients and one UDP client sends before memory is measured. */
const REQUESTS = 60;
const ASK_MS = 300;
/** Limits of idle slots beyond those of the settings: while two dialects are on, and after they were turned off. */
const SLOTS_ON = 80;
/** The same for the port of one dialect. */
const SLOTS_OF_PORT = { sma: 46, sunspec: 42, telegrams: 50, em24: 42, ct002: 46 };
const SLOTS_OFF = 20;
/** Limit for a WebSocket with its connection to the HTTP server. */
const SLOTS_OF_SOCKET = 230;

for (const engine of byRun({ test: ["node", "xs"], linux: ["linux"] })) {
	describe(`live values, engine ${engine}`, function () {
		this.timeout(240_000);
		let gateway: ProcessGateway;

		before(async () => {
			gateway = await ProcessGateway.start(engine, { isAhead: true });
			await gateway.connectMeter({ telegram: Buffer.from(TELEGRAM), mode: "D", pushBaud: 9600, pushMs: 1000 });
			await gateway.login();
			await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
			await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
			await gateway.untilNetwork(({ connected }) => connected);
		});
		after(() => gateway?.stop());

		const request = (path: string, method = "GET", body?: object) =>
			gateway.begin(method, path, { secure: false, token: null, body }).reply();
		const read = async (path: string) => {
			for (let tries = 0; tries < 20; tries++) {
				const reply = await request(path);
				if (reply.status === 200) return JSON.parse(reply.text);
				await gateway.pass(500);
			}
			throw new Error(`no answer at ${path}\n${gateway.diagnosis}`);
		};

		it("are those of the readout in each dialect", async () => {
			await gateway.write("live-meter", ON);
			const eco = await read("/v1/json");
			const { readings } = await gateway.read("iec62056/last");
			const reading = (code: string) => Number(readings.find((one: JSONObject) => one.obis === code).value1);
			const watts = Math.round((reading("1.7.0") - reading("2.7.0")) * 1000);
			assert.equal(watts, -321);
			const counters = [reading("1.8.0") * 1000, reading("2.8.0") * 1000].map(Math.round);
			assert.deepEqual([eco.power, eco.energyCounterIn, eco.energyCounterOut], [watts, ...counters]);
			const status = await read("/rpc/Shelly.GetStatus");
			const { total_act_power, a_voltage } = status["em:0"];
			assert.deepEqual([total_act_power, a_voltage], [watts, reading("32.7.0")]);
			assert.deepEqual([status["emdata:0"].total_act, status["emdata:0"].total_act_ret], counters);
			const data = await read("/api/v1/data");
			assert.deepEqual(
				[data.active_power_w, data.total_power_import_kwh, data.total_power_export_kwh],
				[watts, reading("1.8.0"), reading("2.8.0")],
			);
		});

		it("are sent over UDP on request", async () => {
			const reply = await requestByUDP({ id: 3, src: "battery", method: "EM.GetStatus" }, ON.shelly_udp_port);
			assert.deepEqual([reply?.id, reply?.dst, reply?.result.total_act_power], [3, "battery", -321]);
		});

		it("are sent by WebSocket after each readout, until the dialect is turned off", async () => {
			await gateway.write("live-meter", ON);
			const socket = new RPCSocket(gateway.authority(false));
			try {
				for (let waitedMs = 0; socket.messages.length < 3; waitedMs += 500) {
					assert.ok(waitedMs < 20_000, gateway.diagnosis);
					await gateway.pass(500);
				}
				const [info, ...notices] = socket.messages;
				assert.deepEqual([info.id, info.result.gen], [1, 2]);
				for (const { method, params } of notices)
					assert.deepEqual([method, params["em:0"].total_act_power], ["NotifyStatus", -321]);
				await gateway.write("live-meter", { shelly: false });
				for (let waitedMs = 0; !socket.isClosed; waitedMs += 100) {
					assert.ok(waitedMs < 5000);
					await gateway.pass(100);
				}
			} finally {
				socket.end();
				await gateway.write("live-meter", ON);
			}
		});

		it("are sent as by an SMA energy meter", async () => {
			await gateway.write("live-meter", { ...OFF, sma: true });
			const { id } = await gateway.read("live-meter/status");
			assert.deepEqual(await receiveSMA(id), [-321, 3500]);
		});

		/** Port that replaces 502. */
		const modbusPort = () => Number(/tcp port 502 is localhost:(\d+) here/.exec(gateway.diagnosis)?.[1] ?? 502);

		it("are read as SunSpec's by Modbus TCP", async () => {
			await gateway.write("live-meter", { ...ON, sunspec: true });
			await read("/v1/json");
			const [head, watts] = [await readModbus(modbusPort(), 40_000, 2), await readModbus(modbusPort(), 40_097, 2)];
			assert.deepEqual([head.toString("latin1", 9), watts.readFloatBE(9)], ["SunS", -321]);
			await gateway.write("live-meter/clients", { clients: [{ address: "192.0.2.1" }] });
			await assert.rejects(readModbus(modbusPort(), 40_000, 2));
			await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
			await gateway.write("live-meter", ON);
		});

		it("are read as an EM24's by Modbus TCP, beside SunSpec's, and as a CT002's over UDP", async () => {
			await gateway.write("live-meter", { ...OFF, ...ON, sunspec: true, em24: true, ct002: true });
			await read("/v1/json");
			const [model, watts] = [await readModbus(modbusPort(), 0x0b, 1), await readModbus(modbusPort(), 0x28, 2)];
			assert.deepEqual([model.readUInt16BE(9), watts.readInt16BE(9), watts.readInt16BE(11)], [1648, -3210, -1]);
			assert.equal((await readModbus(modbusPort(), 40_097, 2)).readFloatBE(9), -321);
			assert.equal(await requestCT002(), -321);
			await gateway.write("live-meter", { ...OFF, ...ON });
		});

		it("are still read by Modbus TCP despite strangers, half requests, noise and clients that read no replies", async () => {
			const [listed, stranger] = ["127.0.0.2", "127.0.0.3"];
			await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }, { address: listed }] });
			await gateway.write("live-meter", { ...ON, sunspec: true });
			const [port, asked] = [modbusPort(), Buffer.from([0, 1, 0, 0, 0, 6, 1, 3, 0x9c, 0x40, 0, 71])];
			const attack = (localAddress: string, bytes: Uint8Array, takesReplies = true) => {
				const socket = connect({ port, host: CLIENT, localAddress });
				socket.on("error", () => {});
				if (takesReplies) socket.resume();
				socket.write(bytes);
				return socket;
			};
			const attackers = Array.from({ length: 10 }, () => attack(stranger, asked));
			for (let i = 0; i < 5; i++) attackers.push(attack(listed, Buffer.alloc(3000, 0xff)));
			attackers.push(attack(listed, asked.subarray(0, 7)));
			attackers.push(attack(listed, Buffer.concat(new Array(500).fill(asked)), false));
			try {
				// A connection is refused while the noise still has a place; a client then connects again.
				const again = async (tries = 20): Promise<Buffer> =>
					readModbus(port, 40_000, 2).catch((error) => {
						if (tries === 0) throw error;
						return gateway.pass(100).then(() => again(tries - 1));
					});
				for (let i = 0; i < 10; i++) assert.equal((await again()).toString("latin1", 9), "SunS");
				assert.equal((await gateway.read("live-meter/status")).refused.address, stranger);
			} finally {
				for (const socket of attackers) socket.destroy();
				await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
				await gateway.write("live-meter", ON);
			}
		});

		it("are not sent to an address that is not listed", async () => {
			await gateway.write("live-meter/clients", { clients: [{ address: "192.0.2.1" }] });
			assert.equal((await request("/v1/json")).status, 404);
			const { refused } = await gateway.read("live-meter/status");
			assert.deepEqual([refused.address, refused.dialect], [CLIENT, "ecotracker"]);
			await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
		});

		if (engine !== "linux") return;

		it("take few slots when idle, and leave hardly any in use after they are turned off", async function () {
			const rest = async (): Promise<Memory> => {
				await gateway.pass(31_000);
				return gateway.memory();
			};
			await gateway.write("live-meter", OFF);
			const off = await rest();
			await gateway.write("live-meter", { ...ON, homewizard: false });
			for (let i = 0; i < REQUESTS; i++) {
				await Promise.all([
					requestByUDP({ id: i, method: "EM.GetStatus" }, ON.shelly_udp_port),
					request("/v1/json"),
					request("/rpc", "POST", { id: i, method: "Shelly.GetStatus" }),
				]);
				await gateway.pass(ASK_MS);
			}
			const on = await rest();
			await gateway.write("live-meter", OFF);
			const again = await rest();
			const [more, left] = [on.slots - off.slots, again.slots - off.slots];
			const chunks = on.chunks - off.chunks;
			this.test!.title += ` (${more} with two dialects on, ${left} after it, ${chunks} bytes of chunks)`;
			assert.ok(more <= SLOTS_ON, `${more} slots`);
			assert.ok(left <= SLOTS_OFF, `${left} slots stay`);
		});

		it("take few slots for each WebSocket, and none after it is closed", async function () {
			await gateway.write("live-meter", { ...OFF, shelly: true, shelly_udp_port: 0 });
			const slots = async (): Promise<number> => {
				await gateway.pass(2500);
				return (await gateway.memory()).slots;
			};
			const use = async (): Promise<number> => {
				const sockets = [0, 1].map(() => new RPCSocket(gateway.authority(false)));
				try {
					const used = await slots();
					for (const { messages } of sockets) assert.ok(messages.length >= 2, `${messages.length} messages`);
					return used;
				} finally {
					for (const socket of sockets) socket.end();
				}
			};
			// A socket is refused before the first readout.
			await slots();
			await use();
			const before = await slots();
			const [on, after] = [await use(), await slots()];
			this.test!.title += ` (${Math.round((on - before) / 2)} each, ${after - before} after them)`;
			assert.ok(on - before <= 2 * SLOTS_OF_SOCKET, `${on - before} slots`);
			assert.ok(after - before <= 2, `${after - before} slots stay`);
		});

		it("take few slots for a port of a dialect, and none after it is closed", async function () {
			const slotsWith = async (settings: object): Promise<number> => {
				await gateway.write("live-meter", { ...OFF, ecotracker: true, ...settings });
				await gateway.pass(2000);
				return (await gateway.memory()).slots;
			};
			await slotsWith({ sma: true, sunspec: true, telegrams: true, em24: true });
			await readModbus(modbusPort(), 40_071, 124);
			await readModbus(modbusPort(), 0, 80);
			await slotsWith({ ct002: true });
			assert.equal(await requestCT002(), -321);
			const off = await slotsWith({});
			for (const [name, limit] of Object.entries(SLOTS_OF_PORT)) {
				const [on, again] = [await slotsWith({ [name]: true }), await slotsWith({})];
				this.test!.title += ` (${name} ${on - off}, ${again - off} after it)`;
				assert.ok(on - off <= limit, `${on - off} slots for ${name}`);
				assert.ok(again - off <= 0, `${again - off} slots stay after ${name}`);
			}
		});
	});
}
