/**
 * Live values read by other makers' programs: aioshelly and python-homewizard-energy, the libraries of Home Assistant in
 * the versions that it pins, read our gateway as a Shelly, over HTTP and by WebSocket, and as a HomeWizard P1 meter, and
 * python-zeroconf finds it as all three meters. The values are compared with the readout, for import and for export.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stepCRC16ARC } from "../../modules/bytes/crc16-arc.js";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { FORKY } from "./debian.js";
import { NAME as ENVIRONMENT } from "./home-assistant.js";
import { prepareZeroconf } from "./mdns.js";
import { endChild, PEER_SOURCES, run } from "./peer.js";
import { pushTelegram } from "./pushed-meter.js";

const CLIENT = "127.0.0.1";
/** Notifications to wait for; one comes each second. */
const NOTIFICATIONS = 60;

interface LivePeers {
	readonly gateway: ProcessGateway;
}

export async function prepareLiveMeter(engine: "node" | "xs"): Promise<LivePeers> {
	await FORKY.install(ENVIRONMENT);
	const gateway = await ProcessGateway.start(engine, { isAhead: true });
	try {
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
		await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
		await gateway.write("live-meter", { ecotracker: true, shelly: true, homewizard: true, shelly_udp_port: 0 });
		await gateway.untilNetwork(({ connected }) => connected);
		return { gateway };
	} catch (error) {
		await gateway.stop();
		throw error;
	}
}

export const endLiveMeter = ({ gateway }: LivePeers) => gateway.stop();

/** Values of the simulated P1 meter: power in kW, and counters of its first tariff in kWh. */
export interface House {
	readonly taken: string;
	readonly given: string;
	readonly imported?: string;
	readonly exported?: string;
}

export const IMPORT: House = { taken: "01.193", given: "00.000" };
export const EXPORT: House = { taken: "00.000", given: "00.321" };
/** Later counters. */
export const LATER: House = { ...EXPORT, imported: "000013.001", exported: "000003.875" };

/** Identifiers of the meter, and of the gas and the water meter behind it, as a telegram has them: in hexadecimal. */
const [METER_ID, GAS_ID, WATER_ID] = ["E0012345", "G0067890", "W0024680"];
const hex = (text: string) => Buffer.from(text).toString("hex").toUpperCase();

function telegramOf({ taken, given, imported = "000012.572", exported = "000003.500" }: House): Uint8Array {
	const lines = [
		...["/TST5METER", "", "1-3:0.2.8(50)", `0-0:96.1.1(${hex(METER_ID)})`, "0-0:96.14.0(0002)"],
		...[`1-0:1.8.1(${imported}*kWh)`, "1-0:1.8.2(000001.000*kWh)", `1-0:2.8.1(${exported}*kWh)`],
		...["1-0:2.8.2(000000.250*kWh)", `1-0:1.7.0(${taken}*kW)`, `1-0:2.7.0(${given}*kW)`, "1-0:32.7.0(229.8*V)"],
		...["1-0:31.7.0(002*A)", `1-0:21.7.0(${taken}*kW)`, `1-0:22.7.0(${given}*kW)`],
		...["0-1:24.1.0(003)", `0-1:96.1.0(${hex(GAS_ID)})`, "0-1:24.2.1(261130120000W)(01234.567*m3)"],
		...["0-2:24.1.0(007)", `0-2:96.1.0(${hex(WATER_ID)})`, "0-2:24.2.1(261130120500W)(00012.345*m3)", "!"],
	];
	const text = Buffer.from(lines.join("\r\n"));
	const crc = stepCRC16ARC(0, text, 0, text.length).toString(16).toUpperCase().padStart(4, "0");
	return Buffer.concat([text, Buffer.from(`${crc}\r\n`)]);
}

/** Connects a P1 meter with these values to the gateway. Returns the gateway's readings once they have arrived. */
export function showHouse(gateway: ProcessGateway, house: House): Promise<(code: string) => number> {
	const { taken, given, imported = "000012.572" } = house;
	return pushTelegram(gateway, telegramOf(house), { "1.7.0": taken, "2.7.0": given, "1.8.1": imported });
}

/** Returns the values that the libraries read from the gateway, and its own readings. */
async function readBoth({ gateway }: LivePeers, house: House) {
	const of = await showHouse(gateway, house);
	const [command, ...args] = FORKY.script(ENVIRONMENT, "read_live_values.py");
	const output = await run(command, [...args, ...gateway.authority(false).split(":")]);
	const [info, { device, measurement, system }] = output
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	return { info, device, measurement, system, of };
}

export const wattsOf = (of: (code: string) => number) => Math.round((of("1.7.0") - of("2.7.0")) * 1000);
/** Sum of the tariffs of import (1) or export (2), kWh. */
export const sum = (of: (code: string) => number, direction: string) =>
	Math.round((of(`${direction}.8.1`) + of(`${direction}.8.2`)) * 1000) / 1000;

export const liveMeterCases = [
	{
		name: "values and signs match the readout",
		async run(peers: LivePeers) {
			for (const house of [IMPORT, EXPORT, LATER]) {
				const { measurement, of } = await readBoth(peers, house);
				const watts = wattsOf(of);
				assert.deepEqual(
					[measurement.power_w, measurement.power_l1_w, measurement.voltage_l1_v, measurement.current_l1_a],
					[watts, watts, of("32.7.0"), of("31.7.0")],
				);
				const { energy_import_kwh, energy_export_kwh } = measurement;
				assert.deepEqual([energy_import_kwh, energy_export_kwh], [sum(of, "1"), sum(of, "2")]);
				for (const [tariff, code] of [
					["import_t1", "1.8.1"],
					["import_t2", "1.8.2"],
					["export_t1", "2.8.1"],
					["export_t2", "2.8.2"],
				])
					assert.equal(measurement[`energy_${tariff}_kwh`], of(code), tariff);
			}
		},
	},
	{
		name: "python-homewizard-energy has the gas and the water meter, and what the meter tells of itself",
		async run(peers: LivePeers) {
			const { measurement } = await readBoth(peers, IMPORT);
			const { unique_id, protocol_version, tariff, meter_model, external_devices } = measurement;
			assert.deepEqual([unique_id, protocol_version, tariff, meter_model], [METER_ID, 50, 2, "TST5METER"]);
			assert.deepEqual(external_devices, {
				[`gas_meter_${GAS_ID}`]: {
					...{ unique_id: GAS_ID, type: "gas_meter", value: 1234.567, unit: "m3" },
					timestamp: "2026-11-30 12:00:00",
				},
				[`water_meter_${WATER_ID}`]: {
					...{ unique_id: WATER_ID, type: "water_meter", value: 12.345, unit: "m3" },
					timestamp: "2026-11-30 12:05:00",
				},
			});
		},
	},
	{
		name: "the libraries recognise the device",
		async run(peers: LivePeers) {
			const { info, device, system } = await readBoth(peers, { taken: "00.100", given: "00.000" });
			const { id } = await peers.gateway.read("live-meter/status");
			assert.deepEqual([info.mac, info.gen, info.auth_en, info.supported], [id, 2, false, true]);
			assert.deepEqual([device.product_type, device.serial], ["HWE-P1", id.toLowerCase()]);
			assert.match(device.product_name, /P1/);
			assert.deepEqual([device.model_name, device.api_version], ["P1 Meter", "1.0.0"]);
			assert.equal(device.id, `appliance/p1dongle/${id.toLowerCase()}`);
			assert.equal(system.cloud_enabled, false);
		},
	},
	{
		name: "aioshelly's WebSocket gives the readout's values, each new power, new counters, and the end",
		async run({ gateway }: LivePeers) {
			const of = await showHouse(gateway, IMPORT);
			const { id } = await gateway.read("live-meter/status");
			const [command, ...args] = FORKY.script(ENVIRONMENT, "follow_shelly.py");
			const program = spawn(command, [...args, ...gateway.authority(false).split(":")], {
				stdio: ["ignore", "pipe", "inherit"],
			});
			const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
			const next = async (): Promise<JSONObject> => {
				const { value, done } = await lines.next();
				assert.ok(!done, "the program ended");
				return JSON.parse(value);
			};
			const until = async (what: string, isThere: (status: JSONObject) => boolean) => {
				for (let tries = 0; tries < NOTIFICATIONS; tries++) if (isThere(await next())) return;
				assert.fail(`no notification of ${what}`);
			};
			const untilPower = (watts: number) => until(`${watts} W`, ({ em }) => em.total_act_power === watts);
			try {
				const { em, data, mac, name, model, gen, supported } = await next();
				assert.deepEqual([mac, name], [id, `shellypro3em-${id.toLowerCase()}`]);
				assert.deepEqual([model, gen, supported], ["SPEM-003CEBEU", 2, true]);
				assert.deepEqual(
					[em.total_act_power, em.a_act_power, em.a_voltage, em.a_current],
					[wattsOf(of), wattsOf(of), of("32.7.0"), of("31.7.0")],
				);
				assert.deepEqual([data.total_act, data.total_act_ret], [1000 * sum(of, "1"), 1000 * sum(of, "2")]);
				await untilPower(wattsOf(of));
				await untilPower(wattsOf(await showHouse(gateway, EXPORT)));
				const later = await showHouse(gateway, LATER);
				await until(
					"the new counters",
					({ data: { total_act, total_act_ret } }) =>
						total_act === 1000 * sum(later, "1") && total_act_ret === 1000 * sum(later, "2"),
				);
				await gateway.write("live-meter", { shelly: false });
				for (let found = await next(); found.connected !== false; ) found = await next();
			} finally {
				await endChild(program);
				await gateway.write("live-meter", { shelly: true });
			}
		},
	},
	{
		name: "python-zeroconf finds all three meters",
		async run({ gateway }: LivePeers) {
			const { env, address } = await prepareZeroconf();
			const { id } = await gateway.read("live-meter/status");
			const small = id.toLowerCase();
			const script = join(PEER_SOURCES, "python", "browse_mdns.py");
			for (const [instance, entries] of [
				[`ecotracker-${id}._everhome._tcp.local.`, [`serial=${id}`, "productid=1137"]],
				[`shellypro3em-${small}._shelly._tcp.local.`, [`id=shellypro3em-${small}`, "gen=2", "app=Pro3EM"]],
				[`p1meter-${small}._hwenergy._tcp.local.`, ["api_enabled=1", "product_type=HWE-P1", `serial=${small}`]],
			] as const) {
				const found = (await run("python3", [script, address, "service", instance], env)).trim().split("\t");
				for (const entry of entries) assert.ok(found.includes(entry), `${instance}: ${found.join(" ")}`);
			}
		},
	},
];
