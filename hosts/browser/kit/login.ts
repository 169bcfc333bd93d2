/** Proof of the password without sending it (API text, Authentication 3). */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { SYSTEM_PASSWORD } from "./bodies.js";
import { sendNow, setToken } from "./device.js";

/** The one account there is (decision 8). */
export const USER = "admin";
export const PASSWORD_MINIMUM = SYSTEM_PASSWORD.new_password.min;

interface Challenge {
	readonly nonce: string;
	readonly salt: string;
}

function hashOf(salt: string, password: string): Uint8Array {
	return sha256(utf8ToBytes(salt + password));
}

async function prove(password: string): Promise<{ nonce: string; salt: string; proof: string }> {
	const { nonce, salt } = await sendNow<Challenge>("GET", "system/challenge");
	const proof = bytesToHex(sha256(concatBytes(hashOf(salt, password), utf8ToBytes(nonce))));
	return { nonce, salt, proof };
}

/** Throws a DeviceError: `invalid_proof`, `nonce_invalid`, `too_many_attempts` … */
export async function logIn(password: string): Promise<void> {
	const { nonce, proof } = await prove(password);
	const { token } = await sendNow<{ token: string }>("POST", "system/login", { username: USER, nonce, proof });
	setToken(token);
	known = password;
}

let known: string | undefined;

/** The password of the login that this page has just seen; not kept over a reload. */
export function knownPassword(): string | undefined {
	return known;
}

export async function logOut(): Promise<void> {
	try {
		await sendNow("POST", "system/logout");
	} finally {
		known = undefined;
		setToken(undefined);
	}
}

/** All sessions end with it; this one goes on by a login with the new password. */
export async function changePassword(oldPassword: string, newPassword: string): Promise<void> {
	const { nonce, salt, proof } = await prove(oldPassword);
	await sendNow("POST", "system/password", { nonce, proof, new_hash: bytesToHex(hashOf(salt, newPassword)) });
	await logIn(newPassword);
}
