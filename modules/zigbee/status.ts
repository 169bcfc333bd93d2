/** The Zigbee bridge as the API shows it, at a moment. For zigbee.ts. */
import { upperCase } from "../bytes/ascii.js";
import { encodeHex } from "../bytes/hex.js";
import type { Clock, Host, TextCodec } from "../io/host.js";
import { PAIRS } from "../obis/mapping.js";
import type { Bridge } from "./bridge.js";

/** The Zigbee bridge at a moment. What is not known is empty, or what stands for no network (decision 46). */
export interface ZigbeeStatus {
	/** One of RADIO_CODES (radio.ts). */
	readonly code: string;
	readonly role: string;
	readonly joined: boolean;
	readonly channel: number;
	readonly shortAddress: number;
	readonly panId: number;
	/** 16 hex digits, upper case, most significant first. */
	readonly extendedPanId: string;
	/** The same, or empty. */
	readonly ieeeAddress: string;
	/** What the coprocessor runs. */
	readonly coprocessor: string;
	readonly joiningSecs: number;
	/**
	 * For each of PAIRS (obis/mapping.ts) after the first: the value that was reported last, in kWh, W, V or A, or NaN, and
	 * when, Unix time in seconds.
	 */
	readonly reported: Float64Array;
}

/** What the routes want of the Zigbee bridge: zigbee/owner.ts. */
export interface ZigbeeBridge {
	/** One of RADIO_CODES. */
	readonly code: string;
	/** Also while it hears its parent no more. */
	readonly isJoined: boolean;
	/** When the last report has arrived, Unix time; 0: none has since the start, or the clock is not set. */
	readonly sentUtcMs: number;
	status(): ZigbeeStatus;
	/** It is turned on or off. */
	settingsChanged(): void;
	/** The map is another. */
	mappingChanged(): void;
	/** Leaves its network, and looks for an open one for a while. Only when it is on. */
	join(): void;
}

/** `zigbee_state` of a unit without a radio (decision 52). */
export const NO_RADIO = "absent";

/** Where there is no network, and no radio (decision 46). */
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

/** What its owner makes of its state. */
interface Seen {
	readonly code: string;
	readonly isJoined: boolean;
	readonly isRouter: boolean;
}

/** `bridge` undefined: it was not needed yet. */
export function statusOf(bridge: Bridge | undefined, host: Host, { code, isJoined, isRouter }: Seen): ZigbeeStatus {
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

/** Unix time; 0: there was none, or the clock is not set. */
export function lastReportUtcMs(bridge: Bridge | undefined, clock: Clock): number {
	let lastMs = 0;
	for (let pair = 1; pair < PAIRS.length; pair++) lastMs = Math.max(lastMs, bridge?.reportedMs(pair) ?? 0);
	return utcMsOf(lastMs, clock);
}

/** Unix time of a monotonic one; 0: it is none, or the clock is not set. */
function utcMsOf(atMs: number, clock: Clock): number {
	const utcMs = clock.utcMs();
	return utcMs === undefined || !(atMs > 0) ? 0 : utcMs - clock.monotonicMs() + atMs;
}

/** Hex of bytes as they go over the UART, the least significant first. */
function hex(bytes: Uint8Array, text: TextCodec): string {
	return upperCase(text.decode(encodeHex(bytes.slice().reverse())));
}
