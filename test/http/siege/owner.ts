/**
 * The owner of a gateway under siege. Like the page, the owner requests status and readings every half second, over a
 * persistent connection and over new ones, logs in again, has the meter read, and repeats unanswered requests as a
 * browser would. The owner also follows the events; the gateway drops that connection first.
 */
import { Agent, type RequestOptions, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

/** A reply after this time counts as missing, ms. */
export const PATIENCE_MS = 5000;
const PAUSE_MS = 500;
const RETRY_MS = 100;
/** Pause before an ended event stream is reopened, ms; a page waits ten seconds or more. */
const FOLLOW_AGAIN_MS = 1000;

export interface Account {
	readonly username: string;
	readonly password: string;
}

export class Owner {
	/** Number of requests. */
	requests = 0;
	/** Number of requests that were answered in time. */
	answered = 0;
	/** Durations of the answered requests, ms. */
	readonly tookMs: number[] = [];
	readouts = 0;
	readonly failures: string[] = [];
	streams = 0;
	readonly #port: number;
	readonly #account: Account;
	readonly #address: string;
	readonly #persistent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
	#token = "";

	/** `address` is the source of the requests, on this computer. */
	constructor(port: number, account: Account, address = "127.0.0.1") {
		this.#port = port;
		this.#account = account;
		this.#address = address;
	}

	async login(limitMs: number): Promise<void> {
		const reply = await this.#sendRequest("POST", "system/login", JSON.stringify(this.#account), true, limitMs);
		if (reply !== undefined) this.#token = (JSON.parse(reply) as { token: string }).token;
	}

	/** Makes the first request with a token from before. */
	async comeBack(token: string, limitMs: number): Promise<void> {
		this.#token = token;
		await this.#sendRequest("GET", "system/version", undefined, true, limitMs);
	}

	/** Requests challenges over new connections for `ms`, without a token. */
	async requestChallenges(ms: number): Promise<void> {
		for (const endMs = Date.now() + ms; Date.now() < endMs; await sleep(PAUSE_MS))
			await this.#sendRequest("GET", "system/challenge", undefined, true);
	}

	/** Shows the token once, so that the gateway knows the address; returns the status. */
	async show(token: string): Promise<number> {
		const agent = new Agent({ rejectUnauthorized: false });
		this.#token = token;
		try {
			await this.#send("GET", "system/version", undefined, agent, PATIENCE_MS);
			return 200;
		} catch (error) {
			return Number.parseInt((error as Error).message, 10);
		} finally {
			agent.destroy();
		}
	}

	/** Acts for `ms`; with `readMeter` the meter is also read all the time. */
	async actFor(ms: number, readMeter: boolean): Promise<void> {
		const endMs = Date.now() + ms;
		const reading = readMeter ? this.#readOn(endMs) : undefined;
		const following = this.#follow(endMs);
		for (let round = 0; Date.now() < endMs; round++) {
			if (round % 10 === 9) await this.login(PATIENCE_MS);
			await this.#sendRequest("GET", round % 2 === 0 ? "system/status" : "iec62056/last", undefined, round % 3 === 2);
			await sleep(PAUSE_MS);
		}
		await reading;
		await following;
		this.#persistent.destroy();
	}

	/** Reopens the event stream whenever it ends. */
	async #follow(endMs: number): Promise<void> {
		while (Date.now() < endMs) {
			const agent = new Agent({ rejectUnauthorized: false });
			const headers = { Authorization: `Bearer ${this.#token}` };
			const signal = AbortSignal.timeout(Math.max(1, endMs - Date.now()));
			await new Promise<void>((resolve) => {
				const path = "/api/v1/events";
				const localAddress = this.#address;
				const options = { host: "127.0.0.1", port: this.#port, path, localAddress, headers, agent, signal };
				const sent = request(options, (response) => {
					if (response.statusCode === 200) this.streams++;
					response.on("error", () => {}).resume();
				});
				sent.on("error", () => {}).on("close", resolve);
				sent.end();
			});
			agent.destroy();
			await sleep(FOLLOW_AGAIN_MS);
		}
	}

	async #readOn(endMs: number): Promise<void> {
		const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
		while (Date.now() < endMs) {
			try {
				await this.#send("GET", "iec62056/read", undefined, agent, 60_000);
				this.readouts++;
			} catch (error) {
				// A broken connection and a full gateway lead to another try.
				this.failures.push(`read: ${(error as Error).message}`);
			}
			await sleep(PAUSE_MS);
		}
		agent.destroy();
	}

	/** Body of the reply; undefined: no reply in time. */
	async #sendRequest(
		method: string,
		path: string,
		body: string | undefined,
		isNew: boolean,
		limitMs = PATIENCE_MS,
	): Promise<string | undefined> {
		const startMs = Date.now();
		this.requests++;
		for (;;) {
			const leftMs = startMs + limitMs - Date.now();
			const agent = isNew ? new Agent({ rejectUnauthorized: false }) : this.#persistent;
			try {
				const reply = await this.#send(method, path, body, agent, leftMs);
				this.answered++;
				this.tookMs.push(Date.now() - startMs);
				return reply;
			} catch (error) {
				const { message } = error as Error;
				if (Date.now() + RETRY_MS >= startMs + limitMs) {
					this.failures.push(`${path}: ${message}`);
					return undefined;
				}
			} finally {
				if (isNew) agent.destroy();
			}
			await sleep(RETRY_MS);
		}
	}

	#send(method: string, path: string, body: string | undefined, agent: Agent, limitMs: number): Promise<string> {
		const headers: Record<string, string> = {};
		if (this.#token !== "") headers["Authorization"] = `Bearer ${this.#token}`;
		if (body !== undefined) headers["Content-Length"] = String(body.length);
		const options: RequestOptions = {
			host: "127.0.0.1",
			localAddress: this.#address,
			port: this.#port,
			method,
			path: `/api/v1/${path}`,
			headers,
			agent,
		};
		return new Promise((resolve, reject) => {
			const sent = request({ ...options, signal: AbortSignal.timeout(Math.max(1, limitMs)) }, (response) => {
				let text = "";
				response.setEncoding("utf8");
				response.on("data", (piece) => {
					text += piece;
				});
				response.on("error", reject);
				response.on("end", () => {
					if (response.statusCode === 200) resolve(text);
					else reject(new Error(`${response.statusCode} ${text}`));
				});
			});
			sent.on("error", reject);
			sent.end(body);
		});
	}
}
