/** Random actions by an owner and by strangers, for random-load.ts. */
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "../../hosts/node/random.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { certificateFiles } from "../hosts/certificate-files.js";
import { makeFile, makeImage } from "../update/firmware-files.js";
import { LoadClient, type LoadRequest } from "./load-client.js";
import type { LoadPeers } from "./load-peers.js";
import { DLMS } from "./memory-limits.js";

/** Limits for request bodies and for a certificate file, bytes. */
const SHORT_BODY = 2048;
const LONG_BODY = 16_384;
const FILE_BODY = 12_287;
const IMAGE_SIZE = 400_000;
const UPLOAD_PIECE = 16_384;
const UPLOAD_PIECES = 20;

/** The list of objects with the most entries. */
export const OBJECTS = JSON.stringify({
	entries: Array.from({ length: 32 }, (_, i) => ({
		code: [1, 0, 1 + (i % 8), 8, i >> 3, 255],
		class_id: 3,
		attribute: 2,
	})),
}).padEnd(LONG_BODY);
/** The Zigbee map with the most entries. */
export const MAP = JSON.stringify({
	mapping: Array.from({ length: 16 }, (_, i) => ({ obis: `1-0:${i}.8.0`, mode: 0, mapping_id: "07020000" })),
}).padEnd(LONG_BODY);

const WRONG_LOGIN = JSON.stringify({ username: "admin", nonce: "0".repeat(96), proof: "0".repeat(64) }).padEnd(512);
const STATUS_HEAD = "GET /api/v1/system/status HTTP/1.1\r\nHost: localhost\r\n";
const HALF_HEAD = `${STATUS_HEAD}${"A: b\r\n".repeat(330)}`.slice(0, 2040);
/** The beginning of a TLS 1.2 record with a ClientHello. */
const HALF_HELLO = Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3);

export type Operations = Readonly<Record<string, () => Promise<number>>>;

export interface LoadDeps {
	readonly gateway: ProcessGateway;
	readonly random: SeededRandom;
	readonly peers: LoadPeers;
	/** Body of `GET system/backup`. */
	readonly backup: string;
	/** Only the access point serves the API by plain HTTP. */
	readonly isAccessPoint: boolean;
}

export function ownerOperations({ gateway, random, peers, backup, isAccessPoint }: LoadDeps): Operations {
	const client = new LoadClient(gateway);
	const files = certificateFiles();
	const image = makeImage(IMAGE_SIZE);
	const firmware = [true, false].map((packed) => {
		return makeFile(image, { packed, chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID });
	});
	const hub = JSON.stringify(peers.hubSettings).padEnd(LONG_BODY);
	const mqtt = JSON.stringify(peers.mqttSettings).padEnd(LONG_BODY);
	const between = (from: number, to: number) => from + random.below(to - from);
	const secure = () => (isAccessPoint ? random.oneIn(3) : !random.oneIn(12));
	const get = (path: string) => () => client.whole({ secure: secure(), path });
	const getSlowly = (path: string, toMs = 900, headers = {}) => {
		return () => client.slow({ secure: secure(), path, headers }, between(300, toMs));
	};
	const post = (path: string, body?: () => string) => () => {
		const request = { secure: secure(), method: "POST", path } as const;
		return client.whole(body === undefined ? request : { ...request, body: body() });
	};
	const inHalves = (request: Omit<LoadRequest, "secure">, abortedOneIn = 4) => {
		return () => {
			const isAborted = random.oneIn(abortedOneIn);
			const length = Buffer.byteLength(request.body ?? "");
			return client.sendHeldBody(
				{ secure: secure(), ...request },
				isAborted ? length >> 1 : length - 1,
				between(50, 350),
				isAborted,
			);
		};
	};
	const text = { "Content-Type": "text/plain" };
	const deepBody = () => {
		const member = (_: unknown, i: number) => `"n${random.below(1e9)}${i}":${"[".repeat(20)}${"]".repeat(20)}`;
		return `{${Array.from({ length: 24 }, member).join(",")}}`.slice(0, SHORT_BODY - 1).padEnd(SHORT_BODY);
	};
	const upload = async () => {
		const file = firmware[random.below(firmware.length)];
		const headers = { "Content-Type": "application/octet-stream" };
		const sent = client.open({ secure: secure(), method: "POST", path: "system/ota", body: file, headers });
		const status = client.statusOf(sent);
		const end = Math.min(file.length - 65_536, UPLOAD_PIECES * UPLOAD_PIECE);
		for (let at = 0; at < end && !sent.destroyed; at += UPLOAD_PIECE) {
			sent.write(file.subarray(at, at + UPLOAD_PIECE));
			await sleep(60);
		}
		sent.destroy();
		return status;
	};
	const zones = ["Europe/Warsaw", "America/Argentina/Buenos_Aires"];
	const longHeaders = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`X-A${i}`, "b".repeat(40)]));
	return {
		last: getSlowly("iec62056/last?lang=de", 1200),
		"last, whole": get("iec62056/last"),
		"last, pipelined": () => {
			const one = `GET /api/v1/iec62056/last?lang=pl HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`;
			return client.raw(false, one.repeat(12), between(400, 1600));
		},
		"last, eight times": async () => {
			const path = "iec62056/last";
			const all = Array.from({ length: 8 }, () => client.slow({ secure: !isAccessPoint, path }, 300));
			return Math.max(...(await Promise.all(all)));
		},
		read: get("iec62056/read"),
		profile: get("meter/profile?entries=100"),
		probe: post("meter/probe"),
		sessionLog: getSlowly("iec62056/log"),
		months: getSlowly("meter/history?period=months"),
		days: getSlowly("meter/history?period=days"),
		"hours as CSV": getSlowly("meter/history?period=hours", 1000, { Accept: "text/csv" }),
		hub: inHalves({ path: "hub", body: hub }),
		"hub settings": get("hub"),
		"hub test": get("hub/send"),
		MQTT: inHalves({ path: "mqtt", body: mqtt }),
		"MQTT settings": get("mqtt"),
		"MQTT test": get("mqtt/send"),
		objects: inHalves({ path: "dlms/obis", body: OBJECTS }),
		"objects, shown": getSlowly("dlms/obis"),
		map: inHalves({ path: "zigbee/map", body: MAP }),
		"map, shown": getSlowly("zigbee/map"),
		"DLMS settings": inHalves({
			path: "dlms/config",
			body: JSON.stringify({ ...DLMS, password: "p".repeat(64) }).padEnd(SHORT_BODY),
		}),
		"certificate, aborted": inHalves({ path: "system/certificate", body: files["chain.pem"] ?? "-", headers: text }, 1),
		"certificate, refused": inHalves(
			{
				path: "system/certificate",
				body: String(files["foreign.pem"] ?? "-").padStart(FILE_BODY, "\n"),
				headers: text,
			},
			0,
		),
		"own certificate": post("system/certificate/reset"),
		upload,
		upgrade: post("system/upgrade", () => {
			return JSON.stringify({ enabled: true, url: peers.upgradeURL, check: true }).padEnd(1000);
		}),
		backup: getSlowly("system/backup"),
		restore: inHalves({ path: "system/backup", body: `${backup.slice(0, -1)}${" ".repeat(8000)}}` }),
		report: getSlowly("system/diagnostic"),
		events: getSlowly("events", 5000),
		"event log": getSlowly("system/log"),
		metrics: getSlowly("metrics"),
		sessions: get("system/sessions"),
		tokens: get("system/tokens"),
		status: get("system/status"),
		"network status": get("network/status"),
		scan: get("network/scan"),
		"long head": () => client.whole({ secure: secure(), path: "system/status", headers: longHeaders }),
		"deep body": post("iec62056/config", deepBody),
		"time zone": post("system/timezone", () => JSON.stringify({ timezone: zones[random.below(zones.length)] })),
		page: () => client.whole({ secure: secure(), path: "/de", isStranger: true }),
		button: async () => {
			if (isAccessPoint) gateway.pressButton();
			return 0;
		},
	};
}

export function strangerOperations({ gateway, random }: Pick<LoadDeps, "gateway" | "random">): Operations {
	const client = new LoadClient(gateway);
	const between = (from: number, to: number) => from + random.below(to - from);
	const login = { path: "system/login", isStranger: true } as const;
	const pageOf = (secure: boolean) => () => client.slow({ secure, path: "/", isStranger: true }, between(300, 1200));
	return {
		"half a hello": () => client.raw(true, HALF_HELLO, between(300, 2800)),
		"half a login by TLS": () => {
			const headers = { "X-Pad": "a".repeat(1500) };
			return client.sendHeldBody({ secure: true, ...login, headers, body: WRONG_LOGIN }, 480, between(300, 2800), true);
		},
		"wrong login by TLS": () =>
			client.sendHeldBody({ secure: true, ...login, body: WRONG_LOGIN }, 511, between(50, 350)),
		"wrong login": () => client.sendHeldBody({ secure: false, ...login, body: WRONG_LOGIN }, 511, between(50, 350)),
		"half a head": () => client.raw(false, HALF_HEAD, between(300, 1800)),
		"page by TLS, slowly": pageOf(true),
		"page, slowly": pageOf(false),
	};
}
