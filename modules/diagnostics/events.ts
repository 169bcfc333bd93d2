/** Kinds of events in the log. Their numbers are stored in flash, so a number must never change its meaning. */

export interface EventKind {
	/** Number in flash, 1 to 254. */
	readonly number: number;
	/** Name in the API. */
	readonly name: string;
	/** True if the detail of the event identifies no person, place or private device, so that others may see it. */
	readonly isPlain: boolean;
	/**
	 * True if only an authenticated client, a restart or an update can cause the event. Some of the limited
	 * writes to flash are reserved for such events (event-log.ts).
	 */
	readonly needsLogin: boolean;
}

/** Defines a kind of event. Parts define their kinds in files named `log-events.ts`. */
export function kind(
	number: number,
	name: string,
	{ isPlain = false, needsLogin = false }: Partial<EventKind> = {},
): EventKind {
	return Object.freeze({ number, name, isPlain, needsLogin });
}

/** The firmware has started. Detail: cause of the end of the previous run, if known. */
export const EVENT_STARTED = kind(1, "started", { isPlain: true });
/** The gateway has started in safe mode. Detail: causes of the faults before. */
export const EVENT_SAFE_MODE = kind(2, "safe_mode", { isPlain: true });
export const EVENT_RESTART = kind(3, "restart", { needsLogin: true });
/** The clock has been set for the first time since the start. */
export const EVENT_CLOCK = kind(4, "clock_set");
/** A client has logged in. Detail: its address. */
export const EVENT_LOGIN = kind(5, "login", { needsLogin: true });
/**
 * A login was refused because of a wrong user or password, or because of too many attempts. Detail: address of the
 * client.
 */
export const EVENT_LOGIN_REFUSED = kind(6, "login_refused");
export const EVENT_PASSWORD = kind(7, "password_changed", { needsLogin: true });
/** A long-lived token was created or revoked. Detail: name of the token. */
export const EVENT_TOKEN_MADE = kind(8, "token_made", { needsLogin: true });
export const EVENT_TOKEN_REVOKED = kind(9, "token_revoked", { needsLogin: true });
/** Settings were changed. Detail: names of their groups. */
export const EVENT_SETTINGS = kind(10, "settings_changed", { isPlain: true, needsLogin: true });
/** The TLS certificate was changed. Detail: the certificate that will be used from the next start on. */
export const EVENT_CERTIFICATE = kind(11, "certificate_changed", { isPlain: true, needsLogin: true });
/** A readout has failed for the first time, or with another failure than the last one. Detail: code of the failure. */
export const EVENT_METER_FAILED = kind(12, "meter_failed", { isPlain: true });
/** A readout has succeeded for the first time after a failure or since the start. */
export const EVENT_METER_READ = kind(13, "meter_read");
export const EVENT_NETWORK_UP = kind(14, "network_up");
export const EVENT_NETWORK_DOWN = kind(15, "network_down");
/** Scheduled readouts did not take place. Detail: their number. */
export const EVENT_MISSED = kind(16, "readouts_missed", { isPlain: true });
/** The flash has refused a write. Detail: storage key of the write. */
export const EVENT_STORAGE = kind(17, "storage_refused", { isPlain: true });
/** The device sleeps until it has new batteries or USB power. */
export const EVENT_BATTERY_EMPTY = kind(24, "battery_empty");

const UNKNOWN = kind(0, "unknown");

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

export interface EventSource {
	readonly events: readonly EventKind[];
}

/** Returns the kind with this number, or the kind `unknown` for a number that only other firmware versions use. */
export function eventKind(sources: readonly EventSource[], number: number): EventKind {
	const isIt = (candidate: EventKind) => candidate.number === number;
	for (const { events } of sources) {
		const kind = events.find(isIt);
		if (kind !== undefined) return kind;
	}
	return KINDS.find(isIt) ?? UNKNOWN;
}
