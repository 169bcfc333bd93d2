/**
 * Live values in the languages of inverters, read by other makers' programs: pysma-plus and sunny take the datagrams of an
 * SMA energy meter, pysunspec2, gosunspec and pymodbus read the SunSpec meter. The values are compared with the readout,
 * for import and for export. Victron's driver of grid meters finds and reads the EM24. sunny and gosunspec are evcc's
 * libraries; its own packages are in no registry.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pypi } from "../../tools/release/peers.js";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { checkOut, endChild, installPython, PEER_SOURCES, PEERS_FOLDER, PeerMissing, run } from "./peer.js";
import { pushTelegram } from "./pushed-meter.js";

const PACKAGES = [
	...[pypi("pymodbus"), pypi("pysunspec2"), "pyserial==3.5", pypi("pysma-plus"), "jmespath==1.1.0"],
	...["dataclasses-struct==0.8.4", "untangle==1.2.1", "defusedxml==0.7.1", "xmlschema==4.3.2", "elementpath==5.1.4"],
	...["aiohttp==3.14.5", "aiohappyeyeballs==2.7.1", "aiosignal==1.4.0", "attrs==26.1.0", "async-timeout==4.0.3"],
	...["frozenlist==1.8.0", "idna==3.20", "multidict==6.9.1", "propcache==0.5.4", "typing-extensions==4.16.0"],
	...["yarl==1.25.1"],
];
/** Version 1.83, and what it needs of PyPI. */
const VICTRON = [
	"https://github.com/victronenergy/dbus-modbus-client",
	"fe12d8c9c30fab4310e16c10bbec0ced4ca9926f",
] as const;
const VICTRON_PACKAGES = ["pymodbus==2.5.3", "six==1.17.0", "pyserial==3.5"];
const CLIENT = "127.0.0.1";
/** Network on which the firmware on a PC sends. */
const LOOPBACK = "lo";
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
		await gateway.write("live-meter", { sma: true, sunspec: true, em24: true });
		await gateway.untilNetwork(({ connected }) => connected);
		return { gateway, folder };
	} catch (error) {
		await gateway.stop();
		throw error;
	}
}

export const endPowerMeters = ({ gateway }: PowerMeterPeers) => gateway.stop();

/** Lets the meter import and export these kilowatts; returns its readings once they have arrived. */
function readings({ gateway }: PowerMeterPeers, [taken, given]: readonly [string, string]) {
	const lines = [
		...["/TST5METER", "", "1-0:1.8.0(012345.572*kWh)", "1-0:2.8.0(000003.500*kWh)", `1-0:1.7.0(${taken}*kW)`],
		...[`1-0:2.7.0(${given}*kW)`, "1-0:32.7.0(229.8*V)", "1-0:52.7.0(230.8*V)", "1-0:72.7.0(231.8*V)"],
		...[`1-0:41.7.0(${taken}*kW)`, `1-0:42.7.0(${given}*kW)`, "1-0:14.7.0(49.98*Hz)", "!", ""],
	];
	const telegram = Buffer.from(lines.join("\r\n"));
	return pushTelegram(gateway, telegram, { "1.7.0": taken, "2.7.0": given });
}

async function ask({ folder }: PowerMeterPeers, ...args: string[]): Promise<JSONObject> {
	const script = join(PEER_SOURCES, "python", "read_power_meters.py");
	return JSON.parse(await run("python3", [script, ...args], { PYTHONPATH: folder }));
}

/** Serial number of the SMA energy meter. */
async function serialOf({ gateway }: PowerMeterPeers): Promise<string> {
	const { id } = await gateway.read("live-meter/status");
	return String(1_900_000_000 + (Number.parseInt(id.slice(4), 16) % 100_000_000));
}

/** Builds the program with evcc's libraries; returns its path. */
async function buildGo(): Promise<string> {
	const folder = join(PEER_SOURCES, "go");
	const program = join(PEERS_FOLDER, "read_power_meters");
	try {
		await run("go", ["-C", folder, "mod", "download"]);
	} catch (error) {
		if (error instanceof PeerMissing) throw error;
		throw new PeerMissing(`Go could not fetch the modules: ${(error as Error).message}`);
	}
	await run("go", ["-C", folder, "build", "-o", program, "."]);
	return program;
}

/** Returns the values that sunny reads from the SMA energy meter. */
async function askSunny({ gateway }: PowerMeterPeers, path: string, serial: string): Promise<JSONObject> {
	const program = spawn(path, ["sma", LOOPBACK, serial], { stdio: ["pipe", "pipe", "inherit"] });
	const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
	try {
		await lines.next();
		// On one computer, the port that was opened last gets sunny's ping. If that were sunny's own port, sunny would
		// believe that there is an inverter.
		await gateway.write("live-meter", { sma: false });
		await gateway.write("live-meter", { sma: true });
		program.stdin.write("\n");
		const { value, done } = await lines.next();
		assert.ok(!done, "sunny found no meter");
		return JSON.parse(value);
	} finally {
		await endChild(program);
	}
}

/** Returns what Victron's driver finds and reads, by its path on the D-Bus. */
async function askVictron(peers: PowerMeterPeers): Promise<JSONObject> {
	const folders = [await checkOut("dbus-modbus-client", ...VICTRON), await installPython("victron", VICTRON_PACKAGES)];
	const script = join(PEER_SOURCES, "python", "read_em24.py");
	return JSON.parse(await run("python3", [script, CLIENT, modbusOf(peers)], { PYTHONPATH: folders.join(":") }));
}

/** Where the gateway listens in place of port 502. */
function modbusOf({ gateway }: PowerMeterPeers): string {
	return /tcp port 502 is localhost:(\d+) here/.exec(gateway.diagnosis)?.[1] ?? "502";
}

export const powerMeterCases = [
	{
		name: "pysma-plus receives values and signs of the readout",
		async run(peers: PowerMeterPeers) {
			const serial = await serialOf(peers);
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
		name: "evcc's libraries, sunny and gosunspec, read values and signs of the readout",
		async run(peers: PowerMeterPeers) {
			const program = await buildGo();
			const serial = await serialOf(peers);
			for (const powers of [IMPORT, EXPORT]) {
				const of = await readings(peers, powers);
				const meter = JSON.parse(await run(program, ["sunspec", `${CLIENT}:${modbusOf(peers)}`, "1"]));
				const watts = Math.round((of("1.7.0") - of("2.7.0")) * 1000);
				const counters = [of("1.8.0") * 1000, of("2.8.0") * 1000].map(Math.round);
				assert.deepEqual([meter.models, meter.Mn], [[1, 213], "Fronius"]);
				assert.deepEqual([meter.W, meter.WphA, meter.WphB, meter.WphC], [watts, 0, watts, 0]);
				assert.deepEqual([meter.TotWhImp, meter.TotWhExp], counters);
				assert.equal(meter.PhVphA, Math.fround(of("32.7.0")));
				const sma = await askSunny(peers, program, serial);
				assert.equal(sma.isEnergyMeter, true);
				assert.deepEqual(
					[sma.ActivePowerPlus, sma.ActivePowerMinus, sma.ActivePowerPlusL2, sma.ActivePowerMinusL2],
					["1.7.0", "2.7.0", "41.7.0", "42.7.0"].map((code) => of(code) * 1000),
				);
				// Energy is in Ws.
				assert.deepEqual([sma.ActiveEnergyPlus / 3600, sma.ActiveEnergyMinus / 3600], counters);
				assert.deepEqual([sma.VoltageL1, sma.VoltageL3], [of("32.7.0"), of("72.7.0")]);
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
	{
		name: "Victron's driver finds an EM24, and reads values and signs of the readout, but none that is old",
		async run(peers: PowerMeterPeers) {
			const { id } = await peers.gateway.read("live-meter/status");
			for (const powers of [IMPORT, EXPORT]) {
				const of = await readings(peers, powers);
				const meter = await askVictron(peers);
				assert.deepEqual([meter.found, meter.error, meter["/Serial"]], [["EM24DINAV23XE1X"], null, id]);
				assert.deepEqual([meter["/NrOfPhases"], meter["/Role"], meter["/PhaseSequence"]], [3, "grid", 0]);
				const watts = Math.round((of("1.7.0") - of("2.7.0")) * 1000);
				assert.deepEqual(
					["/Ac/Power", "/Ac/L1/Power", "/Ac/L2/Power", "/Ac/L3/Power"].map((path) => meter[path]),
					[watts, 0, watts, 0],
				);
				assert.deepEqual(
					["/Ac/Energy/Forward", "/Ac/Energy/Reverse"].map((path) => meter[path]),
					["1.8.0", "2.8.0"].map((code) => Math.round(of(code) * 10) / 10),
				);
				assert.deepEqual(
					["/Ac/L1/Voltage", "/Ac/L2/Voltage", "/Ac/L3/Voltage", "/Ac/Frequency"].map((path) => meter[path]),
					[of("32.7.0"), of("52.7.0"), of("72.7.0"), 50],
				);
			}
			await peers.gateway.connectMeter(undefined);
			await peers.gateway.pass(12_000);
			const meter = await askVictron(peers);
			assert.deepEqual([meter.found, meter["/Ac/Power"]], [["EM24DINAV23XE1X"], null]);
			assert.match(meter.error, /SlaveFailure/);
		},
	},
];
