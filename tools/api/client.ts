/** API client for programs. It does not check the certificate: use it only for gateways on this computer. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";

// biome-ignore lint/suspicious/noExplicitAny: the caller knows which members the reply has
export type JSONReply = Record<string, any>;

export interface Reply {
	readonly status: number;
	readonly text: string;
}

const SHOWN = 200;
const RETRY_MS = 500;

export class GatewayClient {
	readonly #port: number;
	readonly #password: string;
	readonly #agent: Agent | false;
	#token = "";

	/** If no agent is given, each request uses its own connection. */
	constructor(port: number, password: string, agent?: Agent) {
		this.#port = port;
		this.#password = password;
		this.#agent = agent ?? false;
	}

	get token(): string {
		return this.#token;
	}

	async login(): Promise<void> {
		this.#token = "";
		const { nonce, salt } = await this.get("system/challenge");
		const inner = createHash("sha256").update(`${salt}${this.#password}`).digest();
		const proof = createHash("sha256").update(inner).update(`${nonce}`).digest("hex");
		const body = Buffer.from(JSON.stringify({ username: "admin", nonce, proof }));
		const reply = await this.send("POST", "/api/v1/system/login", body);
		if (reply.status === 401) throw new Error("The password is another one: name it with --password.");
		this.#token = accepted("the login", reply)["token"];
	}

	/**
	 * Repeats attempts for up to `limitMs`: a gateway that has just started makes a new certificate once it has an
	 * address.
	 */
	async loginWithin(limitMs: number): Promise<void> {
		const endMs = performance.now() + limitMs;
		for (;;) {
			try {
				return await this.login();
			} catch (error) {
				if (performance.now() > endMs) throw error;
			}
			await sleep(RETRY_MS);
		}
	}

	/** This and the following methods throw an Error if the reply is an error. `path`: relative to /api/v1/. */
	async get(path: string): Promise<JSONReply> {
		return accepted(`GET ${path}`, await this.send("GET", `/api/v1/${path}`));
	}

	/** `body`: bytes sent unchanged, or an object sent as JSON. */
	async post(path: string, body?: Uint8Array | object): Promise<JSONReply> {
		const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
		return accepted(`POST ${path}`, await this.send("POST", `/api/v1/${path}`, bytes));
	}

	async version(): Promise<string> {
		return (await this.get("system/version"))["firmware"].version;
	}

	/** `token` defaults to the login's token. Rejects with an Error if there is no reply. */
	send(method: string, path: string, body?: Uint8Array, token = this.#token): Promise<Reply> {
		return new Promise((resolve, reject) => {
			const sending = request(
				{
					...{ host: "127.0.0.1", port: this.#port, path, method },
					...{ rejectUnauthorized: false, agent: this.#agent },
					headers: {
						...(token === "" ? {} : { Authorization: `Bearer ${token}` }),
						...(body === undefined ? {} : { "Content-Length": String(body.length) }),
					},
				},
				(response) => {
					const parts: Buffer[] = [];
					response.on("data", (part: Buffer) => parts.push(part));
					response.on("error", reject);
					response.on("end", () => {
						try {
							resolve({ status: response.statusCode ?? 0, text: textOf(response, Buffer.concat(parts)) });
						} catch (error) {
							reject(error);
						}
					});
				},
			);
			sending.on("error", ({ message, code }: NodeJS.ErrnoException) => {
				// The gateway has closed the idle connection to make room, so the request is repeated.
				if (sending.reusedSocket && code === "ECONNRESET") resolve(this.send(method, path, body, token));
				else reject(new Error(`No gateway answers at https://localhost:${this.#port} (${message}): name its --port.`));
			});
			sending.end(body);
		});
	}
}

function textOf({ headers }: IncomingMessage, body: Buffer): string {
	return (headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
}

function accepted(what: string, { status, text }: Reply): JSONReply {
	let json: JSONReply = {};
	try {
		json = JSON.parse(text === "" ? "{}" : text);
	} catch {
		throw new Error(`The reply to ${what} is not JSON: ${text.slice(0, SHOWN)}`);
	}
	if (status === 200) return json;
	const { error = "", message = "" } = json;
	throw new Error(`The gateway refuses ${what}: ${status} ${error}. ${message}`.trim());
}
