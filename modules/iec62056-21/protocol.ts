/**
 * Entries for IEC 62056-21 in the table of meter protocols. In modes A, B and C, attempts.ts decides whether another
 * session follows a failed one. In mode D, a listener runs all the time, and each complete telegram is a readout.
 */
import { FORMAT_7E1, type LineSettings } from "../io/host.js";
import { NO_BYTES } from "../io/machine.js";
import {
	EVENT_POOR,
	type MeterProtocol,
	type Probing,
	type ReadSession,
	type SessionContext,
} from "../readout/protocol.js";
import { PROTOCOL_IEC62056 } from "../readout/protocol-names.js";
import { PROTOCOL_IEC62056_21, type Readout, STATUS_CHECK_WRONG, STATUS_CUT, statusOf } from "../readout/readout.js";
import type { RecordWriter } from "../readout/record-writer.js";
import { Attempts, type SpeedSettings } from "./attempts.js";
import { IEC_CUT, IEC_ECHO_ONLY, IEC_NO_TELEGRAM } from "./failures.js";
import { BASE_BAUD, MODE_D } from "./ident.js";
import { MeterListener } from "./listener.js";
import { HAND_OVER_NEVER, MeterSession, OUTCOME_BLOCK } from "./session.js";

export const SIGN_ON_LINE: LineSettings = Object.freeze({ baud: BASE_BAUD, format: FORMAT_7E1 });

export interface IECSettings extends SpeedSettings {
	readonly modeD: boolean;
	readonly modeDBaud: number;
	readonly battery: boolean;
	readonly deviceAddress: Uint8Array;
	/** Password for programming mode, ASCII; empty if there is none. */
	readonly password: Uint8Array;
}

export class IECReadSession extends MeterSession implements ReadSession, Probing {
	protected readonly context: SessionContext<IECSettings>;
	/** Undefined if only the identification is requested. */
	readonly #attempts: Attempts | undefined;

	constructor(
		context: SessionContext<IECSettings>,
		attempts: Attempts | undefined,
		handOver = HAND_OVER_NEVER,
		isProgramming = false,
	) {
		const { settings, records, quietMs, nowMs } = context;
		super(
			{
				records,
				address: settings.deviceAddress,
				battery: settings.battery,
				speed: attempts,
				identOnly: attempts === undefined,
				quietMs,
				handOver,
				isProgramming,
			},
			nowMs,
		);
		this.context = context;
		this.#attempts = attempts;
	}

	get line(): LineSettings {
		return SIGN_ON_LINE;
	}

	get meterId(): Uint8Array {
		return this.ident.copy();
	}

	readout(event: number, utcMs: number): Readout | undefined {
		if (event === EVENT_POOR) return this.makeReadout(STATUS_CHECK_WRONG, utcMs);
		const { records } = this.context;
		if (this.outcome === OUTCOME_BLOCK) return this.makeReadout(statusOf(records.overflow), utcMs);
		const { damaged, broken } = this.parser;
		if (this.failure !== IEC_CUT || records.records === 0 || damaged + broken > 0) return undefined;
		records.endBlock(true);
		return { ...this.makeReadout(STATUS_CUT, utcMs), isUnchecked: true };
	}

	next(quietMs: number, nowMs: number): ReadSession | undefined {
		const again = this.isWorthAnother();
		if (again === undefined) return undefined;
		// If there was no answer, the line has already been silent for long enough.
		const isSilent = (this.failure?.progress ?? 0) <= IEC_ECHO_ONLY.progress;
		const isQuiet = isSilent || again.wasSilent;
		return this.another({ ...this.context, quietMs: isQuiet ? 0 : quietMs, nowMs }, again);
	}

	protected another(context: SessionContext<IECSettings>, attempts: Attempts): ReadSession {
		return new IECReadSession(context, attempts);
	}

	isWorthAnother(): Attempts | undefined {
		const attempts = this.#attempts;
		if (this.outcome !== OUTCOME_BLOCK) return attempts?.failed(this) === true ? attempts : undefined;
		attempts?.learn(this);
		return undefined;
	}

	private makeReadout(status: number, utcMs: number): Readout {
		const { meterId, mode, baud } = this;
		const records = this.context.records.kept ?? NO_BYTES;
		return { protocol: PROTOCOL_IEC62056_21, meterId, mode, baud, utcMs, status, records };
	}
}

class ModeDReadSession extends MeterListener implements ReadSession, Probing {
	readonly line: LineSettings;
	readonly #records: RecordWriter;

	constructor({ settings, records }: SessionContext<IECSettings>) {
		super(records);
		this.line = { baud: settings.modeDBaud, format: FORMAT_7E1 };
		this.#records = records;
	}

	/** True because some meters send 8N1 instead of the 7E1 of the standard. */
	get anyFraming(): boolean {
		return true;
	}

	readout(_event: number, utcMs: number): Readout {
		const { kept, overflow } = this.#records;
		const status = this.failure === undefined ? statusOf(overflow) : STATUS_CHECK_WRONG;
		const records = kept ?? NO_BYTES;
		const { meterId, line } = this;
		return { protocol: PROTOCOL_IEC62056_21, meterId, mode: MODE_D, baud: line.baud, utcMs, status, records };
	}
}

function forget(settings: IECSettings): void {
	settings.learn(0, NO_BYTES);
}

function listen(context: SessionContext<IECSettings>): ModeDReadSession {
	return new ModeDReadSession(context);
}

export const MODE_D_PUSH: MeterProtocol<IECSettings> = Object.freeze({
	name: PROTOCOL_IEC62056,
	isChosen: (settings: IECSettings) => settings.modeD,
	listenBaud: (settings: IECSettings) => settings.modeDBaud,
	late: IEC_NO_TELEGRAM,
	open: listen,
	probe: listen,
});

export function probeIdent(context: SessionContext<IECSettings>): IECReadSession {
	return new IECReadSession(context, undefined);
}

/** The default protocol, which is chosen if no other protocol matches the settings. */
export const SIGN_ON: MeterProtocol<IECSettings> = Object.freeze({
	name: PROTOCOL_IEC62056,
	open: (context: SessionContext<IECSettings>) => new IECReadSession(context, new Attempts(context)),
	probe: probeIdent,
	forget,
});
