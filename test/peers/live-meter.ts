/**
 * Live values read by other makers' programs: aioshelly and python-homewizard-energy, the libraries of Home Assistant,
 * read our gateway as a Shelly, over HTTP and by WebSocket, and as a HomeWizard P1 meter, and python-zeroconf finds it as
 * all three meters. The values are compared with the readout, for import and for export.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { prepareZeroconf } from "./mdns.js";
import { endChild, installPython, PEER_SOURCES, run } from "./peer.js";

const PACKAGES = [
	...["aioshelly==13.35.0", "python-homewizard-energy==6.3.0", "aiohttp==3.14.5", "aiohappyeyeballs==2.7.1"],
	...["aiosignal==1.4.0", "attrs==26.1.0", "async-timeout==4.0.3", "backoff==2.2.1", "frozenlist==1.8.0"],
	...["idna==3.20", "multidict==6.9.1", "propcache==0.5.4", "typing-extensions==4.16.0", "yarl==1.25.1"],
	// Imported by aioshelly for its other transport, Bluetooth.
	...["orjson==3.13.0", "bleak==3.1.0", "bleak-retry-connector==4.7.1", "bluetooth-adapters==2.4.0"],
	...["dbus-fast==5.2.0", "aiooui==0.1.11", "uart-devices==0.1.1", "usb-devices==0.5.1"],
];
const CLIENT = "127.0.0.1";
const FRESH_MS = 20_000;

interface LivePeers {
	readonly gateway: ProcessGateway;
	readonly folder: string;
}

export async function prepareLiveMeter(engine: "node" | "xs"): Promise<LivePeers> {
	const folder = await installPython("live-meter", PACKAGES);
	const gateway = await ProcessGateway.start(engine, { isAhead: true });
	try {
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 9600 });
		await gateway.write("live-meter/clients", { clients: [{ address: CLIENT }] });
		await gateway.write("live-meter", { ecotracker: true, shelly: true, homewizard: true, shelly_udp_port: 0 });
		await gateway.untilNetwork(({ connected }) => connected);
		return { gateway, folder };
	} catch (error) {
		await gateway.stop();
		throw error;
	}
}

export const endLiveMeter = ({ gateway }: LivePeers) => gateway.stop();

/** Kilowatts that the meter imports and exports. */
type Powers = readonly [taken: string, given: string];

const IMPORT: Powers = ["01.193", "00.000"];
const EXPORT: Powers = ["00.000", "00.321"];

/** Connects a P1 meter with these powers to the gateway. Returns the gateway's readings once they have arrived. */
async function readings({ gateway }: LivePeers, [taken, given]: Powers): Promise<(code: string) => number> {
	const lines = [
		...["/TST5METER", "", "1-0:1.8.1(000012.572*kWh)", "1-0:1.8.2(000001.000*kWh)", "1-0:2.8.1(000003.500*kWh)"],
		...["1-0:2.8.2(000000.250*kWh)", `1-0:1.7.0(${taken}*kW)`, `1-0:2.7.0(${given}*kW)`, "1-0:32.7.0(229.8*V)"],
		...["1-0:31.7.0(002*A)", `1-0:21.7.0(${taken}*kW)`, `1-0:22.7.0(${given}*kW)`, "!", ""],
	];
	const telegram = Buffer.from(lines.join("\r\n"));
	await gateway.connectMeter({ telegram, mode: "D", pushBaud: 9600, pushMs: 1000 });
	const reading = (readout: JSONObject, code: string) =>
		Number(readout.readings.find(({ obis }: JSONObject) => obis === code)?.value1);
	let readout = await gateway.read("iec62056/last");
	for (let waitedMs = 0; reading(readout, "1.7.0") !== Number(taken); waitedMs += 500) {
		assert.ok(waitedMs < FRESH_MS, gateway.diagnosis);
		await gateway.pass(500);
		readout = await gateway.read("iec62056/last");
	}
	return (code) => reading(readout, code);
}

/** Returns the values that the libraries read from the gateway, and its own readings. */
async function readBoth(peers: LivePeers, powers: Powers) {
	const { gateway, folder } = peers;
	const of = await readings(peers, powers);
	const script = join(PEER_SOURCES, "python", "read_live_values.py");
	const [host, port] = gateway.authority(false).split(":");
	const output = await run("python3", [script, host, port], { PYTHONPATH: folder });
	const [info, device, data] = output
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	return { info, device, data, of };
}

const wattsOf = (of: (code: string) => number) => Math.round((of("1.7.0") - of("2.7.0")) * 1000);

export const liveMeterCases = [
	{
		name: "values and signs match the readout",
		async run(peers: LivePeers) {
			for (const powers of [IMPORT, EXPORT]) {
				const { data, of } = await readBoth(peers, powers);
				const watts = wattsOf(of);
				assert.deepEqual(
					[data.active_power_w, data.active_power_l1_w, data.active_voltage_l1_v, data.active_current_l1_a],
					[watts, watts, of("32.7.0"), of("31.7.0")],
				);
				assert.deepEqual(
					[data.total_energy_import_t1_kwh, data.total_energy_import_t2_kwh, data.total_energy_export_t1_kwh],
					[of("1.8.1"), of("1.8.2"), of("2.8.1")],
				);
				assert.equal(data.total_energy_import_kwh, of("1.8.1") + of("1.8.2"));
			}
		},
	},
	{
		name: "the libraries recognise the device",
		async run(peers: LivePeers) {
			const { info, device } = await readBoth(peers, ["00.100", "00.000"]);
			const { id } = await peers.gateway.read("live-meter/status");
			assert.deepEqual([info.mac, info.gen, info.auth_en, info.supported], [id, 2, false, true]);
			assert.deepEqual([device.product_type, device.serial], ["HWE-P1", id.toLowerCase()]);
			assert.match(device.name, /P1/);
		},
	},
	{
		name: "aioshelly's WebSocket gives the readout's values, each new power, and the end",
		async run(peers: LivePeers) {
			const { gateway, folder } = peers;
			const of = await readings(peers, IMPORT);
			const { id } = await gateway.read("live-meter/status");
			const script = join(PEER_SOURCES, "python", "follow_shelly.py");
			const program = spawn("python3", [script, ...gateway.authority(false).split(":")], {
				stdio: ["ignore", "pipe", "inherit"],
				env: { ...process.env, PYTHONPATH: folder },
			});
			const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
			const next = async (): Promise<JSONObject> => {
				const { value, done } = await lines.next();
				assert.ok(!done, "the program ended");
				return JSON.parse(value);
			};
			const until = async (watts: number) => {
				for (let tries = 0; tries < FRESH_MS / 1000; tries++) if ((await next()).em.total_act_power === watts) return;
				assert.fail(`no notification of ${watts} W`);
			};
			try {
				const { em, data, mac, name } = await next();
				assert.deepEqual([mac, name], [id, `shellypro3em-${id.toLowerCase()}`]);
				assert.deepEqual(
					[em.total_act_power, em.a_act_power, em.a_voltage, em.a_current],
					[wattsOf(of), wattsOf(of), of("32.7.0"), of("31.7.0")],
				);
				assert.deepEqual(
					[data.total_act, data.total_act_ret],
					[(of("1.8.1") + of("1.8.2")) * 1000, (of("2.8.1") + of("2.8.2")) * 1000],
				);
				await until(wattsOf(of));
				await until(wattsOf(await readings(peers, EXPORT)));
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
