/**
 * The heaviest requests, for the tests that run them in parallel. Some are slow, and some are aborted.
 */
import { type ClientRequest, request } from "node:http";
import { request as requestHTTPS } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { HUB_CERTIFICATE_LIMIT } from "../../modules/parts/hub/fields.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { iecVectors } from "../vectors.js";
import { longCertificate } from "./load-peers.js";
import { connectDLMS } from "./memory-limits.js";

const LONG_BODY = 16_384;
/** Delay between the two halves of a body, ms. */
export const HALF_MS = 60;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

/** Fills readout and log to their largest size, then connects a DLMS meter with authentication and encryption. */
export async function prepare(gateway: ProcessGateway): Promise<void> {
	await gateway.login();
	await gateway.write("iec62056/control", { log_en: true });
	await gateway.connectMeter({ telegram: longest.telegram });
	await gateway.read("iec62056/read");
	await connectDLMS(gateway);
}

export interface HeavyRequests {
	open(method: string, path: string, body?: string): ClientRequest;
	/** Resolves to the status of the reply; 0 if the connection closes without a reply. */
	whole(method: string, path: string, body?: string): Promise<number>;
	/** Body with the longest list of DLMS objects. */
	readonly objects: string;
	readonly operations: Readonly<Record<string, () => Promise<number>>>;
}

/** `getGateway` is called with each request. */
export function heavyRequests(getGateway: () => ProcessGateway, isSecure: boolean): HeavyRequests {
	const open = (method: string, path: string, body: string | undefined, token = getGateway().token): ClientRequest => {
		const [host, port] = getGateway().authority(isSecure).split(":");
		const headers: Record<string, string> = { "Content-Type": "application/json" };
		if (token !== "") headers["Authorization"] = `Bearer ${token}`;
		if (body !== undefined) headers["Content-Length"] = String(Buffer.byteLength(body));
		const make = isSecure ? requestHTTPS : request;
		const sent = make({
			host,
			port,
			method,
			path: `/api/v1/${path}`,
			headers,
			agent: false,
			rejectUnauthorized: false,
		});
		sent.on("error", () => {});
		return sent;
	};
	/**
	 * Resolves to the status of the reply; 0 if the connection closes without a reply. With `isSlow` the reply is not
	 * read, and the connection is closed after 400 ms.
	 */
	const statusOf = (sent: ClientRequest, isSlow = false): Promise<number> =>
		new Promise((resolve) => {
			sent.on("response", (response) => {
				if (isSlow) setTimeout(() => response.destroy(), 400);
				else response.resume();
				response.on("close", () => resolve(response.statusCode ?? 0));
			});
			sent.on("close", () => resolve(0));
		});
	const whole = (method: string, path: string, body?: string, token?: string) => {
		const sent = open(method, path, body, token);
		const status = statusOf(sent);
		sent.end(body);
		return status;
	};
	/** Sends half of the body. HALF_MS later it sends the other half or, if `isAborted`, closes the connection. */
	const inHalves = async (path: string, body: string, isAborted: boolean, token?: string) => {
		const sent = open("POST", path, body, token);
		const status = statusOf(sent);
		sent.write(body.slice(0, body.length >> 1));
		await sleep(HALF_MS);
		if (isAborted) sent.destroy();
		else sent.end(body.slice(body.length >> 1));
		return status;
	};

	// The power, 1.7.0, is first; live values need it.
	const objects = JSON.stringify({
		entries: Array.from({ length: 32 }, (_, i) => ({
			code: [1, 0, 1, i === 0 ? 7 : 8, i, 255],
			class_id: 3,
			attribute: 2,
		})),
	}).padEnd(LONG_BODY);
	const map = JSON.stringify({
		mapping: Array.from({ length: 16 }, (_, i) => ({ obis: `1-0:1.8.${i}`, mode: 0, mapping_id: "07020000" })),
	}).padEnd(LONG_BODY);
	const hub = JSON.stringify({
		enabled: true,
		url: "https://hub.local",
		cert: longCertificate(HUB_CERTIFICATE_LIMIT),
	}).padEnd(LONG_BODY);
	const login = JSON.stringify({ username: "admin", nonce: "0".repeat(96), proof: "0".repeat(64) }).padEnd(512);

	const operations: Readonly<Record<string, () => Promise<number>>> = {
		"last readout, read slowly": () => {
			const sent = open("GET", "iec62056/last", undefined);
			const status = statusOf(sent, true);
			sent.end();
			return status;
		},
		history: () => whole("GET", "meter/history?period=months"),
		log: () => whole("GET", "iec62056/log"),
		hub: () => whole("POST", "hub", hub),
		"hub, in halves": () => inHalves("hub", hub, false),
		"object list": () => whole("POST", "dlms/obis", objects),
		"object list, aborted": () => inHalves("dlms/obis", objects, true),
		map: () => inHalves("zigbee/map", map, false),
		page: () => {
			const sent = open("GET", "../../", undefined, "");
			const status = statusOf(sent, true);
			sent.end();
			return status;
		},
		login: () => inHalves("system/login", login, false, ""),
		scan: () => whole("GET", "network/scan"),
		events: () => {
			const sent = open("GET", "events", undefined);
			const status = statusOf(sent, true);
			sent.end();
			return status;
		},
	};

	return { open, whole, objects, operations };
}

/** The groups of `size` names; a name may come twice. */
export function groupsOf(names: readonly string[], size: number): (readonly string[])[] {
	if (size === 0) return [[]];
	return names.flatMap((name, i) => groupsOf(names.slice(i), size - 1).map((rest) => [name, ...rest]));
}
