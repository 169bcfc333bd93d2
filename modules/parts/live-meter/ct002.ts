/**
 * Marstek CT002 and CT003 by UDP on port 12345. Both messages are ASCII; `length` counts all bytes, and the checksum is
 * the exclusive or of the bytes before it, as two hex digits:
 *
 *     01 02 length|field|…|field 03 checksum
 *     request   type and MAC of the battery, type and MAC of the CT, phase, W of the battery
 *     reply     type and MAC of the CT, type and MAC of the battery, W of phases A, B and C, W; number of batteries on A,
 *               B, C and on all phases; dBm, number of the reply; W of charging batteries on an unknown phase, A, B, C
 *               and all phases; W of discharging ones
 *
 * Powers are positive for import, and for discharging. The gateway answers as the CT that is asked, with its own
 * identifier if the MAC is 0. A battery on phase A, B or C gets the whole power on its phase, because a meter counts the
 * sum of the phases. One that balances all phases (D) gets the power of each. So does one that looks for its phase, and
 * without regard to its share, because a part would mislead it. Each battery is told of itself only: it divides the
 * power by the number of batteries, and the shares (clients.ts) do that already.
 */
import { hasOnly } from "../../bytes/ascii.js";
import { hexDigitValue, putHex } from "../../bytes/hex.js";
import { type DatagramMachine, type DatagramPort, type DatagramSource, Datagrams } from "../../io/datagrams.js";
import type { TextCodec } from "../../io/host.js";
import { LIVE_POWER, PHASES } from "../../live-meter/live-values.js";
import { FULL_POWER_L1 } from "../../live-meter/shown-values.js";
import { NETWORK } from "../network/part.js";
import { type Dialect, dialect } from "./dialect.js";
import type { DialectPort, LiveValues } from "./dialect-port.js";
import { LIVE_CT002, LIVE_PAUSE_MS } from "./fields.js";

const PORT: DatagramPort = Object.freeze({ port: 12345 });
const START = 1;
const TEXT = 2;
const END = 3;
const CHECKSUM_SIZE = 2;
/** Maximum size of a request, bytes. Those of known batteries have about 55. */
const REQUEST_LIMIT = 128;
/** Number of fields of a request with the length, without the phase and the power. */
const FIELDS = 5;
/** Phases as a battery names them; the first one is unknown. */
const PLACES = "0ABCD";
const ALL_PHASES = 4;
/** Numbers of a reply, by their place. */
const TOTAL = 3;
const BATTERIES = 3;
const SIGNAL = 8;
const REPLY = 9;
const CHARGING = 10;
const DISCHARGING = 15;
const NUMBERS = 20;
const REPLIES = 256;
const MAXIMUM = 32_767;

/** Returns the fields of a request, beginning with its length; undefined if it is malformed. */
function fieldsOf(bytes: Uint8Array, length: number, text: TextCodec): string[] | undefined {
	const end = length - CHECKSUM_SIZE - 1;
	if (length > REQUEST_LIMIT || bytes[0] !== START || bytes[1] !== TEXT || bytes[end] !== END) return undefined;
	for (let i = 2; i < end; i++) if (bytes[i] < 0x20 || bytes[i] > 0x7e) return undefined;
	// A CT may write a space in place of a leading 0.
	const checksum = Math.max(0, hexDigitValue(bytes[end + 1])) * 16 + hexDigitValue(bytes[end + 2]);
	const fields = text.decode(bytes, 2, end).split("|");
	const isWhole = Number(fields[0]) === length && checksum === checksumOf(bytes, end + 1);
	return isWhole && fields.length >= FIELDS ? fields : undefined;
}

function checksumOf(bytes: Uint8Array, length: number): number {
	let sum = 0;
	for (let i = 0; i < length; i++) sum ^= bytes[i];
	return sum;
}

class CT002Port implements DatagramMachine, DialectPort {
	readonly #values: LiveValues;
	readonly #index: number;
	readonly #datagrams: Datagrams<CT002Port>;
	#replies = 0;

	constructor(values: LiveValues, index: number) {
		this.#values = values;
		this.#index = index;
		this.#datagrams = new Datagrams(values.core.find(NETWORK).datagrams!, "ct002", this);
		this.#datagrams.task.update(() => {});
	}

	get port(): DatagramPort {
		return PORT;
	}

	get deadlineMs(): number {
		return Number.POSITIVE_INFINITY;
	}

	stop(): void {
		this.#datagrams.stop();
	}

	opened(): void {}

	lost(): void {}

	advance(): void {}

	received(length: number, { remoteAddress, remotePort }: DatagramSource, nowMs: number): void {
		const { clients, core } = this.#values;
		const { buffer } = core.find(NETWORK).datagrams!;
		const fields = fieldsOf(buffer, length, core.text);
		if (fields === undefined || !clients.mayReceive(remoteAddress, this.#index, nowMs)) return;
		const row = clients.recordRequest(remoteAddress, this.#index, nowMs);
		if (row < 0 || !this.#values.want(DIALECT)) return;
		if (!clients.mayAnswer(row, core.config.get(LIVE_PAUSE_MS), nowMs)) return;
		const place = Math.max(0, PLACES.indexOf((fields[FIELDS] ?? "").charAt(0)));
		const values = this.#values.show(place === 0 ? -1 : row);
		const reply = core.text.encode(this.replyTo(fields, place, values));
		buffer.set(reply);
		putHex(buffer, reply.length, checksumOf(reply, reply.length));
		this.#datagrams.send(reply.length + CHECKSUM_SIZE, remoteAddress, remotePort);
		clients.answered(row, values[LIVE_POWER], nowMs);
	}

	/** Returns the reply without its checksum. `place` is the place of the battery's phase in PLACES. */
	private replyTo([, type, mac, ctType, ctMac, , own = "0"]: string[], place: number, values: Float64Array): string {
		const { core, id } = this.#values;
		const numbers = new Int16Array(NUMBERS);
		const put = (at: number, value: number) => {
			numbers[at] = Math.max(-MAXIMUM, Math.min(Math.round(value), MAXIMUM));
		};
		const hasAll = place === 0 || place === ALL_PHASES;
		if (hasAll) for (let i = 0; i < PHASES; i++) put(i, values[FULL_POWER_L1 + i]);
		else put(place - 1, values[LIVE_POWER]);
		put(TOTAL, values[LIVE_POWER]);
		if (place > 0) put(BATTERIES + place, 1);
		put(SIGNAL, core.find(NETWORK).manager?.station?.rssi ?? 0);
		put(REPLY, this.#replies++ % REPLIES);
		const power = Number(own);
		put((power < 0 ? CHARGING : DISCHARGING) + place, power);
		const ct = hasOnly(ctMac, "00") ? id : ctMac;
		const body = `|${ctType}|${ct}|${type}|${mac}|${numbers.join("|")}`;
		// The length has two or three digits.
		const length = body.length + 5 + CHECKSUM_SIZE;
		return `\x01\x02${length < 100 ? length : length + 1}${body}\x03`;
	}
}

const DIALECT: Dialect = dialect({
	name: LIVE_CT002.name,
	enabled: LIVE_CT002,
	maxAgeMs: 10_000,
	pages: [],
	services: [],
	isUDP: true,
	open: (values, index) => new CT002Port(values, index),
});

export const CT002: readonly Dialect[] = Object.freeze([DIALECT]);
