/**
 * Prometheus of Debian (package `prometheus`): promtool checks the text of our metrics, and the server scrapes our
 * gateway over HTTPS with a read-only token.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vectorOf } from "../api/gateway.js";
import { readMetrics } from "../api/metrics-text.js";
import { type EngineName, ProcessGateway } from "../api/process-gateway.js";
import { needPrometheus, promtool, type Server, until, withServer } from "./prometheus-server.js";

/** Together these meters have most of the metrics. */
const METERS = ["ziv-5cta3-dsmr5-leading-lf", "landis-gyr-zmd310-billing-without-unit", "logarex-lk13-history"];
const SCRAPE_LIMIT_MS = 30_000;

export async function preparePrometheus(engine: EngineName): Promise<ProcessGateway> {
	await needPrometheus();
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

const check = (text: string) => promtool(["check", "metrics"], text);

/** Runs `use` with a server that scrapes the gateway with this token. */
async function scraping(gateway: ProcessGateway, token: string, use: (server: Server) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
	writeFileSync(
		join(folder, "prometheus.yml"),
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
	try {
		await withServer(folder, use);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

export const prometheusCases = [
	{
		name: "promtool finds no fault before a meter was read",
		async run(gateway: ProcessGateway) {
			assert.deepEqual(await check((await gateway.get("metrics")).text), [0, ""]);
		},
	},
	...METERS.map((name) => ({
		name: `promtool finds no fault in the metrics of ${name}`,
		async run(gateway: ProcessGateway) {
			await readMeter(gateway, name);
			const { text } = await gateway.get("metrics");
			assert.ok(text.includes("{obis="), text);
			assert.deepEqual(await check(text), [0, ""]);
			// Shows that the check detects errors at all.
			assert.notEqual((await check(text.slice(0, -1)))[0], 0);
			assert.notEqual((await check(text.replace("# HELP gateway_info", "# help gateway_info")))[0], 0);
		},
	})),
	{
		name: "the server scrapes all readings with a read-only token",
		async run(gateway: ProcessGateway) {
			await readMeter(gateway, METERS[0]);
			const { token, id } = await gateway.write("system/tokens", { name: "prometheus", scope: "read" });
			const expected = readMetrics((await gateway.get("metrics")).text).filter(
				({ labels }) => labels.obis !== undefined,
			);
			try {
				await scraping(gateway, token, async ({ query }) => {
					await until(
						() => query("up"),
						([up]) => up?.value[1] === "1",
						SCRAPE_LIMIT_MS,
					);
					const scraped = await query('{obis=~".+"}');
					assert.deepEqual(
						scraped.map(({ metric, value }) => `${metric.__name__} ${metric.obis} ${Number(value[1])}`).sort(),
						expected.map(({ name, labels, value }) => `${name} ${labels.obis} ${Number(value)}`).sort(),
					);
					assert.equal((await query("gateway_info")).length, 1);
					assert.ok((await query("gateway_restarts_total")).length >= 1);
				});
			} finally {
				await gateway.request("DELETE", `system/tokens/${id}`);
			}
		},
	},
];
