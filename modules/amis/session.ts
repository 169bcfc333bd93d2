/**
 * Listens to a Siemens AMIS TD-3511 on its infrared port (Netz OÖ, "Spezifikation Kundenschnittstelle AMIS",
 * 2021-11-05). The meter is the master of an M-Bus with 9600 Bd, 8E1, and the gateway is the slave with the address F0.
 *
 *     frame to F0                      | E5 | meaning (✓: the gateway answers with E5)
 *     ---------------------------------|----|-------------------------------------------------------
 *     SND_NKE, each minute             | ✓  | the meter looks for a slave; telegrams follow
 *     SND_UD, each second              | ✓  | telegram (telegram.ts); without E5 the meter looks for a slave again
 *     wrong sum, or any other frame    |    | ignored
 *
 * E5 must arrive within 0.5 s. It is sent for each telegram with a correct checksum, even if the key is wrong: the
 * meter then continues to send, and the wrong key can be reported.
 *
 * A telegram becomes a readout if it can be deciphered, and if its header equals the header of the previous telegram. A
 * meter that has not received E5 repeats its telegram, and the repetition is ignored. A failure is reported only if two
 * telegrams in a row have it, because a single telegram may be damaged.
 *
 * A silence in a frame drops the frame.
 */
import type { Crypto } from "../io/crypto.js";
import { FORMAT_8E1, type LineSettings } from "../io/host.js";
import { NO_BYTES, type Output } from "../io/machine.js";
import { ACK, LinkFrames, SND_NKE } from "../mbus/link-frames.js";
import { identOf, isSame } from "../mbus/telegram.js";
import type { Failure } from "../readout/failure.js";
import { ListenSession } from "../readout/listen-session.js";
import { EVENT_POOR, EVENT_READOUT, type Probing, type ReadSession, type SessionContext } from "../readout/protocol.js";
import { type Readout, STATUS_UNCHECKED, statusOf } from "../readout/readout.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { AMIS_KEY, AMIS_NO_FRAME, AMIS_NO_KEY, AMIS_SILENCE, AMIS_UNKNOWN } from "./failures.js";
import { AMISTelegram, asAnswer, DECIPHERED, decipher, isSameMeter, isTelegram, UNDECIPHERED } from "./telegram.js";

/** Name of the protocol in the API. */
const PROTOCOL = "AMIS";
export const LINE: LineSettings = Object.freeze({ baud: 9600, format: FORMAT_8E1 });
const ADDRESS = 0xf0;
const SND_UD = 0x53;
const FRAME_COUNT_BIT = 0x20;
const KEY_LENGTH = 16;
/** Silence that ends a frame, ms. */
const GAP_MS = 150;

export interface AMISSettings {
	readonly protocol: string;
	readonly dlms: { readonly encryptionKey: Uint8Array };
}

export class AMISSession extends ListenSession implements ReadSession, Probing {
	readonly line = LINE;
	readonly #settings: AMISSettings;
	readonly #crypto: Crypto;
	readonly #records: RecordWriter;
	readonly #frames = new LinkFrames();
	/** True if `poll` must send E5. */
	#acknowledges = false;
	/** Last telegram, as it was received; empty before the first one. */
	#last = NO_BYTES;
	/** Failure of the last telegram, even if it was not reported. */
	#doubt: Failure | undefined;

	constructor({ settings, crypto, records }: SessionContext<AMISSettings>) {
		super();
		this.#settings = settings;
		this.#crypto = crypto;
		this.#records = records;
	}

	protected override take(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.deadlineMs = nowMs + GAP_MS;
		for (let i = start; i < end; i++) if (this.#frames.take(bytes[i])) this.takeFrame(this.#frames.frame);
	}

	protected override silence(): void {
		this.#frames.reset();
	}

	protected override explain(): Failure {
		return this.failure ?? (this.received > 0 ? AMIS_NO_FRAME : AMIS_SILENCE);
	}

	override poll(): Output {
		if (this.#acknowledges) this.outputs.transmit(Uint8Array.of(ACK), 0, 1);
		this.#acknowledges = false;
		return super.poll();
	}

	/** Returns the readout from the last telegram, or undefined if that telegram failed a check. */
	readout(event: number, utcMs: number): Readout | undefined {
		if (event !== EVENT_READOUT) return undefined;
		const { meterId } = this;
		const { kept: records = NO_BYTES, overflow } = this.#records;
		// The integrity of a readout is never certain, because the cipher has no authentication tag.
		const status = statusOf(overflow) || STATUS_UNCHECKED;
		return { protocol: PROTOCOL, meterId, mode: 0, baud: LINE.baud, utcMs, status, records };
	}

	private takeFrame(frame: Uint8Array): void {
		const [control, address] = frame;
		if (address !== ADDRESS) return;
		const isCall = control === SND_NKE;
		if (!isCall && (control & ~FRAME_COUNT_BIT) !== SND_UD) return;
		this.#acknowledges = true;
		if (isCall) return;
		const last = this.#last;
		this.#last = frame;
		if (frame.length !== last.length || !isSame(frame, last, 0, frame.length)) this.takeTelegram(frame, last);
	}

	private takeTelegram(frame: Uint8Array, last: Uint8Array): void {
		const { encryptionKey } = this.#settings.dlms;
		const answer = asAnswer(frame);
		const isKnown = isTelegram(frame);
		if (isKnown) this.meterId = identOf(answer);
		let doubt: Failure | undefined;
		if (!isKnown) doubt = AMIS_UNKNOWN;
		else if (encryptionKey.length !== KEY_LENGTH) doubt = AMIS_NO_KEY;
		else {
			const result = decipher(frame, answer, encryptionKey, this.#crypto);
			if (result !== DECIPHERED) doubt = result === UNDECIPHERED ? AMIS_KEY : AMIS_UNKNOWN;
		}
		const isRepeated = doubt === this.#doubt;
		this.#doubt = doubt;
		if (!isRepeated || !isSameMeter(frame, last)) return;
		this.failure = doubt;
		if (doubt === undefined) this.write(answer);
		this.report(doubt === undefined ? EVENT_READOUT : EVENT_POOR);
	}

	private write(answer: Uint8Array): void {
		const records = this.#records;
		records.begin();
		new AMISTelegram(records).write(answer, answer, true);
		records.endBlock(true);
	}
}
