/**
 * GET `system/backup`: the settings as one JSON file, which POST (restore.ts) takes back, also in a newer firmware. Never
 * with a secret: a file in a folder of downloads outlives passwords. docs/backup.md tells what is in it.
 */
import type { Setting } from "../config/schema.js";
import type { ConfigStore } from "../config/store.js";
import { BACKUP_REPLY_COST } from "../io/memory.js";
import { JSONStream, SPARE } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import { buildNumber } from "../ota/upgrade.js";
import { utcText } from "../time/iso.js";
import { BACKUP_GROUPS, type BackupGroup, isShown } from "./backup-groups.js";
import type { Exchange, Services } from "./exchange.js";
import { booleanMember, numberMember, textMember } from "./members.js";
import { isSet, settingMember } from "./settings.js";

/** Version of the file's form. */
export const BACKUP_FORM = 1;
/** As in the metadata of a firmware file. */
export const PRODUCT = "smart-meter-gw";
/** Characters of the date in `2026-11-22T15:50:00Z`. */
const DATE_END = 10;

export function getBackup(exchange: Exchange): void {
	const { services, response } = exchange;
	const { clock, text, config, ledger, networkSettings, writer } = services;
	if (!ledger.claim(BACKUP_REPLY_COST)) {
		exchange.busy();
		return;
	}
	const utcMs = clock.utcMs();
	const created = utcMs === undefined ? "" : utcText(utcMs, text);
	const values = valuesOf(config);
	const produce = (into: JSONWriter, unit: number) => {
		if (unit === 0) writeHead(into, services, created);
		else if (unit <= BACKUP_GROUPS.length) writeGroup(into, BACKUP_GROUPS[unit - 1], values, startOf(unit - 1));
		else {
			into.endObject();
			into.endObject();
		}
		return unit <= BACKUP_GROUPS.length;
	};
	const stream = new JSONStream(writer, produce, SPARE);
	const date = created === "" ? "" : `-${created.slice(0, DATE_END)}`;
	response.header("Content-Disposition", `attachment; filename="${networkSettings.hostname}${date}.json"`);
	response.lines("Content-Type: application/json\r\n");
	response.send(200, {
		read: (into, start, end) => stream.read(into, start, end),
		close: () => ledger.release(BACKUP_REPLY_COST),
	});
}

/** All values of the file as they are now, since it is made in several pieces; of a secret whether there is one. */
function valuesOf(config: ConfigStore): readonly Setting[] {
	const values: Setting[] = [];
	for (const { table, secrets } of BACKUP_GROUPS) {
		for (const field of table.fields) if (isShown(field)) values.push(config.get(field));
		for (const field of secrets) values.push(isSet(config.get(field)));
	}
	return values;
}

function writeHead(writer: JSONWriter, { info }: Services, created: string): void {
	writer.beginObject();
	numberMember(writer, "backup", BACKUP_FORM);
	textMember(writer, "product", PRODUCT);
	textMember(writer, "version", info.firmwareVersion);
	numberMember(writer, "build_number", buildNumber(info.firmwareVersion));
	textMember(writer, "board", info.board);
	textMember(writer, "created", created);
	writer.key("settings");
	writer.beginObject();
}

/** Where the values of a group begin. */
function startOf(index: number): number {
	let at = 0;
	for (let i = 0; i < index; i++) {
		const { table, secrets } = BACKUP_GROUPS[i];
		at += table.fields.filter(isShown).length + secrets.length;
	}
	return at;
}

function writeGroup(writer: JSONWriter, group: BackupGroup, values: readonly Setting[], start: number): void {
	const { path, table, secrets, writeList } = group;
	let at = start;
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
