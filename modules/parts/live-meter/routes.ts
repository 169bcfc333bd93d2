/** Routes of the live values: settings, the list of clients, and the clients that sent requests. */
import { BODY_LIMIT, type BodyTable, type BodyValues, needed, type Refusal } from "../../api/body.js";
import { INVALID_FIELD } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { booleanMember, numberMember, textMember } from "../../api/members.js";
import { uint32BE } from "../../bytes/integers.js";
import { parseIPv4 } from "../../bytes/ipv4.js";
import { findRepeated } from "../../bytes/rows.js";
import { bodyField, INTEGER, type Put, put, TEXT } from "../../config/schema.js";
import type { JSONWriter } from "../../json/writer.js";
import { LIVE_POWER } from "../../live-meter/live-values.js";
import { addressText, shareAt } from "./clients.js";
import { DIALECTS } from "./dialects.js";
import { ADDRESS_SIZE, CLIENT_LIMIT, CLIENT_SIZE, LIVE_CLIENTS, LIVE_MAX_AGE_SECS, WHOLE } from "./fields.js";
import type { LiveMeter } from "./live-meter.js";

const ADDRESS = bodyField<string>({ name: "address", kind: TEXT, minimum: 7, maximum: 15, characters: "..09" });
const SHARE = bodyField<number>({ name: "share_percent", kind: INTEGER, minimum: 1, maximum: WHOLE });
const NO_ADDRESS: Refusal = Object.freeze({ field: ADDRESS, rule: "must be the IPv4 address of a device." });
const REPEATED = "is already in the list; each address can be listed once.";
/** Range of the first octet of device addresses. It excludes 0 ("this network") and multicast groups (RFC 6890). */
const FIRST_OCTET = 1;
const LAST_OCTET = 223;

export const LIVE_CLIENTS_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([LIVE_CLIENTS]),
	required: Object.freeze([LIVE_CLIENTS.name]),
	limit: BODY_LIMIT,
	list: Object.freeze({
		fields: Object.freeze([ADDRESS, SHARE]),
		required: Object.freeze([ADDRESS.name]),
		maximum: CLIENT_LIMIT,
		size: CLIENT_SIZE,
		pack: packClient,
	}),
});

function packClient(values: BodyValues, into: Uint8Array, at: number): Refusal | undefined {
	const address = parseIPv4(needed(values, ADDRESS));
	for (let i = 0; i < ADDRESS_SIZE; i++) into[at + i] = address >> (24 - 8 * i);
	into[at + ADDRESS_SIZE] = values.get(SHARE) ?? 0;
	return address >= 0 && into[at] >= FIRST_OCTET && into[at] <= LAST_OCTET ? undefined : NO_ADDRESS;
}

export function getLiveClients(exchange: Exchange): void {
	const list = exchange.core.config.get(LIVE_CLIENTS);
	exchange.object((writer) => {
		writer.key(LIVE_CLIENTS.name);
		writeLiveClients(writer, list);
	});
}

export function postLiveClients(exchange: Exchange, values: BodyValues): void {
	const puts = acceptLiveClients(exchange, values);
	if (puts === undefined) return;
	exchange.core.config.change(puts);
	getLiveClients(exchange);
}

/** Returns undefined after replying with an error. */
export function acceptLiveClients(exchange: Exchange, values: BodyValues): readonly Put[] | undefined {
	const list = needed(values, LIVE_CLIENTS);
	const repeated = findRepeated(list, CLIENT_SIZE, ADDRESS_SIZE);
	let sum = 0;
	for (let at = CLIENT_SIZE; at < list.length; at += CLIENT_SIZE) sum += list[at];
	if (repeated < 0 && sum <= WHOLE) return [put(LIVE_CLIENTS, list)];
	const path = repeated < 0 ? LIVE_CLIENTS.name : `${LIVE_CLIENTS.name}[${repeated}]`;
	const fault = repeated < 0 ? `have shares of ${sum} percent; at most ${WHOLE} in all.` : REPEATED;
	exchange.fail(400, INVALID_FIELD, `${path} ${fault}`, path);
	return undefined;
}

function shareMember(writer: JSONWriter, share: number): void {
	if (share > 0) numberMember(writer, SHARE.name, share);
}

export function writeLiveClients(writer: JSONWriter, stored: Uint8Array): void {
	writer.beginArray();
	for (let at = 1; at + CLIENT_SIZE <= stored.length; at += CLIENT_SIZE) {
		writer.beginObject();
		textMember(writer, ADDRESS.name, addressText(uint32BE(stored, at)));
		shareMember(writer, shareAt(stored, at));
		writer.endObject();
	}
	writer.endArray();
}

export function getLiveStatus(exchange: Exchange<LiveMeter>): void {
	const { clock, config } = exchange.core;
	const { service } = exchange.part;
	const nowMs = clock.monotonicMs();
	const ageMs = service?.ageMs ?? Number.NaN;
	const power = service?.hasPower ? service.show()[LIVE_POWER] : Number.NaN;
	const dialects = DIALECTS.map((dialect) => {
		const isOn = service !== undefined && config.get(dialect.enabled);
		return { dialect, isOn, isFresh: isOn && service.isFresh(dialect) };
	});
	const clients = service?.clients.all() ?? [];
	const unlisted = service?.clients.lastUnlisted;
	const secs = (ms: number) => Math.floor((nowMs - ms) / 1000);
	exchange.stream((writer, unit) => {
		if (unit === 0) {
			writer.beginObject();
			textMember(writer, "id", service?.id ?? "");
			numberMember(writer, "power", power);
			numberMember(writer, "age_ms", ageMs);
			writer.key("dialects");
			writer.beginArray();
			for (const { dialect, isOn, isFresh } of dialects) {
				writer.beginObject();
				textMember(writer, "name", dialect.name);
				booleanMember(writer, "enabled", isOn);
				booleanMember(writer, "fresh", isFresh);
				numberMember(
					writer,
					LIVE_MAX_AGE_SECS.name,
					Math.ceil((service?.maxAgeMs(dialect) ?? dialect.maxAgeMs) / 1000),
				);
				writer.endObject();
			}
			writer.endArray();
			writer.key("clients");
			writer.beginArray();
		} else if (unit <= clients.length) {
			const { address, dialect, requests, everyMs, requestedMs, answeredMs, power: shown, share } = clients[unit - 1];
			writer.beginObject();
			textMember(writer, ADDRESS.name, addressText(address));
			textMember(writer, "dialect", DIALECTS[dialect].name);
			numberMember(writer, "requests", requests);
			numberMember(writer, "every_ms", Math.round(everyMs));
			numberMember(writer, "asked_secs", secs(requestedMs));
			numberMember(writer, "answered_secs", secs(answeredMs));
			numberMember(writer, "power", shown);
			shareMember(writer, share);
			writer.endObject();
		} else {
			writer.endArray();
			writer.key("refused");
			if (unlisted === undefined) writer.null();
			else {
				writer.beginObject();
				textMember(writer, ADDRESS.name, addressText(unlisted.address));
				textMember(writer, "dialect", DIALECTS[unlisted.dialect].name);
				numberMember(writer, "asked_secs", secs(unlisted.requestedMs));
				writer.endObject();
			}
			writer.endObject();
		}
		return unit <= clients.length;
	});
}
