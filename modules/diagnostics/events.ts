/** Kinds of events in the log. Their numbers are stored in flash and must never change their meaning. */

export interface EventKind {
	/** Number in flash, 1 to 254. */
	readonly number: number;
	/** Name in the API. */
	readonly name: string;
	/** True if the detail identifies no person, place or private device, so that other people than the user may see it. */
	readonly isPlain: boolean;
	/** True if an unauthenticated client cannot cause the event, which gives it priority in flash. Includes restarts and updates. */
	readonly needsLogin: boolean;
}

/** Returns a kind of event; parts define theirs in the `log-events.ts` of their folder. */
export function kind(
	number: number,
	name: string,
	{ isPlain = false, needsLogin = false }: Partial<EventKind> = {},
): EventKind {
	return Object.freeze({ number, name, isPlain, needsLogin });
}

/** The program has started; detail: cause of the previous end, if the host knows it. */
export const EVENT_STARTED = kind(1, "started", { isPlain: true });
/** The program has started in safe mode; detail: the causes. */
export const EVENT_SAFE_MODE = kind(2, "safe_mode", { isPlain: true });
/** A restart was requested. */
export const EVENT_RESTART = kind(3, "restart", { needsLogin: true });
/** The clock was set for the first time since the start. */
export const EVENT_CLOCK = kind(4, "clock_set");
/** Successful login; detail: client address. */
export const EVENT_LOGIN = kind(5, "login", { needsLogin: true });
/** Wrong user or password, or too many attempts; detail: client address. */
export const EVENT_LOGIN_REFUSED = kind(6, "login_refused");
/** Changed password; detail: client address. */
export const EVENT_PASSWORD = kind(7, "password_changed", { needsLogin: true });
/** New token; detail: its name. */
export const EVENT_TOKEN_MADE = kind(8, "token_made", { needsLogin: true });
/** Revoked token; detail: its id. */
export const EVENT_TOKEN_REVOKED = kind(9, "token_revoked", { needsLogin: true });
/** Changed settings; detail: names of the groups. */
export const EVENT_SETTINGS = kind(10, "settings_changed", { isPlain: true, needsLogin: true });
/** New certificate, used from the next start on; detail: which one. */
export const EVENT_CERTIFICATE = kind(11, "certificate_changed", { isPlain: true, needsLogin: true });
/** First failure, or a different failure than before; detail: its code. */
export const EVENT_METER_FAILED = kind(12, "meter_failed", { isPlain: true });
/** First good readout after a failure or since the start. */
export const EVENT_METER_READ = kind(13, "meter_read");
/** Network connection; detail: own address. */
export const EVENT_NETWORK_UP = kind(14, "network_up");
export const EVENT_NETWORK_DOWN = kind(15, "network_down");
/** Missed readouts; detail: their number. */
export const EVENT_MISSED = kind(16, "readouts_missed", { isPlain: true });
/** Failed write to flash; detail: the key. */
export const EVENT_STORAGE = kind(17, "storage_refused", { isPlain: true });
/** The batteries are empty; the device sleeps until it has new ones or USB power. */
export const EVENT_BATTERY_EMPTY = kind(24, "battery_empty");

const UNKNOWN = kind(0, "unknown");

/** Kinds of the gateway as a whole. */
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

/** Source of event kinds: a part (part.ts). */
export interface EventSource {
	readonly events: readonly EventKind[];
}

/** Returns the kind for a number in flash; an unnamed one if another firmware version wrote it. */
export function eventKind(sources: readonly EventSource[], number: number): EventKind {
	const isIt = (candidate: EventKind) => candidate.number === number;
	for (const { events } of sources) {
		const kind = events.find(isIt);
		if (kind !== undefined) return kind;
	}
	return KINDS.find(isIt) ?? UNKNOWN;
}
