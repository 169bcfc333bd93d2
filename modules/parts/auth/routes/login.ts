/** Routes for challenge, login, logout and password (API text, "Authentication routes"). */

import { type BodyTable, type BodyValues, needed } from "../../../api/body.js";
import {
	HTTPS_REQUIRED,
	INVALID_FIELD,
	INVALID_PROOF,
	MISSING_FIELD,
	NONCE_INVALID,
	TOO_MANY_ATTEMPTS,
} from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { describeMissing } from "../../../api/field-value.js";
import { DIGEST_LENGTH } from "../../../auth/account.js";
import {
	LOGIN_BAD_PASSWORD,
	LOGIN_BLOCKED,
	LOGIN_INVALID_PROOF,
	LOGIN_NONCE_INVALID,
	LOGIN_OK,
	type LoginResult,
	PASSWORD_LIMIT,
	PASSWORD_MINIMUM,
} from "../../../auth/login.js";
import { NONCE_LENGTH, NONCE_LIFETIME_MS } from "../../../auth/nonce.js";
import { SESSION_LIFETIME_MS } from "../../../auth/sessions.js";
import { decodeHex } from "../../../bytes/hex.js";
import { bodyField, type Field, TEXT } from "../../../config/schema.js";
import { EVENT_LOGIN, EVENT_LOGIN_REFUSED, EVENT_PASSWORD } from "../../../diagnostics/events.js";
import type { Access } from "../access.js";

/**
 * Ranges that contain every character, both in Node, which compares UTF-16 units, and in XS, which compares code
 * points.
 */
const ANY_CHARACTER = "\u0000\uffff\u{10000}\u{10ffff}";

function text(name: string, maximum: number, form: Partial<Field<string>> = {}): Field<string> {
	return bodyField({ name, kind: TEXT, maximum, characters: ANY_CHARACTER, secret: true, ...form });
}

const USERNAME = text("username", 64);
const NONCE = text("nonce", NONCE_LENGTH * 2);
const PROOF = text("proof", 128);
const PASSWORD = text("password", PASSWORD_LIMIT);
const NEW_HASH = text("new_hash", DIGEST_LENGTH * 2, { minimum: DIGEST_LENGTH * 2, characters: "09afAF" });
const OLD_PASSWORD = text("old_password", PASSWORD_LIMIT);
const NEW_PASSWORD = text("new_password", PASSWORD_LIMIT);

export const LOGIN_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([USERNAME, NONCE, PROOF, PASSWORD]),
	required: Object.freeze([USERNAME.name]),
	limit: 512,
});

export const PASSWORD_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([NONCE, PROOF, NEW_HASH, OLD_PASSWORD, NEW_PASSWORD]),
	required: Object.freeze([]),
	limit: 512,
});

export function getChallenge(exchange: Exchange<Access>): void {
	const challenge = exchange.part.login.challenge();
	exchange.object((writer) => {
		writer.key("nonce");
		writer.string(challenge.nonce);
		writer.key("salt");
		writer.string(challenge.salt);
		writer.key("alg");
		writer.string("sha256");
		writer.key("expires_in_secs");
		writer.number(NONCE_LIFETIME_MS / 1000);
	});
}

export function postLogin(exchange: Exchange<Access>, values: BodyValues): void {
	const { login } = exchange.part;
	const username = needed(values, USERNAME);
	const nonce = values.get(NONCE);
	const proof = values.get(PROOF);
	const password = values.get(PASSWORD);
	if (password !== undefined && proof === undefined && nonce === undefined) {
		if (!exchange.secure) {
			exchange.fail(403, HTTPS_REQUIRED, "A plaintext password is only accepted over HTTPS; log in by challenge.");
			return;
		}
		answerLogin(exchange, login.loginWithPassword(exchange.remoteAddress, username, password));
	} else if (nonce === undefined || proof === undefined) {
		failMissing(exchange, nonce === undefined ? NONCE : PROOF);
	} else {
		const attempt = { address: exchange.remoteAddress, username, nonce, proof };
		answerLogin(exchange, login.loginWithProof(attempt));
	}
}

export function postLogout(exchange: Exchange<Access>): void {
	const { sessions } = exchange.part;
	const { live } = exchange.core;
	sessions.revoke(exchange.token);
	live.tokensChanged();
	exchange.empty();
}

/** Changes the password. The request needs no token, but the old password or its proof. */
export function postPassword(exchange: Exchange<Access>, values: BodyValues): void {
	const { login } = exchange.part;
	const { text } = exchange.core;
	const nonce = values.get(NONCE);
	const proof = values.get(PROOF);
	const newHash = values.get(NEW_HASH);
	const oldPassword = values.get(OLD_PASSWORD);
	const newPassword = values.get(NEW_PASSWORD);
	const isChallengeForm = nonce !== undefined || proof !== undefined || newHash !== undefined;
	const isPlaintextForm = !isChallengeForm && (oldPassword !== undefined || newPassword !== undefined);
	if (isPlaintextForm && !exchange.secure) {
		exchange.fail(
			403,
			HTTPS_REQUIRED,
			"Plaintext passwords are only accepted over HTTPS; send the proof and the hash.",
		);
	} else if (isPlaintextForm) {
		if (oldPassword === undefined) failMissing(exchange, OLD_PASSWORD);
		else if (newPassword === undefined) failMissing(exchange, NEW_PASSWORD);
		else answerChange(exchange, login.changeWithPassword(exchange.remoteAddress, oldPassword, newPassword), true);
	} else if (nonce === undefined) failMissing(exchange, NONCE);
	else if (proof === undefined) failMissing(exchange, PROOF);
	else if (newHash === undefined) failMissing(exchange, NEW_HASH);
	else {
		const digest = decodeHex(text.encode(newHash), 0, newHash.length) ?? new Uint8Array(0);
		const attempt = { address: exchange.remoteAddress, nonce, proof };
		answerChange(exchange, login.changeWithProof(attempt, digest), false);
	}
}

function answerLogin(exchange: Exchange<Access>, result: LoginResult): void {
	if (result.outcome !== LOGIN_OK) {
		failProof(exchange, result, "User name or password is wrong.");
		return;
	}
	exchange.core.events.note(EVENT_LOGIN, exchange.remoteAddress);
	exchange.object((writer) => {
		writer.key("token");
		writer.string(result.token);
		writer.key("expires_in_secs");
		writer.number(SESSION_LIFETIME_MS / 1000);
	});
}

function answerChange(exchange: Exchange<Access>, result: LoginResult, isPlaintextForm: boolean): void {
	const { outcome } = result;
	if (outcome === LOGIN_OK) {
		exchange.core.events.note(EVENT_PASSWORD, exchange.remoteAddress);
		exchange.core.live.tokensChanged();
		exchange.empty();
	} else if (outcome === LOGIN_BAD_PASSWORD && isPlaintextForm) {
		const message = `new_password must have ${PASSWORD_MINIMUM} to ${PASSWORD_LIMIT} characters.`;
		exchange.fail(400, INVALID_FIELD, message, NEW_PASSWORD.name);
	} else if (outcome === LOGIN_BAD_PASSWORD) {
		exchange.fail(400, INVALID_FIELD, "new_hash must not be that of the empty password.", NEW_HASH.name);
	} else if (outcome === LOGIN_INVALID_PROOF && isPlaintextForm) {
		noteRefusal(exchange);
		exchange.fail(403, INVALID_PROOF, "The old password is wrong.");
	} else failProof(exchange, result, "The proof of the old password is wrong.");
}

function failProof(exchange: Exchange<Access>, { outcome, retryAfterS }: LoginResult, message: string): void {
	if (outcome === LOGIN_BLOCKED || outcome === LOGIN_INVALID_PROOF) noteRefusal(exchange);
	if (outcome === LOGIN_BLOCKED) {
		exchange.response.header("Retry-After", String(retryAfterS));
		exchange.fail(429, TOO_MANY_ATTEMPTS, "Too many failed attempts; try again later.");
		return;
	}
	exchange.response.header("WWW-Authenticate", `Bearer realm="${exchange.core.hostname}"`);
	if (outcome === LOGIN_NONCE_INVALID) {
		exchange.fail(401, NONCE_INVALID, "The nonce is unknown, expired or used; ask for a new challenge.");
	} else exchange.fail(401, INVALID_PROOF, message);
}

function noteRefusal({ core: { events }, remoteAddress }: Exchange<Access>): void {
	events.note(EVENT_LOGIN_REFUSED, remoteAddress);
}

function failMissing(exchange: Exchange<Access>, { name }: Field): void {
	exchange.fail(400, MISSING_FIELD, describeMissing(name), name);
}
