/** Snapshot of the Zigbee bridge for the API. */
import { upperCase } from "../../bytes/ascii.js";
import { encodeHex } from "../../bytes/hex.js";
import type { Clock, Host, TextCodec } from "../../io/host.js";
import { PAIRS } from "../../obis/mapping.js";
import type { Bridge } from "../../zigbee/bridge.js";

/** State of the bridge. Members that are unknown are empty, or have the value for "no network". */
export interface ZigbeeStatus {
	/** One of RADIO_CODES (radio.ts). */
	readonly code: string;
	readonly role: string;
	readonly joined: boolean;
	readonly channel: number;
	readonly shortAddress: number;
	readonly panId: number;
	/** Extended PAN id, 16 hex digits in upper case, most significant byte first. */
	readonly extendedPanId: string;
	readonly ieeeAddress: string;
	readonly coprocessor: string;
	readonly joiningSecs: number;
	/**
	 * For each pair except the first: the value that was reported last (kWh, W, V or A; NaN if none), and its Unix time
	 * in seconds.
	 */
	readonly reported: Float64Array;
}

export interface ZigbeeBridge {
	readonly code: string;
	/** True if the device belongs to a network, even if the parent is lost. */
	readonly isJoined: boolean;
	/** Time of the last report that was delivered, Unix ms; 0 if there was none yet, or if the clock was not set. */
	readonly sentUtcMs: number;
	status(): ZigbeeStatus;
	settingsChanged(): void;
	mappingChanged(): void;
	/** Searches for a network. It has no effect if the radio is off. */
	join(): void;
}

/** Value of `zigbee_state` for a unit without a radio. */
export const NO_RADIO = "absent";

export const NO_NETWORK: ZigbeeStatus = Object.freeze({
	code: NO_RADIO,
	role: "",
	joined: false,
	channel: 11,
	shortAddress: 65535,
	panId: 65535,
	extendedPanId: "0000000000000000",
	ieeeAddress: "",
	coprocessor: "",
	joiningSecs: 0,
	reported: new Float64Array(0),
});

interface BridgeState {
	readonly code: string;
	readonly isJoined: boolean;
	readonly isRouter: boolean;
}

/** `bridge` is undefined until it is needed for the first time. */
export function statusOf(
	bridge: Bridge | undefined,
	host: Host,
	{ code, isJoined, isRouter }: BridgeState,
): ZigbeeStatus {
	const role = isRouter ? "router" : "end_device";
	if (bridge === undefined) return { ...NO_NETWORK, code, role };
	const { clock, text } = host;
	const { ieeeAddress, firmware, network, joiningUntilMs } = bridge.chip;
	const joined = isJoined ? network : undefined;
	const { channel, shortAddress, panId } = joined ?? NO_NETWORK;
	const reported = new Float64Array(2 * (PAIRS.length - 1));
	for (let pair = 1; pair < PAIRS.length; pair++) {
		reported[2 * pair - 2] = bridge.reportedValue(pair);
		reported[2 * pair - 1] = Math.floor(utcMsOf(bridge.reportedMs(pair), clock) / 1000);
	}
	return {
		code,
		role,
		joined: isJoined,
		channel,
		shortAddress,
		panId,
		extendedPanId: joined === undefined ? NO_NETWORK.extendedPanId : hex(joined.extendedPanId, text),
		ieeeAddress: ieeeAddress === undefined ? "" : hex(ieeeAddress, text),
		coprocessor: firmware,
		joiningSecs: Math.max(0, Math.ceil((joiningUntilMs - clock.monotonicMs()) / 1000)),
		reported,
	};
}

export function lastReportUtcMs(bridge: Bridge | undefined, clock: Clock): number {
	let lastMs = 0;
	for (let pair = 1; pair < PAIRS.length; pair++) lastMs = Math.max(lastMs, bridge?.reportedMs(pair) ?? 0);
	return utcMsOf(lastMs, clock);
}

function utcMsOf(atMs: number, clock: Clock): number {
	const utcMs = clock.utcMs();
	return utcMs === undefined || !(atMs > 0) ? 0 : utcMs - clock.monotonicMs() + atMs;
}

/**
 * Returns hex digits, most significant byte first. `bytes` are in the order of the UART, least significant byte first.
 */
function hex(bytes: Uint8Array, text: TextCodec): string {
	return upperCase(text.decode(encodeHex(bytes.slice().reverse())));
}
