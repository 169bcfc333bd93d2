/** What the event log knows of: the rows of its table. A row's number stands in flash: it never gets another meaning. */

/** One kind of event. */
export interface EventKind {
	/** In flash; 1 to 254. */
	readonly number: number;
	/** In the API. */
	readonly name: string;
	/** Its detail names no person, no place and no device of theirs: it may be shown to others than the owner. */
	readonly isPlain: boolean;
}

function kind(number: number, name: string, isPlain = false): EventKind {
	return Object.freeze({ number, name, isPlain });
}

/** For `isPlain`. */
const PLAIN = true;

/** The program has started; with the cause of the end before, where the host knows it. */
export const EVENT_STARTED = kind(1, "started", PLAIN);
/** It has started in safe mode; with the causes. */
export const EVENT_SAFE_MODE = kind(2, "safe_mode", PLAIN);
/** A restart was asked for. */
export const EVENT_RESTART = kind(3, "restart");
/** The clock was set for the first time since the start. */
export const EVENT_CLOCK = kind(4, "clock_set");
/** With the client's address. */
export const EVENT_LOGIN = kind(5, "login");
/** Wrong user or password, or too many attempts; with the client's address. */
export const EVENT_LOGIN_REFUSED = kind(6, "login_refused");
/** With the client's address. */
export const EVENT_PASSWORD = kind(7, "password_changed");
/** With the token's name. */
export const EVENT_TOKEN_MADE = kind(8, "token_made");
/** With the token's id. */
export const EVENT_TOKEN_REVOKED = kind(9, "token_revoked");
/** With the names of the groups that have changed. */
export const EVENT_SETTINGS = kind(10, "settings_changed", PLAIN);
/** Another certificate serves from the next start on; with which. */
export const EVENT_CERTIFICATE = kind(11, "certificate_changed", PLAIN);
/** The first failure, and each that is another one; with its code. */
export const EVENT_METER_FAILED = kind(12, "meter_failed", PLAIN);
/** The first good readout after a failure, or since the start. */
export const EVENT_METER_READ = kind(13, "meter_read");
/** With our address. */
export const EVENT_NETWORK_UP = kind(14, "network_up");
export const EVENT_NETWORK_DOWN = kind(15, "network_down");
/** With how many. */
export const EVENT_MISSED = kind(16, "readouts_missed", PLAIN);
/** Flash has refused a write; with the key. */
export const EVENT_STORAGE = kind(17, "storage_refused", PLAIN);
/** The hub has taken nothing for the first time since it last did; with the code. */
export const EVENT_HUB_FAILED = kind(18, "hub_failed", PLAIN);
/** It has taken all again. */
export const EVENT_HUB_BACK = kind(19, "hub_back");
/** The first failure, and each that is another one; with its code. */
export const EVENT_MQTT_FAILED = kind(20, "mqtt_failed", PLAIN);
/** The broker has taken everything again. */
export const EVENT_MQTT_SENT = kind(21, "mqtt_sent");
/** The cells are empty: it sleeps until there are others, or USB. */
export const EVENT_BATTERY_EMPTY = kind(24, "battery_empty");
/** Another firmware starts next; with its version, and who sent it. */
export const EVENT_UPDATE_INSTALLED = kind(25, "update_installed");
/** A firmware file was not taken; with the code, and who sent it. */
export const EVENT_UPDATE_REFUSED = kind(26, "update_refused");
/** A firmware on trial has proved itself, and stays; with its version. */
export const EVENT_UPDATE_CONFIRMED = kind(27, "update_confirmed", PLAIN);
/** A firmware on trial gives itself up; with what did not work. */
export const EVENT_UPDATE_FAILED = kind(28, "update_failed", PLAIN);
/** The firmware before is back; with the reason. */
export const EVENT_UPDATE_ROLLED_BACK = kind(29, "update_rolled_back", PLAIN);
/** A newer firmware was found where the device looks for one; with its version. */
export const EVENT_UPDATE_FOUND = kind(30, "update_found", PLAIN);
/** The Zigbee bridge has joined a network, as it was asked to. */
export const EVENT_ZIGBEE_JOINED = kind(31, "zigbee_joined", PLAIN);
/** It is in no network any more: its owner or the coordinator has wanted that. */
export const EVENT_ZIGBEE_LEFT = kind(32, "zigbee_left", PLAIN);
/** The coprocessor does not answer. */
export const EVENT_ZIGBEE_SILENT = kind(33, "zigbee_silent", PLAIN);
/** It works again; with its firmware. */
export const EVENT_ZIGBEE_BACK = kind(34, "zigbee_back", PLAIN);
/** It runs a firmware that can't be used; with that. */
export const EVENT_ZIGBEE_FOREIGN = kind(35, "zigbee_foreign", PLAIN);

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
	EVENT_HUB_FAILED,
	EVENT_HUB_BACK,
	EVENT_MQTT_FAILED,
	EVENT_MQTT_SENT,
	EVENT_BATTERY_EMPTY,
	EVENT_UPDATE_INSTALLED,
	EVENT_UPDATE_REFUSED,
	EVENT_UPDATE_CONFIRMED,
	EVENT_UPDATE_FAILED,
	EVENT_UPDATE_ROLLED_BACK,
	EVENT_UPDATE_FOUND,
	EVENT_ZIGBEE_JOINED,
	EVENT_ZIGBEE_LEFT,
	EVENT_ZIGBEE_SILENT,
	EVENT_ZIGBEE_BACK,
	EVENT_ZIGBEE_FOREIGN,
]);

/** Nobody causes these without a login, but for restarts and updates that are the device's own. */
const BEHIND_LOGIN: readonly EventKind[] = Object.freeze([
	EVENT_RESTART,
	EVENT_LOGIN,
	EVENT_PASSWORD,
	EVENT_TOKEN_MADE,
	EVENT_TOKEN_REVOKED,
	EVENT_SETTINGS,
	EVENT_CERTIFICATE,
	EVENT_UPDATE_INSTALLED,
]);

/** Whether a stranger can't make such events come, so that they are kept in flash before others. */
export function needsLogin(of: EventKind): boolean {
	return BEHIND_LOGIN.includes(of);
}

/** Of a number in flash; one that another version has written has no name here. */
export function eventKind(number: number): EventKind {
	return KINDS.find((candidate) => candidate.number === number) ?? UNKNOWN;
}
