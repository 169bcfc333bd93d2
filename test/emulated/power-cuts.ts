/**
 * Power cuts: when idle, and within writes of settings. For the latter QEMU records the writes to the flash. For each cut
 * the flash gets those before it, and the board starts with it.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../hosts/node/random.js";
import { emulatedBoard } from "../../tools/emulate/firmware.js";
import { findPartition, type Partition } from "../../tools/factory/partitions.js";
import { ROOT } from "../../tools/sdk/sdk.js";
import type { EmulatedBoard } from "./board.js";
import { applyWrite, begins, type FlashWrite, readWrites } from "./flash-writes.js";
import { P1, readMeter } from "./readouts.js";

const QUARTER_MS = 900_000;
const CUTS = Number(process.env["CUTS"] ?? 8);
/** Number of settings written; enough to fill a page of the partition. */
const SETTINGS = 40;
const FIRST_BAUD = 1000;

export function powerCuts(emulated: EmulatedBoard): void {
	const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

	it("keeps settings and history across a power cut", async () => {
		await readMeter(emulated, P1);
		await emulated.client.post("system/timezone", { timezone: "Europe/Warsaw" });
		const now = Date.now();
		// A telegram comes each second; the first of each quarter of an hour is stored.
		const quarters = [1, 2].map((count) => now - (now % QUARTER_MS) + count * QUARTER_MS);
		for (const utcMs of quarters) {
			await emulated.setClock(utcMs);
			const before = await emulated.metric("smartmeter_readouts_total");
			while ((await emulated.metric("smartmeter_readouts_total")) < before + 2) await sleep(200);
		}
		const path = `meter/history?period=quarters&from=${quarters[0] / 1000}&to=${quarters[1] / 1000}`;
		const history = await emulated.client.get(path);
		assert.equal(history["periods"].length, 1, JSON.stringify(history));
		await emulated.cutPower();
		await emulated.powerOn();
		await emulated.setClock(quarters[1] + 1000);
		assert.deepEqual(await emulated.client.get(path), history);
		assert.equal((await emulated.client.get("system/timezone"))["timezone"], "Europe/Warsaw");
	});

	it(`has the old or the new setting after a power cut within a write (SEED=${seed})`, async function () {
		const set = (value: number) => emulated.client.post("iec62056/config", { baudrate_max: value });
		await emulated.client.post("system/timezone", { timezone: "Europe/Warsaw" });
		await set(FIRST_BAUD);
		await emulated.cutPower();
		const flash = readFileSync(emulated.flash);
		const log = join(emulated.folder, "flash.log");
		await emulated.powerOn(log);
		const counts = [countWrites(log)];
		for (let setting = 1; setting <= SETTINGS; setting++) {
			await set(FIRST_BAUD + setting);
			counts.push(countWrites(log));
		}
		await emulated.cutPower();
		const writes = readWrites(readFileSync(log, "latin1"));
		assertWritten(flash, writes, emulated.flash);
		const moments = chooseMoments(momentsOf(writes, counts, settingsPartition(emulated)), new SeededRandom(seed));
		assert.equal(moments.length, CUTS);
		let done = 0;
		let oldFound = 0;
		for (const { count, setting, what } of moments) {
			for (; done < count; done++) applyWrite(flash, writes[done]!);
			writeFileSync(emulated.flash, flash);
			await emulated.powerOn();
			const found = (await emulated.client.get("iec62056/config"))["baudrate_max"] - FIRST_BAUD;
			console.log(`        ${what}: setting ${found} of ${setting}`);
			assert.ok(
				found === setting || found === setting - 1,
				`${what}: setting ${found}, not ${setting} or the one before`,
			);
			assert.equal((await emulated.client.get("system/timezone"))["timezone"], "Europe/Warsaw");
			if (found < setting) oldFound++;
			await emulated.cutPower();
		}
		await emulated.powerOn();
		this.test!.title += `: ${CUTS} cuts, ${oldFound} with the old setting`;
	});
}

function countWrites(log: string): number {
	return readWrites(readFileSync(log, "latin1")).length;
}

/** The record must be complete. */
function assertWritten(before: Uint8Array, writes: readonly FlashWrite[], file: string): void {
	const flash = Buffer.from(before);
	for (const write of writes) applyWrite(flash, write);
	assert.ok(flash.equals(readFileSync(file)), "the record of the writes does not lead to the flash");
}

function settingsPartition({ board }: EmulatedBoard): Partition {
	const { partitions } = emulatedBoard(board);
	return findPartition(readFileSync(join(ROOT, "hosts", "esp32", partitions), "utf8"), "nvs");
}

interface Moment {
	/** Number of writes before the cut. */
	readonly count: number;
	/** Number of the setting that is being written. */
	readonly setting: number;
	/** True if the cut is between two writes, not within the bytes of one. */
	readonly isBetween: boolean;
	readonly what: string;
}

/** Moments after the first and before the last change of a setting's write. */
function momentsOf(writes: readonly FlashWrite[], counts: readonly number[], { offset, size }: Partition): Moment[] {
	return counts.slice(1).flatMap((end, index) => {
		const indexes = Array.from({ length: end - counts[index]! }, (_, at) => counts[index]! + at).filter(
			(at) => writes[at]!.offset >= offset && writes[at]!.offset < offset + size,
		);
		return indexes.slice(1).map((at, place) => ({
			count: at,
			setting: index + 1,
			isBetween: begins(writes, at),
			what: `cut after ${place + 1} of ${indexes.length} changes of the flash`,
		}));
	});
}

/** Half of the moments are between two writes. */
function chooseMoments(moments: Moment[], random: SeededRandom): Moment[] {
	const chosen: Moment[] = [];
	for (const isBetween of [true, false]) {
		const left = moments.filter((moment) => moment.isBetween === isBetween);
		for (let cut = isBetween ? 0 : 1; cut < CUTS && left.length > 0; cut += 2)
			chosen.push(...left.splice(random.below(left.length), 1));
	}
	return chosen.sort((a, b) => a.count - b.count);
}
