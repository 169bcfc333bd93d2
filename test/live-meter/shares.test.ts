/** Shares of the power: the settings, the power that clients with a share get, and the sum of what they get for one value. */
import assert from "node:assert/strict";
import { partOf } from "../../modules/live-meter/share.js";
import { isError } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";

const BATTERY = "192.0.2.40";
const OTHER = "192.0.2.41";
const EVCC = "192.0.2.42";
const EVERY_MS = 2000;
const PORT = 1010;
const TELEGRAM = [
	...["/TST5METER", "", "1-0:1.8.0(000012.572*kWh)", "1-0:2.8.0(000003.5*kWh)", "1-0:16.7.0(-01.000*kW)"],
	...["1-0:36.7.0(00.500*kW)", "1-0:56.7.0(-01.500*kW)", "1-0:32.7.0(230*V)", "!", ""],
].join("\r\n");

describe("Shares of the power", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = new VirtualGateway();
		await gateway.connectMeter({
			telegram: Buffer.from(TELEGRAM),
			mode: "D",
			pushBaud: 115_200,
			pushMs: EVERY_MS,
		});
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115_200 });
		await gateway.write("live-meter/clients", {
			clients: [{ address: BATTERY, share_percent: 50 }, { address: OTHER, share_percent: 30 }, { address: EVCC }],
		});
		await gateway.write("live-meter", { ecotracker: true, shelly: true, sunspec: true });
		await gateway.pass(10_000);
	});
	afterEach(() => gateway.stop());

	const request = async (from: string, path = "/v1/json") => {
		const reply = await gateway.begin("GET", path, { secure: false, token: null, from }).reply();
		assert.equal(reply.status, 200, gateway.diagnosis);
		return JSON.parse(reply.text);
	};
	/** Waits for the next telegram. */
	const newValue = async () => {
		let { age_ms: before } = await gateway.read("live-meter/status");
		for (;;) {
			await gateway.pass(50);
			const { age_ms } = await gateway.read("live-meter/status");
			if (age_ms < before) return;
			before = age_ms;
		}
	};

	it("are stored, read back, kept over a restart, and missing in the reply if there is none", async () => {
		const clients = [{ address: BATTERY, share_percent: 50 }, { address: OTHER, share_percent: 30 }, { address: EVCC }];
		assert.deepEqual(await gateway.read("live-meter/clients"), { clients });
		await gateway.restartAndLogin();
		assert.deepEqual(await gateway.read("live-meter/clients"), { clients });
	});

	it("are refused below 1 and above 100 per cent, alone or together, and the list stays as it was", async () => {
		const before = await gateway.read("live-meter/clients");
		for (const share_percent of [0, 101, 33.3, "50"]) {
			const reply = await gateway.post("live-meter/clients", { clients: [{ address: BATTERY, share_percent }] });
			isError(reply, 400, "invalid_field", "clients[0].share_percent");
		}
		const clients = [BATTERY, OTHER].map((address) => ({ address, share_percent: 51 }));
		const reply = await gateway.post("live-meter/clients", { clients });
		isError(reply, 400, "invalid_field", "clients");
		assert.match(JSON.parse(reply.text).message, /102 percent/);
		const twice = [10, 20].map((share_percent) => ({ address: BATTERY, share_percent }));
		isError(await gateway.post("live-meter/clients", { clients: twice }), 400, "invalid_field", "clients[1]");
		assert.deepEqual(await gateway.read("live-meter/clients"), before);
	});

	it("do not reduce the power that a client without a share gets each time", async () => {
		for (let i = 0; i < 5; i++) {
			const { power, powerPhase1, powerPhase2, powerAvg } = await request(EVCC);
			assert.deepEqual([power, powerPhase1, powerPhase2, powerAvg], [-1000, 500, -1500, -1000]);
			await gateway.pass(150);
		}
	});

	it("divide all powers in the same ratio, but no counters", async () => {
		await newValue();
		const { power, powerPhase1, powerPhase2, powerAvg, energyCounterIn, energyCounterOut } = await request(OTHER);
		assert.ok(power <= -290 && power >= -300, `${power} W`);
		assert.deepEqual(
			[powerAvg, powerPhase1, powerPhase2].map((watts) => Math.abs(watts - power) < 1),
			[true, false, false],
		);
		assert.ok(Math.abs(powerPhase1 + power / 2) <= 1 && Math.abs(powerPhase2 - power * 1.5) <= 1);
		assert.deepEqual([energyCounterIn, energyCounterOut], [12_572, 3500]);
		const { "em:0": values, "emdata:0": counters } = await request(BATTERY, "/rpc/Shelly.GetStatus");
		assert.ok(values.total_act_power <= -450 && values.total_act_power >= -500, `${values.total_act_power} W`);
		assert.deepEqual([values.a_voltage, counters.total_act, counters.total_act_ret], [230, 12_572, 3500]);
	});

	it("are in the status with the last value that each client got", async () => {
		await newValue();
		const { power } = await request(BATTERY);
		await request(EVCC);
		const { clients, power: all } = await gateway.read("live-meter/status");
		const rows = clients.map((row: Record<string, unknown>) => [
			row["address"],
			row["share_percent"],
			Math.round(Number(row["power"])),
		]);
		assert.deepEqual(
			[rows, all],
			[
				[
					[BATTERY, 50, power],
					[EVCC, undefined, -1000],
				],
				-1000,
			],
		);
	});

	it("are given only once for each value, however often a client asks", async () => {
		await newValue();
		const askMs = EVERY_MS / 8;
		for (let value = 0; value < 3; value++) {
			let sum = 0;
			for (let ms = 0; ms < EVERY_MS; ms += askMs) {
				sum += (await request(BATTERY)).power;
				await gateway.pass(askMs);
			}
			// The first sum also contains the share of earlier values that nobody requested.
			assert.ok(value === 0 || (sum <= -200 && sum >= -500), `${sum} W`);
		}
	});

	it("are not used up by requests for a page without a value", async () => {
		await newValue();
		await request(BATTERY);
		await gateway.pass(EVERY_MS - 500);
		await request(BATTERY, "/shelly");
		await gateway.pass(520);
		const { power } = await request(BATTERY);
		assert.ok(power <= -450 && power >= -500, `${power} W`);
	});

	it("are the same for requests in quick succession, as for registers that are read one by one", async () => {
		await newValue();
		const client = gateway.world.network.tcpListener(502).connect(BATTERY)!;
		const powers: number[] = [];
		// Total, first and second phase.
		for (const register of [40_097, 40_099, 40_101]) {
			const bytes = Buffer.from([0, 1, 0, 0, 0, 6, 1, 3, 0, 0, 0, 2]);
			bytes.writeUInt16BE(register, 8);
			client.send(bytes);
			await gateway.pass(20);
			powers.push(Buffer.from(client.received).readFloatBE(9));
			client.discard(client.received.length);
		}
		const [total, first, second] = powers;
		assert.ok(total < -400 && total >= -500, `${total} W`);
		assert.ok(Math.abs(first + total / 2) < 1 && Math.abs(second - total * 1.5) < 1, powers.join());
	});

	it("of small powers are added up until a battery would react to them", async () => {
		const small = TELEGRAM.replace("-01.000", "-00.050");
		await gateway.connectMeter({ telegram: Buffer.from(small), mode: "D", pushBaud: 115_200, pushMs: EVERY_MS });
		await gateway.pass(10_000);
		const powers: number[] = [];
		await newValue();
		for (let i = 0; i < 8; i++) {
			await gateway.pass(EVERY_MS);
			powers.push((await request(OTHER)).power);
		}
		const above = powers.filter((watts) => watts !== 0);
		assert.ok(above.length >= 2 && above.length <= 3, powers.join());
		for (const watts of above) assert.ok(watts <= -40 && watts >= -50, powers.join());
	});

	it("wait for the second value, because the interval is unknown until then", async () => {
		await gateway.connectMeter(undefined);
		await gateway.write("meter/protocol", { protocol: "dlms" });
		await gateway.write("meter/protocol", { protocol: "iec62056" });
		await gateway.connectMeter({ telegram: Buffer.from(TELEGRAM), mode: "D", pushBaud: 115_200, pushMs: EVERY_MS });
		while ((await gateway.read("live-meter/status")).age_ms === null) await gateway.pass(50);
		assert.equal((await request(BATTERY)).power, 0);
		await newValue();
		assert.ok((await request(BATTERY)).power < -400);
	});

	it("apply to Shelly over UDP", async () => {
		const { udp } = gateway.world;
		await newValue();
		const bytes = Buffer.from('{"id":1,"method":"EM.GetStatus"}');
		udp.send({ from: { address: OTHER, port: 40_000 }, to: { address: "192.0.2.20", port: PORT }, bytes });
		await gateway.pass(50);
		const { result } = JSON.parse(Buffer.from(udp.sent.at(-1)!.bytes).toString());
		assert.ok(result.total_act_power <= -270 && result.total_act_power >= -300, `${result.total_act_power} W`);
	});
});

describe("The parts of one value", () => {
	/** Sum of the replies that a client gets for a single value, with no later value. */
	const sumOf = (share: number, power: number, askMs: number) => {
		let sum = 0;
		let lastMs = 0;
		for (let ageMs = askMs; ageMs < 300_000; ageMs += askMs) {
			const part = partOf(share, power, { ageMs, everyMs: 1000, sinceMs: ageMs - lastMs });
			assert.ok(part >= 0 && part <= 1);
			if (part > 0) lastMs = ageMs;
			sum += part;
		}
		return sum;
	};

	it("add up to no more than the share, however often a client asks", () => {
		for (const askMs of [20, 300, 1000, 3000]) {
			for (const share of [0.1, 0.5, 1]) {
				const sum = sumOf(share, -3000, askMs);
				assert.ok(sum > share / 10 && sum <= share, `${share} each ${askMs} ms: ${sum}`);
			}
		}
	});

	it("are no more than a battery would take, even if it was away for long or the power is 0", () => {
		const away = { ageMs: 0, everyMs: 1000, sinceMs: 3_600_000 };
		assert.equal(partOf(0.25, 800, away), 0.25);
		assert.equal(partOf(0.25, 80, away), 0.5);
		assert.equal(partOf(0.25, 30, away), 1);
		assert.equal(partOf(0.25, 0, away), 1);
		assert.equal(partOf(0.25, 0, { ...away, sinceMs: 0 }), 0);
	});
});
