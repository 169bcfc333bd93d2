/**
 * The gateway as its clients see it, whatever runs it: the base of the checks in this folder. Its forms are virtual-
 * gateway.ts (virtual time) and process-gateway.ts (`npm start` with either engine, real sockets).
 *
 * Every reply of the API passes `checkForm`, which covers the rules for all replies: JSON, errors of one form with a
 * documented code, `Cache-Control: no-store`, no CORS headers.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { MeterFaults } from "../../tools/meter/faults.js";
import type { MeterMode } from "../../tools/meter/telegram.js";
import { iecVectors, type Vector } from "../vectors.js";
import { Canary } from "./canary.js";
import { checkReply } from "./document.js";
import type { Follower, FollowOptions } from "./follower.js";

/** Password of the label. */
export const PASSWORD = "label-password";
export const USERNAME = "admin";

/** Content types of replies that are not JSON. */
const TEXTS = ["text/csv", "text/event-stream", "text/plain; version=0.0.4; charset=utf-8"];

/** Path of another maker's API, in whose dialect the gateway answers over plain HTTP (modules/live-meter). */
const FOREIGN_PATH = "/api/v1/data";

const ERROR_CODES = `invalid_json missing_field invalid_field unauthorized invalid_proof nonce_invalid https_required
	forbidden_origin forbidden_scope not_found method_not_allowed too_large too_many_attempts busy meter_timeout meter_error
	meter_auth_failed no_profile hub_disabled mqtt_disabled zigbee_disabled token_slots_full ota_invalid_image ota_bad_signature ota_wrong_device ota_downgrade
	ota_write_failed ota_low_power unsupported internal`.split(/\s+/);

export interface RequestOptions {
	headers?: Record<string, string>;
	/** Bytes or text as they are; anything else is sent as JSON. */
	body?: unknown;
	/** Send the body in chunks, its length unsaid. */
	chunked?: boolean;
	/** Over HTTPS (default) or plain HTTP. */
	secure?: boolean;
	/** In place of that of the last login; null: none. */
	token?: string | null;
	/** The address it comes from, 127.0.0.2 or another of that network, over a connection of its own. Default: the world's. */
	from?: string;
}

/** A complete request. */
export interface WireRequest {
	readonly method: string;
	readonly path: string;
	readonly headers: Record<string, string>;
	readonly body: Uint8Array | undefined;
	readonly chunked: boolean;
	readonly secure: boolean;
	/** undefined: as usual. */
	readonly from: string | undefined;
}

export interface Reply {
	readonly status: number;
	/** Names in lower case. */
	readonly headers: ReadonlyMap<string, string>;
	readonly text: string;
}

/** A request that is on its way. */
export interface Exchange {
	reply(): Promise<Reply>;
	/** The client goes away without waiting for the reply. */
	abandon(): void;
}

/** The meter that the head sits on. */
export interface MeterSetup {
	/** Telegram that it sends: identification, block, check. */
	readonly telegram: Uint8Array;
	readonly mode?: MeterMode;
	readonly faults?: MeterFaults;
	readonly address?: string;
	readonly battery?: boolean;
	/** Mode D. */
	readonly pushBaud?: number;
	readonly pushMs?: number;
	/** The head sends back what it is sent. */
	readonly echo?: boolean;
	/** On a pseudo-terminal, too, a reader at the wrong speed gets garbage. */
	readonly isPaced?: boolean;
}

export const DEFAULT_CONFIG = Object.freeze({
	mode_d_enabled: false,
	mode_d_baudrate: 2400,
	baudrate_max: 9600,
	battery: false,
	mode_e_dlms: false,
	device_address: "",
	password_set: false,
});
export const DEFAULT_CONTROL = Object.freeze({ simulator_en: false, log_en: false });

export abstract class TestGateway {
	/** Token of the last login; sent with every request by default. */
	token = "";
	readonly #canary = new Canary([PASSWORD]);
	/** Hostname of the unit, as in its certificate and its login challenge. */
	abstract readonly hostname: string;

	abstract send(request: WireRequest): Exchange;
	/** Host and port of the listener, as the Host field has them. */
	abstract authority(secure: boolean): string;
	abstract get httpsPort(): number;
	/** Asks for `GET events`, and takes them as they come. */
	abstract follow(options?: FollowOptions): Follower;
	/** The networks in reach from now on: what `air.txt` says (hosts/simulated/air.ts). */
	abstract setAir(text: string): void;
	/** Its hostname was changed to this: waits until it goes by it. */
	abstract renamed(hostname: string): Promise<void>;
	/** Lets time go by. */
	abstract pass(ms: number): Promise<void>;
	/** Puts the head on this meter; undefined: the serial port is not there. */
	abstract connectMeter(setup: MeterSetup | undefined): Promise<void>;
	/** Ends it and starts it again on the same flash. `damaged`: this entry of the flash is spoilt meanwhile. */
	abstract restart(damaged?: string): Promise<void>;
	/** The same, with this entry of the flash as it is in a new unit: not there. */
	abstract restartWithout(entry: string): Promise<void>;
	/** Waits until it has started anew by itself. `authority` has signed the certificate that is not its own from then on. */
	abstract rebooted(authority?: string): Promise<void>;
	/** Nothing of it is left afterwards. */
	abstract stop(): Promise<void>;
	/** Output of the gateway, for analysing a failure. */
	abstract get diagnosis(): string;

	/** `path` without "/" in front stands below /api/v1/. */
	begin(method: string, path: string, options: RequestOptions = {}): Exchange {
		const { token = this.token, body } = options;
		const isJSON = body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
		const exchange = this.send({
			method,
			path: path.startsWith("/") ? path : `/api/v1/${path}`,
			headers: {
				...(isJSON ? { "Content-Type": "application/json" } : {}),
				...(token === null ? {} : { Authorization: `Bearer ${token}` }),
				...options.headers,
			},
			body: body instanceof Uint8Array || body === undefined ? body : Buffer.from(isJSON ? JSON.stringify(body) : body),
			chunked: options.chunked ?? false,
			secure: options.secure ?? true,
			from: options.from,
		});
		const isPage = (path.startsWith("/") && !path.startsWith("/api/")) || path === FOREIGN_PATH;
		return {
			reply: async () => {
				const reply = await exchange.reply();
				this.#canary.check(`the reply to ${method} ${path}`, `${[...reply.headers].flat().join("\n")}\n${reply.text}`);
				if (!isPage) checkForm(method, path, reply);
				// A token is shown once, to the client that requested it.
				if (reply.status === 200 && method === "POST" && /^system\/(login|tokens)$/.test(path))
					this.plant(JSON.parse(reply.text).token);
				return reply;
			},
			abandon: () => exchange.abandon(),
		};
	}

	/** From now on this secret may be in no reply, and in no trace by the end. At least 8 characters. */
	plant(secret: string): void {
		this.#canary.plant(secret);
	}

	/** That no planted secret was traced. The bench tells the label's password at its start: it has no label. */
	checkTraces(): void {
		this.#canary.check("what was traced", this.diagnosis.replaceAll(/^.*User admin, label password .*$/gm, ""));
	}

	request(method: string, path: string, options?: RequestOptions): Promise<Reply> {
		return this.begin(method, path, options).reply();
	}

	get(path: string, options?: RequestOptions): Promise<Reply> {
		return this.request("GET", path, options);
	}

	/** POSTs a body; undefined sends none. */
	post(path: string, body?: unknown, options?: RequestOptions): Promise<Reply> {
		return this.request("POST", path, { ...options, body });
	}

	/** The JSON of a GET that must succeed. */
	async read(path: string, options?: RequestOptions): Promise<JSONObject> {
		return succeeded(await this.get(path, options));
	}

	/** The JSON of a POST that must succeed. */
	async write(path: string, body: unknown): Promise<JSONObject> {
		return succeeded(await this.post(path, body));
	}

	/** Logs in by the plaintext form, which uses up no nonce, and sends the token from then on. */
	async login(): Promise<string> {
		for (;;) {
			const reply = await this.post("system/login", { username: USERNAME, password: PASSWORD }, { token: null });
			if (reply.status !== 429) {
				this.token = succeeded(reply).token;
				return this.token;
			}
			await this.pass(Number(reply.headers.get("retry-after")) * 1000);
		}
	}

	/** Logs in by the challenge; the token is only returned. */
	async loginByChallenge(options: RequestOptions = {}): Promise<string> {
		const { nonce, salt } = await this.read("system/challenge", { ...options, token: null });
		const body = { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
		return succeeded(await this.post("system/login", body, { ...options, token: null })).token;
	}

	/** Logged in, with the settings of a new unit. */
	async reset(): Promise<void> {
		await this.login();
		await this.write("iec62056/config", { ...DEFAULT_CONFIG, password: "" });
		await this.write("iec62056/control", DEFAULT_CONTROL);
	}

	/** Waits until the status of the network is so; what it is then. */
	async untilNetwork(isSo: (status: JSONObject) => boolean): Promise<JSONObject> {
		for (let tries = 0; tries < 300; tries++) {
			const status = await this.read("network/status");
			if (isSo(status)) return status;
			await this.pass(500);
		}
		throw new Error("the network does not come to that");
	}

	/** Waits until no conversation with the meter is going on, looking every `stepMs`; the last readout. */
	async untilIdle(stepMs = 100): Promise<JSONObject> {
		for (let tries = 0; tries < 200; tries++) {
			const last = await this.read("iec62056/last");
			if (!last.running) return last;
			await this.pass(stepMs);
		}
		throw new Error("the conversation does not end");
	}
}

// biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
export type JSONObject = any;

/** SHA-256 by hand, step by step as the API text has it (Authentication, 3.2 and 3.3). */
export function innerOf(password: string, salt: string): Buffer {
	return createHash("sha256").update(Buffer.from(salt, "utf8")).update(Buffer.from(password, "utf8")).digest();
}

export function proofOf(password: string, salt: string, nonce: string): string {
	return createHash("sha256").update(innerOf(password, salt)).update(Buffer.from(nonce, "utf8")).digest("hex");
}

/** The JSON of a reply with status 200. */
export function succeeded(reply: Reply): JSONObject {
	assert.equal(reply.status, 200, reply.text);
	return JSON.parse(reply.text);
}

/** That the reply is this error, and blames this field or none. */
export function isError(reply: Reply, status: number, code: string, field?: string): void {
	assert.equal(reply.status, status, reply.text);
	const body = JSON.parse(reply.text);
	assert.equal(body.error, code, reply.text);
	assert.equal(body.field, field, reply.text);
}

export function vectorOf(name: string): Vector {
	const vector = iecVectors().find((one) => one.name === name);
	assert.ok(vector, `there is no capture ${name}`);
	return vector;
}

function checkForm(method: string, path: string, reply: Reply): void {
	const { status, headers, text } = reply;
	assert.equal(headers.get("cache-control"), "no-store");
	for (const name of headers.keys()) assert.doesNotMatch(name, /^access-control-/);
	const type = headers.get("content-type") ?? "";
	checkReply(method, path.startsWith("/") ? path : `/api/v1/${path}`, { status, type, text });
	if (method === "HEAD") {
		assert.equal(text, "");
		return;
	}
	if (text === "") assert.equal(headers.get("content-length"), "0");
	else if (status === 400 && headers.get("content-type") === "text/plain") return;
	else if (status === 200 && TEXTS.includes(type)) return;
	else assert.equal(headers.get("content-type"), "application/json");
	if (status < 400) return;
	const body = JSON.parse(text);
	assert.ok(ERROR_CODES.includes(body.error), text);
	assert.match(body.message, /^\w.*\.$/);
	const names = ["error", "message", ...["field", "missing"].filter((name) => name in body)];
	// Members of a failed readout.
	if ("code" in body) names.push("code", ...("unasked" in body ? ["unasked", "settings"] : []));
	assert.deepEqual(Object.keys(body), names);
	assert.ok(!("code" in body) || body.error.startsWith("meter_") || body.error === "no_profile", text);
	if (status === 401) assert.match(headers.get("www-authenticate") ?? "", /^Bearer realm="[^"]+"$/);
	if (status === 405) assert.ok(headers.get("allow"));
	if (status === 429 || status === 503) assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
}
