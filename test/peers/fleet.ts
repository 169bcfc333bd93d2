/**
 * The set-up of docs/fleet.md: one Prometheus (Debian's) is configured with the files of docs/fleet and scrapes 50
 * gateways over HTTPS, each with its own read-only token and certificate. When some gateways fail, exactly their alerts
 * fire. Every expression of the dashboard returns data.
 *
 * The gateways run in this process, in Node, with sockets, TLS and meters of their own. The test shortens the times so
 * that it takes only a minute: Prometheus scrapes every second or two, and alerts fire after seconds instead of
 * minutes. promtool tests rules.yml with its real times.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { NodeEngine } from "../../hosts/node/engine-node.js";
import { type FactoryData, openUnit } from "../../hosts/node/factory.js";
import { createHost, hostnameOf } from "../../hosts/node/host.js";
import type { Host } from "../../modules/io/host.js";
import { Household } from "../../tools/meter/household.js";
import { frame } from "../../tools/meter/telegram.js";
import { type JSONObject, PASSWORD } from "../api/gateway.js";
import { instantMeter } from "./instant-meter.js";
import { needPrometheus, promtool, type Server, until, withServer } from "./prometheus-server.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");
export const FLEET_FILES = join(ROOT, "docs", "fleet");
const COUNT = 50;
/** Every fifth meter sends tariffs without a total, and the values of a gas meter. */
const TARIFFS = [
	"1-0:1.8.1(004210.5*kWh)",
	"1-0:1.8.2(003802.1*kWh)",
	"1-0:2.8.1(000120.0*kWh)",
	"7-0:3.0.0(1234.567*m3)",
];
const HOUR_MS = 3_600_000;
const START_LIMIT_MS = 60_000;
const ALERT_LIMIT_MS = 60_000;

/** Numbers of the failing gateways, by kind of failure. */
const SILENT = [3, 4];
const REFUSING = [7];
const LOW_BATTERY = [11, 12];
const UNREACHABLE = [20, 21, 22];
const REVOKED = [30];
/** This gateway shows another certificate than the one that Prometheus trusts. */
const REPLACED = [40];

class FleetGateway {
	readonly folder: string;
	readonly factory: FactoryData;
	readonly host: Host;
	readonly #engine: NodeEngine;
	#port = 0;
	#token = "";
	#tokenId = 0;
	/** The meter does not answer. */
	isSilent = false;
	/** Flash refuses writes. */
	isRefusing = false;

	constructor(folder: string, number: number) {
		this.folder = folder;
		this.factory = openUnit({ state: folder, password: PASSWORD, mode: "client" }, () => {});
		const host = createHost({
			stateFolder: folder,
			resourcesFolder: join(ROOT, "modules", "resources"),
			factory: this.factory,
			firmwareVersion: "1.0.0",
			builtUtcMs: Date.now() - HOUR_MS,
			meterPath: join(folder, "no-port"),
			httpPort: 0,
			httpsPort: 0,
			accessPoint: false,
			utcMs: Date.now(),
			trace: () => {},
			onListening: (secure, port) => {
				if (secure) this.#port = port;
			},
		});
		const { udp: _, ...network } = host.network;
		const storage = {
			get: (key: string) => host.storage.get(key),
			set: (key: string, value: Uint8Array) => {
				if (this.isRefusing) throw new Error("worn");
				host.storage.set(key, value);
			},
			delete: (key: string) => host.storage.delete(key),
		};
		const household = new Household({ utcMs: Date.now() - (1 + number) * HOUR_MS, mode: "C", baud: 9600 });
		const opening = Buffer.from("/XYZ5TARIFFS\r\n");
		const tariffs = { opening, slash: 0, message: frame(Buffer.from(`${TARIFFS.join("\r\n")}\r\n!\r\n`)) };
		const startMs = performance.now();
		const source = () => (number % 5 === 0 ? tariffs : household.telegram(performance.now() - startMs));
		// Limits as on a board.
		const free = () => ({ slots: 1200 + number, chunkBytes: 9000, heapBytes: 70_000 });
		const memory = { suffices: () => true, free };
		this.host = { ...host, storage, memory, network, serial: { meter: instantMeter(source, () => this.isSilent) } };
		this.#engine = new NodeEngine(this.host);
	}

	get name(): string {
		return hostnameOf(this.factory);
	}

	get port(): number {
		return this.#port;
	}

	/** Starts the gateway, reads its meter and makes the token for Prometheus. */
	async start(): Promise<void> {
		await this.#engine.start();
		this.#token = (await this.requestJSON("POST", "system/login", { username: "admin", password: PASSWORD })).token;
		await this.requestJSON("GET", "iec62056/read");
	}

	/** Adds the files that docs/fleet.md describes. */
	async enrol(folder: string): Promise<void> {
		const { token, id } = await this.requestJSON("POST", "system/tokens", { name: "prometheus", scope: "read" });
		this.#tokenId = id;
		const gateway = join(folder, this.name);
		mkdirSync(gateway);
		writeFileSync(join(gateway, "token"), `${token}\n`);
		const targets = [{ targets: [`127.0.0.1:${this.#port}`], labels: { site: "test" } }];
		writeFileSync(join(gateway, "targets.json"), JSON.stringify(targets));
		const socket = connect({ host: "127.0.0.1", port: this.#port, rejectUnauthorized: false });
		await once(socket, "secureConnect");
		const shown = new X509Certificate(socket.getPeerCertificate().raw);
		socket.destroy();
		writeFileSync(join(gateway, "certificate.pem"), shown.toString());
	}

	revoke(): Promise<JSONObject> {
		return this.requestJSON("DELETE", `system/tokens/${this.#tokenId}`);
	}

	async stop(): Promise<void> {
		await this.#engine.stop();
	}

	async requestJSON(method: string, path: string, body?: object): Promise<JSONObject> {
		const text = await this.text(method, path, body);
		return text === "" ? {} : JSON.parse(text);
	}

	async text(method: string, path: string, body?: object): Promise<string> {
		const sent = body === undefined ? "" : JSON.stringify(body);
		const headers = {
			...(this.#token === "" ? {} : { Authorization: `Bearer ${this.#token}` }),
			...(body === undefined ? {} : { "Content-Length": Buffer.byteLength(sent) }),
		};
		const target = { host: "127.0.0.1", port: this.#port, path: `/api/v1/${path}`, method, headers };
		const outgoing = request({ ...target, agent: false, rejectUnauthorized: false });
		outgoing.end(sent);
		const [reply] = await once(outgoing, "response");
		let text = "";
		for await (const piece of reply) text += piece;
		assert.equal(reply.statusCode, 200, `${path}: ${text}`);
		return text;
	}
}

export interface Fleet {
	readonly folder: string;
	readonly gateways: readonly FleetGateway[];
}

export async function prepareFleet(): Promise<Fleet> {
	await needPrometheus();
	// One listener for each gateway, to release its flash at exit.
	process.setMaxListeners(COUNT + 20);
	const folder = mkdtempSync(join(tmpdir(), "fleet-"));
	const gateways = Array.from({ length: COUNT }, (_, number) => {
		const state = join(folder, "state", String(number));
		mkdirSync(state, { recursive: true });
		if (LOW_BATTERY.includes(number)) writeFileSync(join(state, "power.txt"), "cells 3\nbattery 3.2\nusb 0\n");
		return new FleetGateway(state, number);
	});
	await Promise.all(
		gateways.map(async (gateway, number) => {
			const { clock } = gateway.host;
			if (SILENT.includes(number)) clock.setUTC(Date.now() - 2 * HOUR_MS);
			await gateway.start();
			clock.setUTC(Date.now());
			if (!SILENT.includes(number)) return;
			gateway.isSilent = true;
			await assert.rejects(gateway.requestJSON("GET", "iec62056/read"), /meter_timeout/);
		}),
	);
	return { folder, gateways };
}

export async function endFleet({ folder, gateways }: Fleet): Promise<void> {
	for (const gateway of gateways) await gateway.stop();
	rmSync(folder, { recursive: true, force: true });
}

/** The files of docs/fleet.md, with shorter times. */
async function configure({ folder, gateways }: Fleet): Promise<void> {
	const enrolled = join(folder, "gateways");
	mkdirSync(enrolled);
	for (const gateway of gateways) await gateway.enrol(enrolled);
	const replaced = join(enrolled, gateways[REPLACED[0]].name, "certificate.pem");
	copyFileSync(join(enrolled, gateways[0].name, "certificate.pem"), replaced);
	const configuration = execFileSync("sh", [join(FLEET_FILES, "scrape.sh"), enrolled, "2s"]);
	writeFileSync(join(folder, "prometheus.yml"), configuration);
	const rules = readFileSync(join(FLEET_FILES, "rules.yml"), "utf8");
	writeFileSync(join(folder, "rules.yml"), rules.replaceAll(/for: \d+[mh]/g, "for: 4s"));
}

/** Alerts that fire, as `ALERT name`, sorted. */
async function firing({ query }: Server, { gateways }: Fleet): Promise<string[]> {
	const numbers = new Map(gateways.map(({ name }, number) => [name, number]));
	return (await query('ALERTS{alertstate="firing"}'))
		.map(({ metric }) => `${metric.alertname} ${numbers.get(metric.instance)}`)
		.sort();
}

function expected(isLate: boolean): string[] {
	const alerts = (name: string, numbers: readonly number[]) => numbers.map((number) => `${name} ${number}`);
	return [
		...alerts("MeterSilent", SILENT),
		...alerts("GatewayFlashRefuses", REFUSING),
		...alerts("GatewayBatteryLow", LOW_BATTERY),
		...alerts("GatewayGone", isLate ? [...UNREACHABLE, ...REVOKED, ...REPLACED] : REPLACED),
	].sort();
}

interface Panel {
	readonly title: string;
	readonly targets: readonly { readonly expr: string }[];
}

/** The dashboard's expressions, with values for Grafana's variables. */
function expressions(): { title: string; expr: string }[] {
	const { panels } = JSON.parse(readFileSync(join(FLEET_FILES, "dashboard.json"), "utf8"));
	const all = (panels as Panel[]).flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
	return all.map(({ title, expr }) => ({
		title,
		expr: expr.replaceAll("$gateway", ".*").replaceAll("$__rate_interval", "1m"),
	}));
}

export const fleetCases = [
	{
		name: "promtool accepts the rules, and each alert fires at its time and not earlier",
		async run() {
			assert.deepEqual(await promtool(["check", "rules", join(FLEET_FILES, "rules.yml")]), [0, ""]);
			assert.deepEqual(await promtool(["test", "rules", join(FLEET_FILES, "rules-test.yml")]), [0, ""]);
		},
	},
	{
		name: `one server scrapes ${COUNT} gateways, some of which fail; exactly their alerts fire`,
		async run(fleet: Fleet) {
			const { folder, gateways } = fleet;
			for (const number of REFUSING) {
				gateways[number].isRefusing = true;
				await assert.rejects(gateways[number].requestJSON("POST", "system/timezone", { timezone: "Europe/Berlin" }));
			}
			// Making a token writes flash.
			for (const number of REFUSING) gateways[number].isRefusing = false;
			await configure(fleet);
			for (const number of REFUSING) {
				gateways[number].isRefusing = true;
				await assert.rejects(gateways[number].requestJSON("POST", "system/timezone", { timezone: "Europe/Paris" }));
			}
			assert.deepEqual(await promtool(["check", "config", join(folder, "prometheus.yml")]), [0, ""]);
			await withServer(folder, async (server) => {
				const { query } = server;
				const answering = async () => (await query("up == 1")).length;
				await until(answering, (count) => count === COUNT - REPLACED.length, START_LIMIT_MS);
				await until(
					() => firing(server, fleet),
					(alerts) => JSON.stringify(alerts) === JSON.stringify(expected(false)),
					ALERT_LIMIT_MS,
				);
				for (const number of UNREACHABLE) await gateways[number].stop();
				for (const number of REVOKED) await gateways[number].revoke();
				await until(
					() => firing(server, fleet),
					(alerts) => JSON.stringify(alerts) === JSON.stringify(expected(true)),
					ALERT_LIMIT_MS,
				);
				for (const { title, expr } of expressions()) assert.ok((await query(expr)).length > 0, `${title}: ${expr}`);
				const totals = await query("gateway:import_kwh:total");
				assert.equal(totals.length, COUNT - expected(true).filter((alert) => alert.startsWith("GatewayGone")).length);
				for (const record of ["gateway:export_kwh:total", "gateway:import_kwh:increase1d", "fleet:import_watts:sum"])
					assert.ok((await query(record)).length > 0, record);
				await report(server, gateways[1], gateways[5]);
			});
		},
	},
];

async function report({ query, memory }: Server, household: FleetGateway, tariffs: FleetGateway): Promise<void> {
	const one = async (expression: string) => Number((await query(expression))[0]?.value[1]);
	const figures = {
		"scrape, median ms": 1000 * (await one('quantile(0.5, scrape_duration_seconds and up{job="smartmeter"} == 1)')),
		"scrape, longest ms":
			1000 * (await one('max(max_over_time(scrape_duration_seconds[5m]) and up{job="smartmeter"} == 1)')),
		"samples of a household": await one(`scrape_samples_scraped{instance="${household.name}"}`),
		"bytes of a household": Buffer.byteLength(await household.text("GET", "metrics")),
		"samples of tariffs": await one(`scrape_samples_scraped{instance="${tariffs.name}"}`),
		"bytes of tariffs": Buffer.byteLength(await tariffs.text("GET", "metrics")),
		"Prometheus, MB": memory() / 1e6,
	};
	for (const [name, value] of Object.entries(figures)) process.stdout.write(`        ${name}: ${value.toFixed(0)}\n`);
}
