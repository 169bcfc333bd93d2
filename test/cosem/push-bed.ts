/**
 * A listener for DLMS pushes that gets its bytes from the test, without a line; and pushes in the frames that meters
 * use.
 */

import { PushReadSession } from "../../modules/cosem/push.js";
import { OUTPUT_EVENT, OUTPUT_NONE } from "../../modules/io/machine.js";
import type { MeterSettings } from "../../modules/meter/settings.js";
import { EVENT_READOUT, type SessionContext } from "../../modules/readout/protocol.js";
import type { Readout } from "../../modules/readout/readout.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { dlmsSettings, ReaderBed, type WritableDLMSSettings } from "../meter/reader-bed.js";

const SILENCE_MS = 1000;

export class PushBed {
	readonly settings: WritableDLMSSettings;
	readonly opening: SessionContext<MeterSettings>;
	readonly session: PushReadSession;
	nowMs = 0;

	/** `memory`: the memory of an earlier listener, to be continued. */
	constructor(
		settings: Partial<WritableDLMSSettings> = {},
		memory: SessionContext<MeterSettings>["memory"] = { kept: undefined, speed: undefined },
	) {
		this.settings = dlmsSettings({ pushBaud: 9600, ...settings });
		const readerBed = new ReaderBed({ protocol: "iec62056", dlms: this.settings });
		const { storage, crypto } = readerBed.world;
		this.opening = {
			settings: readerBed.settings,
			records: new RecordWriter(),
			memory,
			storage,
			crypto,
			quietMs: 0,
			nowMs: 0,
			trace: () => undefined,
		};
		this.session = new PushReadSession(this.opening);
	}

	/** Receives these bytes; returns readouts, or codes of failures. */
	take(bytes: Uint8Array, start = 0, end = bytes.length): (Readout | string)[] {
		this.session.receive(bytes, start, end, this.nowMs);
		return this.events();
	}

	/** Lets the line be silent; returns readouts, or codes of failures. */
	silence(): (Readout | string)[] {
		this.nowMs += SILENCE_MS;
		this.session.advance(this.nowMs);
		return this.events();
	}

	events(): (Readout | string)[] {
		const { session } = this;
		const events: (Readout | string)[] = [];
		for (let output = session.poll(); output.kind !== OUTPUT_NONE; output = session.poll()) {
			if (output.kind !== OUTPUT_EVENT) continue;
			const readout = session.readout(output.code, 1);
			if ((readout === undefined) !== (output.code !== EVENT_READOUT))
				throw new Error("a readout and its event differ");
			events.push(readout ?? session.failure?.code ?? "end");
		}
		return events;
	}
}
