/**
 * Part d: requests per second over keep-alive HTTPS. The gateway is compared with a bare node:https handler that has
 * the same reply length, process, kind of certificate and client.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { BenchGateway, type EngineName } from "./benchmark-gateway.js";
import { BenchMeter } from "./benchmark-meter.js";
import type { LoadOptions, Tally } from "./load.js";
import { median, progress, type Row, round, type Section } from "./report.js";
import { capturePath, LK13, MT174 } from "./telegrams.js";

/** Number of TLS connections that the gateway allows one client to open. */
const CONNECTIONS = 2;
const ROUNDS = 5;
const ROUND_MS = 1000;
const QUICK_ROUNDS = 3;
const QUICK_ROUND_MS = 300;
const DAY_MS = 86_400_000;
const PATHS = ["/api/v1/meter/protocol", "/api/v1/iec62056/last"];

export async function measureRequests(isQuick: boolean): Promise<Section> {
	const client = new Worker(new URL("./load.js", import.meta.url));
	const meter = await BenchMeter.start(["--baud-pace", "--telegram", capturePath(isQuick ? LK13 : MT174)]);
	const rows: Row[] = [];
	try {
		for (const engine of ["xs", "node"] as const) {
			const gateway = await BenchGateway.start(engine, meter.path);
			try {
				progress(`  engine ${engine}, reading a meter first …`);
				await gateway.request("iec62056/read");
				for (const path of PATHS) rows.push(await compare({ engine, gateway, path, client, isQuick }));
			} finally {
				await gateway.stop();
			}
		}
	} finally {
		meter.end();
		await client.terminate();
	}
	return {
		part: "d",
		title: `Requests per second, HTTPS, ${CONNECTIONS} keep-alive connections, compared with a bare node:https handler`,
		notes: ["ratio = requests per second ÷ those of the bare handler, medians of alternating rounds."],
		rows,
	};
}

interface Comparison {
	readonly engine: EngineName;
	readonly gateway: BenchGateway;
	readonly path: string;
	readonly client: Worker;
	readonly isQuick: boolean;
}

async function compare({ engine, gateway, path, client, isQuick }: Comparison): Promise<Row> {
	progress(`  engine ${engine}, GET ${path} …`);
	const { body } = await gateway.request(path.replace("/api/v1/", ""));
	const bare = await startBare(gateway, body);
	const options = { path, token: gateway.token, connections: CONNECTIONS };
	const durationMs = isQuick ? QUICK_ROUND_MS : ROUND_MS;
	const ours: number[] = [];
	const theirs: number[] = [];
	try {
		for (let i = 0; i < (isQuick ? QUICK_ROUNDS : ROUNDS); i++) {
			ours.push(await load(client, { ...options, durationMs, port: gateway.port }, body.length));
			theirs.push(await load(client, { ...options, durationMs, port: portOf(bare) }, body.length));
		}
	} finally {
		bare.close();
	}
	return {
		engine,
		request: `GET ${path}`,
		bytes: body.length,
		gateway_per_s: round(median(ours), 1),
		bare_per_s: round(median(theirs), 1),
		ratio: round(median(ours) / median(theirs), 4),
	};
}

async function startBare(gateway: BenchGateway, body: Buffer): Promise<Server> {
	const names = [gateway.hostname];
	const pair = makeCertificate({ names, validFromMs: Date.now() - DAY_MS, validToMs: Date.now() + DAY_MS });
	const server = createServer({ cert: Buffer.from(pair.certificate), key: Buffer.from(pair.key) }, (_, response) => {
		response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
		response.end(body);
	});
	server.listen(0);
	await once(server, "listening");
	return server;
}

function portOf(server: Server): number {
	return (server.address() as AddressInfo).port;
}

/** Measures requests per second. Throws if a reply has a different length. */
async function load(client: Worker, options: LoadOptions, bodyLength: number): Promise<number> {
	client.postMessage(options);
	const [tally] = (await once(client, "message")) as [Tally];
	if (tally.error !== "") throw new Error(tally.error);
	if (tally.bodyLength !== bodyLength) throw new Error(`a body of ${tally.bodyLength} bytes, not ${bodyLength}`);
	return (tally.requests * 1000) / tally.tookMs;
}
