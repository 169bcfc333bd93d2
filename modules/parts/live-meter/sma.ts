/**
 * SMA energy meter (EMETER-Protokoll, TI-en-10). After each readout, the gateway sends a datagram of 608 bytes to the
 * multicast group of Speedwire, in the form of firmware 2.03. As long as the values are fresh, it sends them again,
 * because clients expect a datagram each second. All integers are big-endian. Channels are numbered as group C of OBIS:
 *
 *     "SMA" 0   0004 02a0 00000001   length 0010   6069 SUSy-ID serial ms
 *     00 C 04 00 value      momentary, 32 bits: 0.1 W, mA, mV, mHz, thousandths
 *     00 C 08 00 value      counter, 64 bits: Ws
 *     90 00 00 00 version   00000000
 *
 * Import and export are separate channels, so the momentary power of one of them is 0. Reactive power, and counters
 * other than those of active energy, are 0, because the meter does not send them.
 */
import { asciiBytes } from "../../bytes/ascii.js";
import { decodeHex } from "../../bytes/hex.js";
import { uint32BE } from "../../bytes/integers.js";
import { type DatagramMachine, type DatagramPort, Datagrams } from "../../io/datagrams.js";
import { LIVE_POWER, PHASES } from "../../live-meter/live-values.js";
import {
	FULL_AMPERES_L1,
	FULL_APPARENT,
	FULL_APPARENT_L1,
	FULL_EXPORT,
	FULL_EXPORT_L1,
	FULL_FACTOR_L1,
	FULL_HERTZ,
	FULL_IMPORT,
	FULL_IMPORT_L1,
	FULL_POWER_L1,
	FULL_VOLTS_L1,
} from "../../live-meter/shown-values.js";
import { NETWORK } from "../network/part.js";
import { type Dialect, dialect } from "./dialect.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";
import { LIVE_PAUSE_MS, LIVE_SMA } from "./fields.js";

const PART = "sma";
const GROUP = "239.12.255.254";
const PORT: DatagramPort = Object.freeze({ port: 9522, group: GROUP });
/**
 * Longest time between two datagrams, ms. It exceeds a second because the interval of a meter that sends each second
 * varies.
 */
const REPEAT_MS = 1250;

/** The serial number is between FIRST_SERIAL and FIRST_SERIAL + SERIALS - 1. SMA's own devices have similar numbers. */
const FIRST_SERIAL = 1_900_000_000;
const SERIALS = 100_000_000;

const TWO_32 = 2 ** 32;
const MAXIMUM = TWO_32 - 1;
/** Difference between the channel numbers of two phases, and codes for the values of a channel. */
const PHASE_STEP = 20;
const MOMENTARY = 0x400;
const COUNTER = 0x800;
const WATT_SECONDS = 3600;

export function writeSMA(into: Uint8Array, values: Float64Array, id: string, nowMs: number): number {
	const view = new DataView(into.buffer, into.byteOffset);
	let at = 0;
	/** A number that does not fit is replaced by the nearest number that fits. */
	const put = (number: number) => {
		view.setUint32(at, Math.min(Math.max(0, Math.round(number)), MAXIMUM));
		at += 4;
	};
	const momentary = (channel: number, value: number) => {
		put(channel * 0x10000 + MOMENTARY);
		put(value * 1000);
	};
	const oneWay = (channel: number, power: number, energy: number) => {
		const counter = Math.round(energy * WATT_SECONDS);
		momentary(channel, power / 100);
		put(channel * 0x10000 + COUNTER);
		put(Math.floor(counter / TWO_32));
		put(counter % TWO_32);
	};
	/** The parameters after `base` are indexes of shown values. */
	const powers = (base: number, power: number, apparent: number, taken: number, given: number) => {
		const sign = values[power] < 0 ? -1 : 1;
		oneWay(base + 1, values[power], values[taken]);
		oneWay(base + 2, -values[power], values[given]);
		oneWay(base + 3, 0, 0);
		oneWay(base + 4, 0, 0);
		oneWay(base + 9, values[apparent] * sign, 0);
		oneWay(base + 10, -values[apparent] * sign, 0);
	};
	const apparent = values[FULL_APPARENT];
	put(0x534d4100);
	put(0x402a0);
	put(1);
	put(0x24c0010);
	put(0x6069010e);
	const idBytes = decodeHex(asciiBytes(id), 0, id.length)!;
	put(FIRST_SERIAL + (uint32BE(idBytes, 2) % SERIALS));
	put(Math.floor(nowMs) % TWO_32);
	powers(0, LIVE_POWER, FULL_APPARENT, FULL_IMPORT, FULL_EXPORT);
	momentary(13, apparent > 0 ? Math.min(1, Math.abs(values[LIVE_POWER]) / apparent) : 1);
	momentary(14, values[FULL_HERTZ]);
	for (let i = 0; i < PHASES; i++) {
		const base = PHASE_STEP * (i + 1);
		powers(base, FULL_POWER_L1 + i, FULL_APPARENT_L1 + i, FULL_IMPORT_L1 + i, FULL_EXPORT_L1 + i);
		momentary(base + 11, Math.abs(values[FULL_AMPERES_L1 + i]));
		momentary(base + 12, values[FULL_VOLTS_L1 + i]);
		momentary(base + 13, values[FULL_FACTOR_L1 + i]);
	}
	// Version of the firmware (2.03.04 R), then the end of the datagram.
	put(0x90000000);
	put(0x2030452);
	put(0);
	return at;
}

/**
 * Sends the datagrams. Each UDP port takes a thread on the chip, so those of Shelly and CT002 are closed meanwhile.
 */
class SMAPort implements DatagramMachine, DialectPort {
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly #values: LiveValues;
	readonly #datagrams: Datagrams<SMAPort>;
	#sentMs = Number.NEGATIVE_INFINITY;

	constructor(values: LiveValues) {
		this.#values = values;
		this.#datagrams = new Datagrams(values.core.find(NETWORK).datagrams!, PART, this);
		this.#datagrams.task.update(() => {});
	}

	get port(): DatagramPort {
		return PORT;
	}

	stop(): void {
		this.#datagrams.stop();
	}

	opened(): void {}

	lost(): void {}

	received(): void {}

	measured(): void {
		const pauseMs = this.#values.core.config.get(LIVE_PAUSE_MS);
		this.#datagrams.task.update((nowMs) => {
			this.deadlineMs = Math.max(nowMs, this.#sentMs + pauseMs);
		});
	}

	advance(nowMs: number): void {
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (!this.#values.want(SMA)) return;
		const { core, id } = this.#values;
		const { buffer } = core.find(NETWORK).datagrams!;
		this.#datagrams.send(writeSMA(buffer, this.#values.show(), id, nowMs), GROUP, PORT.port);
		this.#sentMs = nowMs;
		this.deadlineMs = nowMs + Math.max(REPEAT_MS, core.config.get(LIVE_PAUSE_MS));
	}
}

export const SMA: Dialect = dialect({
	name: LIVE_SMA.name,
	enabled: LIVE_SMA,
	maxAgeMs: 10_000,
	pages: [],
	services: [],
	isUDP: true,
	open: (values) => new SMAPort(values),
});
