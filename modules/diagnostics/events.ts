/** Kinds of events in the log. The number of a kind stands in flash: it never gets another meaning. */

/** One kind of event. */
export interface EventKind {
	/** In flash; 1 to 254. */
	readonly number: number;
	/** In the API. */
	readonly name: string;
	/** Its detail names no person, no place and no device of theirs: it may be shown to others than the owner. */
	readonly isPlain: boolean;
	/** A stranger can't make it come, so that it is kept in flash before others. Restarts and updates of the device itself count too. */
	readonly needsLogin: boolean;
}

/** One kind; parts have theirs in the `log-events.ts` of their folder. */
export function kind(
	number: number,
	name: string,
	{ isPlain = false, needsLogin = false }: Partial<EventKind> = {},
): EventKind {
	return Object.freeze({ number, name, isPlain, needsLogin });
}

/** The program has started; with the cause of the end before, where the host knows it. */
export const EVENT_STARTED = kind(1, "started", { isPlain: true });
/** It has started in safe mode; with the causes. */
export const EVENT_SAFE_MODE = kind(2, "safe_mode", { isPlain: true });
/** A restart was asked for. */
export const EVENT_RESTART = kind(3, "restart", { needsLogin: true });
/** The clock was set for the first time since the start. */
export const EVENT_CLOCK = kind(4, "clock_set");
/** With the client's address. */
export const EVENT_LOGIN = kind(5, "login", { needsLogin: true });
/** Wrong user or password, or too many attempts; with the client's address. */
export const EVENT_LOGIN_REFUSED = kind(6, "login_refused");
/** With the client's address. */
export const EVENT_PASSWORD = kind(7, "password_changed", { needsLogin: true });
/** With the token's name. */
export const EVENT_TOKEN_MADE = kind(8, "token_made", { needsLogin: true });
/** With the token's id. */
export const EVENT_TOKEN_REVOKED = kind(9, "token_revoked", { needsLogin: true });
/** With the names of the groups that have changed. */
export const EVENT_SETTINGS = kind(10, "settings_changed", { isPlain: true, needsLogin: true });
/** Another certificate serves from the next start on; with which. */
export const EVENT_CERTIFICATE = kind(11, "certificate_changed", { isPlain: true, needsLogin: true });
/** The first failure, and each that is another one; with its code. */
export const EVENT_METER_FAILED = kind(12, "meter_failed", { isPlain: true });
/** The first good readout after a failure, or since the start. */
export const EVENT_METER_READ = kind(13, "meter_read");
/** With our address. */
export const EVENT_NETWORK_UP = kind(14, "network_up");
export const EVENT_NETWORK_DOWN = kind(15, "network_down");
/** With how many. */
export const EVENT_MISSED = kind(16, "readouts_missed", { isPlain: true });
/** Flash has refused a write; with the key. */
export const EVENT_STORAGE = kind(17, "storage_refused", { isPlain: true });
/** The cells are empty: it sleeps until there are others, or USB. */
export const EVENT_BATTERY_EMPTY = kind(24, "battery_empty");

const UNKNOWN = kind(0, "unknown");

/** Those of the gateway as a whole. */
const KINDS: readonly EventKind[] = Object.freeze([
	EVENT_STARTED,
	EVENT_SAFE_MODE,
	EVENT_RESTART,
	EVENT_CLOCK,
	EVENT_LOGIN,
	EVENT_LOGIN_REFUSED,
	EVENT_PASSWORD,
	EVENT_TOKEN_MADE,
	EVENT_TOKEN_REVOKED,
	EVENT_SETTINGS,
	EVENT_CERTIFICATE,
	EVENT_METER_FAILED,
	EVENT_METER_READ,
	EVENT_NETWORK_UP,
	EVENT_NETWORK_DOWN,
	EVENT_MISSED,
	EVENT_STORAGE,
	EVENT_BATTERY_EMPTY,
]);

/** What has such numbers: a part (part.ts). */
export interface EventSource {
	readonly events: readonly EventKind[];
}

/** The kind for a number in flash; one that another version has written has no name here. */
export function eventKind(sources: readonly EventSource[], number: number): EventKind {
	const isIt = (candidate: EventKind) => candidate.number === number;
	for (const { events } of sources) {
		const kind = events.find(isIt);
		if (kind !== undefined) return kind;
	}
	return KINDS.find(isIt) ?? UNKNOWN;
}
