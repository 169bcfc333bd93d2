/**
 * A gateway that has read its meter, and the setup of docs/integrations.md: a folder with gateway.pem, a read-only
 * token, and optionally a broker to which the gateway publishes. In the comments of this file and of the peers that use
 * it, "the page" is docs/integrations.md.
 */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type JSONObject, PASSWORD } from "../api/gateway.js";
import { certificateOf, ProcessGateway } from "../api/process-gateway.js";
import { Mosquitto } from "./mosquitto.js";
import { freePort, run } from "./peer.js";
import { template } from "./templates.js";

/** Name of the gateway in the page's examples. */
export const PAGE_HOST = "smgw-a1b2c3.local";
export const PAGE_BROKER = "broker.lan";
export const PAGE_TOPIC = "smgw/02fe5ba1b2c3";

/** Passwords of the two users of the page's broker. */
export const GATEWAY_PASSWORD = "a-gateway";
export const READER_PASSWORD = "a-reader";

const MESSAGE_LIMIT_S = 20;
/** Pause between two requests to publish, ms. The gateway refuses those that come within ten seconds. */
const PUBLISH_MS = 1000;
const ADDRESS_LIMIT_MS = 30_000;
/** Address of the access point, which every certificate of the gateway names. */
const ACCESS_POINT = "192.168.4.1";

export interface ReadingBed {
	readonly gateway: ProcessGateway;
	/** Host and port, covered by the certificate. */
	readonly authority: string;
	/** Token of scope read. */
	readonly token: string;
	/** Folder that contains gateway.pem. */
	readonly folder: string;
	readonly last: JSONObject;
}

export interface BrokerBed extends ReadingBed {
	readonly broker: Mosquitto;
	/** Prefix of the gateway's topics. */
	readonly topic: string;
	readonly state: Readonly<Record<string, number | string>>;
}

export async function startReadingBed(): Promise<ReadingBed> {
	// Programs poll the gateway at the same port after its restart. It serves three connections; two are for them.
	const port = String(await freePort());
	const gateway = await ProcessGateway.start("node", { connections: 1, args: ["--https-port", port] });
	const folder = mkdtempSync(join(tmpdir(), "readings-"));
	try {
		await gateway.login();
		await gateway.connectProgram([]);
		// Scheduled readouts are turned off, so that values stay the same.
		await gateway.write("iec62056/schedule", { enabled: false, period_unit: "minutes", period_value: 30 });
		await gateway.read("iec62056/read");
		const authority = `${await addressOf(gateway)}:${gateway.httpsPort}`;
		const fetching = template("certificate.sh", { [`${PAGE_HOST}:443`]: authority });
		const shown = await shell(folder, fetching);
		const certificate = new X509Certificate(readFileSync(join(folder, "gateway.pem")));
		assert.ok(shown.includes(certificate.fingerprint256), shown);
		const making = template("token.sh", { [PAGE_HOST]: authority, '"PASSWORD"': `"${PASSWORD}"` });
		const token = (await shell(folder, making)).trim();
		assert.deepEqual(
			(await gateway.read("system/tokens")).tokens.map(({ name, scope }: JSONObject) => [name, scope]),
			[["evcc", "read"]],
		);
		return { gateway, authority, token, folder, last: await gateway.read("iec62056/last") };
	} catch (error) {
		rmSync(folder, { recursive: true, force: true });
		await gateway.stop();
		throw error;
	}
}

export async function endReadingBed({ gateway, folder }: ReadingBed): Promise<void> {
	rmSync(folder, { recursive: true, force: true });
	await gateway.stop();
}

let shared: Promise<BrokerBed> | undefined;

/** A test bed with the page's broker and settings, shared by all peers that need it. */
export function brokerBed(): Promise<BrokerBed> {
	shared ??= startBrokerBed();
	return shared;
}

async function startBrokerBed(): Promise<BrokerBed> {
	const broker = await startBroker();
	let bed: ReadingBed | undefined;
	try {
		bed = await startReadingBed();
		const { authority, folder, gateway } = bed;
		const setting = template("mqtt.sh", {
			[PAGE_BROKER]: `127.0.0.1:${broker.port}`,
			"GATEWAY-PASSWORD": GATEWAY_PASSWORD,
		});
		const output = await shell(folder, `GATEWAY=https://${authority} ADMIN=${gateway.token}\n${setting}`);
		assert.match(output, /"retcode":0/, output);
		const topic = `smgw/${(await gateway.read("system/version")).device.serial.toLowerCase()}`;
		const state = JSON.parse(await whilePublishing(gateway, () => messageOf(broker, `${topic}/state`)));
		return { ...bed, broker, topic, state };
	} catch (error) {
		if (bed !== undefined) await endReadingBed(bed);
		await broker.stop();
		throw error;
	}
}

/** Makes the gateway publish to the bed's broker again, after another one. */
export async function useBroker({ broker, gateway }: BrokerBed): Promise<void> {
	const url = `mqtt://127.0.0.1:${broker.port}`;
	await gateway.write("mqtt", { enabled: true, url, user: "gateway", password: GATEWAY_PASSWORD });
}

/** The page's broker, with its users and their rights. */
async function startBroker(): Promise<Mosquitto> {
	const folder = mkdtempSync(join(tmpdir(), "users-"));
	const passwd = join(folder, "passwd");
	try {
		await run("mosquitto_passwd", ["-c", "-b", passwd, "gateway", GATEWAY_PASSWORD]);
		await run("mosquitto_passwd", ["-b", passwd, "reader", READER_PASSWORD]);
		const users = readFileSync(passwd, "utf8");
		// The page's port and paths are replaced.
		const words = { "listener 1883\n": "", "/etc/mosquitto/passwd": "@/passwd" };
		const lines = [...template("mosquitto.conf", words).trim().split("\n"), "acl_file @/acl"];
		const client = ["-u", "reader", "-P", READER_PASSWORD];
		return await Mosquitto.start({ lines, files: { passwd: users, acl: template("mosquitto.acl") }, client });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * Publishes the last readout again and again while `use` runs. Its state is not retained, so a program that connects
 * later would wait for the next readout.
 */
export async function whilePublishing<T>(gateway: ProcessGateway, use: () => Promise<T>): Promise<T> {
	let isOver = false;
	const publish = async () => {
		while (!isOver) {
			await gateway.get("mqtt/send");
			await sleep(PUBLISH_MS);
		}
	};
	const publishing = publish();
	try {
		return await use();
	} finally {
		isOver = true;
		await publishing;
	}
}

/** The page's command for mosquitto_sub, for this topic. */
export function subscribing(broker: Mosquitto, topic: string): string {
	const words = {
		[`-h ${PAGE_BROKER}`]: `-h 127.0.0.1 -p ${broker.port}`,
		"READER-PASSWORD": READER_PASSWORD,
		"smgw/#": topic,
	};
	return template("subscribe.sh", words).trim();
}

/** The topic's next message. */
async function messageOf(broker: Mosquitto, topic: string): Promise<string> {
	const line = subscribing(broker, topic);
	const shown = await run("sh", ["-c", `${line} -C 1 -W ${MESSAGE_LIMIT_S}`]);
	return shown.slice(topic.length + 1).trimEnd();
}

export async function endBrokerBed(bed: BrokerBed): Promise<void> {
	await endReadingBed(bed);
	await bed.broker.stop();
}

/** Runs shell lines in this folder until one fails; returns their output. */
export function shell(folder: string, lines: string): Promise<string> {
	const path = join(folder, "lines.sh");
	writeFileSync(path, `set -e\ncd '${folder}'\n${lines}`);
	return run("sh", [path]);
}

/** Present values of the last readout by OBIS code, in the meter's units. */
export function numbersOf({ readings }: JSONObject): Record<string, number> {
	const numbers: Record<string, number> = {};
	for (const { obis, value1_number, billing_period } of readings) {
		if (value1_number !== null && billing_period === null) numbers[obis] = value1_number;
	}
	return numbers;
}

/** The address in the gateway's certificate, which it makes after joining the network. */
async function addressOf(gateway: ProcessGateway): Promise<string> {
	const limit = Date.now() + ADDRESS_LIMIT_MS;
	for (;;) {
		const names = (await certificateOf(gateway.httpsPort)).subjectAltName ?? "";
		const addresses = [...names.matchAll(/IP Address:([\d.]+)/g)].map(([, one]) => one);
		const address = addresses.find((one) => one !== ACCESS_POINT);
		if (address !== undefined) return address;
		assert.ok(Date.now() < limit, `no certificate for an address in a network: ${names}`);
		await sleep(200);
	}
}
