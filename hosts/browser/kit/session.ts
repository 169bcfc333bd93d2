/**
 * Who this browser is to the gateway: somebody who has logged in, in this tab, or a display on a wall, which has a token
 * that may only read.
 *
 * The token of a login lives in the tab's storage and ends with it. That of a display lives in `localStorage`: the
 * tablet loses power, its browser drops tabs and starts anew, and nobody stands there with a password. It may only be
 * read with, and its owner can revoke it on the security page.
 */
import { Store } from "./store.js";

const TOKEN = "token";
/** When the session ends, ms of this browser's clock. */
const EXPIRES = "expires";
/** Why the last session ended, over the reload that follows. */
const ENDING = "ending";
/** In `localStorage`. Empty: it was revoked. */
const DISPLAY = "display";

/** Of a display's token in an address: what stands behind "#" is never sent to a server. */
const LINK = /[?&]token=([0-9a-f]{64})$/;

/** Why the login is asked for. `early`: before its time, by a restart or by somebody who ended it. */
export type Ending = "expired" | "early" | "restart" | "reset" | "certificate" | "update" | "revoked";

/** These need no word after a reload. */
const TOLD_IN_PLACE: readonly Ending[] = ["expired", "early", "revoked"];

/** This page is a display: set when it has no session, and a token for one. */
export const display = new Store(sessionStorage.getItem(TOKEN) === null && displayToken() !== "");
/** Whether there is a token that was good when last used. */
export const loggedIn = new Store(token() !== null);
export const ending = new Store<Ending | undefined>(endingAtStart());
/** When the session ends, ms of this browser's clock; undefined where none does. */
export const endsAtMs = new Store<number | undefined>(Number(sessionStorage.getItem(EXPIRES)) || undefined);

function displayToken(): string {
	return localStorage.getItem(DISPLAY) ?? "";
}

function endingAtStart(): Ending | undefined {
	const isRevoked = localStorage.getItem(DISPLAY) === "";
	return (sessionStorage.getItem(ENDING) as Ending | null) ?? (isRevoked ? "revoked" : undefined);
}

/** What requests are made with. */
export function token(): string | null {
	return sessionStorage.getItem(TOKEN) ?? (display.value ? displayToken() : null);
}

export function beginSession(made: string, expiresInS: number): void {
	sessionStorage.setItem(TOKEN, made);
	sessionStorage.setItem(EXPIRES, String(Date.now() + expiresInS * 1000));
	sessionStorage.removeItem(ENDING);
	if (displayToken() === "") localStorage.removeItem(DISPLAY);
	endsAtMs.set(Date.now() + expiresInS * 1000);
	ending.set(undefined);
	display.set(false);
	loggedIn.set(true);
}

function leave(why: Ending | undefined): void {
	sessionStorage.removeItem(TOKEN);
	sessionStorage.removeItem(EXPIRES);
	if (why === undefined || TOLD_IN_PLACE.includes(why)) sessionStorage.removeItem(ENDING);
	else sessionStorage.setItem(ENDING, why);
	ending.set(why);
	endsAtMs.set(undefined);
}

/** The session is over. `why` undefined: its owner has logged out; a browser that was made a display is one again. */
export function endSession(why?: Ending): void {
	leave(why);
	if (why === undefined) display.set(displayToken() !== "");
	loggedIn.set(token() !== null);
}

/** The gateway does not know the token any more. */
export function tokenRefused(): void {
	if (display.value) {
		localStorage.setItem(DISPLAY, "");
		display.set(false);
		endSession("revoked");
	} else endSession(Date.now() >= (endsAtMs.value ?? 0) ? "expired" : "early");
}

/** This browser is no display any more. */
export function forgetDisplay(): void {
	localStorage.removeItem(DISPLAY);
	display.set(false);
	endSession();
}

/** The address that makes a browser a display. */
export function displayLink(made: string): string {
	return `${location.origin}/#/dashboard?token=${made}`;
}

/**
 * Takes the token of such an address, and takes it out of the address bar and this tab's history. A session of this
 * tab ends here: who opens the link wants to see the display.
 */
export function takeDisplayLink(): void {
	const found = LINK.exec(location.hash);
	if (found === null) return;
	history.replaceState(null, "", `${location.pathname}${location.hash.slice(0, found.index)}`);
	localStorage.setItem(DISPLAY, found[1]);
	endSession();
}
