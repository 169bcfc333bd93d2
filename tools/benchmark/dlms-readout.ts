/**
 * Part f: readouts of the default list from a DLMS meter, in HDLC at 9600 Bd; the meter reacts after 20 ms.
 *
 *   time     from the request to the last byte of its reply, on a pseudo-terminal with the speed of a wire. It is
 *            compared with an ideal client, which opens and ends the connection as the gateway does, and gets all
 *            values by one request: characters both ways × 10 bits ÷ baud, and the meter's reaction before each answer
 *   traffic, steps of XS, calls of GCM   measured in the virtual world, so the numbers are the same on every machine.
 *            Steps count from the first character on the line to the last, without the HTTP request and its reply
 */
import { parseDLMSOptions } from "../meter/dlms-options.js";
import { makeDLMSMeter } from "../meter/make-dlms-meter.js";
import { BenchGateway, type EngineName, nowMs } from "./benchmark-gateway.js";
import { BenchMeter } from "./benchmark-meter.js";
import { DLMSTap, loadMs, REACTION_MS, type Traffic } from "./dlms-tap.js";
import { median, progress, type Row, round, type Section } from "./report.js";
import { XSWorld } from "./xs-world.js";

const BAUD = 9600;
const REPEATS = 3;
const PIECE = 64;
const QUIET_MS = 1500;
const METER = Object.freeze(["--protocol", "dlms", "--baud", String(BAUD), "--reaction", String(REACTION_MS)]);
const READOUTS = ["first", "next"];

const PLAIN = {
	auth: "none",
	use_encryption: false,
	client_address: 16,
	server_physical: 17,
	opening: "direct",
	baudrate: BAUD,
};
const LOW = { ...PLAIN, auth: "low", client_address: 32, password: "12345678" };
const KEYS = {
	block_cipher_key: "000102030405060708090a0b0c0d0e0f",
	auth_key: "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
};
const SEALED = { ...LOW, ...KEYS, use_encryption: true };
const GMAC = { ...SEALED, auth: "high_gmac", client_address: 1 };

interface Case {
	readonly what: string;
	readonly config: object;
	/** True if the previous case is the same readout without ciphering. */
	readonly comparable?: boolean;
}

const CASES: readonly Case[] = [
	{ what: "none", config: PLAIN },
	{ what: "LLS", config: LOW },
	{ what: "LLS, ciphered", config: SEALED, comparable: true },
	{ what: "HLS-GMAC, ciphered", config: GMAC },
];

interface Work {
	readonly traffic: Traffic;
	readonly steps: number;
	readonly gcmCalls: number;
	readonly gcmBytes: number;
	/** Real time that GCM takes on Node. */
	readonly gcmMs: number;
}

export async function measureDLMS(isQuick: boolean): Promise<Section> {
	const rows: Row[] = [];
	let before: Work[] = [];
	for (const one of CASES) {
		progress(`  steps of XS, ${one.what} …`);
		const work = await measureWork(one);
		for (const engine of isQuick ? (["xs"] as const) : (["xs", "node"] as const)) {
			progress(`  engine ${engine}, ${one.what} …`);
			const took = await measureTimes(one, engine, isQuick ? 1 : REPEATS);
			READOUTS.forEach((readout, i) => {
				const head = { engine, meter: one.what, readout, ...timeColumns(work[i].traffic, took[i]) };
				if (engine !== "xs") rows.push(head);
				// The first readout has no comparison, because it also reads the invocation counter over a separate connection.
				else rows.push({ ...head, ...workColumns(work[i], one.comparable && i > 0 ? before[i] : undefined) });
			});
		}
		before = work;
	}
	return {
		part: "f",
		title: `Readout of DLMS, default list, direct at ${BAUD} Bd (GET read over HTTPS)`,
		notes: [
			"ratio = took ÷ limit. The limit is the time of line and meter for a client that reads everything with one request, the",
			"fewest turns and bytes. line_ratio is the same for line and meter alone, without HTTPS and the computer.",
			"late_ms: time beyond that of line and meter for the gateway's own requests. steps: bytecodes of XS, in total and for",
			`each byte of an APDU; characters arrive in pieces of ${PIECE}. gcm_bytes: bytes that AES-GCM processed; gcm_ms: time of`,
			"Node's AES for them. ciphering: share of the steps in addition to those of the meter in the row above.",
		],
		rows,
	};
}

function timeColumns(traffic: Traffic, took: number): Row {
	const limit = loadMs(traffic.ideal, BAUD);
	return {
		turns: traffic.exchanges,
		I: traffic.information,
		RR: traffic.ready,
		least_turns: traffic.ideal.exchanges,
		apdu_out: traffic.sent,
		apdu_in: traffic.received,
		bytes: traffic.bytes,
		least_bytes: traffic.ideal.bytes,
		limit_ms: round(limit),
		took_ms: round(took),
		ratio: round(took / limit, 3),
		line_ratio: round(loadMs(traffic, BAUD) / limit, 3),
		late_ms: round(took - loadMs(traffic, BAUD)),
	};
}

function workColumns(work: Work, plain: Work | undefined): Row {
	const { traffic, steps, gcmCalls, gcmBytes, gcmMs } = work;
	return {
		steps,
		steps_byte: round(steps / (traffic.sent + traffic.received)),
		...(gcmCalls === 0 ? {} : { gcm_calls: gcmCalls, gcm_bytes: gcmBytes, gcm_ms: round(gcmMs, 2) }),
		...(plain === undefined ? {} : { ciphering: `${round((1 - plain.steps / steps) * 100)} %` }),
	};
}

/** Measures the first and the next readout of a unit. Returns medians, ms. */
async function measureTimes({ config }: Case, engine: EngineName, count: number): Promise<number[]> {
	const times: number[][] = READOUTS.map(() => []);
	const meter = await BenchMeter.start([...METER, "--baud-pace"]);
	try {
		for (let i = 0; i < count; i++) {
			const gateway = await BenchGateway.start(engine, meter.path);
			try {
				await gateway.request("meter/protocol", { protocol: "dlms" });
				await gateway.request("dlms/config", config);
				for (const all of times) {
					const startMs = nowMs();
					const { body, doneMs } = await gateway.request("iec62056/read");
					if (JSON.parse(body.toString()).missing.length > 0) throw new Error("a readout lacks values");
					all.push(doneMs - startMs);
				}
			} finally {
				await gateway.stop();
			}
		}
	} finally {
		meter.end();
	}
	return times.map(median);
}

async function measureWork({ config }: Case): Promise<Work[]> {
	const xs = await XSWorld.start({ pieceMs: (PIECE * 10_000) / BAUD });
	const meter = parseDLMSOptions(METER.slice(2))!;
	const tap = new DLMSTap(makeDLMSMeter(meter, { utcMs: Date.UTC(2026, 10, 20, 6), clocked: true }));
	try {
		xs.world.serial.meter.connect(tap);
		await xs.login();
		await xs.request("meter/protocol", { body: { protocol: "dlms" } });
		await xs.request("dlms/config", { body: config });
		const gcm = countGCM(xs);
		const work: Work[] = [];
		for (const _ of READOUTS) {
			Object.assign(gcm, { gcmCalls: 0, gcmBytes: 0, gcmMs: 0 });
			const steps = await readOnce(xs);
			work.push({ steps, traffic: tap.take(), ...gcm });
		}
		return work;
	} finally {
		await xs.stop();
	}
}

/** Reads the meter once. The client disconnects before the reply, so that the steps do not include a reply. */
async function readOnce(xs: XSWorld): Promise<number> {
	const { time, serial } = xs.world;
	const line = serial.meter;
	const client = xs.world.connect();
	const sent = line.sentByGateway;
	xs.send(client, "iec62056/read");
	await xs.until(() => line.sentByGateway > sent);
	client.close();
	const before = xs.engine.steps();
	await xs.until(() => time.nowMs - line.quietSinceMs > QUIET_MS);
	return xs.engine.steps() - before;
}

function countGCM({ world }: XSWorld): { gcmCalls: number; gcmBytes: number; gcmMs: number } {
	const { crypto } = world;
	const run = crypto.aes128GCM.bind(crypto);
	const count = { gcmCalls: 0, gcmBytes: 0, gcmMs: 0 };
	crypto.aes128GCM = (key, iv, associated, text) => {
		const startMs = performance.now();
		const result = run(key, iv, associated, text);
		count.gcmMs += performance.now() - startMs;
		count.gcmCalls++;
		count.gcmBytes += associated.length + text.length;
		return result;
	};
	return count;
}
