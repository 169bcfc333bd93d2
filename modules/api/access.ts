/** Routes of the API text's "Authentication routes": challenge, login, logout, password (decisions 8 to 16). */

import { DIGEST_LENGTH } from "../auth/account.js";
import {
	LOGIN_BAD_PASSWORD,
	LOGIN_BLOCKED,
	LOGIN_INVALID_PROOF,
	LOGIN_NONCE_INVALID,
	LOGIN_OK,
	type LoginResult,
	PASSWORD_LIMIT,
	PASSWORD_MINIMUM,
} from "../auth/login.js";
import { NONCE_LENGTH, NONCE_LIFETIME_MS } from "../auth/nonce.js";
import { SESSION_LIFETIME_MS } from "../auth/sessions.js";
import { decodeHex } from "../bytes/hex.js";
import { bodyField, type Field, TEXT } from "../config/schema.js";
import {
	HTTPS_REQUIRED,
	INVALID_FIELD,
	INVALID_PROOF,
	MISSING_FIELD,
	NONCE_INVALID,
	TOO_MANY_ATTEMPTS,
} from "./errors.js";
import type { Exchange } from "./exchange.js";
import { describeMissing } from "./field-value.js";
import type { BodyTable, Value } from "./validate.js";

/** Any character: units of UTF-16 in Node, code points in XS. */
const ANY_CHARACTER = "\u0000\uffff\u{10000}\u{10ffff}";

function text(name: string, maximum: number): Field<string> {
	return bodyField({ name, kind: TEXT, maximum, characters: ANY_CHARACTER, secret: true });
}

const NONCE = text("nonce", NONCE_LENGTH * 2);
const PROOF = text("proof", 128);

/** Both forms of the login; which fields must be there depends on the form. */
export const LOGIN_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([text("username", 64), NONCE, PROOF, text("password", PASSWORD_LIMIT)]),
	required: Object.freeze(["username"]),
	limit: 512,
});

/** Both forms of the password change; which fields must be there depends on the form. */
export const PASSWORD_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([
		NONCE,
		PROOF,
		Object.freeze({
			...text("new_hash", DIGEST_LENGTH * 2),
			minimum: DIGEST_LENGTH * 2,
			characters: "09afAF",
		}),
		text("old_password", PASSWORD_LIMIT),
		text("new_password", PASSWORD_LIMIT),
	]),
	required: Object.freeze([]),
	limit: 512,
});

export function getChallenge(exchange: Exchange): void {
	const challenge = exchange.services.login.challenge();
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

export function postLogin(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const { login } = exchange.services;
	const [username, nonce, proof, password] = values as (string | undefined)[];
	if (password !== undefined && proof === undefined && nonce === undefined) {
		if (!exchange.secure) {
			exchange.fail(403, HTTPS_REQUIRED, "The password itself is only taken over HTTPS; log in by challenge.");
			return;
		}
		answerLogin(exchange, login.loginWithPassword(exchange.remoteAddress, username ?? "", password));
	} else if (nonce === undefined || proof === undefined) {
		failMissing(exchange, nonce === undefined ? "nonce" : "proof");
	} else {
		const attempt = { address: exchange.remoteAddress, username: username ?? "", nonce, proof };
		answerLogin(exchange, login.loginWithProof(attempt));
	}
}

export function postLogout(exchange: Exchange): void {
	exchange.services.sessions.revoke(exchange.token);
	exchange.empty();
}

/** The old password, or the proof of it, is the authority to change it: there is no token. */
export function postPassword(exchange: Exchange, values: readonly (Value | undefined)[]): void {
	const { login, text } = exchange.services;
	const [nonce, proof, newHash, oldPassword, newPassword] = values as (string | undefined)[];
	const isChallengeForm = nonce !== undefined || proof !== undefined || newHash !== undefined;
	const isPlaintextForm = !isChallengeForm && (oldPassword !== undefined || newPassword !== undefined);
	if (isPlaintextForm && !exchange.secure) {
		exchange.fail(403, HTTPS_REQUIRED, "Passwords themselves are only taken over HTTPS; send the proof and the hash.");
	} else if (isPlaintextForm) {
		if (oldPassword === undefined) failMissing(exchange, "old_password");
		else if (newPassword === undefined) failMissing(exchange, "new_password");
		else answerChange(exchange, login.changeWithPassword(exchange.remoteAddress, oldPassword, newPassword), true);
	} else if (nonce === undefined) failMissing(exchange, "nonce");
	else if (proof === undefined) failMissing(exchange, "proof");
	else if (newHash === undefined) failMissing(exchange, "new_hash");
	else {
		const digest = decodeHex(text.encode(newHash), 0, newHash.length) ?? new Uint8Array(0);
		const attempt = { address: exchange.remoteAddress, nonce, proof };
		answerChange(exchange, login.changeWithProof(attempt, digest), false);
	}
}

function answerLogin(exchange: Exchange, result: LoginResult): void {
	if (result.outcome !== LOGIN_OK) {
		failProof(exchange, result, "User name or password is wrong.");
		return;
	}
	exchange.object((writer) => {
		writer.key("token");
		writer.string(result.token);
		writer.key("expires_in_secs");
		writer.number(SESSION_LIFETIME_MS / 1000);
	});
}

function answerChange(exchange: Exchange, result: LoginResult, isPlaintextForm: boolean): void {
	const { outcome } = result;
	if (outcome === LOGIN_OK) exchange.empty();
	else if (outcome === LOGIN_BAD_PASSWORD && isPlaintextForm) {
		const message = `new_password must have ${PASSWORD_MINIMUM} to ${PASSWORD_LIMIT} characters.`;
		exchange.fail(400, INVALID_FIELD, message, "new_password");
	} else if (outcome === LOGIN_BAD_PASSWORD) {
		exchange.fail(400, INVALID_FIELD, "new_hash must not be that of the empty password.", "new_hash");
	} else if (outcome === LOGIN_INVALID_PROOF && isPlaintextForm) {
		exchange.fail(403, INVALID_PROOF, "The old password is wrong.");
	} else failProof(exchange, result, "The proof of the old password is wrong.");
}

/** An attempt that was turned away: 429 or 401. */
function failProof(exchange: Exchange, { outcome, retryAfterS }: LoginResult, message: string): void {
	if (outcome === LOGIN_BLOCKED) {
		exchange.response.header("Retry-After", String(retryAfterS));
		exchange.fail(429, TOO_MANY_ATTEMPTS, "Too many failed attempts; try again later.");
		return;
	}
	exchange.response.header("WWW-Authenticate", `Bearer realm="${exchange.services.hostname}"`);
	if (outcome === LOGIN_NONCE_INVALID) {
		exchange.fail(401, NONCE_INVALID, "The nonce is unknown, expired or used; ask for a new challenge.");
	} else exchange.fail(401, INVALID_PROOF, message);
}

function failMissing(exchange: Exchange, field: string): void {
	exchange.fail(400, MISSING_FIELD, describeMissing(field), field);
}
