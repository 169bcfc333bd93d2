/**
 * ZHA coordinates a network that our gateway joins. Both Zigbee chips are simulated and share the air (tools/zigbee);
 * all else is real: zigpy's driver of Z-Stack, ZHA's interview, entities and configuration, and the firmware.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { buildNumber } from "../../modules/update/version.js";
import { frame } from "../../tools/meter/telegram.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { Air } from "../../tools/zigbee/air.js";
import { SimulatedCoprocessor } from "../../tools/zigbee/coprocessor.js";
import { serveTCP, type TCPPort } from "../../tools/zigbee/tcp-port.js";
import type { JSONObject } from "../api/gateway.js";
import { ProcessGateway } from "../api/process-gateway.js";
import { makeFile, SIGNER } from "../update/firmware-files.js";
import { waitFor } from "./home.js";
import { ZHA, type ZHAEvent } from "./zha-program.js";

const METERING = 0x0702;
const MEASUREMENT = 0x0b04;
const UNSUPPORTED = "UNSUPPORTED_ATTRIBUTE";
const JOIN_LIMIT_MS = 120_000;
const REPORT_LIMIT_MS = 60_000;

const UPDATE_LIMIT_MS = 120_000;
/** Version that ZHA offers. */
const NEXT = "9.8.7-test";

/** Import and export kWh, W, V, A. */
type Values = readonly [number, number, number, number, number];
const FIRST: Values = [15_882.692, 219.488, 1228, 235.2, 5.3];
/** The second readout, with exported power. */
const SECOND: Values = [15_882.693, 219.5, -2345, 236.1, 9.93];

interface Home {
	readonly air: Air;
	/** Ports of both chips. */
	readonly ports: readonly TCPPort[];
	/** Folder with a key that signs firmware. */
	readonly keys: string;
	readonly gateway: ProcessGateway;
	zha: ZHA;
	/** IEEE address of the gateway, in ZHA's form. */
	ieee: string;
}

function telegramOf([imported, exported, watts, volts, amperes]: Values): Uint8Array {
	const lines = [
		"0.0.0(1ESY1160012345)",
		`1.8.0(${imported.toFixed(3).padStart(10, "0")}*kWh)`,
		`2.8.0(${exported.toFixed(3).padStart(10, "0")}*kWh)`,
		`16.7.0(${(watts / 1000).toFixed(3)}*kW)`,
		`32.7.0(${volts.toFixed(1)}*V)`,
		`31.7.0(${amperes.toFixed(2)}*A)`,
	];
	return Buffer.concat([Buffer.from("/ESY5Q3DA1004 V3.04\r\n"), frame(Buffer.from(`${lines.join("\r\n")}\r\n!\r\n`))]);
}

export async function prepareZHA(engine: "node" | "xs"): Promise<Home> {
	await ZHA.prepare();
	// ZHA searches its offers only once.
	const build = buildNumber(NEXT);
	const image = makeSimulatorImage({ version: NEXT, build, size: 20_000 });
	const file = makeFile(image, { chip: "pc", deviceId: 0, version: NEXT, buildNumber: build });
	writeFileSync(join(ZHA.firmwareFolder, "next.ota"), file);
	const keys = mkdtempSync(join(tmpdir(), "keys-"));
	const key = join(keys, "key.pem");
	writeFileSync(key, publicKeyOf(SIGNER.point).export({ format: "pem", type: "spki" }));
	const air = new Air();
	const [coordinator, ours] = [1, 2].map(
		(last) => new SimulatedCoprocessor({ air, ieee: Buffer.of(last, 0, 0, 0, 0, 0x4b, 0x12, 0) }),
	);
	const ports = [await serveTCP(coordinator, 0), await serveTCP(ours, 0)];
	let zha: ZHA | undefined;
	let gateway: ProcessGateway | undefined;
	try {
		zha = await ZHA.start(ports[0].port);
		gateway = await ProcessGateway.start(engine, {
			args: ["--zigbee", `tcp://127.0.0.1:${ports[1].port}`, "--update-key", key],
		});
		await gateway.login();
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 30 });
		return { air, ports, keys, gateway, zha, ieee: "" };
	} catch (error) {
		await zha?.end();
		await gateway?.stop();
		await endAir(air, ports);
		throw error;
	}
}

export async function endZHA({ air, ports, keys, gateway, zha }: Home): Promise<void> {
	rmSync(keys, { recursive: true });
	await zha.end();
	await gateway.stop();
	await endAir(air, ports);
}

async function endAir(air: Air, ports: readonly TCPPort[]): Promise<void> {
	for (const port of ports) await port.close();
	air.close();
}

async function read({ gateway }: Home, values: Values): Promise<void> {
	await gateway.connectMeter({ telegram: telegramOf(values) });
	await gateway.read("iec62056/read");
}

/** The gateway's radio, once it is in this state. */
function stateOf(gateway: ProcessGateway, state: string): Promise<JSONObject> {
	return waitFor(`the radio is not ${state}`, JOIN_LIMIT_MS, async () => {
		const config = await gateway.read("zigbee/config");
		return config.state === state ? config : undefined;
	});
}

/** ZHA's sensors of the five values. */
function shown(entities: ZHAEvent): unknown[] {
	return [
		"1-1794-summation_delivered",
		"1-1794-summation_received",
		"1-1794",
		"1-2820-rms_voltage",
		"1-2820-rms_current",
	].map((id) => entities[id]?.native_value);
}

/** Attributes that ZHA configured for reports, with the gateway's answers. */
function configured({ events }: ZHA): Record<string, string> {
	const all = events.filter(({ event }) => event === "configured").map(({ attributes }) => attributes);
	return Object.assign({}, ...all);
}

export const zhaCases = [
	{
		name: "the gateway finds no network while ZHA's network is closed",
		async run({ gateway }: Home) {
			await stateOf(gateway, "not_joined");
			assert.equal((await gateway.post("zigbee/reset")).status, 200);
			await stateOf(gateway, "joining");
			await gateway.pass(3000);
			assert.equal((await gateway.read("zigbee/config")).state, "joining");
		},
	},
	{
		name: "the gateway joins as soon as the network is open, and is interviewed and configured",
		async run(home: Home) {
			const { gateway, zha } = home;
			await read(home, FIRST);
			await zha.sendCommand("permit", 120);
			const ready = await zha.event("ready", JOIN_LIMIT_MS, ({ status }) => status === "INITIALIZED");
			home.ieee = ready.ieee;
			const config = await stateOf(gateway, "joined");
			assert.equal(config.ieee_address, home.ieee.replaceAll(":", "").toUpperCase());
			const [started, interviewed] = ["started", "interviewed"].map((name) =>
				zha.events.find(({ event }) => event === name),
			);
			assert.deepEqual([config.channel, config.pan_id], [started.channel, started.pan]);
			const { device } = await gateway.read("system/version");
			const shown = [device.manufacturer, `Meter gateway ${device.model}`];
			assert.deepEqual([interviewed.manufacturer, interviewed.model], shown);
		},
	},
	{
		name: "ZHA's sensors show the meter's values",
		async run(home: Home) {
			const { zha, ieee } = home;
			await waitFor(`ZHA does not show ${FIRST}`, REPORT_LIMIT_MS, async () => {
				const entities = await zha.sendCommand("entities", ieee);
				return JSON.stringify(shown(entities)) === JSON.stringify(FIRST) ? true : undefined;
			});
			const entities = await zha.sendCommand("entities", ieee);
			assert.equal(entities["1-2820"]?.native_value, FIRST[2]);
			const platforms = Object.values(entities).map(({ platform }: ZHAEvent) => platform);
			for (const platform of ["UPDATE", "BUTTON"]) assert.ok(platforms.includes(platform), JSON.stringify(entities));
		},
	},
	{
		name: "reports of the meter's values are configured, and others are refused properly",
		async run({ zha, ieee }: Home) {
			const answers = configured(zha);
			for (const name of [
				...["instantaneous_demand", "current_summ_delivered", "current_summ_received"],
				...["active_power", "rms_voltage", "rms_current"],
			])
				assert.equal(answers[name], "SUCCESS", name);
			for (const [name, answer] of Object.entries(answers))
				assert.match(answer, /^(SUCCESS|UNSUPPORTED_ATTRIBUTE|UNREPORTABLE_ATTRIBUTE)$/, name);
			for (const { cluster, success } of zha.events.filter(({ event }) => event === "bound"))
				assert.ok(success, cluster);
			const [demand] = await zha.sendCommand("reporting", ieee, METERING, [0x0400]);
			assert.deepEqual([demand.status, demand.attribute], ["SUCCESS", 0x0400]);
			assert.ok(demand.min < demand.max && demand.max <= 900, JSON.stringify(demand));
		},
	},
	{
		name: "missing attributes are refused one by one",
		async run({ zha, ieee }: Home) {
			const { values, failures } = await zha.sendCommand("read", ieee, MEASUREMENT, [0x0505, 0x0905, 0x050b, 0x0510]);
			assert.deepEqual(Object.keys(values).sort(), ["1285", "1291"]);
			assert.deepEqual(failures, { 2309: UNSUPPORTED, 1296: UNSUPPORTED });
		},
	},
	{
		name: "a new reading is reported",
		async run(home: Home) {
			const { zha, ieee } = home;
			const from = zha.events.length;
			await read(home, SECOND);
			const reported = (cluster: number, attribute: number) =>
				zha.event(
					"reported",
					REPORT_LIMIT_MS,
					(event) => event.cluster === cluster && event.attribute === attribute,
					from,
				);
			assert.equal((await reported(METERING, 0x0400)).value, SECOND[2]);
			assert.equal((await reported(METERING, 0x0000)).value, SECOND[0] * 1000);
			assert.equal((await reported(METERING, 0x0001)).value, SECOND[1] * 1000);
			assert.equal((await reported(MEASUREMENT, 0x0505)).value, SECOND[3] * 10);
			assert.equal((await reported(MEASUREMENT, 0x0508)).value, SECOND[4] * 100);
			assert.equal((await reported(MEASUREMENT, 0x050b)).value, SECOND[2]);
			assert.deepEqual(shown(await zha.sendCommand("entities", ieee)), SECOND);
			const { reported: sent } = await home.gateway.read("zigbee/config");
			assert.deepEqual(
				sent.map(({ value }: JSONObject) => value),
				SECOND,
			);
		},
	},
	{
		name: "the identify button works",
		async run({ zha, ieee }: Home) {
			assert.equal(await zha.sendCommand("button", ieee), 1);
		},
	},
	{
		name: "the gateway installs a firmware that ZHA offers, and runs it",
		async run({ gateway, zha, ieee }: Home) {
			const version = `0x${buildNumber(NEXT).toString(16).padStart(8, "0")}`;
			const update = async () => (await zha.sendCommand("entities", ieee))["1-25-firmware_update"];
			assert.equal((await update()).latest_version, version);
			const rebooted = gateway.rebooted();
			assert.equal(await zha.sendCommand("install", ieee), true);
			await rebooted;
			await gateway.login();
			assert.equal((await gateway.read("system/version")).firmware.version, NEXT);
			await stateOf(gateway, "joined");
			await waitFor("ZHA does not see the new version", UPDATE_LIMIT_MS, async () =>
				(await update())?.installed_version === version ? true : undefined,
			);
		},
	},
	{
		name: "the gateway is in the network again after a restart of the gateway, and of ZHA",
		async run(home: Home) {
			const { gateway, ports } = home;
			await gateway.restart();
			await gateway.login();
			await stateOf(gateway, "joined");
			await home.zha.end();
			home.zha = await ZHA.start(ports[0].port);
			assert.deepEqual(await home.zha.sendCommand("devices"), [home.ieee]);
			await read(home, FIRST);
			await home.zha.event(
				"reported",
				REPORT_LIMIT_MS,
				({ attribute, value }) => attribute === 0x0400 && value === FIRST[2],
			);
		},
	},
	{
		name: "the gateway never reveals the network's key",
		async run({ gateway, zha }: Home) {
			const { key } = zha.events.find(({ event }) => event === "started");
			const hex = key.replaceAll(":", "");
			assert.match(hex, /^[0-9a-f]{32}$/);
			for (const path of ["zigbee/config", "system/status", "system/log", "metrics", "system/backup"]) {
				const { status, text } = await gateway.get(path);
				assert.equal(status, 200, path);
				for (const form of [hex, key, Buffer.from(hex, "hex").toString("base64")])
					assert.ok(!text.toLowerCase().includes(form.toLowerCase()), path);
			}
			assert.ok(!gateway.diagnosis.toLowerCase().includes(hex));
		},
	},
	{
		name: "the gateway leaves when ZHA removes it, and does not join again",
		async run({ gateway, zha, ieee }: Home) {
			await zha.sendCommand("remove", ieee);
			await stateOf(gateway, "not_joined");
			await zha.sendCommand("permit", 60);
			await gateway.pass(3000);
			assert.equal((await gateway.read("zigbee/config")).state, "not_joined");
			assert.deepEqual(await zha.sendCommand("devices"), []);
		},
	},
];
