/**
 * Our gateway fills its history from a year of quarter hours in `gurux.dlms` for Java (java/ServeYear.java). Both run in
 * virtual time over a modelled line of 9600 Bd; the time stands still while the server replies.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FORMAT_8N1 } from "../../modules/io/host.js";
import type { Machine, Output } from "../../modules/io/machine.js";
import { FLAG } from "../../tools/meter/hdlc-frame.js";
import { lineChange, noOutput, transmission } from "../../tools/meter/outputs.js";
import type { JSONObject } from "../api/gateway.js";
import { BackfillBed, DAY_MS, HOUR_MS, MINUTE_MS, YEAR_ROWS } from "../backfill/bed.js";
import { prepareGuruxServer } from "./gurux-server.js";
import { run } from "./peer.js";

const START_MS = Date.parse("2026-11-20T06:00:00Z");
const QUARTER_MS = 900_000;
const BAUD = 9600;
const REACTION_MS = 20;
const RESTARTS = 5;
/** Head of a message to the server: time (8 bytes), length (2 bytes). */
const HEAD_SIZE = 10;
/** Size of the length field before the server's answer, bytes. */
const LENGTH_SIZE = 4;
/** A frame's length without its two flags is in the low 11 bits of its first two bytes (IEC 62056-46, 6.4.2). */
const LENGTH_MASK = 0x7ff;

/** Counters of java/ServeYear.java at the beginning of a quarter hour, Wh. */
function countersOf(utcS: number): { importWh: number; exportWh: number } {
	const quarters = Math.floor((utcS * 1000 - Date.UTC(2020, 0, 1)) / QUARTER_MS);
	return {
		importWh: 5_000_000 + 97 * quarters + Math.floor(quarters / 7) * 40,
		exportWh: 2_000_000 + 31 * quarters + Math.floor(quarters / 11) * 5,
	};
}

/** The server's process, which replies at once as the virtual time sees it. */
class YearServer {
	readonly #child;
	readonly #into: number;
	readonly #from: number;

	constructor(classPath: string, folder: string) {
		const [into, from] = ["into", "from"].map((name) => join(folder, name));
		// A pipe opened for both directions blocks neither this process nor the server.
		const both = [into, from].map((path) => openSync(path, "r+"));
		// The summer time of the gateway's zone.
		const args = ["-Duser.timezone=Europe/Berlin", "-cp", classPath, "ServeYear"];
		this.#child = spawn("java", args, { stdio: [both[0], both[1], "inherit"] });
		this.#child.on("error", () => {});
		this.#into = openSync(into, "w");
		this.#from = openSync(from, "r");
		for (const one of both) closeSync(one);
	}

	answer(bytes: Uint8Array, utcMs: number): Buffer {
		const head = Buffer.alloc(HEAD_SIZE);
		head.writeBigInt64BE(BigInt(utcMs));
		head.writeUInt16BE(bytes.length, HEAD_SIZE - 2);
		writeSync(this.#into, Buffer.concat([head, bytes]));
		return this.#read(this.#read(LENGTH_SIZE).readUInt32BE());
	}

	end(): void {
		this.#child.kill("SIGKILL");
		closeSync(this.#into);
		closeSync(this.#from);
	}

	#read(count: number): Buffer {
		const bytes = Buffer.alloc(count);
		for (let at = 0; at < count; ) {
			const length = readSync(this.#from, bytes, at, count - at, null);
			if (length === 0) throw new Error("Gurux' server has ended");
			at += length;
		}
		return bytes;
	}
}

/** The server's end of the line. */
class YearMeter implements Machine {
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #server: YearServer;
	readonly #utcMs: () => number;
	readonly #outputs: Output[] = [lineChange(BAUD, FORMAT_8N1)];
	#frame: number[] = [];
	#reply: Buffer = Buffer.alloc(0);

	constructor(server: YearServer, utcMs: () => number) {
		this.#server = server;
		this.#utcMs = utcMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		for (let i = start; i < end; i++) {
			const frame = this.#frame;
			if (frame.length < 2 && (bytes[i] === FLAG) !== (frame.length === 0)) continue;
			frame.push(bytes[i]);
			if (frame.length < 3 || frame.length < (((frame[1] << 8) | frame[2]) & LENGTH_MASK) + 2) continue;
			this.#frame = [];
			this.#reply = this.#server.answer(Uint8Array.from(frame), this.#utcMs());
			this.deadlineMs = nowMs + REACTION_MS;
		}
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (this.#reply.length > 0) this.#outputs.push(transmission(this.#reply));
	}

	poll(): Output {
		return this.#outputs.shift() ?? noOutput();
	}
}

interface Bed {
	readonly server: YearServer;
	readonly folder: string;
}

export async function prepareGuruxYear(): Promise<Bed> {
	const classPath = await prepareGuruxServer();
	const folder = mkdtempSync(join(tmpdir(), "gurux-year-"));
	await run(
		"mkfifo",
		["into", "from"].map((name) => join(folder, name)),
	);
	return { server: new YearServer(classPath, folder), folder };
}

export async function endGuruxYear({ server, folder }: Bed): Promise<void> {
	server.end();
	rmSync(folder, { recursive: true });
}

/** Passes time until a piece is being read. */
async function passIntoPiece(bed: BackfillBed): Promise<void> {
	while ((await bed.status()).state !== "reading") await bed.pass(500);
}

function isTrue({ start, end, import_wh, export_wh }: JSONObject): void {
	const [from, to] = [start, end].map(countersOf);
	assert.deepEqual(
		[import_wh, export_wh],
		[to.importWh - from.importWh, to.exportWh - from.exportWh],
		`${new Date(start * 1000).toISOString()} to ${new Date(end * 1000).toISOString()}`,
	);
}

export const guruxYearCases = [
	{
		name: "a year of quarter hours, with restarts in the middle of a piece, and no scheduled readout missed",
		async run({ server }: Bed) {
			const bed = await BackfillBed.start({
				startMs: START_MS,
				protocol: "dlms",
				stored: undefined,
				meter: (utcMs) => new YearMeter(server, utcMs),
			});
			const { gateway } = bed;
			const registers = [1, 2].map((c) => ({ code: [1, 0, c, 8, 0, 255], class_id: 3, attribute: 2 }));
			await bed.write("dlms/obis", { entries: registers });
			await bed.begin();
			while ((await bed.status()).days_done < 1) await bed.pass(MINUTE_MS);
			const { days_total, history_days, minutes_done, minutes_left } = await bed.status();
			assert.deepEqual([history_days, days_total], [800, YEAR_ROWS / 96]);
			const toldMinutes = minutes_done + minutes_left;
			let missed = 0;
			for (let i = 0; i < RESTARTS; i++) {
				await bed.pass(4 * MINUTE_MS);
				await passIntoPiece(bed);
				const { rows } = await bed.status();
				missed += (await gateway.read("system/status")).schedule_missed;
				await gateway.restart();
				const status = await bed.status();
				assert.ok(status.rows === rows && rows > 0, `${status.rows} rows, not ${rows}`);
			}
			const status = await bed.end();
			missed += (await gateway.read("system/status")).schedule_missed;
			assert.equal(missed, 0);
			assert.deepEqual([status.ended, status.last_error], ["complete", ""]);
			assert.ok(status.rows > YEAR_ROWS - 100 && status.rows <= YEAR_ROWS, `${status.rows} rows`);
			this.name += ` (${toldMinutes} minutes of line told, ${status.minutes_done} counted)`;
			assert.ok(Math.abs(status.minutes_done - toldMinutes) <= 0.1 * toldMinutes);

			const days = await bed.history("days");
			assert.ok(days.length >= 365 && days.length <= 367, `${days.length} days`);
			for (const day of days.slice(1, -1)) isTrue(day);
			for (const month of (await bed.history("months")).slice(1, -1)) isTrue(month);
			const { readings } = await gateway.read("iec62056/read");
			const [imported, exported] = readings.map(({ value1 }: JSONObject) => Number(value1));
			const { importWh, exportWh } = countersOf(days[0].start);
			const sum = (key: string) => days.reduce((total, day) => total + day[key], 0);
			assert.deepEqual([sum("import_wh"), sum("export_wh")], [imported - importWh, exported - exportWh]);
			// Each quarter hour since the start has a readout of its own.
			const quarters = await bed.history("quarters");
			const measured = quarters.filter(({ start }) => start * 1000 >= START_MS + QUARTER_MS);
			for (const quarter of measured.slice(0, -1)) {
				isTrue(quarter);
				assert.deepEqual([quarter.from_meter, quarter.gap], [undefined, undefined]);
			}
			assert.ok(bed.nowMs - START_MS < 3 * HOUR_MS && measured.length >= 3, `${measured.length} quarter hours`);
			assert.ok(status.oldest * 1000 <= START_MS - 364 * DAY_MS);
			await gateway.stop();
		},
	},
];
