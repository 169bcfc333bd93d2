/**
 * SMA energy meter (EMETER-Protokoll, TI-en-10): a datagram to the multicast group of Speedwire for each readout, in the
 * form of firmware 2.03, which has 608 bytes. The last values are repeated while they are fresh, because clients expect
 * a datagram each second. All integers are big-endian; channels have the codes of OBIS:
 *
 *     "SMA" 0   0004 02a0 00000001   length 0010   6069 SUSy-ID serial ms
 *     00 C 04 00 value      momentary, 32 bits: 0.1 W, mA, mV, mHz, thousandths
 *     00 C 08 00 value      counter, 64 bits: Ws
 *     90 00 00 00 version   00000000
 *
 * Import and export are separate channels, of which one is 0. Reactive power, and counters other than those of active
 * energy, are 0, because the meter does not send them.
 */
import { type DatagramMachine, type DatagramPort, type DatagramSender, Datagrams } from "../io/datagrams.js";
import { NETWORK } from "../wifi/part.js";
import { type Dialect, dialect } from "./dialect.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";
import { LIVE_PAUSE_MS, LIVE_SMA } from "./fields.js";
import { LIVE_POWER, PHASES } from "./live-values.js";
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
} from "./shown-values.js";

const PART = "sma";
const GROUP = "239.12.255.254";
const PORT: DatagramPort = Object.freeze({ port: 9522, group: GROUP });
/** Longest time between two datagrams. It leaves room for the jitter of a meter that sends each second. */
const REPEAT_MS = 1250;

const HEAD = Object.freeze([0x53, 0x4d, 0x41, 0, 0, 4, 2, 0xa0, 0, 0, 0, 1, 0x02, 0x4c, 0, 0x10, 0x60, 0x69, 1, 0x0e]);
/** Version of the firmware, 2.03.04 R, and the end. */
const TAIL = Object.freeze([0x90, 0, 0, 0, 2, 3, 4, 0x52, 0, 0, 0, 0]);
/** The serial number is FIRST_SERIAL to FIRST_SERIAL + SERIALS - 1; those of the maker's own devices look alike. */
const FIRST_SERIAL = 1_900_000_000;
const SERIALS = 100_000_000;

const TWO_32 = 2 ** 32;
const MAXIMUM = TWO_32 - 1;
/** Difference between the channels of two phases. */
const PHASE_STEP = 20;
const MOMENTARY = 0x400;
const COUNTER = 0x800;
const WATT_SECONDS = 3600;

/** Writes big-endian integers one after another. A number that does not fit becomes the nearest that does. */
class Writer {
	readonly #view: DataView;
	at = 0;

	constructor({ buffer, byteOffset }: Uint8Array) {
		this.#view = new DataView(buffer, byteOffset);
	}

	bytes(bytes: readonly number[]): void {
		for (let i = 0; i < bytes.length; i++) this.#view.setUint8(this.at++, bytes[i]);
	}

	number(value: number): void {
		this.#view.setUint32(this.at, Math.min(Math.max(0, Math.round(value)), MAXIMUM));
		this.at += 4;
	}

	momentary(channel: number, value: number): void {
		this.number(channel * 0x10000 + MOMENTARY);
		this.number(value);
	}

	/** Writes an import and the export in the next channel, with their counters in Wh. */
	both(channel: number, value: number, taken: number, given: number): void {
		this.oneWay(channel, value, taken);
		this.oneWay(channel + 1, -value, given);
	}

	private oneWay(channel: number, value: number, wattHours: number): void {
		const counter = Math.round(wattHours * WATT_SECONDS);
		this.momentary(channel, value * 10);
		this.number(channel * 0x10000 + COUNTER);
		this.number(Math.floor(counter / TWO_32));
		this.number(counter % TWO_32);
	}
}

/** Writes active, reactive and apparent power to the channels from `first` on. */
function writePowers(
	writer: Writer,
	first: number,
	power: number,
	apparent: number,
	taken: number,
	given: number,
): void {
	writer.both(first, power, taken, given);
	writer.both(first + 2, 0, 0, 0);
	writer.both(first + 8, power < 0 ? -apparent : apparent, 0, 0);
}

/** Writes the datagram for these shown values; returns its length. */
export function writeSMA(into: Uint8Array, values: Float64Array, id: string, nowMs: number): number {
	const writer = new Writer(into);
	const [power, apparent] = [values[LIVE_POWER], values[FULL_APPARENT]];
	writer.bytes(HEAD);
	writer.number(FIRST_SERIAL + (Number.parseInt(id, 16) % SERIALS));
	writer.number(Math.floor(nowMs) % TWO_32);
	writePowers(writer, 1, power, apparent, values[FULL_IMPORT], values[FULL_EXPORT]);
	writer.momentary(13, apparent > 0 ? Math.min(1, Math.abs(power) / apparent) * 1000 : 1000);
	writer.momentary(14, values[FULL_HERTZ] * 1000);
	for (let i = 0; i < PHASES; i++) {
		const base = PHASE_STEP * (i + 1);
		const [taken, given] = [values[FULL_IMPORT_L1 + i], values[FULL_EXPORT_L1 + i]];
		writePowers(writer, base + 1, values[FULL_POWER_L1 + i], values[FULL_APPARENT_L1 + i], taken, given);
		writer.momentary(base + 11, Math.abs(values[FULL_AMPERES_L1 + i]) * 1000);
		writer.momentary(base + 12, values[FULL_VOLTS_L1 + i] * 1000);
		writer.momentary(base + 13, values[FULL_FACTOR_L1 + i] * 1000);
	}
	writer.bytes(TAIL);
	return writer.at;
}

/** Sends the datagrams. A UDP port costs a thread on the chip, so a Shelly's port is closed meanwhile. */
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

	opened(_: DatagramSender, nowMs: number): void {
		this.deadlineMs = nowMs;
	}

	lost(): void {
		this.deadlineMs = Number.POSITIVE_INFINITY;
	}

	/** Ignores what other devices send to the group. */
	received(): void {}

	measured(): void {
		this.#datagrams.task.update((nowMs) => {
			this.deadlineMs = Math.max(nowMs, this.#sentMs + this.pauseMs);
		});
	}

	advance(nowMs: number): void {
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (!this.#values.isFresh(SMA)) return;
		const { core, id } = this.#values;
		const { buffer } = core.find(NETWORK).datagrams!;
		this.#datagrams.send(writeSMA(buffer, this.#values.show(), id, nowMs), GROUP, PORT.port);
		this.#sentMs = nowMs;
		this.deadlineMs = nowMs + Math.max(REPEAT_MS, this.pauseMs);
	}

	private get pauseMs(): number {
		return this.#values.core.config.get(LIVE_PAUSE_MS);
	}
}

export const SMA: Dialect = dialect({
	name: LIVE_SMA.name,
	enabled: LIVE_SMA,
	maxAgeMs: 10_000,
	pages: [],
	services: [],
	open: (values) => new SMAPort(values),
});
