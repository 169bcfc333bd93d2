/**
 * This browser's access: an owner who has logged in, in this tab; a device that stays signed in for reading; or a wall
 * display. The latter two have a read-only token.
 *
 * The token of a login is in the tab's storage and ends with it. The token of a display is in `localStorage`, because
 * the tablet loses power, its browser drops tabs and restarts, and no person is there to enter a password. So is that of
 * a device that stays signed in, for all its tabs. The owner can revoke both on the security page.
 */
import { Store } from "./store.js";

const TOKEN = "token";
/** End of the session, ms of this browser's clock. */
const EXPIRES = "expires";
/** Reason for the end of the last session, kept across the reload that follows. */
const ENDING = "ending";
/** Key in `localStorage`. An empty value: the token was revoked. */
const DISPLAY = "display";

/** Key in `localStorage` of the token with which this device stays signed in. Empty value: it was revoked. */
const READER = "reader";

/** A display's token in an address. Browsers never send the part after "#" to a server. */
const LINK = /[?&]token=([0-9a-f]{64})$/;

/** Reason for asking for the login. `early`: before its time, by a restart or because another user ended it. */
export type Ending = "expired" | "early" | "restart" | "reset" | "certificate" | "update" | "revoked" | "forgotten";

/** Reasons that need no message after a reload. */
const TOLD_IN_PLACE: readonly Ending[] = ["expired", "early", "revoked", "forgotten"];

/**
 * Token of an opened display link. It replaces nothing until the gateway has accepted it, because links can be forged.
 */
let offered: string | undefined;
/** This page is a display: it has no session and a token for one, or such a token was offered. */
export const display = new Store(isDisplay());
/** True while there is a token that was valid at its last use. */
export const loggedIn = new Store(token() !== null);
export const ending = new Store<Ending | undefined>(endingAtStart());
/** True while a request needs more than this device's token may do, so that the page asks for the password. */
export const passwordWanted = new Store(false);
/** End of the session, ms of this browser's clock; undefined without a session. */
export const endsAtMs = new Store<number | undefined>(Number(sessionStorage.getItem(EXPIRES)) || undefined);

function displayToken(): string {
	return localStorage.getItem(DISPLAY) ?? "";
}

/** A token with which a device stays signed in for reading. */
export interface Reader {
	readonly id: string;
	readonly token: string;
}

/** This device's own; undefined if it has none. */
export function reader(): Reader | undefined {
	return JSON.parse(localStorage.getItem(READER) || "null") ?? undefined;
}

export function keepReader({ id, token }: Reader): void {
	localStorage.setItem(READER, JSON.stringify({ id, token }));
}

export function forgetReader(): void {
	localStorage.removeItem(READER);
}

export function hasSession(): boolean {
	return !display.value && sessionStorage.getItem(TOKEN) !== null;
}

function isDisplay(): boolean {
	return sessionStorage.getItem(TOKEN) === null && displayToken() !== "";
}

function endingAtStart(): Ending | undefined {
	const isRevoked = localStorage.getItem(DISPLAY) === "";
	const isForgotten = localStorage.getItem(READER) === "";
	const kept = sessionStorage.getItem(ENDING) as Ending | null;
	return kept ?? (isRevoked ? "revoked" : isForgotten ? "forgotten" : undefined);
}

/** Token for requests. */
export function token(): string | null {
	if (display.value) return offered ?? displayToken();
	return sessionStorage.getItem(TOKEN) ?? reader()?.token ?? null;
}

export function beginSession(made: string, expiresInS: number): void {
	sessionStorage.setItem(TOKEN, made);
	sessionStorage.setItem(EXPIRES, String(Date.now() + expiresInS * 1000));
	sessionStorage.removeItem(ENDING);
	for (const key of [DISPLAY, READER]) if (localStorage.getItem(key) === "") localStorage.removeItem(key);
	passwordWanted.set(false);
	endsAtMs.set(Date.now() + expiresInS * 1000);
	ending.set(undefined);
	display.set(false);
	loggedIn.set(true);
}

function leave(why: Ending | undefined): void {
	sessionStorage.removeItem(TOKEN);
	sessionStorage.removeItem(EXPIRES);
	offered = undefined;
	if (why === undefined || TOLD_IN_PLACE.includes(why)) sessionStorage.removeItem(ENDING);
	else sessionStorage.setItem(ENDING, why);
	ending.set(why);
	endsAtMs.set(undefined);
}

/** Ends the session. `why` undefined: the user logged out; a display becomes a display again. */
export function endSession(why?: Ending): void {
	leave(why);
	if (why === undefined) display.set(displayToken() !== "");
	loggedIn.set(token() !== null);
}

/**
 * The gateway has accepted this token. A token from a link is then stored, and a session of this tab ends. A page
 * opened by a link first requests its state, which needs a token.
 */
export function tokenAccepted(used: string | null): void {
	if (used !== offered) return;
	localStorage.setItem(DISPLAY, used);
	leave(undefined);
}

/** Handles a token that the gateway does not accept. If it came from a link, the previous state returns. */
export function tokenRefused(): void {
	if (display.value) {
		if (offered === undefined) localStorage.setItem(DISPLAY, "");
		offered = undefined;
		display.set(isDisplay());
		if (token() === null) endSession("revoked");
	} else if (hasSession()) {
		const why = Date.now() >= (endsAtMs.value ?? 0) ? "expired" : "early";
		// A device that stays signed in goes on reading.
		endSession(reader() === undefined ? why : undefined);
	} else {
		// Another tab may have logged out.
		if (reader() !== undefined) localStorage.setItem(READER, "");
		endSession("forgotten");
	}
}

/** Asks for the password where only this device's token is left. Returns false without such a token. */
export function wantPassword(): boolean {
	const isReading = !display.value && !hasSession() && reader() !== undefined;
	if (isReading) passwordWanted.set(true);
	return isReading;
}

/** How often the user has refused to enter the password. */
let refused = 0;

export function timesRefused(): number {
	return refused;
}

/** The user does not enter the password. */
export function refusePassword(): void {
	refused++;
	passwordWanted.set(false);
}

/** Makes this browser an ordinary one again. */
export function forgetDisplay(): void {
	localStorage.removeItem(DISPLAY);
	display.set(false);
	endSession();
}

/** The address that makes a browser a display. */
export function displayLink(made: string): string {
	return `${location.origin}/#/dashboard?token=${made}`;
}

/** Tries the token of such an address, and takes it out of the address bar and this tab's history. */
export function takeDisplayLink(): void {
	const found = LINK.exec(location.hash);
	if (found === null) return;
	history.replaceState(null, "", `${location.pathname}${location.hash.slice(0, found.index)}`);
	offered = found[1];
	display.set(true);
	loggedIn.set(true);
}
