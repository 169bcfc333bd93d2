/**
 * Prometheus, as Debian has it (package `prometheus`): its promtool checks the text of our metrics, and its server scrapes
 * our gateway over HTTPS with a token of scope read.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type JSONObject, vectorOf } from "../api/gateway.js";
import { readMetrics } from "../api/metrics-text.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { freePort, PeerMissing, run } from "./peer.js";

/** Meters that have, together, most of the metrics. */
const METERS = ["ziv-5cta3-dsmr5-leading-lf", "landis-gyr-zmd310-billing-without-unit", "logarex-lk13-history"];
const SCRAPE_LIMIT_MS = 30_000;

export async function preparePrometheus(engine: EngineName): Promise<ProcessGateway> {
	for (const program of ["promtool", "prometheus"]) {
		try {
			await run(program, ["--version"]);
		} catch (error) {
			if (error instanceof PeerMissing) throw new PeerMissing(`${error.message} (Debian's package prometheus)`);
			throw error;
		}
	}
	const gateway = await ProcessGateway.start(engine);
	await gateway.login();
	return gateway;
}

export async function endPrometheus(gateway: ProcessGateway): Promise<void> {
	await gateway.stop();
}

async function readMeter(gateway: ProcessGateway, name: string): Promise<void> {
	await gateway.connectMeter({ telegram: vectorOf(name).telegram });
	await gateway.read("iec62056/read");
}

/** What promtool says of a text: exit code and complaints. */
async function promtool(text: string): Promise<[number, string]> {
	const program = spawn("promtool", ["check", "metrics"], { stdio: ["pipe", "ignore", "pipe"] });
	let complaints = "";
	program.stderr.on("data", (bytes: Buffer) => {
		complaints += bytes.toString();
	});
	program.stdin.end(text);
	const [code] = await once(program, "close");
	return [code, complaints];
}

/** Runs a server that scrapes the gateway with this token, and `use` with what asks it for a vector. */
async function withServer(
	gateway: ProcessGateway,
	token: string,
	use: (
		query: (expression: string) => Promise<{ metric: Record<string, string>; value: [number, string] }[]>,
	) => Promise<void>,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
	const config = join(folder, "prometheus.yml");
	writeFileSync(
		config,
		`scrape_configs:
  - job_name: smartmeter
    scheme: https
    metrics_path: /api/v1/metrics
    scrape_interval: 2s
    scrape_timeout: 2s
    authorization:
      credentials: ${token}
    tls_config:
      insecure_skip_verify: true
    static_configs:
      - targets: ["${gateway.authority(true)}"]
`,
	);
	const port = await freePort();
	const args = [
		`--config.file=${config}`,
		`--storage.tsdb.path=${folder}/data`,
		`--web.listen-address=127.0.0.1:${port}`,
	];
	const server = spawn("prometheus", args, { stdio: "ignore" });
	const ended = once(server, "exit");
	try {
		await use(async (expression) => {
			const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
			const reply = await fetch(url).catch(() => undefined);
			return reply?.ok ? ((await reply.json()) as JSONObject).data.result : [];
		});
	} finally {
		server.kill("SIGTERM");
		await ended;
		rmSync(folder, { recursive: true, force: true });
	}
}

export const prometheusCases = [
	{
		name: "promtool finds nothing wrong before a meter was read",
		async run(gateway: ProcessGateway) {
			assert.deepEqual(await promtool((await gateway.get("metrics")).text), [0, ""]);
		},
	},
	...METERS.map((name) => ({
		name: `promtool finds nothing wrong with the metrics of ${name}`,
		async run(gateway: ProcessGateway) {
			await readMeter(gateway, name);
			const { text } = await gateway.get("metrics");
			assert.ok(text.includes("{obis="), text);
			assert.deepEqual(await promtool(text), [0, ""]);
			// And it does look.
			assert.notEqual((await promtool(text.slice(0, -1)))[0], 0);
			assert.notEqual((await promtool(text.replace("# HELP gateway_info", "# help gateway_info")))[0], 0);
		},
	})),
	{
		name: "the server scrapes all of it with a token of scope read",
		async run(gateway: ProcessGateway) {
			await readMeter(gateway, METERS[0]);
			const { token, id } = await gateway.write("system/tokens", { name: "prometheus", scope: "read" });
			const wanted = readMetrics((await gateway.get("metrics")).text).filter(({ labels }) => labels.obis !== undefined);
			try {
				await withServer(gateway, token, async (query) => {
					const limit = Date.now() + SCRAPE_LIMIT_MS;
					while ((await query("up == 1")).length === 0) {
						assert.ok(Date.now() < limit, `not scraped: ${JSON.stringify(await query("up"))}`);
						await sleep(500);
					}
					const scraped = await query('{obis=~".+"}');
					assert.deepEqual(
						scraped.map(({ metric, value }) => `${metric.__name__} ${metric.obis} ${Number(value[1])}`).sort(),
						wanted.map(({ name, labels, value }) => `${name} ${labels.obis} ${Number(value)}`).sort(),
					);
					assert.equal((await query("gateway_info")).length, 1);
				});
			} finally {
				await gateway.request("DELETE", `system/tokens/${id}`);
			}
		},
	},
];
