/**
 * Gateway for measurements, with a real pseudo-terminal, HTTPS, and a temporary state folder. It runs in this process
 * (engine `node`), in its XS worker (`xs`), or as the firmware on Linux (`linux`).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Engine } from "../../hosts/node/engine.js";
import { NodeEngine } from "../../hosts/node/engine-node.js";
import { XSEngine } from "../../hosts/node/engine-xs.js";
import { createHost, hostnameOf } from "../../hosts/node/host.js";
import { GATEWAY_SCRIPT } from "../../hosts/node/snapshot.js";
import { findXSWorker } from "../../hosts/node/xs-worker.js";
import type { Host } from "../../modules/io/host.js";
import { type GatewaySettings, LinuxEngine } from "./linux-engine.js";
import { progress } from "./report.js";

const RESOURCES = fileURLToPath(new URL("../../../modules/resources", import.meta.url));
const PASSWORD = "bench-password";
const FACTORY = Object.freeze({ serial: "020000000001", labelPassword: PASSWORD, accessPointKey: PASSWORD });

export type EngineName = "xs" | "node" | "linux";

export interface Reply {
	readonly status: number;
	readonly body: Buffer;
	/** Time at which the reply was complete, Unix ms. */
	readonly doneMs: number;
}

export class BenchGateway {
	token = "";
	port = 0;
	plainPort = 0;
	readonly replaced = new Map<number, number>();
	readonly hostname: string;
	readonly #folder = mkdtempSync(join(tmpdir(), "bench-"));
	readonly #engine: Engine;
	readonly #agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

	static async start(engine: EngineName, meterPath: string): Promise<BenchGateway> {
		const gateway = new BenchGateway(engine, meterPath);
		await gateway.#engine.start();
		const reply = await gateway.request("system/login", { username: "admin", password: PASSWORD });
		gateway.token = JSON.parse(reply.body.toString()).token;
		return gateway;
	}

	constructor(engine: EngineName, meterPath: string) {
		this.hostname = hostnameOf(FACTORY);
		const settings = {
			stateFolder: this.#folder,
			factory: FACTORY,
			meterPath,
			accessPoint: false,
			trace: (message: string) => {
				const [, port, own] = /tcp port (\d+) is localhost:(\d+)/.exec(message) ?? [];
				if (port !== undefined) this.replaced.set(Number(port), Number(own));
				progress(message);
			},
			onListening: (secure: boolean, port: number) => {
				if (secure) this.port = port;
				else this.plainPort = port;
			},
		};
		this.#engine = engine === "linux" ? new LinuxEngine(settings) : this.#simulated(engine, settings);
	}

	#simulated(engine: "xs" | "node", settings: GatewaySettings): Engine {
		const host = createHost({
			...settings,
			resourcesFolder: RESOURCES,
			firmwareVersion: "0.0.0",
			builtUtcMs: 0,
			httpPort: 0,
			httpsPort: 0,
			utcMs: Date.now(),
		});
		return engine === "node" ? new NodeEngine(host) : makeXSEngine(host);
	}

	/** Sends a request. Rejects unless the status is 200. */
	request(path: string, body?: object): Promise<Reply> {
		return new Promise((resolve, reject) => {
			const request = httpsRequest({
				port: this.port,
				path: `/api/v1/${path}`,
				method: body === undefined ? "GET" : "POST",
				agent: this.#agent,
				headers: { Authorization: `Bearer ${this.token}` },
			});
			request.on("error", reject);
			request.on("response", (response) => {
				const pieces: Buffer[] = [];
				response.on("data", (piece: Buffer) => pieces.push(piece));
				response.on("error", reject);
				response.on("end", () => {
					const reply = { status: response.statusCode!, body: Buffer.concat(pieces), doneMs: nowMs() };
					if (reply.status === 200) resolve(reply);
					else reject(new Error(`${path} was answered with ${reply.status} ${reply.body}`));
				});
			});
			request.end(body === undefined ? undefined : JSON.stringify(body));
		});
	}

	async stop(): Promise<void> {
		this.#agent.destroy();
		await this.#engine.stop();
		rmSync(this.#folder, { recursive: true });
	}
}

/** Returns the Unix time in ms with its fraction. */
export function nowMs(): number {
	return performance.timeOrigin + performance.now();
}

function makeXSEngine(host: Host): XSEngine {
	const program = findXSWorker();
	if (program === undefined) throw new Error("The XS engine is not installed: npm could not build @agoric/xsnap.");
	return new XSEngine({ host, program, script: GATEWAY_SCRIPT, onCrash: progress });
}
