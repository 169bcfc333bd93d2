/** Sends requests, each over its own connection, and reads replies in ways that occupy the gateway's memory. */
import { type ClientRequest, type RequestOptions, request as requestHTTP } from "node:http";
import { request as requestHTTPS } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessGateway } from "../api/process-gateway.js";

const ANSWER_MS = 60_000;
/** Status of a reply after an exception. */
export const INTERNAL = 500;
const EXPLAINED = 599;

export interface LoadRequest {
	readonly secure: boolean;
	readonly method?: "GET" | "POST";
	/** Path; below /api/v1/ unless it begins with "/". */
	readonly path: string;
	readonly body?: string | Uint8Array;
	readonly headers?: Readonly<Record<string, string>>;
	/** Whether the request is sent without a token. */
	readonly isStranger?: boolean;
}

export class LoadClient {
	readonly #gateway: ProcessGateway;

	constructor(gateway: ProcessGateway) {
		this.#gateway = gateway;
	}

	/** Sends the head without the body. */
	open({ secure, method = "GET", path, body, headers, isStranger }: LoadRequest): ClientRequest {
		const all: Record<string, string> = { "Content-Type": "application/json", ...headers };
		if (!isStranger) all["Authorization"] = `Bearer ${this.#gateway.token}`;
		if (body !== undefined) all["Content-Length"] = String(Buffer.byteLength(body));
		const options: RequestOptions = {
			host: "127.0.0.1",
			port: this.port(secure),
			method,
			path: path.startsWith("/") ? path : `/api/v1/${path}`,
			headers: all,
			agent: false,
		};
		const sent = secure ? requestHTTPS({ ...options, rejectUnauthorized: false }) : requestHTTP(options);
		sent.on("error", () => {});
		sent.setTimeout(ANSWER_MS, () => sent.destroy());
		return sent;
	}

	/**
	 * Resolves to the status, or 0 if the connection closes without a reply; to EXPLAINED in place of a 500 with a code of
	 * its own, as of a meter that can't be read. Reads the reply after `slowMs`.
	 */
	statusOf(sent: ClientRequest, slowMs = 0): Promise<number> {
		return new Promise((resolve) => {
			let status = 0;
			let text = "";
			sent.on("response", (response) => {
				status = response.statusCode ?? 0;
				response.on("error", () => {});
				if (slowMs > 0) setTimeout(() => response.destroy(), slowMs);
				else if (status === INTERNAL)
					response.on("data", (piece) => {
						text += piece;
					});
				else response.resume();
			});
			sent.on("close", () => resolve(status === INTERNAL && !text.includes('"internal"') ? EXPLAINED : status));
		});
	}

	whole(request: LoadRequest): Promise<number> {
		return this.slow(request, 0);
	}

	/** Sends the request, leaves the reply unread for `slowMs`, then closes the connection. */
	slow(request: LoadRequest, slowMs: number): Promise<number> {
		const sent = this.open(request);
		const status = this.statusOf(sent, slowMs);
		sent.end(request.body);
		return status;
	}

	/** Sends the body up to `cut`; after `pauseMs` sends the rest, or aborts if `isAborted`. */
	async sendHeldBody(request: LoadRequest, cut: number, pauseMs: number, isAborted = false): Promise<number> {
		const body = Buffer.from(request.body ?? "");
		const sent = this.open({ ...request, method: "POST" });
		const status = this.statusOf(sent);
		sent.write(body.subarray(0, cut));
		await sleep(pauseMs);
		if (isAborted) sent.destroy();
		else if (!sent.destroyed) sent.end(body.subarray(cut));
		return status;
	}

	/** Sends bytes by plain TCP, reads nothing, and closes after `ms`. */
	raw(secure: boolean, bytes: string | Uint8Array, ms: number): Promise<number> {
		return new Promise((resolve) => {
			const socket = connect(this.port(secure), "127.0.0.1", () => socket.write(bytes));
			socket.on("error", () => {});
			socket.pause();
			setTimeout(() => {
				socket.destroy();
				resolve(0);
			}, ms);
		});
	}

	private port(secure: boolean): number {
		const { https, http } = this.#gateway.ports;
		return secure ? https : http;
	}
}
