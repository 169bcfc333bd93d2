/**
 * Creates the associations of one readout. An association reads the list of objects or the load profile. If the
 * invocation counter is unknown, another association, as the public client, reads the counter first.
 */
import { putUint16BE } from "../bytes/integers.js";
import { MECHANISM_HIGH_GMAC, MECHANISM_NONE } from "../dlms/aarq.js";
import { KEY_LENGTH } from "../dlms/cipher.js";
import { CounterSink, counterList } from "../dlms/counter.js";
import { POLL_ENTRY_SIZE, POLL_LIMIT, pollListOf } from "../dlms/poll-list.js";
import { type Inquiry, LIST_LIMIT, Reading } from "../dlms/reading.js";
import { ScalerCache } from "../dlms/scaler-cache.js";
import type { ProtocolMemory, SessionContext } from "../readout/protocol.js";
import { AssociationSession, type Carrier, SESSION_BUFFER } from "./association-session.js";
import { InvocationCounters, makeCipher } from "./counters.js";
import { DLMSProfile } from "./profile.js";
import { DLMSRecords, MISSING_SIZE } from "./records.js";
import { AUTH_HIGH_GMAC, type COSEMSettings } from "./settings.js";

const PUBLIC_CLIENT = 16;

/** Difference between MECHANISM_… and the corresponding AUTH_…, from AUTH_HIGH_GMAC on. */
const MECHANISM_OFFSET = MECHANISM_HIGH_GMAC - AUTH_HIGH_GMAC;

class PollScalers extends ScalerCache {
	readonly objects: Uint8Array;
	/** Number of attributes per request that the meter accepts, as far as is known. */
	listing = LIST_LIMIT;

	constructor(objects: Uint8Array) {
		super(POLL_LIMIT);
		this.objects = objects;
	}
}

function scalersOf(memory: ProtocolMemory, objects: Uint8Array): PollScalers {
	const { kept } = memory;
	if (kept instanceof PollScalers && kept.objects === objects) return kept;
	const scalers = new PollScalers(objects);
	memory.kept = scalers;
	return scalers;
}

export class AssociationFactory {
	readonly buffer = new Uint8Array(SESSION_BUFFER);
	readonly scalers: PollScalers;
	counters: InvocationCounters | undefined;
	counterSink: CounterSink | undefined;
	readonly #context: SessionContext<COSEMSettings>;
	#records: DLMSRecords | undefined;
	#profile: DLMSProfile | undefined;

	constructor(context: SessionContext<COSEMSettings>) {
		const { live, memory, settings } = context;
		const scalers = scalersOf(memory, settings.dlms.objects);
		this.#context = context;
		this.scalers = live === undefined ? scalers : new PollScalers(live);
		this.scalers.listing = scalers.listing;
	}

	/** Begins the exchange over HDLC. Call it when the line has the speed of HDLC. */
	begin(): void {
		const { settings, storage, crypto } = this.#context;
		const { encryptionKey, title } = settings.dlms;
		if (this.isKeyed && encryptionKey.length === KEY_LENGTH)
			this.counters ??= new InvocationCounters(storage, crypto, encryptionKey, title);
	}

	openCounter(carrier: Carrier, nowMs: number): AssociationSession {
		const sink = new CounterSink();
		const list = counterList();
		const cache = new ScalerCache(list[0]);
		const reading = new Reading({ list, cache, sink, listing: 1, named: false, swappedDeviation: false });
		this.counterSink = sink;
		return this.open(PUBLIC_CLIENT, reading, MECHANISM_NONE, carrier, nowMs);
	}

	openReading(listing: number, carrier: Carrier, nowMs: number): AssociationSession {
		const { live, settings, records: writer, profile } = this.#context;
		const { auth, client, objects, swappedDeviation } = settings.dlms;
		const mechanism = auth < AUTH_HIGH_GMAC ? auth : auth + MECHANISM_OFFSET;
		this.counterSink = undefined;
		if (profile !== undefined) {
			this.#profile = new DLMSProfile(profile, this.scalers, writer, swappedDeviation);
			return this.open(client, this.#profile, mechanism, carrier, nowMs);
		}
		const sink = this.#records ?? new DLMSRecords(writer, live ?? pollListOf(objects));
		this.#records = sink;
		sink.begin();
		const { list } = sink;
		const staysOpen = live !== undefined;
		const cache = this.scalers;
		const reading = new Reading({ list, cache, sink, listing, named: true, swappedDeviation, staysOpen });
		return this.open(client, reading, mechanism, carrier, nowMs);
	}

	keep(): void {
		this.#records?.keep();
		this.#profile?.keep();
	}

	/** Copy of the list of objects without a value (records.ts). */
	get missing(): Uint8Array {
		const { object, reason } = this.#profile ?? {};
		if (object === undefined || reason === undefined || reason === 0)
			return this.#records?.missing ?? new Uint8Array(0);
		const missing = new Uint8Array(MISSING_SIZE);
		missing.set(object);
		putUint16BE(missing, POLL_ENTRY_SIZE, reason);
		return missing;
	}

	private get isKeyed(): boolean {
		const { ciphered, auth } = this.#context.settings.dlms;
		return ciphered || auth === AUTH_HIGH_GMAC;
	}

	private open(
		client: number,
		reading: Inquiry,
		mechanism: number,
		carrier: Carrier,
		nowMs: number,
	): AssociationSession {
		const { settings, crypto } = this.#context;
		const isCounter = this.counterSink !== undefined;
		const isPlain = isCounter || !(settings.dlms.ciphered || settings.dlms.auth >= AUTH_HIGH_GMAC);
		const cipher = isPlain ? undefined : makeCipher(settings.dlms, crypto, this.counters);
		const options = {
			settings: settings.dlms,
			client,
			carrier,
			buffer: this.buffer,
			mechanism,
			ciphered: settings.dlms.ciphered && !isCounter,
			cipher,
			reading,
			crypto,
			reserve: () => cipher !== undefined && this.counters?.extend(cipher) === true,
		};
		return new AssociationSession(options, nowMs);
	}
}
