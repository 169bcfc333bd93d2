/** Checks of the host contract: partitions of the flash. Portable. */
import { ERASE_SIZE, type Partition, WRITE_SIZE } from "../../../modules/io/flash.js";
import type { Host } from "../../../modules/io/host.js";
import { expect, expectBytes, expectEqual, expectRangeError, frozen, pattern } from "./check.js";

const ERASED = 0xff;

function open({ flash }: Host, name: string): Partition {
	const partition = flash?.open(name);
	expect(partition !== undefined, `there is no partition ${name}`);
	return partition;
}

function bytesOf(partition: Partition, offset: number, length: number): Uint8Array {
	const bytes = new Uint8Array(length);
	partition.read(offset, bytes);
	return bytes;
}

const erased = (length: number) => new Uint8Array(length).fill(ERASED);

export const flashChecks = frozen([
	{
		name: "flash has the partitions of history and log, erased at first, and no others",
		async run(host) {
			for (const name of ["history", "log"]) {
				const partition = open(host, name);
				expect(partition.size >= 2 * ERASE_SIZE, `${name} has ${partition.size} bytes`);
				expectEqual(partition.size % ERASE_SIZE, 0, `bytes of ${name} beyond whole pieces`);
				expectBytes(bytesOf(partition, 0, 100), erased(100), `the beginning of ${name}`);
				expectBytes(bytesOf(partition, partition.size - 100, 100), erased(100), `the end of ${name}`);
			}
			for (const name of ["", "nothing", "nvs", "../secret", "History", "ota_0"]) {
				expectEqual(host.flash?.open(name), undefined, `the partition "${name}"`);
			}
		},
	},
	{
		name: "flash is read at any offset and length",
		async run(host) {
			const partition = open(host, "log");
			partition.erase(0, ERASE_SIZE);
			partition.write(0, pattern(1024));
			for (const [offset, length] of [
				[0, 1024],
				[1, 3],
				[17, 1000],
				[1023, 1],
				[5, 0],
				[partition.size, 0],
			]) {
				expectBytes(bytesOf(partition, offset, length), pattern(length, offset), `${length} bytes from ${offset} on`);
			}
			expectBytes(bytesOf(partition, 1020, 8).subarray(4), erased(4), "what follows");
			const into = new Uint8Array(8);
			partition.read(3, into, 2, 5);
			expectBytes(into.subarray(2, 5), pattern(3, 3), "a part of the caller's array");
			expectEqual(into[1] + into[5], 0, "bytes beside it");
		},
	},
	{
		name: "flash is written in whole units, and rejects other writes without effect",
		async run(host) {
			const partition = open(host, "log");
			const { size } = partition;
			partition.erase(0, ERASE_SIZE);
			const bytes = pattern(3 * WRITE_SIZE);
			partition.write(WRITE_SIZE, bytes, 1, 1 + 2 * WRITE_SIZE);
			bytes.fill(0);
			expectBytes(bytesOf(partition, WRITE_SIZE, 2 * WRITE_SIZE), pattern(2 * WRITE_SIZE, 1), "two units");
			partition.write(size - WRITE_SIZE, pattern(WRITE_SIZE));
			expectBytes(bytesOf(partition, size - WRITE_SIZE, WRITE_SIZE), pattern(WRITE_SIZE), "the last unit");
			partition.write(0, bytes, 5, 5);
			const at = 64 * WRITE_SIZE;
			for (const offset of [at + 1, at + 8, -WRITE_SIZE, size, Number.NaN, 0.5]) {
				expectRangeError(() => partition.write(offset, pattern(WRITE_SIZE)), `a write at ${offset}`);
			}
			for (const length of [1, WRITE_SIZE - 1, WRITE_SIZE + 1]) {
				expectRangeError(() => partition.write(at, pattern(length)), `a write of ${length} bytes`);
			}
			expectRangeError(() => partition.write(size - WRITE_SIZE, pattern(2 * WRITE_SIZE)), "a write beyond the end");
			expectRangeError(() => partition.write(at, pattern(16), 0, 32), "a write of more than there is");
			expectRangeError(() => bytesOf(partition, size - 1, 2), "a read beyond the end");
			expectRangeError(() => bytesOf(partition, -1, 1), "a read before the beginning");
			expectRangeError(() => partition.read(0, new Uint8Array(4), 0, 5), "a read into more than there is");
			expectBytes(bytesOf(partition, at - 16, 64), erased(64), "where nothing was written");
		},
	},
	{
		name: "flash is erased in whole sectors, and other sectors are not affected",
		async run(host) {
			const partition = open(host, "history");
			partition.erase(0, 3 * ERASE_SIZE);
			for (let at = 0; at < 3 * ERASE_SIZE; at += 1024) partition.write(at, pattern(1024, at));
			partition.erase(ERASE_SIZE, ERASE_SIZE);
			expectBytes(bytesOf(partition, 0, ERASE_SIZE), pattern(ERASE_SIZE), "the sector before");
			expectBytes(bytesOf(partition, ERASE_SIZE, ERASE_SIZE), erased(ERASE_SIZE), "the piece");
			const after = 2 * ERASE_SIZE;
			expectBytes(bytesOf(partition, after, ERASE_SIZE), pattern(ERASE_SIZE, after), "the sector after");
			for (const [offset, length] of [
				[16, ERASE_SIZE],
				[0, 16],
				[-ERASE_SIZE, ERASE_SIZE],
				[partition.size, ERASE_SIZE],
				[0, partition.size + ERASE_SIZE],
				[Number.NaN, ERASE_SIZE],
			]) {
				expectRangeError(() => partition.erase(offset, length), `erasing ${length} bytes from ${offset} on`);
			}
			partition.erase(0, 0);
			expectBytes(bytesOf(partition, 0, 64), pattern(64), "bytes that were not to be erased");
			partition.write(ERASE_SIZE, pattern(16));
			expectBytes(bytesOf(partition, ERASE_SIZE, 16), pattern(16), "bytes that were erased and written again");
		},
	},
	{
		name: "two partitions of the flash do not overlap",
		async run(host) {
			const log = open(host, "log");
			const history = open(host, "history");
			log.write(log.size - 64, pattern(64));
			history.write(0, pattern(64, 100));
			expectBytes(bytesOf(log, log.size - 64, 64), pattern(64), "the end of log");
			expectBytes(bytesOf(log, 0, 64), erased(64), "the beginning of log");
			history.erase(0, history.size);
			expectBytes(bytesOf(log, log.size - 64, 64), pattern(64), "the end of log, with history erased");
			expectBytes(bytesOf(open(host, "log"), log.size - 64, 64), pattern(64), "the end of log, opened again");
			log.erase(0, log.size);
			expectBytes(bytesOf(history, 0, 64), erased(64), "the beginning of history");
		},
	},
	{
		name: "flash keeps its contents across a restart",
		async run(host) {
			const log = open(host, "log");
			const history = open(host, "history");
			log.write(0, pattern(2048));
			history.write(history.size - 1024, pattern(1024, 5));
			history.write(0, pattern(16));
			history.erase(0, ERASE_SIZE);
		},
		async afterRestart(host) {
			const log = open(host, "log");
			const history = open(host, "history");
			expectBytes(bytesOf(log, 0, 2048), pattern(2048), "log");
			expectBytes(bytesOf(log, 2048, 64), erased(64), "log after that");
			expectBytes(bytesOf(history, history.size - 1024, 1024), pattern(1024, 5), "history");
			expectBytes(bytesOf(history, 0, 64), erased(64), "history where it was erased");
		},
	},
]);
