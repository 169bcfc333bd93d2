/**
 * Client of part d, in a thread of its own. For each Order it repeats one request over the ordered number of keep-alive
 * HTTPS connections, one request at a time on each, and answers with a Tally.
 */
import { Agent, request as httpsRequest } from "node:https";
import { parentPort } from "node:worker_threads";

export interface LoadOptions {
	readonly port: number;
	readonly path: string;
	readonly token: string;
	readonly connections: number;
	readonly durationMs: number;
}

export interface Tally {
	readonly requests: number;
	readonly tookMs: number;
	/** Length of the reply's body. It must be the same in all replies. */
	readonly bodyLength: number;
	readonly error: string;
}

function sendRequest(options: LoadOptions, agent: Agent): Promise<number> {
	return new Promise((resolve, reject) => {
		const { port, path, token } = options;
		const request = httpsRequest({ port, path, agent, headers: { Authorization: `Bearer ${token}` } });
		request.on("error", reject);
		request.on("response", (response) => {
			let length = 0;
			response.on("data", (piece: Buffer) => {
				length += piece.length;
			});
			response.on("error", reject);
			response.on("end", () => {
				if (response.statusCode === 200) resolve(length);
				else reject(new Error(`${path} was answered with ${response.statusCode}`));
			});
		});
		request.end();
	});
}

async function runLoad(options: LoadOptions): Promise<Tally> {
	const agent = new Agent({ keepAlive: true, maxSockets: options.connections, rejectUnauthorized: false });
	try {
		let requests = 0;
		let bodyLength = 0;
		await Promise.all(Array.from({ length: options.connections }, () => sendRequest(options, agent)));
		const startMs = performance.now();
		const keepAsking = async () => {
			while (performance.now() - startMs < options.durationMs) {
				bodyLength = await sendRequest(options, agent);
				requests++;
			}
		};
		await Promise.all(Array.from({ length: options.connections }, keepAsking));
		return { requests, tookMs: performance.now() - startMs, bodyLength, error: "" };
	} catch (error) {
		return { requests: 0, tookMs: 0, bodyLength: 0, error: (error as Error).message };
	} finally {
		agent.destroy();
	}
}

parentPort?.on("message", async (options: LoadOptions) => parentPort?.postMessage(await runLoad(options)));
