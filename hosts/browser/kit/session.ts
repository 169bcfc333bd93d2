/**
 * Access rights of this browser. It belongs to a user who has logged in in this tab, to a device that stays signed in
 * for reading, or to a wall display. A device that stays signed in and a display have a read-only token.
 *
 * The token of a login is in the tab's storage and is lost when the tab is closed. The other two are in `localStorage`;
 * the owner can revoke them on the security page.
 */
import { Store } from "./store.js";

const TOKEN = "token";
/** Key of the time at which the session ends, ms by this browser's clock. */
const EXPIRES = "expires";
/** Key of the reason why the last session ended. It survives the reload that follows. */
const ENDING = "ending";
/** Key in `localStorage` of a display's token. An empty value means that the token was revoked. */
const DISPLAY = "display";

/**
 * Key in `localStorage` of the token with which this device stays signed in. An empty value means that the token was
 * revoked.
 */
const READER = "reader";

/** Token in a display link. It is after the "#", because browsers never send that part of an address to a server. */
const LINK = /[?&]token=([0-9a-f]{64})$/;

/** Reason why a session ended. `early` means that it ended before its time, by a restart or another user. */
export type Ending = "expired" | "early" | "restart" | "reset" | "certificate" | "update" | "revoked" | "forgotten";

/** Reasons that need no message after a reload, because the page already shows them without a reload. */
const SHOWN_IN_PLACE: readonly Ending[] = ["expired", "early", "revoked", "forgotten"];

/**
 * Token in the display link that was opened. It is stored only after the gateway has accepted it, because links can be
 * forged.
 */
let offeredToken: string | undefined;
/** True if a link offers the token of a display, or if such a token is stored and this tab has no session. */
export const display = new Store(isDisplay());
/** True if there is a token that was valid at its last use. */
export const loggedIn = new Store(token() !== null);
export const ending = new Store<Ending | undefined>(endingAtStart());
/** True while a request needs more rights than this device's token has. */
export const passwordWanted = new Store(false);
/** End of the session by this browser's clock, or undefined if there is no session. */
export const endsAtMs = new Store<number | undefined>(Number(sessionStorage.getItem(EXPIRES)) || undefined);

function displayToken(): string {
	return localStorage.getItem(DISPLAY) ?? "";
}

export interface Reader {
	readonly id: string;
	readonly token: string;
}

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

export function token(): string | null {
	if (display.value) return offeredToken ?? displayToken();
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
	offeredToken = undefined;
	if (why === undefined || SHOWN_IN_PLACE.includes(why)) sessionStorage.removeItem(ENDING);
	else sessionStorage.setItem(ENDING, why);
	ending.set(why);
	endsAtMs.set(undefined);
}

/** Ends the session. `why` is undefined if the user has logged out. A display then shows its read-only pages again. */
export function endSession(why?: Ending): void {
	leave(why);
	if (why === undefined) display.set(displayToken() !== "");
	loggedIn.set(token() !== null);
}

/**
 * Called when the gateway has accepted a token. Stores the token of a display link, and ends the session of this tab.
 */
export function tokenAccepted(used: string | null): void {
	if (used !== offeredToken) return;
	localStorage.setItem(DISPLAY, used);
	leave(undefined);
}

/**
 * Called when the gateway has refused the token. Drops the token of a display link, or marks a stored token as revoked.
 */
export function tokenRefused(): void {
	if (display.value) {
		if (offeredToken === undefined) localStorage.setItem(DISPLAY, "");
		offeredToken = undefined;
		display.set(isDisplay());
		if (token() === null) endSession("revoked");
	} else if (hasSession()) {
		const why = Date.now() >= (endsAtMs.value ?? 0) ? "expired" : "early";
		// A device that stays signed in can still read, so the user is not sent to the login.
		endSession(reader() === undefined ? why : undefined);
	} else {
		// If the token is already missing, another tab has logged out.
		if (reader() !== undefined) localStorage.setItem(READER, "");
		endSession("forgotten");
	}
}

/**
 * If the page uses the read-only token of this device, asks for the password and returns true. Otherwise returns false.
 */
export function wantPassword(): boolean {
	const isReading = !display.value && !hasSession() && reader() !== undefined;
	if (isReading) passwordWanted.set(true);
	return isReading;
}

/** Number of times that the password dialog was cancelled. */
let refused = 0;

export function timesRefused(): number {
	return refused;
}

export function refusePassword(): void {
	refused++;
	passwordWanted.set(false);
}

export function forgetDisplay(): void {
	localStorage.removeItem(DISPLAY);
	display.set(false);
	endSession();
}

/** Returns the address of a display link. A browser that opens it becomes a display. */
export function displayLink(made: string): string {
	return `${location.origin}/#/dashboard?token=${made}`;
}

/** Reads the token of a display link, and removes it from the address bar and from this tab's history. */
export function takeDisplayLink(): void {
	const found = LINK.exec(location.hash);
	if (found === null) return;
	history.replaceState(null, "", `${location.pathname}${location.hash.slice(0, found.index)}`);
	offeredToken = found[1];
	display.set(true);
	loggedIn.set(true);
}
