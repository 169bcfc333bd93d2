/**
 * GET `system/backup`: all settings as a JSON file. POST (restore.ts) accepts this file, even in newer firmware. It
 * contains no secrets, because people keep downloaded files for longer than they use a password. docs/backup.md
 * describes the file.
 */

import { type BackupGroup, isShown } from "../../api/backup-group.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { isSet, settingMember } from "../../api/settings.js";
import type { Setting } from "../../config/schema.js";
import type { ConfigStore } from "../../config/store.js";
import type { Core } from "../../core/core.js";
import type { Cost } from "../../io/memory.js";
import { JSONStream } from "../../json/stream.js";
import type { JSONWriter } from "../../json/writer.js";
import type { Part } from "../../part/part.js";
import { utcText } from "../../time/iso.js";
import { buildNumber } from "../../update/version.js";
import type { System } from "./status.js";

export const BACKUP_REPLY_COST: Cost = Object.freeze({ slots: 250, chunkBytes: 3072 });

export const BACKUP_FORM = 1;
/** End of the date in `2026-11-22T15:50:00Z`. */
const DATE_END = 10;

export function groupsOf(parts: readonly Part[]): BackupGroup[] {
	const groups: BackupGroup[] = [];
	for (const { backup } of parts) groups.push(...backup);
	return groups;
}

export function getBackup(exchange: Exchange<System>): void {
	const { core, response } = exchange;
	const { parts } = exchange.part;
	const { clock, text, config, ledger, hostname, writer } = core;
	if (!ledger.claim(BACKUP_REPLY_COST)) {
		exchange.busy();
		return;
	}
	const utcMs = clock.utcMs();
	const created = utcMs === undefined ? "" : utcText(utcMs, text);
	const values = valuesOf(config, parts);
	// The file is a single unit, which is written again from its start for each window. This is slow, but it takes less
	// code, and backups are rare.
	const stream = new JSONStream(writer, (into) => {
		writeAll(into, core, parts, created, values);
		return false;
	});
	const date = created === "" ? "" : `-${created.slice(0, DATE_END)}`;
	response.header("Content-Disposition", `attachment; filename="${hostname}${date}.json"`);
	response.lines("Content-Type: application/json\r\n");
	response.send(200, {
		read: (into, start, end) => stream.read(into, start, end),
		close: () => ledger.release(BACKUP_REPLY_COST),
	});
}

/**
 * Returns the values at this moment, because the settings may change while the file is sent. For a secret, it returns
 * only whether it is set.
 */
function valuesOf(config: ConfigStore, parts: readonly Part[]): readonly Setting[] {
	const values: Setting[] = [];
	for (const { table, secrets } of groupsOf(parts)) {
		for (const field of table.fields) if (isShown(field)) values.push(config.get(field));
		for (const field of secrets) values.push(isSet(config.get(field)));
	}
	return values;
}

function writeAll(
	writer: JSONWriter,
	{ info }: Core,
	parts: readonly Part[],
	created: string,
	values: readonly Setting[],
): void {
	let at = 0;
	writer.beginObject();
	numberMember(writer, "backup", BACKUP_FORM);
	textMember(writer, "product", "smart-meter-gw");
	textMember(writer, "version", info.firmwareVersion);
	numberMember(writer, "build_number", buildNumber(info.firmwareVersion));
	textMember(writer, "board", info.board);
	textMember(writer, "created", created);
	writer.key("settings");
	writer.beginObject();
	for (const { path, table, secrets, writeList } of groupsOf(parts)) {
		writer.key(path);
		writer.beginObject();
		for (const field of table.fields) {
			if (!isShown(field)) continue;
			const value = values[at++];
			if (value instanceof Uint8Array) {
				writer.key(field.name);
				writeList?.(writer, value);
			} else settingMember(writer, field.name, value);
		}
		for (const { name } of secrets) booleanMember(writer, `${name}_set`, values[at++] === true);
		writer.endObject();
	}
	writer.endObject();
	writer.endObject();
}
