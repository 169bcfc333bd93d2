/** A meter reader in the virtual world, with a simulated meter on its line. */
import assert from "node:assert/strict";
import { type VirtualOptions, VirtualWorld } from "../../hosts/node/virtual.js";
import type { DLMSSettings } from "../../modules/cosem/settings.js";
import { Driver } from "../../modules/io/driver.js";
import { MemoryLedger, RESERVE } from "../../modules/io/memory.js";
import type { ProbeResult } from "../../modules/meter/probe.js";
import { MeterReader } from "../../modules/meter/reader.js";
import type { MeterLight, MeterSettings } from "../../modules/meter/settings.js";
import type { Failure } from "../../modules/readout/failure.js";
import type { Readout } from "../../modules/readout/readout.js";
import { IECMeter, type IECMeterOptions } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
export type Settings = Writable<MeterSettings>;
export type WritableDLMSSettings = Writable<DLMSSettings>;

/** DLMS settings for a test bed; by default those of a new unit. */
export function dlmsSettings(settings: Partial<WritableDLMSSettings> = {}): WritableDLMSSettings {
	const all: WritableDLMSSettings = {
		auth: 0,
		ciphered: false,
		suite: 0,
		release: false,
		swappedDeviation: false,
		client: 16,
		logical: 1,
		physical: 0,
		addressLength: 0,
		receiveTimeoutMs: 1000,
		password: new Uint8Array(0),
		encryptionKey: new Uint8Array(0),
		authenticationKey: new Uint8Array(0),
		objects: new Uint8Array(0),
		opening: 0,
		directBaud: 9600,
		learnedOpening: 0,
		pushBaud: 0,
		learnedPush: new Uint8Array(0),
		rows: "",
		seenList: new Uint8Array(0),
		title: Uint8Array.from(Buffer.from("SMG12345")),
		learnOpening: (opening) => {
			all.learnedOpening = opening;
		},
		learnPush: (push) => {
			all.learnedPush = push;
		},
		...settings,
	};
	return all;
}

export interface Outcome {
	readonly readout: Readout | undefined;
	readonly failure: Failure | undefined;
	/** Duration on the gateway's clock. */
	readonly tookMs: number;
}

export class ReaderBed {
	readonly world: VirtualWorld;
	readonly settings: Settings;
	readonly reader: MeterReader;
	/** Number of free slots for which the ledger asked last: all claims, and RESERVE. */
	neededSlots = 0;
	readonly ledger = new MemoryLedger({
		suffices: (slots) => {
			this.neededSlots = slots;
			return true;
		},
	});
	readonly live = { changed(): void {}, measured(): void {} };
	/** Age limit of values that are asked for, s. */
	readonly freshness = { freshSecs: 0 };
	/** Reported failures in order: code, or "ok"; followed by "old" if the momentary values are too old. */
	readonly reports: string[] = [];

	get claimedSlots(): number {
		this.ledger.fits({ slots: 0, chunkBytes: 0 });
		return this.neededSlots - RESERVE.slots;
	}

	constructor(settings: Partial<Settings> = {}, world: VirtualOptions = {}, light?: MeterLight) {
		this.world = new VirtualWorld({ utcMs: Date.UTC(2026, 10, 20, 6), ...world });
		this.settings = {
			modeD: false,
			modeDBaud: 2400,
			baudMax: 9600,
			battery: false,
			deviceAddress: new Uint8Array(0),
			password: new Uint8Array(0),
			simulator: false,
			rxInverted: false,
			txInverted: false,
			rxPin: -1,
			txPin: -1,
			protocol: "iec62056",
			usesModeE: false,
			mbus: { baud: 2400, address: 254, count: 1, secondary: [] },
			dlms: dlmsSettings(),
			learnedBaud: 0,
			learnedFor: new Uint8Array(0),
			learn: (baud, meterId) => {
				this.settings.learnedBaud = baud;
				this.settings.learnedFor = meterId;
			},
			...settings,
		};
		const { clock, timers, serial, storage, crypto } = this.world;
		this.reader = new MeterReader({
			deps: {
				driver: new Driver({ clock, timers, guard: (_, run) => run() }),
				storage,
				crypto,
				clock,
				trace: (message) => this.world.trace(message),
			},
			port: serial.meter,
			ledger: this.ledger,
			settings: this.settings,
			light,
			freshness: this.freshness,
			listener: {
				live: this.live,
				meterChanged: (code, isOld) => this.reports.push(`${code || "ok"}${isOld ? " old" : ""}`),
			},
		});
		this.reader.reconfigure();
	}

	/** Connects a simulated meter that sends this telegram. */
	connect(telegram: Uint8Array, options: Partial<IECMeterOptions> = {}): this {
		this.world.serial.meter.connect(new IECMeter({ source: () => splitTelegram(telegram), ...options }));
		return this;
	}

	/** Requests a readout and advances time until it is done. */
	read(limitMs = 700_000): Outcome {
		let outcome: Outcome | undefined;
		const startMs = this.world.clock.monotonicMs();
		this.reader.read({
			finished: (readout, failure) => {
				outcome = { readout, failure, tookMs: this.world.clock.monotonicMs() - startMs };
			},
		});
		this.world.time.runWhile(() => outcome === undefined, startMs + limitMs);
		if (outcome === undefined) throw new Error("the caller was never notified");
		return outcome;
	}

	/** Requests a probe and advances time until it is done. */
	probe(limitMs = 60_000): ProbeResult & { tookMs: number } {
		let result: ProbeResult | undefined;
		const startMs = this.world.clock.monotonicMs();
		assert.equal(this.reader.probe({ finished: (probed) => (result = probed) }), true);
		this.world.time.runWhile(() => result === undefined, startMs + limitMs);
		assert.ok(result !== undefined, "the probe was never finished");
		return { ...result, tookMs: this.world.clock.monotonicMs() - startMs };
	}
}
