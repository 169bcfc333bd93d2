/**
 * Part b: number of XS steps (bytecodes that the worker counts) in the virtual world. It is the same on every machine.
 * The reference is a bare loop, x ^= bytes[i].
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findXSWorker, XSWorker } from "../../hosts/node/xs-worker.js";
import { IECMeter, METER_BLOCK } from "../meter/iec-meter.js";
import { PushMeter } from "../meter/push-meter.js";
import { progress, type Row, round, type Section } from "./report.js";
import * as telegrams from "./telegrams.js";
import { XSWorld } from "./xs-world.js";

const LOOP_BYTES = 10_000;
const LOOP = `globalThis.handleCommand = (message) => {
	const bytes = new Uint8Array(message);
	let x = 0;
	for (let i = 0; i < bytes.length; i++) x ^= bytes[i];
};`;

/** Numbers of characters that the gateway gets together at 9600 Bd. A full piece from the serial port has 64. */
const PIECES = [1, 8, 64];
const BAUD = 9600;
/** Duration of the measurement for a P1 port, and for a meter that sends a telegram each second. */
const PUSHED_SECONDS = 10;
const P1_BAUD = 115_200;
/** Number of characters after which the chip's UART interrupts (hosts/esp32/uart-core.h). */
const UART_PIECE = 32;
const PATHS = ["meter/protocol", "iec62056/config", "system/status", "system/version", "system/challenge", "nowhere"];

export async function measureSteps(): Promise<Section> {
	progress("  steps of a bare loop …");
	const reference = await measureLoop();
	const rows: Row[] = [];
	const add = (what: string, unit: string, steps: number) => {
		rows.push({ what, steps: round(steps, 1), per: unit, ratio: round(steps / reference, 1) });
	};
	add("bare loop over bytes", "byte", reference);
	for (const name of [telegrams.MT174, telegrams.KOHLER]) {
		for (const piece of PIECES) {
			progress(`  steps of a readout, ${name}, ${piece} characters a piece …`);
			add(`readout of ${name}, ${piece} at a time`, "character", await measureBlock(name, piece));
		}
	}
	for (const piece of [1, UART_PIECE]) {
		progress(`  steps of SML, ${telegrams.ED300L}, ${piece} characters a piece …`);
		const bytes = telegrams.smlCapture(telegrams.ED300L);
		const steps = await measurePushed(bytes, BAUD, piece, "meter/protocol", { protocol: "sml" });
		add(`SML, ${telegrams.ED300L}, ${piece} at a time`, "character", steps / bytes.length);
	}
	for (const piece of [UART_PIECE, 512]) {
		progress(`  steps of a P1 port, ${telegrams.T210D}, ${piece} characters a piece …`);
		const { opening, message } = telegrams.capture(telegrams.T210D);
		const bytes = Buffer.concat([opening, message]);
		const settings = { mode_d_enabled: true, mode_d_baudrate: P1_BAUD };
		const steps = await measurePushed(bytes, P1_BAUD, piece, "iec62056/config", settings);
		add(`P1 port, ${telegrams.T210D}, ${piece} at a time`, "character", steps / bytes.length);
		if (piece === UART_PIECE) add(`P1 port, ${bytes.length} characters`, "telegram", steps);
	}
	await measureRequests(add);
	return {
		part: "b",
		title: "Steps (bytecodes) of XS",
		notes: ["ratio = steps ÷ steps of the bare loop for a byte. They include the simulator's line to the worker."],
		rows,
	};
}

async function measureLoop(): Promise<number> {
	const program = findXSWorker();
	if (program === undefined) throw new Error("The XS engine is not installed: npm could not build @agoric/xsnap.");
	const folder = mkdtempSync(join(tmpdir(), "bench-"));
	const script = join(folder, "loop.js");
	writeFileSync(script, LOOP);
	const worker = new XSWorker({ program, onCommand: () => new Uint8Array(1), onCrash: progress });
	try {
		await worker.runScript(script);
		const { steps } = await worker.deliver(new Uint8Array(LOOP_BYTES));
		return steps / LOOP_BYTES;
	} finally {
		await worker.end();
		rmSync(folder, { recursive: true });
	}
}

async function measureBlock(name: string, piece: number): Promise<number> {
	const xs = await startWorld(name, (piece * 10_000) / BAUD);
	try {
		const { meter } = xs.world.serial;
		const client = xs.world.connect();
		xs.send(client, "iec62056/read");
		await xs.until(() => meter.meterEvents.includes(METER_BLOCK));
		client.close();
		const before = xs.engine.steps();
		await xs.advance((telegrams.capture(name).message.length * 10_000) / BAUD + 3000);
		return (xs.engine.steps() - before) / telegrams.capture(name).message.length;
	} finally {
		await xs.stop();
	}
}

async function measurePushed(
	bytes: Uint8Array,
	baud: number,
	piece: number,
	path: string,
	body: Record<string, unknown>,
): Promise<number> {
	const xs = await startWorld(telegrams.KOHLER, (piece * 10_000) / baud);
	try {
		await xs.request(path, { body });
		const { nowMs } = xs.world.time;
		xs.world.serial.meter.connect(new PushMeter({ source: () => bytes, baud, pushMs: 1000 }, nowMs));
		// The effects of the settings still run during the first telegrams, so these are not measured.
		await xs.advance(2500);
		const before = xs.engine.steps();
		await xs.advance(PUSHED_SECONDS * 1000);
		return (xs.engine.steps() - before) / PUSHED_SECONDS;
	} finally {
		await xs.stop();
	}
}

async function measureRequests(add: (what: string, unit: string, steps: number) => void): Promise<void> {
	progress("  steps of requests …");
	const xs = await startWorld(telegrams.KOHLER);
	try {
		const client = xs.world.connect();
		const ask = async (path: string) => {
			const before = xs.engine.steps();
			const reply = await xs.request(path, {}, client);
			return { steps: xs.engine.steps() - before, reply };
		};
		await ask("iec62056/read");
		const { steps, reply } = await ask("iec62056/last");
		const records = reply.json().readings.length;
		add(`GET last, ${records} records`, "request", steps);
		add("GET last", "record", steps / records);
		add("GET last", "byte of the reply", steps / reply.body.length);
		for (const language of ["de", "pl"]) {
			add(`GET last?lang=${language}`, "record", (await ask(`iec62056/last?lang=${language}`)).steps / records);
		}
		for (const path of PATHS) {
			add(`GET ${path}`, "request", (await ask(path)).steps);
		}
	} finally {
		await xs.stop();
	}
}

async function startWorld(name: string, pieceMs?: number): Promise<XSWorld> {
	const xs = await XSWorld.start({ ...(pieceMs === undefined ? {} : { pieceMs }) });
	xs.world.serial.meter.connect(new IECMeter({ source: () => telegrams.capture(name) }));
	await xs.login();
	return xs;
}
