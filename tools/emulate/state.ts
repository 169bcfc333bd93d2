/**
 * State of an emulated board that survives a power cut, as files in a folder: the flash, the eFuses, and `unit.json`,
 * which states the board and the build in its flash.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Board } from "../../hosts/esp32/boards.js";
import { FACTORY_PARTITION } from "../../hosts/esp32/factory.js";
import { openState } from "../../hosts/node/state.js";
import { writeFileAtomic } from "../../hosts/node/storage.js";
import { findPartition } from "../factory/partitions.js";
import { imageOf, makeUnit } from "../factory/unit.js";
import { ROOT } from "../sdk/sdk.js";
import { EMULATED_CHIPS, newFuses } from "./chips.js";
import { erasedFlash, fingerprint, flashBytes, type Part, writeParts } from "./flash.js";

const VERSION = 2;

export interface EmulatedUnit {
	readonly flash: string;
	readonly fuses: string;
	readonly serial: string;
	/** Initial password of the user admin. */
	readonly labelPassword: string;
	readonly isNew: boolean;
	readonly isUpdated: boolean;
}

interface UnitRecord {
	readonly version: number;
	readonly board: string;
	readonly serial: string;
	readonly labelPassword: string;
	readonly build: string;
}

/**
 * Opens the unit, which only one process at a time may do. If the build is a different one, it is written as by `npm
 * run flash`, which keeps settings, history and factory data.
 */
export function openUnit(folder: string, board: Board, build: readonly Part[]): EmulatedUnit {
	openState(folder);
	const files = { flash: join(folder, "flash.bin"), fuses: join(folder, "efuse.bin") };
	const record = join(folder, "unit.json");
	if (!existsSync(record))
		return { ...files, ...makeFiles(record, files, board, build), isNew: true, isUpdated: false };
	const stored = readRecord(record, folder, board);
	for (const file of Object.values(files))
		if (!existsSync(file)) throw new Error(`${file} is missing: restore it, or delete ${folder} for a new unit.`);
	const isUpdated = stored.build !== fingerprint(build);
	if (isUpdated) {
		const flash = readFileSync(files.flash);
		writeParts(flash, build);
		// `unit.json` is written last, so that an interrupted update is repeated at the next start.
		writeFileSync(files.flash, flash);
		writeFileAtomic(record, textOf({ ...stored, build: fingerprint(build) }));
	}
	const { serial, labelPassword } = stored;
	return { ...files, serial, labelPassword, isNew: false, isUpdated };
}

function makeFiles(
	record: string,
	files: Pick<EmulatedUnit, "flash" | "fuses">,
	board: Board,
	build: readonly Part[],
): Pick<EmulatedUnit, "serial" | "labelPassword"> {
	const unit = makeUnit(`02${randomBytes(5).toString("hex")}`.toUpperCase(), board);
	const { offset } = findPartition(
		readFileSync(join(ROOT, "hosts", "esp32", board.partitions), "utf8"),
		FACTORY_PARTITION,
	);
	const flash = erasedFlash(flashBytes(board.partitions));
	writeParts(flash, [...build, { offset, bytes: imageOf(unit) }]);
	writeFileSync(files.flash, flash, { mode: 0o600 });
	writeFileSync(files.fuses, newFuses(EMULATED_CHIPS[board.chip]), { mode: 0o600 });
	const { serial, labelPassword } = unit;
	writeFileAtomic(
		record,
		textOf({ version: VERSION, board: board.name, serial, labelPassword, build: fingerprint(build) }),
	);
	return { serial, labelPassword };
}

function textOf(stored: UnitRecord): string {
	return `${JSON.stringify(stored, undefined, "\t")}\n`;
}

function readRecord(path: string, folder: string, board: Board): UnitRecord {
	let stored: Partial<UnitRecord> = {};
	try {
		stored = JSON.parse(readFileSync(path, "utf8"));
	} catch {
		// The record is unreadable, which the caller reports.
	}
	const texts = [stored.board, stored.serial, stored.labelPassword, stored.build];
	if (stored.version !== VERSION || texts.some((text) => typeof text !== "string"))
		throw new Error(`${path} is damaged, or of another version of this program: delete ${folder} for a new unit.`);
	if (stored.board !== board.name)
		throw new Error(
			`${folder} has the flash of a ${stored.board}: name another folder with --state for a ${board.name}.`,
		);
	return stored as UnitRecord;
}
