/**
 * Live values in the languages of inverters, read by other makers' programs: pysma-plus takes the datagrams of an SMA
 * energy meter, pysunspec2 and pymodbus read the SunSpec meter. The values are compared with the readout, for import and
 * for export.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { installPython, PEER_SOURCES, run } from "./peer.js";

const PACKAGES = [
	...["pymodbus==3.16.1", "pysunspec2==1.3.7", "pyserial==3.5", "pysma-plus==0.5.4", "jmespath==1.1.0"],
	...["dataclasses-struct==0.8.4", "untangle==1.2.1", "defusedxml==0.7.1", "xmlschema==4.3.2", "elementpath==5.1.4"],
	...["aiohttp==3.14.5", "aiohappyeyeballs==2.7.1", "aiosignal==1.4.0", "attrs==26.1.0", "async-timeout==4.0.3"],
	...["frozenlist==1.8.0", "idna==3.20", "multidict==6.9.1", "propcache==0.5.4", "typing-extensions==4.16.0"],
	...["yarl==1.25.1"],
];
const CLIENT = "127.0.0.1";
const FRESH_MS = 20_000;
const IMPORT = ["01.193", "00.000"] as const;
const EXPORT = ["00.000", "00.321"] as const;

interface PowerMeterPeers {
	readonly gateway: ProcessGateway;
	readonly folder: string;
}

export async function preparePowerMeters(engine: "node" | "xs"): Promise<PowerMeterPeers> {
	const folder = await installPython("power-meters", PACKAGES);
	const gateway = await ProcessGateway.start(engine, { isAhead: true });
	try {
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
		await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
		await gateway.write("live-meter", { sma: true, sunspec: true });
		await gateway.untilNetwork(({ connected }) => connected);
		return { gateway, folder };
	} catch (error) {
		await gateway.stop();
		throw error;
	}
}

export const endPowerMeters = ({ gateway }: PowerMeterPeers) => gateway.stop();

/** Lets the meter import and export these kilowatts; returns its readings once they have arrived. */
async function readings({ gateway }: PowerMeterPeers, [taken, given]: readonly [string, string]) {
	const lines = [
		...["/TST5METER", "", "1-0:1.8.0(012345.572*kWh)", "1-0:2.8.0(000003.500*kWh)", `1-0:1.7.0(${taken}*kW)`],
		...[`1-0:2.7.0(${given}*kW)`, "1-0:32.7.0(229.8*V)", "1-0:52.7.0(230.8*V)", "1-0:72.7.0(231.8*V)"],
		...[`1-0:41.7.0(${taken}*kW)`, `1-0:42.7.0(${given}*kW)`, "1-0:14.7.0(49.98*Hz)", "!", ""],
	];
	const telegram = Buffer.from(lines.join("\r\n"));
	await gateway.connectMeter({ telegram, mode: "D", pushBaud: 9600, pushMs: 1000 });
	const of = (readout: JSONObject, code: string) =>
		Number(readout.readings.find(({ obis }: JSONObject) => obis === code)?.value1);
	let readout = await gateway.read("iec62056/last");
	for (let waitedMs = 0; of(readout, "1.7.0") !== Number(taken); waitedMs += 500) {
		assert.ok(waitedMs < FRESH_MS, gateway.diagnosis);
		await gateway.pass(500);
		readout = await gateway.read("iec62056/last");
	}
	return (code: string) => of(readout, code);
}

async function ask({ folder }: PowerMeterPeers, ...args: string[]): Promise<JSONObject> {
	const script = join(PEER_SOURCES, "python", "read_power_meters.py");
	return JSON.parse(await run("python3", [script, ...args], { PYTHONPATH: folder }));
}

/** Where the gateway listens in place of port 502. */
function modbusOf({ gateway }: PowerMeterPeers): string {
	return /tcp port 502 is localhost:(\d+) here/.exec(gateway.diagnosis)?.[1] ?? "502";
}

export const powerMeterCases = [
	{
		name: "pysma-plus receives values and signs of the readout",
		async run(peers: PowerMeterPeers) {
			const { id } = await peers.gateway.read("live-meter/status");
			const serial = String(1_900_000_000 + (Number.parseInt(id.slice(4), 16) % 100_000_000));
			for (const powers of [IMPORT, EXPORT]) {
				const of = await readings(peers, powers);
				const sma = await ask(peers, "sma", serial);
				assert.deepEqual(
					[sma.metering_power_absorbed, sma.metering_power_supplied, sma.metering_active_power_draw_l2],
					[of("1.7.0") * 1000, of("2.7.0") * 1000, of("41.7.0") * 1000],
				);
				assert.deepEqual([sma.metering_total_absorbed, sma.metering_total_yield], [of("1.8.0"), of("2.8.0")]);
				assert.deepEqual(
					[sma.metering_voltage_l1, sma.metering_voltage_l3, sma.metering_frequency],
					[of("32.7.0"), of("72.7.0"), of("14.7.0")],
				);
				assert.equal(sma.version, "2.3.4.R");
			}
		},
	},
	{
		name: "pysunspec2 finds the models and reads values and signs of the readout",
		async run(peers: PowerMeterPeers) {
			const { id } = await peers.gateway.read("live-meter/status");
			for (const powers of [IMPORT, EXPORT]) {
				const of = await readings(peers, powers);
				const meter = await ask(peers, "sunspec", CLIENT, modbusOf(peers));
				assert.deepEqual([meter.models, meter.Mn, meter.SN], [[1, 213], "Fronius", id]);
				const watts = Math.round((of("1.7.0") - of("2.7.0")) * 1000);
				assert.deepEqual([meter.W, meter.WphA, meter.WphB, meter.WphC], [watts, 0, watts, 0]);
				assert.deepEqual([meter.TotWhImp, meter.TotWhExp], [of("1.8.0") * 1000, of("2.8.0") * 1000]);
				assert.deepEqual(
					[meter.PhVphA, meter.PhVphB, meter.PhVphC, meter.Hz],
					["32.7.0", "52.7.0", "72.7.0", "14.7.0"].map((code) => Math.fround(of(code))),
				);
				assert.deepEqual([meter.VAR, meter.TotVAhImp, meter.Evt], [null, null, 0]);
			}
		},
	},
	{
		name: "pymodbus reads registers, and gets exceptions for all else",
		async run(peers: PowerMeterPeers) {
			const of = await readings(peers, EXPORT);
			const { mark, watts, exceptions } = await ask(peers, "modbus", CLIENT, modbusOf(peers));
			assert.deepEqual([mark, watts], ["SunS", of("2.7.0") * -1000]);
			assert.deepEqual(exceptions, [2, 11, 1, 1]);
		},
	},
];
