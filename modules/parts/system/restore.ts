/**
 * POST `system/backup`: restores all settings of a file, or none if one of them is invalid. Each setting is validated
 * by the rules of its own route. Settings that are not in the file keep their values. A stored secret is kept if its
 * address or network does not change. A file may contain secrets; the reply lists those that must be entered again.
 */

import { isSetting, isShown } from "../../api/backup-group.js";
import { ClaimedBody } from "../../api/claimed-body.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember } from "../../api/members.js";
import { isSet, putsOf } from "../../api/settings.js";
import { removeAt } from "../../bytes/list.js";
import { isSame, type Put, put } from "../../config/schema.js";
import type { BodySink } from "../../http/handler.js";
import type { Cost } from "../../io/memory.js";
import type { JSONWriter } from "../../json/writer.js";
import type { Part } from "../../part/part.js";
import { SETTINGS_FILES } from "../../provision/settings-files.js";
import { type GroupValues, RestoreReader } from "./restore-reader.js";
import type { System } from "./status.js";

/**
 * Most that a file takes that changes all settings: on Linux 450 slots and 10.6 KB, and 126 slots while the longest
 * entry is encoded.
 */
export const RESTORE_COST: Cost = Object.freeze({ slots: 620, chunkBytes: 12_288 });

export function postBackup(exchange: Exchange<System>): BodySink | undefined {
	const { config, text } = exchange.core;
	const { parts } = exchange.part;
	const open = () => {
		const done = () => restore(exchange, parts, reader, []);
		const reader: RestoreReader = new RestoreReader(config, text, parts, done);
		return reader;
	};
	const sink = ClaimedBody.open(exchange, RESTORE_COST, open);
	if (sink === undefined) exchange.busy();
	return sink;
}

/**
 * If the file is valid, changes all its settings and those in `changes` in one write, and replies. Otherwise replies
 * with the error. Empties `groups`.
 */
export function restore(
	exchange: Exchange,
	parts: readonly Part[],
	{ groups, ignored, code, message, field }: RestoreReader,
	changes: Put[],
): void {
	if (code !== "") {
		exchange.fail(400, code, message, field);
		return;
	}
	const { config } = exchange.core;
	const enterAgain: string[] = [];
	let restored = 0;
	// Each group is dropped when its changes are taken. Together, all groups and changes would take 270 slots more.
	for (let values = removeAt(groups, 0); values !== undefined; values = removeAt(groups, 0)) {
		const { path, table, own } = values.group;
		const accept = values.group.accept ?? table.accept;
		findLacking(exchange, values, enterAgain);
		exchange.within = `${path}.`;
		const part = parts.find(({ backup }) => backup.includes(values.group));
		exchange.part = part && exchange.core.find(part);
		const isPlain = accept === undefined;
		const puts = isPlain ? putsOf(table.fields.filter(isSetting), values) : accept(exchange as Exchange<never>, values);
		// The route's own code has replied with an error.
		if (puts === undefined) return;
		for (const one of puts) if (isChange(exchange, values, one)) changes.push(one);
		for (const one of own) if (values.given(one) === "" && isSet(config.get(one))) changes.push(put(one, ""));
		for (const one of table.fields.filter(isShown)) {
			const value = values.given(one);
			// A field that findLacking has cleared does not count as restored.
			const isGivenUp = values.group.bound.length > 0 && one === values.group.boundTo && value === "";
			if (value !== undefined && !isGivenUp) restored++;
		}
	}
	exchange.within = "";
	// As usual, a new network is on trial (parts/network/settings.ts).
	if (changes.length > 0) config.change(changes, true);
	exchange.object((writer) => {
		numberMember(writer, "restored", restored);
		list(writer, "enter_again", enterAgain);
		list(writer, "ignored", ignored);
		// No setting requires a restart.
		booleanMember(writer, "restart", false);
	});
}

/** Turns off functions that need a secret which must be entered again, and adds these secrets to `lacking`. */
function findLacking(exchange: Exchange, values: GroupValues, lacking: string[]): void {
	const { group, isFitting } = values;
	const { boundTo } = group;
	const isWhole = group.bound.length > 0;
	for (let i = 0; i < group.secrets.length; i++) {
		const secret = group.secrets[i];
		if (values.given(secret) !== undefined) continue;
		const isHere = isSet(exchange.core.config.get(secret));
		const hadOne = values.flags[i] ?? (!isFitting && (isWhole || isHere));
		if (!hadOne || (isFitting && isHere)) continue;
		lacking.push(`${group.path}.${secret.name}`);
		if (group.needing !== undefined) values.set(group.needing, false);
		// A network whose password is missing is not restored, and the present network is kept.
		if (isWhole && boundTo !== undefined) values.set(boundTo, "");
	}
	if (!isWhole || boundTo === undefined || values.given(boundTo) !== "") return;
	for (const field of group.bound) values.set(field, undefined);
}

/**
 * Returns true if the setting must be changed. If the address of a certificate does not change, the certificate is
 * kept, although the route would clear it, unless the file has another one.
 */
function isChange({ core }: Exchange, values: GroupValues, { field, value }: Put): boolean {
	const isKept = values.isFitting && !field.secret && values.group.secrets.includes(field);
	if (value === undefined || (isKept && (!SETTINGS_FILES || values.given(field) === undefined))) return false;
	return !isSame(core.config.get(field), value);
}

function list(writer: JSONWriter, name: string, items: readonly string[]): void {
	writer.key(name);
	writer.beginArray();
	for (const item of items) writer.string(item);
	writer.endArray();
}
