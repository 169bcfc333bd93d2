/**
 * The gateway as its clients see it: the base of the checks in this folder. Subclasses: virtual-gateway.ts (virtual
 * time) and process-gateway.ts (`npm start` with either engine, real sockets).
 *
 * Every reply of the API passes `checkForm`, which checks the rules for all replies: JSON, errors of one form with a
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

/** Password on the label of the unit. */
export const PASSWORD = "label-password";
export const USERNAME = "admin";

const TEXTS = ["application/x-pem-file", "text/csv", "text/event-stream", "text/plain; version=0.0.4; charset=utf-8"];

/** Path of another maker's API; the gateway answers it in that maker's dialect over plain HTTP (modules/live-meter). */
const FOREIGN = /^\/api\/v1\/(data|system|identify|telegram|state|batteries)$/;

const ERROR_CODES = `invalid_json missing_field invalid_field unauthorized invalid_proof nonce_invalid https_required
	forbidden_origin forbidden_scope not_found method_not_allowed too_large too_many_attempts busy meter_timeout meter_error
	meter_auth_failed no_profile hub_disabled mqtt_disabled zigbee_disabled token_slots_full provision_invalid provision_bad_signature provision_wrong_device provision_replay
	ota_invalid_image ota_bad_signature ota_wrong_device ota_downgrade
	ota_write_failed ota_interrupted ota_low_power unsupported internal no_upgrade`.split(/\s+/);

export interface RequestOptions {
	headers?: Record<string, string>;
	/** Bytes and text are sent unchanged, anything else as JSON. */
	body?: unknown;
	/** Sends the body in chunks, without Content-Length. */
	chunked?: boolean;
	/** HTTPS (default) or plain HTTP. */
	secure?: boolean;
	/** Token of the request; default: that of the last login; null: none. */
	token?: string | null;
	/** Source address, such as 127.0.0.2, over a connection of its own. */
	from?: string;
}

export interface WireRequest {
	readonly method: string;
	readonly path: string;
	readonly headers: Record<string, string>;
	readonly body: Uint8Array | undefined;
	readonly chunked: boolean;
	readonly secure: boolean;
	/** Source address; undefined: the default one. */
	readonly from: string | undefined;
}

export interface Reply {
	readonly status: number;
	/** Header fields by lower-case name. */
	readonly headers: ReadonlyMap<string, string>;
	readonly text: string;
}

export interface Exchange {
	reply(): Promise<Reply>;
	/** Closes the connection without waiting for the reply. */
	abandon(): void;
}

/** The meter under the reading head. */
export interface MeterSetup {
	/** Identification, data block and check byte. */
	readonly telegram: Uint8Array;
	readonly mode?: MeterMode;
	readonly faults?: MeterFaults;
	readonly address?: string;
	readonly battery?: boolean;
	/** Speed in mode D, Bd; undefined in other modes. */
	readonly pushBaud?: number;
	readonly pushMs?: number;
	/** The head echoes what the gateway sends. */
	readonly echo?: boolean;
	/** Paces bytes on a pseudo-terminal too, so that a wrong speed yields garbage. */
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
	/** Token of the last login, the default of every request. */
	token = "";
	/** True if the unit has a Zigbee radio. */
	hasRadio = false;
	readonly #canary = new Canary([PASSWORD]);
	/** Hostname as in the certificate and the login challenge. */
	abstract readonly hostname: string;

	abstract send(request: WireRequest): Exchange;
	/** Host and port of the listener, as in the Host header. */
	abstract authority(secure: boolean): string;
	abstract get httpsPort(): number;
	/** Requests `GET events` and collects them. */
	abstract follow(options?: FollowOptions): Follower;
	/** Sets the networks within range from now on, in the form of `air.txt` (hosts/simulated/air.ts). */
	abstract setAir(text: string): void;
	/** Waits until the new hostname is in use. */
	abstract renamed(hostname: string): Promise<void>;
	abstract pass(ms: number): Promise<void>;
	/** Puts the reading head on this meter; undefined: the serial port is missing. */
	abstract connectMeter(setup: MeterSetup | undefined): Promise<void>;
	/** Restarts the gateway on the same flash, with the entry `damaged` corrupted. */
	abstract restart(damaged?: string): Promise<void>;
	/** Restarts the gateway on the same flash, with this entry removed. */
	abstract restartWithout(entry: string): Promise<void>;
	/**
	 * Waits until the gateway has restarted by itself. `authority`: the issuer of the uploaded certificate, used from
	 * then on.
	 */
	abstract rebooted(authority?: string): Promise<void>;
	/** Stops the gateway and releases everything. */
	abstract stop(): Promise<void>;
	/** Stops the gateway, whose traces must hold no secret. */
	async stopChecked(): Promise<void> {
		this.checkTraces();
		await this.stop();
	}
	/** The gateway's output, for failure messages. */
	abstract get diagnosis(): string;

	/** A `path` without a leading "/" is below /api/v1/. */
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
		const isPage = (path.startsWith("/") && !path.startsWith("/api/")) || FOREIGN.test(path);
		return {
			reply: async () => {
				const reply = await exchange.reply();
				this.#canary.check(`the reply to ${method} ${path}`, `${[...reply.headers].flat().join("\n")}\n${reply.text}`);
				if (!isPage) checkForm(method, path, reply);
				// Only the reply that creates a token may show it.
				if (reply.status === 200 && method === "POST" && /^system\/(login|tokens)$/.test(path))
					this.plant(JSON.parse(reply.text).token);
				return reply;
			},
			abandon: () => exchange.abandon(),
		};
	}

	/** From now on no reply and no trace may hold this secret (at least 8 characters). */
	plant(secret: string): void {
		this.#canary.plant(secret);
	}

	/**
	 * Fails if a trace holds a planted secret, except the label's password, which the simulator prints at its start.
	 */
	checkTraces(): void {
		this.#canary.check("the trace", this.diagnosis.replaceAll(/^.*User admin, label password .*$/gm, ""));
	}

	request(method: string, path: string, options?: RequestOptions): Promise<Reply> {
		return this.begin(method, path, options).reply();
	}

	get(path: string, options?: RequestOptions): Promise<Reply> {
		return this.request("GET", path, options);
	}

	/** Sends a POST; an undefined `body` sends no body. */
	post(path: string, body?: unknown, options?: RequestOptions): Promise<Reply> {
		return this.request("POST", path, { ...options, body });
	}

	/** Sends a GET, which must succeed; returns the reply's JSON. */
	async read(path: string, options?: RequestOptions): Promise<JSONObject> {
		return succeeded(await this.get(path, options));
	}

	/** Sends a POST, which must succeed; returns the reply's JSON. */
	async write(path: string, body: unknown): Promise<JSONObject> {
		return succeeded(await this.post(path, body));
	}

	/** Logs in by the plaintext form, which uses no nonce. Later requests send the token. */
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

	/** Restarts the gateway (`restart`), and logs in again. */
	async restartAndLogin(damaged?: string): Promise<void> {
		await this.restart(damaged);
		await this.login();
	}

	/** Waits until the gateway has restarted by itself (`rebooted`), and logs in again. */
	async loginAfterReboot(authority?: string): Promise<void> {
		await this.rebooted(authority);
		await this.login();
	}

	/** Logs in by the challenge; returns the token without keeping it. */
	async loginByChallenge(options: RequestOptions = {}): Promise<string> {
		const { nonce, salt } = await this.read("system/challenge", { ...options, token: null });
		const body = { username: USERNAME, nonce, proof: proofOf(PASSWORD, salt, nonce) };
		return succeeded(await this.post("system/login", body, { ...options, token: null })).token;
	}

	/** Logs in and restores the settings of a new unit. */
	async reset(): Promise<void> {
		await this.login();
		await this.write("iec62056/config", { ...DEFAULT_CONFIG, password: "" });
		await this.write("iec62056/control", DEFAULT_CONTROL);
	}

	/** Waits until the network's status matches; returns the status. */
	async untilNetwork(condition: (status: JSONObject) => boolean): Promise<JSONObject> {
		for (let tries = 0; tries < 300; tries++) {
			const status = await this.read("network/status");
			if (condition(status)) return status;
			await this.pass(500);
		}
		throw new Error("the network does not reach the expected status");
	}

	/** Waits until no session with the meter is running, checking every `stepMs`; returns the last readout. */
	async untilIdle(stepMs = 100): Promise<JSONObject> {
		for (let tries = 0; tries < 200; tries++) {
			const last = await this.read("iec62056/last");
			if (!last.running) return last;
			await this.pass(stepMs);
		}
		throw new Error("the session with the meter does not end");
	}
}

// biome-ignore lint/suspicious/noExplicitAny: each test knows the form of the reply
export type JSONObject = any;

/** Inner hash and proof, computed as in the API text (Authentication, 3.2 and 3.3). */
export function innerOf(password: string, salt: string): Buffer {
	return createHash("sha256").update(Buffer.from(salt, "utf8")).update(Buffer.from(password, "utf8")).digest();
}

export function proofOf(password: string, salt: string, nonce: string): string {
	return createHash("sha256").update(innerOf(password, salt)).update(Buffer.from(nonce, "utf8")).digest("hex");
}

/** Checks that the reply has status 200; returns its JSON. */
export function succeeded(reply: Reply): JSONObject {
	assert.equal(reply.status, 200, reply.text);
	return JSON.parse(reply.text);
}

/** Checks that a request has succeeded, with an empty reply. */
export function isEmpty(reply: Reply): void {
	assert.equal(reply.status, 200, reply.text);
	assert.equal(reply.text, "");
}

/** Checks that the reply is this error, with this field or none. */
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
	if ("code" in body) names.push("code", ...("unasked" in body ? ["unasked", "settings"] : []));
	assert.deepEqual(Object.keys(body), names);
	assert.ok(!("code" in body) || body.error.startsWith("meter_") || body.error === "no_profile", text);
	if (status === 401) assert.match(headers.get("www-authenticate") ?? "", /^Bearer realm="[^"]+"$/);
	if (status === 405) assert.ok(headers.get("allow"));
	if (status === 429 || status === 503) assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
}
