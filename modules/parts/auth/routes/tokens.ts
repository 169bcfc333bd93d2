/** Routes for long-lived tokens and open sessions (API text, "Authentication routes"). */

import { BODY_LIMIT, type BodyTable, type BodyValues, needed } from "../../../api/body.js";
import { FORBIDDEN_SCOPE, NOT_FOUND, TOKEN_SLOTS_FULL } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { SCOPE_FULL, SCOPE_READ } from "../../../auth/scope.js";
import { SESSION_LIFETIME_MS } from "../../../auth/sessions.js";
import { TOKEN_NAME_LIMIT, TOKEN_SLOTS } from "../../../auth/tokens.js";
import { bodyField, CHOICE, PRINTABLE, TEXT } from "../../../config/schema.js";
import { EVENT_TOKEN_MADE, EVENT_TOKEN_REVOKED } from "../../../diagnostics/events.js";
import type { JSONWriter } from "../../../json/writer.js";
import type { Access } from "../access.js";

const NAME = bodyField<string>({
	name: "name",
	kind: TEXT,
	minimum: 1,
	maximum: TOKEN_NAME_LIMIT,
	characters: PRINTABLE,
});

const READ = "read";
const FULL = "full";
const SCOPE = bodyField<string>({ name: "scope", kind: CHOICE, choices: Object.freeze([FULL, READ]) });

export const TOKEN_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([NAME, SCOPE]),
	required: Object.freeze([NAME.name]),
	limit: BODY_LIMIT,
});

/** Copy of a token's data. The reply uses a copy, because the token may be revoked while the reply is sent. */
interface ListedToken {
	readonly id: string;
	readonly name: string;
	readonly created: number;
	readonly scope: string;
}

interface ListedSession {
	readonly id: string;
	/** Time of creation, Unix seconds; 0 if the clock was not set. */
	readonly created: number;
	readonly expiresInS: number;
	readonly address: string;
}

export function getTokens(exchange: Exchange<Access>): void {
	const { tokens } = exchange.part;
	const list: ListedToken[] = [];
	for (let i = 0; i < tokens.count; i++) list.push(listed(exchange, i));
	exchange.object((writer) => {
		writer.key("max");
		writer.number(TOKEN_SLOTS);
		writer.key("tokens");
		writer.beginArray();
		for (let i = 0; i < list.length; i++) {
			writer.beginObject();
			writeToken(writer, list[i]);
			writer.endObject();
		}
		writer.endArray();
	});
}

export function postToken(exchange: Exchange<Access>, values: BodyValues): void {
	const { tokens } = exchange.part;
	const token = tokens.create(needed(values, NAME), values.get(SCOPE) === READ ? SCOPE_READ : SCOPE_FULL);
	if (token === "") {
		exchange.fail(400, TOKEN_SLOTS_FULL, `${TOKEN_SLOTS} tokens exist already; delete one first.`);
		return;
	}
	const made = listed(exchange, tokens.count - 1);
	exchange.core.events.note(EVENT_TOKEN_MADE, made.name);
	exchange.object((writer) => {
		writeToken(writer, made);
		writer.key("token");
		writer.string(token);
	});
}

/**
 * Revokes a token. A client with a token of scope read may revoke only this token, so that a device can sign out
 * without the password.
 */
export function deleteToken(exchange: Exchange<Access>): void {
	const { tokens } = exchange.part;
	const { parameter, token } = exchange;
	if (tokens.scopeOf(token) === SCOPE_READ && tokens.idOf(token) !== parameter) {
		exchange.fail(403, FORBIDDEN_SCOPE, "A read-only token can revoke itself only.");
		return;
	}
	if (!tokens.revokeId(parameter)) {
		exchange.fail(404, NOT_FOUND, "No token has this id.");
		return;
	}
	exchange.core.events.note(EVENT_TOKEN_REVOKED, parameter);
	exchange.core.live.tokensChanged();
	exchange.empty();
}

export function getSessions(exchange: Exchange<Access>): void {
	const { sessions } = exchange.part;
	const current = sessions.positionOf(exchange.token);
	const list: ListedSession[] = [];
	for (let i = 0; i < sessions.count; i++) {
		list.push({
			id: sessions.idAt(i),
			created: sessions.createdAt(i),
			expiresInS: Math.max(0, Math.floor((SESSION_LIFETIME_MS - sessions.ageMsAt(i)) / 1000)),
			address: sessions.addressAt(i),
		});
	}
	exchange.object((writer) => {
		writer.key("sessions");
		writer.beginArray();
		for (let i = 0; i < list.length; i++) {
			const { id, created, expiresInS, address } = list[i];
			writer.beginObject();
			writer.key("id");
			writer.string(id);
			writer.key("created");
			writer.number(created);
			writer.key("expires_in_secs");
			writer.number(expiresInS);
			writer.key("address");
			writer.string(address);
			writer.key("current");
			writer.boolean(i === current);
			writer.endObject();
		}
		writer.endArray();
	});
}

export function deleteSession(exchange: Exchange<Access>): void {
	const { sessions } = exchange.part;
	const { live } = exchange.core;
	if (!sessions.revokeId(exchange.parameter)) {
		exchange.fail(404, NOT_FOUND, "No session has this id.");
		return;
	}
	live.tokensChanged();
	exchange.empty();
}

function listed({ part: { tokens } }: Exchange<Access>, index: number): ListedToken {
	return {
		id: tokens.idAt(index),
		name: tokens.nameAt(index),
		created: tokens.createdAt(index),
		scope: tokens.scopeAt(index) === SCOPE_FULL ? FULL : READ,
	};
}

function writeToken(writer: JSONWriter, { id, name, created, scope }: ListedToken): void {
	writer.key("id");
	writer.string(id);
	writer.key("name");
	writer.string(name);
	writer.key("created");
	writer.number(created);
	writer.key("scope");
	writer.string(scope);
}
