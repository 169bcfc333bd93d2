/**
 * Part h: time from the last character of a meter's telegram to the message with its power, at one telegram a second,
 * for the event stream, MQTT and each dialect of the live values. The reference is the limit of 50 ms in the median and
 * 250 ms in the worst case.
 *
 * The whole telegram is written to a pseudo-terminal in one piece, so the time of the wire is not included. A client of
 * a dialect sends a request every ASK_MS. The dialect's time is the time of the first reply with the new power. SMA and
 * the WebSocket send without requests.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { get } from "node:http";
import { get as getHTTPS } from "node:https";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Aedes } from "aedes";
import { BENCH_PASSWORD, BENCH_SSID } from "../../hosts/simulated/air.js";
import type { HouseholdReading } from "../meter/household.js";
import { p1Telegram } from "../meter/p1-telegram.js";
import { openPseudoTerminal } from "../meter/pseudo-terminal.js";
import { smlTelegram } from "../meter/sml-telegram.js";
import { BenchGateway, type EngineName, nowMs } from "./benchmark-gateway.js";
import { median, progress, type Row, round, type Section } from "./report.js";

const TELEGRAMS = 100;
const QUICK_TELEGRAMS = 10;
const EACH_MS = 1000;
const ASK_MS = 20;
/**
 * Number of telegrams at the beginning that are not measured, because the gateway then detects the protocol and opens
 * its connections.
 */
const SETTLED = 4;
const MEDIAN_LIMIT_MS = 50;
const LIMIT_MS = 250;
const JOIN_ASK_MS = 200;
const SHELLY_PORT = 2220;
const SMA_PORT = 9522;
const SMA_GROUP = "239.12.255.254";
const SMA_LENGTH = 608;
/** Offsets of imported and exported power in a datagram. The unit is 0.1 W. */
const [SMA_IMPORT, SMA_EXPORT] = [32, 52];
const MODBUS_PORT = 502;
/**
 * Modbus TCP request for the total power in SunSpec (two registers from 40097 on), and offset of the power in the
 * reply.
 */
const ASK_SUNSPEC = Buffer.from([0, 1, 0, 0, 0, 6, 1, 3, 0x9c, 0xa1, 0, 2]);
const SUNSPEC_WATTS = 9;
const WAYS = [
	...["event stream", "MQTT", "EcoTracker", "Shelly by HTTP", "Shelly by UDP", "HomeWizard"],
	...["Shelly by WebSocket", "SMA", "SunSpec"],
];
const ASK_SHELLY = Buffer.from('{"id":1,"src":"bench","method":"EM.GetStatus","params":{"id":0}}');

const PROTOCOLS = { p1: p1Telegram, sml: (reading: HouseholdReading) => smlTelegram(reading) } as const;
type Protocol = keyof typeof PROTOCOLS;
const SETTINGS: Readonly<Record<Protocol, readonly [path: string, body: object]>> = {
	p1: ["iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115_200 }],
	sml: ["meter/protocol", { protocol: "sml" }],
};

function readingOf(power: number): HouseholdReading {
	const phase = { volts: 230, amperes: 2, watts: power / 3 };
	return {
		...{ utcMs: Date.now(), dayImport: 100 + power / 1000, nightImport: 50, export: 3, reactive: 0, frequency: 50 },
		...{ maximum: 0, maximumMs: 0, power, phases: [phase, phase, phase] },
	};
}

/** Times of the telegrams, and times of the first message that contains the power of each telegram, Unix ms. */
class Arrivals {
	power = 0;
	readonly ways: readonly string[];
	readonly #count: number;
	#sentMs = 0;
	readonly #tookMs = new Map<string, number[]>();
	readonly #last = new Map<string, number>();

	constructor(ways: readonly string[], count: number) {
		this.ways = ways;
		this.#count = count;
		for (const way of ways) this.#tookMs.set(way, []);
	}

	sent(power: number): void {
		this.power = power;
		this.#sentMs = nowMs();
	}

	/** Records a message. `power` is in W. It is omitted if the message reports a new readout without its values. */
	arrived(way: string, power = this.power): void {
		if (Math.round(power) !== this.power || this.#last.get(way) === this.power) return;
		this.#last.set(way, this.power);
		this.#tookMs.get(way)!.push(nowMs() - this.#sentMs);
	}

	rows(engine: EngineName, protocol: Protocol): Row[] {
		return this.ways.map((way) => {
			const times = this.#tookMs
				.get(way)!
				.slice(SETTLED, SETTLED + this.#count)
				.sort((a, b) => a - b);
			if (times.length === 0) throw new Error(`No power value of a ${protocol} telegram arrived by ${way}.`);
			const [middleMs, worstMs] = [median(times), times[times.length - 1]];
			return {
				engine,
				protocol,
				way,
				telegrams: times.length,
				"median, ms": round(middleMs, 1),
				"99th, ms": round(times[Math.ceil(times.length * 0.99) - 1], 1),
				"worst, ms": round(worstMs, 1),
				ratio: round(middleMs / MEDIAN_LIMIT_MS, 2),
				"ratio of worst": round(worstMs / LIMIT_MS, 2),
			};
		});
	}
}

async function ask(
	port: number,
	path: string,
	received: (body: Record<string, unknown>) => void,
	signal: AbortSignal,
): Promise<void> {
	while (!signal.aborted) {
		await new Promise<void>((resolve) => {
			const request = get({ host: "127.0.0.1", port, path, agent: false }, async (response) => {
				let text = "";
				for await (const piece of response) text += piece;
				if (response.statusCode === 200) received(JSON.parse(text));
				resolve();
			});
			request.on("error", () => resolve());
		});
		await sleep(ASK_MS);
	}
}

async function askByUDP(received: (body: Record<string, unknown>) => void, signal: AbortSignal): Promise<void> {
	const socket = createSocket("udp4");
	socket.on("message", (bytes) => received(JSON.parse(bytes.toString()).result ?? {}));
	while (!signal.aborted) {
		socket.send(ASK_SHELLY, SHELLY_PORT, "127.0.0.1");
		await sleep(ASK_MS);
	}
	socket.close();
}

async function receiveSMA(received: (watts: number) => void, signal: AbortSignal): Promise<void> {
	const socket = createSocket({ type: "udp4", reuseAddr: true });
	socket.bind(SMA_PORT);
	await once(socket, "listening");
	for (const own of [undefined, "127.0.0.1"]) socket.addMembership(SMA_GROUP, own);
	socket.on("message", (bytes) => {
		if (bytes.length !== SMA_LENGTH) return;
		received((bytes.readUInt32BE(SMA_IMPORT) - bytes.readUInt32BE(SMA_EXPORT)) / 10);
	});
	await once(signal, "abort");
	socket.close();
}

async function askSunSpec(port: number, received: (watts: number) => void, signal: AbortSignal): Promise<void> {
	const socket = connect(port, "127.0.0.1").setNoDelay();
	try {
		while (!signal.aborted) {
			socket.write(ASK_SUNSPEC);
			const [reply] = await once(socket, "data", { signal });
			if (reply.length > SUNSPEC_WATTS) received(reply.readFloatBE(SUNSPEC_WATTS));
			await sleep(ASK_MS);
		}
	} catch (error) {
		if (!signal.aborted) throw error;
	} finally {
		socket.destroy();
	}
}

function follow(gateway: BenchGateway, name: string, received: () => void, signal: AbortSignal): void {
	const headers = { Authorization: `Bearer ${gateway.token}` };
	const way = { port: gateway.port, path: "/api/v1/events", rejectUnauthorized: false, headers, signal };
	getHTTPS(way, (response) => {
		response.setEncoding("utf8").on("data", (text: string) => text.includes(`event: ${name}\n`) && received());
		response.on("error", () => {});
	}).on("error", () => {});
}

/** Calls `found` with each power that the gateway's Shelly dialect sends by WebSocket. */
async function followShelly(port: number, found: (watts: number) => void, signal: AbortSignal): Promise<void> {
	const socket = connect({ port, host: "127.0.0.1" });
	const ended = once(socket, "close");
	signal.addEventListener("abort", () => socket.destroy());
	socket.on("error", () => {});
	socket.write(
		"GET /rpc HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
	);
	// This is a WebSocket frame with a mask of 0.
	socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | ASK_SHELLY.length, 0, 0, 0, 0]), ASK_SHELLY]));
	let text = "";
	for await (const bytes of socket) {
		text += bytes.toString("latin1");
		const last = [...text.matchAll(/"total_act_power":(-?[\d.]+),/g)].at(-1);
		if (last === undefined) continue;
		text = text.slice(last.index + last[0].length);
		found(Number(last[1]));
	}
	await ended;
}

async function measure(engine: EngineName, protocol: Protocol, count: number): Promise<Row[]> {
	progress(`  ${count} telegrams of ${protocol}, engine ${engine} …`);
	const line = await openPseudoTerminal();
	const broker = await Aedes.createBroker();
	const server = createServer((socket) => void broker.handle(socket));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const gateway = await BenchGateway.start(engine, line.path);
	const over = new AbortController();
	const asked = new AbortController();
	const arrivals = new Arrivals(WAYS, count);
	try {
		await gateway.request("network/wifi", { ssid: BENCH_SSID, password: BENCH_PASSWORD, dhcp: true, apply: true });
		await gateway.request(...SETTINGS[protocol]);
		await gateway.request("live-meter/clients", { clients: [{ address: "127.0.0.1" }] });
		await gateway.request("live-meter", {
			ecotracker: true,
			shelly: true,
			homewizard: true,
			shelly_udp_port: SHELLY_PORT,
		});
		for (;;) {
			const { body } = await gateway.request("network/status");
			if (JSON.parse(body.toString()).connected) break;
			await sleep(JOIN_ASK_MS);
		}
		const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
		await gateway.request("mqtt", { enabled: true, url, pause_secs: 1, discovery: false });
		broker.on("publish", ({ topic, payload }) => {
			if (topic.endsWith("/state")) arrivals.arrived("MQTT", JSON.parse(payload.toString())["1_0_1_7_0"]);
		});
		follow(gateway, "readout", () => arrivals.arrived("event stream"), over.signal);
		const port = gateway.plainPort;
		const telegrams = async (from: number) => {
			for (let i = from; i < from + count + SETTLED; i++) {
				// The power is a multiple of 3, so that the power of each phase needs no rounding.
				const power = 900 + 3 * i;
				line.write(PROTOCOLS[protocol](readingOf(power)));
				arrivals.sent(power);
				await sleep(EACH_MS);
			}
		};
		await telegrams(0);
		await gateway.request("mqtt", { enabled: false });
		const asking = [
			ask(port, "/v1/json", ({ power }) => arrivals.arrived("EcoTracker", Number(power)), asked.signal),
			ask(
				port,
				"/rpc/EM.GetStatus?id=0",
				(it) => arrivals.arrived("Shelly by HTTP", Number(it["total_act_power"])),
				asked.signal,
			),
			askByUDP((it) => arrivals.arrived("Shelly by UDP", Number(it["total_act_power"])), asked.signal),
			ask(port, "/api/v1/data", (it) => arrivals.arrived("HomeWizard", Number(it["active_power_w"])), asked.signal),
		];
		await telegrams(count + SETTLED);
		asked.abort();
		await Promise.all(asking);
		// These dialects are off, because with three connections for requests, plain HTTP has no place for the WebSocket.
		const off = { ecotracker: false, homewizard: false };
		await gateway.request("live-meter", { ...off, sma: true, sunspec: true });
		const modbusPort = gateway.replaced.get(MODBUS_PORT) ?? MODBUS_PORT;
		const others = [
			receiveSMA((watts) => arrivals.arrived("SMA", watts), over.signal),
			followShelly(port, (watts) => arrivals.arrived("Shelly by WebSocket", watts), over.signal).catch(() => {}),
			askSunSpec(modbusPort, (watts) => arrivals.arrived("SunSpec", watts), over.signal),
		];
		await telegrams(2 * (count + SETTLED));
		over.abort();
		await Promise.all(others);
		return arrivals.rows(engine, protocol);
	} finally {
		asked.abort();
		over.abort();
		await gateway.stop();
		broker.close();
		server.close();
		await line.close();
	}
}

export async function measureLatency(isQuick: boolean): Promise<Section> {
	const count = isQuick ? QUICK_TELEGRAMS : TELEGRAMS;
	const hasSDK = Boolean(process.env["MODDABLE"]);
	const rows: Row[] = [];
	for (const engine of hasSDK ? (["xs", "linux"] as const) : (["xs"] as const))
		for (const protocol of ["p1", "sml"] as const) rows.push(...(await measure(engine, protocol, count)));
	return {
		part: "h",
		title: "From the last character of a telegram to the message (one telegram a second)",
		notes: [
			`ratio = median ÷ ${MEDIAN_LIMIT_MS} ms, worst ÷ ${LIMIT_MS} ms. Event stream and MQTT run together, then EcoTracker, Shelly and HomeWizard, then the WebSocket, SMA and SunSpec. Dialects that do not send by themselves are polled every ${ASK_MS} ms.`,
			hasSDK
				? "linux: the firmware on Linux."
				: "The firmware on Linux is skipped: there is no Moddable SDK ($MODDABLE is not set).",
		],
		rows,
	};
}
