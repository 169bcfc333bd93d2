/**
 * POST `system/backup`: puts the settings of a file back, all of them or none, by the rules of their routes. What the file
 * does not have stays as it is. A secret stays where it still fits, and may stand in the file, though none that we make
 * has one; the others are named to be entered again.
 */

import { isSetting, isShown } from "../api/backup-group.js";
import { ClaimedBody } from "../api/claimed-body.js";
import type { Exchange } from "../api/exchange.js";
import { booleanMember, numberMember } from "../api/members.js";
import { isSet, putsOf } from "../api/settings.js";
import { isSame, type Put, put } from "../config/schema.js";
import type { BodySink } from "../http/handler.js";
import type { Cost } from "../io/memory.js";
import type { JSONWriter } from "../json/writer.js";
import type { Part } from "../part.js";
import { type GroupValues, RestoreReader } from "./restore-reader.js";
import type { System } from "./system.js";

/** A file of settings that a client sends, with the change of all that it has. */
export const RESTORE_COST: Cost = Object.freeze({ slots: 800, chunkBytes: 12_288 });

export function postBackup(exchange: Exchange<System>): BodySink | undefined {
	const { config, text } = exchange.core;
	const { parts } = exchange.part;
	const open = () => {
		const reader: RestoreReader = new RestoreReader(config, text, parts, () => restore(exchange, parts, reader));
		return reader;
	};
	const sink = ClaimedBody.open(exchange, RESTORE_COST, open);
	if (sink === undefined) exchange.busy();
	return sink;
}

function restore(
	exchange: Exchange,
	parts: readonly Part[],
	{ groups, ignored, code, message, field }: RestoreReader,
): void {
	if (code !== "") {
		exchange.fail(400, code, message, field);
		return;
	}
	const { config } = exchange.core;
	const enterAgain: string[] = [];
	const changes: Put[] = [];
	let restored = 0;
	for (const values of groups) {
		const { path, table, own } = values.group;
		const accept = values.group.accept ?? table.accept;
		findLacking(exchange, values, enterAgain);
		exchange.within = `${path}.`;
		const part = parts.find(({ backup }) => backup.includes(values.group));
		exchange.part = part && exchange.core.find(part);
		const isPlain = accept === undefined;
		const puts = isPlain ? putsOf(table.fields.filter(isSetting), values) : accept(exchange as Exchange<never>, values);
		// Refused, and answered.
		if (puts === undefined) return;
		for (const one of puts) if (isChange(exchange, values, one)) changes.push(one);
		for (const one of own) if (values.given(one) === "" && isSet(config.get(one))) changes.push(put(one, ""));
		for (const one of table.fields.filter(isShown)) {
			const value = values.given(one);
			// Nothing of a group that was given up is taken.
			const isGivenUp = values.group.bound.length > 0 && one === values.group.boundTo && value === "";
			if (value !== undefined && !isGivenUp) restored++;
		}
	}
	exchange.within = "";
	// In one write, and at once: a network is on trial as any new one (wifi/settings.ts).
	if (changes.length > 0) config.change(changes, true);
	exchange.object((writer) => {
		numberMember(writer, "restored", restored);
		list(writer, "enter_again", enterAgain);
		list(writer, "ignored", ignored);
		// No setting needs one.
		booleanMember(writer, "restart", false);
	});
}

/** Names the secrets that have to be entered again. What can't work without one is off until then. */
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
		// One that can't be joined is not taken: the one that is there stays.
		if (isWhole && boundTo !== undefined) values.set(boundTo, "");
	}
	if (!isWhole || boundTo === undefined || values.given(boundTo) !== "") return;
	for (const field of group.bound) values.set(field, undefined);
}

/** Whether it makes a difference. A certificate that fits is kept, where its route clears one that is left out. */
function isChange({ core }: Exchange, { group, isFitting }: GroupValues, { field, value }: Put): boolean {
	if (value === undefined || (isFitting && !field.secret && group.secrets.includes(field))) return false;
	return !isSame(core.config.get(field), value);
}

function list(writer: JSONWriter, name: string, items: readonly string[]): void {
	writer.key(name);
	writer.beginArray();
	for (const item of items) writer.string(item);
	writer.endArray();
}
