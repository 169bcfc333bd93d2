/**
 * Entries for DLMS/COSEM in the table of meter protocols: one for the protocol `dlms`, and one for meters that announce
 * mode E in the sign-on of the protocol `iec62056`.
 */
import { HDLCConnection } from "../hdlc/connection.js";
import { ROOM } from "../hdlc/decoder.js";
import { EVENT_CONNECTED, EVENT_END as EVENT_DISCONNECTED } from "../hdlc/events.js";
import { INFO_DEFAULT } from "../hdlc/parameters.js";
import { Attempts, SILENCES } from "../iec62056-21/attempts.js";
import { IECReadSession, probeIdent } from "../iec62056-21/protocol.js";
import { FORMAT_8N1, type LineSettings } from "../io/host.js";
import { OUTPUT_EVENT, type Output } from "../io/machine.js";
import type { Failure } from "../readout/failure.js";
import {
	EVENT_END,
	type MeterProtocol,
	type Probing,
	type ReadSession,
	type SessionContext,
} from "../readout/protocol.js";
import { PROTOCOL_DLMS, PROTOCOL_IEC62056 } from "../readout/protocol-names.js";
import { openLive } from "./live.js";
import { DLMSReadSession } from "./read-session.js";
import { type COSEMSettings, OPENING_AUTO, OPENING_DIRECT } from "./settings.js";

/** Probe for a meter with HDLC at a fixed speed, without a sign-on. It connects and disconnects. */
export class ConnectionProbe implements Probing {
	readonly line: LineSettings;
	readonly #connection: HDLCConnection;
	#nowMs: number;

	constructor({ settings, nowMs }: SessionContext<COSEMSettings>) {
		const { client, logical, physical, addressLength, receiveTimeoutMs, directBaud } = settings.dlms;
		this.line = { baud: directBaud, format: FORMAT_8N1 };
		this.#nowMs = nowMs;
		this.#connection = new HDLCConnection({
			address: { client, logical, physical, length: addressLength },
			baud: directBaud,
			receiveTimeoutMs,
			releaseFirst: false,
			info: INFO_DEFAULT,
			window: 1,
			apdu: new Uint8Array(INFO_DEFAULT + ROOM),
		});
		this.#connection.connect(nowMs);
	}

	get failure(): Failure | undefined {
		return this.#connection.failure;
	}

	/** Always empty, because the meter's name can be read only in an association. */
	get meterId(): Uint8Array {
		return new Uint8Array(0);
	}

	get received(): number {
		return this.#connection.received;
	}

	get deadlineMs(): number {
		return this.#connection.deadlineMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#nowMs = nowMs;
		this.#connection.receive(bytes, start, end, nowMs);
	}

	advance(nowMs: number): void {
		this.#nowMs = nowMs;
		this.#connection.advance(nowMs);
	}

	poll(): Output {
		const output = this.#connection.poll();
		if (output.kind !== OUTPUT_EVENT) return output;
		if (output.code === EVENT_CONNECTED) {
			this.#connection.disconnect(this.#nowMs);
			return this.#connection.poll();
		}
		if (output.code === EVENT_DISCONNECTED) output.code = EVENT_END;
		return output;
	}

	abort(nowMs: number): void {
		this.#connection.disconnect(nowMs);
	}
}

class OpeningProbe extends IECReadSession {
	readonly #opened: SessionContext<COSEMSettings>;

	constructor(context: SessionContext<COSEMSettings>) {
		super(context, undefined);
		this.#opened = context;
	}

	nextProbe(nowMs: number): Probing {
		return new ConnectionProbe({ ...this.#opened, nowMs });
	}
}

/**
 * Session of the protocol iec62056 whose settings forbid mode E. If a meter announces mode E but is silent in mode C,
 * the next session finds out whether the meter answers in HDLC. Mode C is then not tried at every speed.
 */
export class SignOnSession extends IECReadSession {
	protected override another(context: SessionContext<COSEMSettings>, attempts: Attempts): ReadSession {
		if (attempts.silences === SILENCES) return new DLMSReadSession(context, attempts);
		return new SignOnSession(context, attempts);
	}
}

function probe(context: SessionContext<COSEMSettings>): Probing {
	const choice = context.settings.dlms.opening;
	if (choice === OPENING_DIRECT) return new ConnectionProbe(context);
	return choice === OPENING_AUTO ? new OpeningProbe(context) : probeIdent(context);
}

export const DLMS: MeterProtocol<COSEMSettings> = Object.freeze({
	name: PROTOCOL_DLMS,
	hasProfiles: true,
	open: (context: SessionContext<COSEMSettings>) => new DLMSReadSession(context),
	openLive,
	probe,
	forget: (settings: COSEMSettings) => settings.dlms.learnOpening(OPENING_AUTO),
});

export const DLMS_AFTER_SIGN_ON: MeterProtocol<COSEMSettings> = Object.freeze({
	name: PROTOCOL_IEC62056,
	isChosen: (settings: COSEMSettings) => settings.usesModeE,
	hasProfiles: true,
	open: (context: SessionContext<COSEMSettings>) => new DLMSReadSession(context, new Attempts(context)),
	openLive,
	probe: probeIdent,
});
