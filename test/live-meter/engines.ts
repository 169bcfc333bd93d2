/** The gateway as three other meters, over real sockets, for each engine: engines.test.ts and engines.linux.ts. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONObject } from "../api/gateway.js";
import { type EngineName, type Memory, ProcessGateway } from "../api/process-gateway.js";

const CLIENT = "127.0.0.1";
const ON = { ecotracker: true, shelly: true, homewizard: true, shelly_udp_port: 2220 };
const OFF = { ecotracker: false, shelly: false, homewizard: false };
const TELEGRAM = [
	...["/TST5METER", "", "1-0:1.8.0(000012.572*kWh)", "1-0:2.8.0(000003.5*kWh)", "1-0:1.7.0(00.000*kW)"],
	...["1-0:2.7.0(00.321*kW)", "1-0:32.7.0(229.8*V)", "!", ""],
].join("\r\n");
/** Number of requests that each of two HTTP clients and one UDP client sends before memory is measured. */
const REQUESTS = 60;
const ASK_MS = 300;
const ANSWER_MS = 5000;
/** Limits of idle slots beyond those of the settings: while two dialects are on, and after they were turned off. */
const SLOTS_ON = 80;
const SLOTS_OFF = 20;

/** Sends a frame over UDP and returns the reply; undefined if none comes. */
async function requestByUDP(body: object, port: number): Promise<JSONObject | undefined> {
	const socket = createSocket("udp4");
	try {
		socket.bind(0, CLIENT);
		await once(socket, "listening");
		socket.send(JSON.stringify(body), port, CLIENT);
		const late = sleep(ANSWER_MS, undefined, { ref: false });
		const reply = await Promise.race([once(socket, "message"), late]);
		return reply && JSON.parse(reply[0].toString());
	} finally {
		socket.close();
	}
}

export function engines(engine: EngineName): void {
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

		it("are not sent to an address that is not listed", async () => {
			await gateway.write("live-meter/clients", { clients: [{ address: "192.0.2.1" }] });
			assert.equal((await request("/v1/json")).status, 301);
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
	});
}
