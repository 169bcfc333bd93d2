/** Routes of the API text's "Authentication routes": challenge, login, logout (decisions 8 to 16). */
import { LOGIN_BLOCKED, LOGIN_NONCE_INVALID, LOGIN_OK, type LoginResult, PASSWORD_LIMIT } from "../auth/login.js";
import { NONCE_LENGTH, NONCE_LIFETIME_MS } from "../auth/nonce.js";
import { SESSION_LIFETIME_MS } from "../auth/sessions.js";
import { type Field, TEXT } from "../config/schema.js";
import { HTTPS_REQUIRED, INVALID_PROOF, MISSING_FIELD, NONCE_INVALID, TOO_MANY_ATTEMPTS } from "./errors.js";
import type { Exchange } from "./exchange.js";
import type { BodyTable, Value } from "./validate.js";

/** Any character: units of UTF-16 in Node, code points in XS. */
const ANY_CHARACTER = "\u0000\uffff\u{10000}\u{10ffff}";
const NO_CHOICES = Object.freeze([]);

function text(name: string, maximum: number): Field {
	return Object.freeze({
		entry: -1,
		id: 0,
		name,
		kind: TEXT,
		minimum: 0,
		maximum,
		choices: NO_CHOICES,
		characters: ANY_CHARACTER,
		initial: undefined,
		secret: true,
	});
}

/** Both forms of the login; which fields must be there depends on the form. */
export const LOGIN_BODY: BodyTable = Object.freeze({
	fields: Object.freeze([
		text("username", 64),
		text("nonce", NONCE_LENGTH * 2),
		text("proof", 128),
		text("password", PASSWORD_LIMIT),
	]),
	required: Object.freeze(["username"]),
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
		const field = nonce === undefined ? "nonce" : "proof";
		exchange.fail(400, MISSING_FIELD, `The field ${field} is missing.`, field);
	} else {
		const attempt = { address: exchange.remoteAddress, username: username ?? "", nonce, proof };
		answerLogin(exchange, login.loginWithProof(attempt));
	}
}

export function postLogout(exchange: Exchange): void {
	exchange.services.sessions.revoke(exchange.token);
	exchange.empty();
}

function answerLogin(exchange: Exchange, result: LoginResult): void {
	if (result.outcome === LOGIN_OK) {
		exchange.object((writer) => {
			writer.key("token");
			writer.string(result.token);
			writer.key("expires_in_secs");
			writer.number(SESSION_LIFETIME_MS / 1000);
		});
	} else if (result.outcome === LOGIN_BLOCKED) {
		exchange.response.header("Retry-After", String(result.retryAfterS));
		exchange.fail(429, TOO_MANY_ATTEMPTS, "Too many failed attempts; try again later.");
	} else {
		exchange.response.header("WWW-Authenticate", `Bearer realm="${exchange.services.hostname}"`);
		if (result.outcome === LOGIN_NONCE_INVALID) {
			exchange.fail(401, NONCE_INVALID, "The nonce is unknown, expired or used; ask for a new challenge.");
		} else exchange.fail(401, INVALID_PROOF, "User name or password is wrong.");
	}
}
