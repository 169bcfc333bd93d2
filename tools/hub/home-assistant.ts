/**
 * A stand-in for the paths of Home Assistant's REST API that a gateway uses: `/api/`, `/api/config` and `/api/states…`.
 * Status codes, messages and the order of checks are as in Home Assistant 2026.2 (homeassistant/components/api,
 * core.py). `/` shows the entities as a page.
 *
 * `restart` loses the states, as a restart of Home Assistant does.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Entity } from "./entity.js";
import { page } from "./page.js";

export interface StandInOptions {
	readonly port?: number;
	/** Address to listen on. Default: loopback. */
	readonly address?: string;
	/** Key and certificate as PEM. If omitted, the server uses plain HTTP. */
	readonly tls?: { readonly key: string; readonly cert: string };
	/**
	 * Number of 401 replies after which an address is banned permanently (`login_attempts_threshold` of Home Assistant).
	 * By default no address is banned.
	 */
	readonly banAfter?: number;
}

/**
 * slow: waits `slowMs` before each reply. silent: never replies. close: closes the connection without a reply. cut:
 * closes the connection in the middle of a reply. redirect: redirects to `redirectTo`. chunked: replies in small
 * chunks. endless: sends a reply without end. endless-head: sends endless header fields. garbage: sends bytes that are
 * not HTTP. starting: replies with 503, as Home Assistant does while it stops. failing: replies with 500. none: replies
 * with 404 to every request, like a server that is not Home Assistant.
 */
export type Fault =
	| "slow"
	| "silent"
	| "close"
	| "cut"
	| "redirect"
	| "chunked"
	| "endless"
	| "endless-head"
	| "garbage"
	| "starting"
	| "failing"
	| "none";

export interface Request {
	readonly method: string;
	readonly path: string;
	readonly token: string | undefined;
	readonly body: string;
	status: number;
}

/** Pattern of an entity id, VALID_ENTITY_ID of core.py. */
const ENTITY_ID = /^(?!.+__)(?!_)[\da-z_]+(?<!_)\.(?!_)[\da-z_]+(?<!_)$/;
/** Maximum length of a state, in code points, because Python counts these. */
const STATE_LIMIT = 255;
/** Limit of a request's body, MAX_CLIENT_SIZE of Home Assistant. */
const BODY_LIMIT = 1 << 24;
const REQUESTS_KEPT = 1000;
const ENDLESS_PAUSE_MS = 1;
const ENDLESS_PIECE = "a".repeat(1000);

interface Answer {
	readonly status: number;
	/** Value that is sent as JSON, or a text that is sent unchanged. */
	readonly body: unknown;
	readonly location?: string;
}

const message = (status: number, text: string): Answer => ({ status, body: { message: text } });
const plain = (status: number, reason: string): Answer => ({ status, body: `${status}: ${reason}` });
const UNAUTHORIZED = plain(401, "Unauthorized");
const NOT_ALLOWED = plain(405, "Method Not Allowed");
const BROKEN = "500 Internal Server Error\n\nServer got itself in trouble";
const NOT_FOUND = plain(404, "Not Found");

export class StandIn {
	/** Token of an administrator, which the gateway needs. */
	readonly token = makeToken();
	readonly guestToken = makeToken();
	readonly entities = new Map<string, Entity>();
	readonly requests: Request[] = [];
	connections = 0;
	fault: Fault | undefined;
	slowMs = 1000;
	redirectTo = "/";
	onState: ((entity: Entity, isNew: boolean) => void) | undefined;
	#server: ReturnType<typeof createServer> | undefined;
	#port: number;
	readonly #options: StandInOptions;
	readonly #sockets = new Set<Socket>();
	readonly #refused = new Map<string, number>();

	private constructor(options: StandInOptions) {
		this.#options = options;
		this.#port = options.port ?? 0;
	}

	static async start(options: StandInOptions = {}): Promise<StandIn> {
		const hub = new StandIn(options);
		await hub.begin();
		return hub;
	}

	get port(): number {
		return this.#port;
	}

	get url(): string {
		return `${this.#options.tls === undefined ? "http" : "https"}://${this.#options.address ?? "127.0.0.1"}:${this.#port}`;
	}

	/** Listens, on the previous port if there was one. */
	async begin(): Promise<void> {
		const handle = (request: IncomingMessage, response: ServerResponse) => void this.#handle(request, response);
		const { tls } = this.#options;
		const server = tls === undefined ? createServer(handle) : createSecureServer(tls, handle);
		// This is the default of aiohttp. Node's default is 5 s.
		server.keepAliveTimeout = 75_000;
		server.on("connection", (socket: Socket) => {
			this.connections++;
			this.#sockets.add(socket);
			socket.once("close", () => this.#sockets.delete(socket));
		});
		server.listen(this.#port, this.#options.address ?? "127.0.0.1");
		await once(server, "listening");
		this.#port = (server.address() as AddressInfo).port;
		this.#server = server;
	}

	async end(): Promise<void> {
		const server = this.#server;
		this.#server = undefined;
		this.entities.clear();
		if (server === undefined) return;
		const closed = once(server, "close");
		server.close();
		for (const socket of this.#sockets) socket.destroy();
		await closed;
	}

	async restart(): Promise<void> {
		await this.end();
		await this.begin();
	}

	async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const parts: Buffer[] = [];
		let size = 0;
		try {
			for await (const part of request) {
				size += (part as Buffer).length;
				if (size <= BODY_LIMIT) parts.push(part as Buffer);
			}
		} catch {
			return;
		}
		const { method = "", url = "" } = request;
		const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
		const seen: Request = { method, path: url, token, body: Buffer.concat(parts).toString("utf8"), status: 0 };
		this.requests.push(seen);
		if (this.requests.length > REQUESTS_KEPT) this.requests.shift();
		if (this.fault === "slow") await sleep(this.slowMs);
		if (this.fault !== undefined && (await this.#performFault(this.fault, response))) return;
		if (method === "GET" && url === "/") {
			response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page([...this.entities.values()]));
			return;
		}
		const answer = this.fault === "none" ? NOT_FOUND : this.#answer(seen, request.socket.remoteAddress ?? "", size);
		seen.status = answer.status;
		const isJSON = typeof answer.body !== "string";
		const text = isJSON ? JSON.stringify(answer.body) : String(answer.body);
		const headers: Record<string, string> = {
			"Content-Type": isJSON ? "application/json" : "text/plain; charset=utf-8",
			...(answer.location === undefined ? {} : { Location: answer.location }),
		};
		if (this.fault === "chunked") {
			response.writeHead(answer.status, headers);
			for (let at = 0; at < text.length; at += 7) response.write(text.slice(at, at + 7));
			response.end();
			return;
		}
		headers["Content-Length"] = String(Buffer.byteLength(text));
		response.writeHead(answer.status, headers).end(method === "HEAD" ? undefined : text);
	}

	/** Performs the fault. Returns false if the request must be answered normally. */
	async #performFault(fault: Fault, response: ServerResponse): Promise<boolean> {
		const socket = response.socket;
		if (socket === null) return true;
		switch (fault) {
			case "silent":
				break;
			case "close":
				socket.destroy();
				break;
			case "cut":
				socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"entity_id":');
				break;
			case "redirect":
				response.writeHead(307, { Location: this.redirectTo, "Content-Length": "0" }).end();
				break;
			case "endless":
				await sendEndlessly(socket, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", ENDLESS_PIECE);
				break;
			case "endless-head":
				await sendEndlessly(socket, "HTTP/1.1 200 OK\r\n", `X-A: ${ENDLESS_PIECE}\r\n`);
				break;
			case "garbage":
				socket.end("SSH-2.0-OpenSSH_9.9\r\n");
				break;
			case "starting":
				response.writeHead(503, { "Content-Length": "0" }).end();
				break;
			case "failing":
				response.writeHead(500, { "Content-Type": "text/plain", "Content-Length": BROKEN.length }).end(BROKEN);
				break;
			default:
				return false;
		}
		return true;
	}

	#answer(request: Request, address: string, size: number): Answer {
		const { banAfter } = this.#options;
		const refused = this.#refused.get(address) ?? 0;
		if (banAfter !== undefined && refused >= banAfter) return plain(403, "Forbidden");
		const answer = this.#route(request, size);
		if (answer.status === 401) this.#refused.set(address, refused + 1);
		return answer;
	}

	#route({ method, path, token, body }: Request, size: number): Answer {
		const [, name] = /^\/api\/states\/([^/]+)$/.exec(path.split("?")[0]) ?? [];
		const isEntity = name !== undefined;
		const what = path.split("?")[0];
		if (!isEntity && !["/api/", "/api/config", "/api/states"].includes(what)) return NOT_FOUND;
		if (!(isEntity ? ["GET", "POST", "DELETE"] : ["GET"]).includes(method)) return NOT_ALLOWED;
		const isAdmin = token === this.token;
		if (!isAdmin && token !== this.guestToken) return UNAUTHORIZED;
		if (what === "/api/") return message(200, "API running.");
		if (what === "/api/config") return { status: 200, body: { version: "2026.2.3", state: "RUNNING" } };
		if (!isEntity) return { status: 200, body: [...this.entities.values()] };
		const entity = decodeURIComponent(name);
		if (method === "GET") {
			const found = this.entities.get(entity.toLowerCase());
			return found === undefined ? message(404, "Entity not found.") : { status: 200, body: found };
		}
		if (!isAdmin) return UNAUTHORIZED;
		if (method === "DELETE") {
			return this.entities.delete(entity.toLowerCase())
				? message(200, "Entity removed.")
				: message(404, "Entity not found.");
		}
		if (size > BODY_LIMIT) return plain(413, "Request Entity Too Large");
		return this.#set(entity, body);
	}

	#set(entity: string, body: string): Answer {
		let data: unknown = null;
		try {
			if (body !== "") data = JSON.parse(body);
		} catch {
			return message(400, "Invalid JSON specified.");
		}
		if (typeof data !== "object" || data === null || Array.isArray(data)) {
			return message(400, "State data should be a JSON object.");
		}
		const { state, attributes, force_update } = data as Record<string, unknown>;
		if (state === undefined || state === null) return message(400, "No state specified.");
		const text = pythonText(state);
		if ([...text].length > STATE_LIMIT) return message(400, "Invalid state specified.");
		const id = entity.toLowerCase();
		if (!ENTITY_ID.test(id)) return message(400, "Invalid entity ID specified.");
		// Python evaluates `attributes or {}`: an empty value counts as missing, and any other value that is not a mapping
		// causes an exception.
		const isObject = typeof attributes === "object" && attributes !== null && !Array.isArray(attributes);
		if (!isObject && hasContent(attributes)) return { status: 500, body: BROKEN };
		const before = this.entities.get(id);
		const now = new Date().toISOString().replace("Z", "000+00:00");
		const newAttributes = (isObject ? attributes : {}) as Record<string, unknown>;
		const isSame = before !== undefined && before.state === text && force_update !== true;
		const isUnchanged = isSame && JSON.stringify(before.attributes) === JSON.stringify(newAttributes);
		const set: Entity = {
			entity_id: id,
			state: text,
			attributes: newAttributes,
			last_changed: isSame ? before.last_changed : now,
			last_reported: now,
			last_updated: isUnchanged ? before.last_updated : now,
		};
		this.entities.set(id, set);
		this.onState?.(set, before === undefined);
		return { status: before === undefined ? 201 : 200, body: set, location: `/api/states/${entity}` };
	}
}

/** Makes a token like those of Home Assistant: a JWT of 183 characters. */
function makeToken(): string {
	return `${randomBytes(27).toString("base64url")}.${randomBytes(76).toString("base64url")}.${randomBytes(32).toString("base64url")}`;
}

/** Returns the result of Python's str() for a JSON value. For lists and objects it is only an approximation. */
function pythonText(value: unknown): string {
	if (value === true) return "True";
	if (value === false) return "False";
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function hasContent(value: unknown): boolean {
	return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

async function sendEndlessly(socket: Socket, first: string, piece: string): Promise<void> {
	socket.on("error", () => {});
	socket.write(first);
	while (!socket.destroyed) {
		if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
		await sleep(ENDLESS_PAUSE_MS);
	}
}
