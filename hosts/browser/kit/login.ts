/** Proves knowledge of the password without sending it (API text, Authentication 3). */
import { DeviceError, OFFLINE, sendNow, wait } from "./device.js";
import type { Challenge, NewToken, Session, Status } from "./replies.js";
import { beginSession, endSession, forgetReader, hasSession, keepReader, reader } from "./session.js";
import { Store } from "./store.js";
import { asDeviceError } from "./use-device.js";

/** Name of the only account. */
export const USER = "admin";

/** Loads the hash functions. They are loaded late, because the first paint does not need them. */
function hashes() {
	return import("./password-hash.js").catch(() => {
		throw new DeviceError(0, OFFLINE, "");
	});
}

/** Time for which a challenge is used that was requested ahead. A nonce is valid for 60 s. */
const AHEAD_MS = 45_000;
let ahead: { readonly untilMs: number; readonly challenge: Promise<Challenge> } | undefined;

function challenge(): Promise<Challenge> {
	return sendNow<Challenge>("GET", "system/challenge");
}

/** Requests what a login needs while the user still types, which saves a second on a slow connection. */
export function prepareLogin(): void {
	if (ahead !== undefined && Date.now() < ahead.untilMs) return;
	hashes().catch(() => undefined);
	ahead = { untilMs: Date.now() + AHEAD_MS, challenge: challenge() };
	ahead.challenge.catch(() => {
		ahead = undefined;
	});
}

async function prove(password: string): Promise<{ nonce: string; salt: string; proof: string }> {
	const prepared = ahead !== undefined && Date.now() < ahead.untilMs ? ahead.challenge : challenge();
	// A nonce is valid for one attempt.
	ahead = undefined;
	const [{ nonce, salt }, { proofOf }] = await Promise.all([prepared, hashes()]);
	return { nonce, salt, proof: proofOf(salt, password, nonce) };
}

/**
 * Longest time for which a blocked login is tried again. Failed logins of other clients may block a login. The gateway
 * then reserves a place for 8 s.
 */
const RETRY_LIMIT_S = 15;
const LONGEST_WAIT_S = 4;

async function retryWhileBlocked<T>(attempt: () => Promise<T>): Promise<T> {
	for (let waitedS = 0; ; ) {
		try {
			return await attempt();
		} catch (error) {
			const waitS = error instanceof DeviceError && error.code === "too_many_attempts" ? error.retryAfterS : 0;
			waitedS += waitS;
			if (waitS === 0 || waitS > LONGEST_WAIT_S || waitedS > RETRY_LIMIT_S) throw error;
			await wait(waitS * 1000);
		}
	}
}

/** Error that occurred when the token was created with which this device should stay signed in. */
export const keepFailure = new Store<DeviceError | undefined>(undefined);

/** True if this device shall stay signed in as soon as the password is no longer that of the label. */
let keepsLater = false;

/**
 * Logs in. With `keep`, this device stays signed in for reading after the session has ended; with the password of the
 * label only from its change on, because everybody who sees the label knows it. Throws a DeviceError: `invalid_proof`,
 * `nonce_invalid`, `too_many_attempts` …
 */
export async function logIn(password: string, keep = false): Promise<void> {
	const { token, expires_in_secs } = await retryWhileBlocked(async () => {
		const { nonce, proof } = await prove(password);
		return await sendNow<Session>("POST", "system/login", { username: USER, nonce, proof });
	});
	beginSession(token, expires_in_secs);
	known = password;
	keepFailure.set(undefined);
	if (!keep) return;
	try {
		const { password_default } = await sendNow<Status>("GET", "system/status");
		keepsLater = password_default;
		if (keepsLater) return;
		const { deviceName } = await import("./device-name.js");
		const name = deviceName(navigator.userAgent, new Date());
		keepReader(await sendNow<NewToken>("POST", "system/tokens", { name, scope: "read" }));
	} catch (reason) {
		keepFailure.set(asDeviceError(reason));
	}
}

let known: string | undefined;

/** Returns the password that the user has entered in this tab. It is lost when the tab is reloaded. */
export function knownPassword(): string | undefined {
	return known;
}

/** Drops the tokens immediately, even if the gateway cannot be reached. */
export function logOut(): void {
	const send = (method: string, path: string) => sendNow(method, path).catch(() => undefined);
	known = undefined;
	const own = reader();
	if (own !== undefined) send("DELETE", `system/tokens/${own.id}`);
	if (hasSession()) send("POST", "system/logout");
	forgetReader();
	endSession();
}

/** Changes the password. This ends all sessions; this tab then logs in again. */
export async function changePassword(oldPassword: string, newPassword: string): Promise<void> {
	const { nonce, salt, proof } = await prove(oldPassword);
	const { hashOf } = await hashes();
	await sendNow("POST", "system/password", { nonce, proof, new_hash: hashOf(salt, newPassword) });
	await logIn(newPassword, keepsLater);
}
