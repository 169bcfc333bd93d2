/**
 * The client of the OTA Upgrade cluster (ZCL revision 8, chapter 11): the coordinator's offer of a firmware file, and its
 * blocks, which go straight to the updater (ota/updater.ts). The file is that of an upload by HTTP, with the same checks;
 * what its Zigbee header says of the version counts for nothing, since coordinators rewrite it.
 *
 *              due                 notify   offer, none    block           wait    end response   abort, refused
 *  REST        ASKING              ASKING   –              –               –       –              –
 *  ASKING      again; LOADING,     again    LOADING; REST  –               –       –              REST
 *              REST
 *  LOADING     again; REST         ASKING   –              again; the      again   –              REST, ENDING
 *                                                          last: VERIFYING
 *  VERIFYING   ENDING              –        –              –               –       –              –
 *  ENDING      again; restart,     –        –              –               –       HELD, ENDING   REST
 *              REST
 *  HELD        restart             –        –              –               –       HELD, ENDING   –
 *
 * It asks by itself soon after it has joined, and once a day; whether there is something to be had then is up to the
 * coordinator's owner. An offer of what runs already is left alone unless the coordinator has asked for the question:
 * one that rewrites versions would go on offering it.
 *
 * A transfer that breaks off goes on. A block that does not come is asked for again, for a quarter of an hour; the storage
 * has what is being loaded, so that after a restart of ours the same coordinator is asked for the same file at once. Later
 * the next offer of the file goes on at the last piece that is in flash (ota/installer.ts). An upload by HTTP displaces it.
 *
 * Limits: a minute from the first sector that a transfer erases to the next transfer, then two, four … an hour: flash wears
 * out, and a coordinator needs no account here; blocks of BLOCK_LENGTH bytes, as most coordinators send them: more would not fit into a frame on every route.
 */
import type { HostInfo, Storage } from "../io/host.js";
import { FRONT_LENGTH, MANUFACTURER, putUint32, uint16, uint32 } from "../ota/front.js";
import { LOW_POWER, NO_MEMORY, TAKEN, UNDER_WAY } from "../ota/refusals.js";
import type { Sender, Updater } from "../ota/updater.js";
import { buildNumber } from "../ota/upgrade.js";
import type { ClusterClient, Outgoing, ZCLFrame } from "./radio.js";

export interface OTAWorld {
	/** Undefined: this unit has no place for another firmware. */
	readonly updater: Updater | undefined;
	readonly info: Pick<HostInfo, "deviceId" | "firmwareVersion">;
	readonly crypto: { random(length: number): Uint8Array };
	readonly storage: Storage;
}

const REST = 0;
const ASKING = 1;
const LOADING = 2;
const VERIFYING = 3;
const ENDING = 4;
const HELD = 5;

/** Of the cluster, in both directions. */
const IMAGE_NOTIFY = 0;
const QUERY_NEXT_IMAGE = 1;
const NEXT_IMAGE = 2;
const BLOCK_REQUEST = 3;
const BLOCK = 5;
const UPGRADE_END = 6;
const UPGRADE_END_RESPONSE = 7;
/** Of all clusters (ZCL 2.5.12): command, status. */
const DEFAULT_RESPONSE = 0x0b;
const CLUSTER_COMMAND = 1;

const STATUS_SUCCESS = 0;
const STATUS_ABORT = 0x95;
const STATUS_INVALID_IMAGE = 0x96;
const STATUS_WAIT_FOR_DATA = 0x97;

const COORDINATOR = 0;
const FIRST_ENDPOINT = 1;
/** The request names the shortest time between two of them. */
const HAS_PERIOD = 2;
const ANY_16 = 0xffff;
const ANY_32 = 0xffff_ffff;
/** What a coordinator writes into the header of a file that it wants to be taken whatever runs. */
const FORCED_VERSION = 0xffff_fffe;
const OFFER_LENGTH = 13;
const BLOCK_LENGTH = 50;
const BLOCK_HEADER_LENGTH = 14;
const WAIT_LENGTH = 9;
const END_LENGTH = 16;
/** In the storage while a file is loaded: its version and size as the coordinator says, and the coordinator's endpoint. */
const LOADING_KEY = "zb_ota";
const LOADING_LENGTH = 9;

const SECOND_MS = 1000;
const SOON_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** For an answer. A coordinator may fetch the file from afar before it offers it. */
const ANSWER_MS = 60_000;
const BLOCK_ANSWER_MS = 2000;
/** From a block to the next request: a coordinator may not listen before it knows that its block has arrived. */
const BREATH_MS = 5;
/** After what did not arrive. */
const AGAIN_MS = 2000;
const TRIES = 3;
const PATIENCE_MS = 900_000;

const IDS: readonly number[] = Object.freeze([0, 1, 2, 3, 4, 6, 7, 8, 9]);
const TYPE_UINT16 = 0x21;
const TYPE_UINT32 = 0x23;
const TYPE_ENUM8 = 0x30;
const TYPE_IEEE_ADDRESS = 0xf0;

export class OTAClient implements ClusterClient, Sender {
	readonly cluster = 0x0019;
	readonly attributes = IDS;
	/** For the updater: who sends the file, and how. */
	readonly name = "zigbee";
	readonly isSlow = true;
	readonly #world: OTAWorld;
	#state = REST;
	isReady = false;
	deadlineMs = Infinity;
	/** Of the question that is due: how often it was asked in vain; of a block: the next wait for it. */
	#tries = 0;
	/** The coordinator has asked for the question. */
	#isNotified = false;
	/** The server's. */
	#endpoint = FIRST_ENDPOINT;
	/** Of the file that is loaded, as the coordinator says. */
	#version = ANY_32;
	#size = 0;
	/** When the coordinator was heard last in this transfer. */
	#heardMs = 0;
	/** The shortest time between two blocks, as the coordinator wants it. */
	#periodMs = 0;
	/** No transfer begins before this, and how long that is after the next one has begun to erase. */
	#notBeforeMs = 0;
	#pauseMs = SOON_MS;
	/** The updater takes our file. */
	#isOpen = false;
	/** What has become of it; -1: that is not known, or was seen to. */
	#outcome = -1;

	constructor(world: OTAWorld) {
		this.#world = world;
	}

	/** A file is asked for, comes, or is about to be started: not a time to sleep. */
	get isBusy(): boolean {
		return this.#state !== REST;
	}

	joined(nowMs: number): void {
		const { updater, storage, crypto } = this.#world;
		if (updater?.isOpen !== true) return;
		if (this.#state !== REST) {
			this.failed(nowMs);
			return;
		}
		// Not all units of a house that has its power back in one second.
		this.deadlineMs = nowMs + SOON_MS + crypto.random(1)[0] * SECOND_MS;
		const loading = storage.get(LOADING_KEY);
		if (loading?.length !== LOADING_LENGTH) return;
		this.#version = uint32(loading, 0);
		this.#size = uint32(loading, 4);
		this.#endpoint = loading[8];
		if (this.begin(nowMs) !== TAKEN) this.forget();
	}

	left(): void {
		this.isReady = false;
		if (this.#state === REST) this.deadlineMs = Infinity;
	}

	advance(nowMs: number): void {
		this.settle(nowMs);
		if (nowMs < this.deadlineMs) return;
		const state = this.#state;
		if (state === VERIFYING) this.deadlineMs = nowMs + SECOND_MS;
		else if (state === LOADING) {
			if (nowMs - this.#heardMs >= PATIENCE_MS) this.drop(HOUR_MS, nowMs);
			else this.makeReady(nowMs);
		} else if (state === HELD || (state === ENDING && this.#outcome === TAKEN && this.#tries >= TRIES)) {
			this.deadlineMs = Infinity;
			this.#world.updater?.restart();
		} else if (state !== REST && ++this.#tries > TRIES) {
			if (this.#isOpen) this.enter(LOADING, nowMs);
			else this.rest(DAY_MS, nowMs);
		} else if (state === REST) this.enter(ASKING, nowMs);
		else this.makeReady(nowMs);
	}

	received(frame: ZCLFrame, source: number, endpoint: number, nowMs: number): void {
		const { control, command, bytes, start, end } = frame;
		if (source !== COORDINATOR || this.#world.updater?.isOpen !== true || start === end) return;
		this.settle(nowMs);
		const state = this.#state;
		const length = end - start;
		if ((control & 3) !== CLUSTER_COMMAND) {
			const status = bytes[start + 1];
			if (command === DEFAULT_RESPONSE && length > 1 && (status !== STATUS_SUCCESS || state === ENDING))
				this.refused(bytes[start], nowMs);
		} else if (command === IMAGE_NOTIFY) {
			if (state > LOADING || !this.isMeant(frame)) return;
			this.#isNotified = true;
			this.#endpoint = endpoint;
			this.enter(ASKING, nowMs);
		} else if (command === NEXT_IMAGE && state === ASKING) {
			const isOurs = length >= OFFER_LENGTH && bytes[start] === STATUS_SUCCESS && this.isOurs(bytes, start + 1);
			if (isOurs) this.offered(uint32(bytes, start + 5), uint32(bytes, start + 9), nowMs);
			else this.drop(DAY_MS, nowMs);
		} else if (command === BLOCK && state === LOADING) this.loaded(bytes, start, end, nowMs);
		else if (command === UPGRADE_END_RESPONSE && state >= ENDING && length >= END_LENGTH && this.#outcome === TAKEN) {
			const upgradeS = uint32(bytes, start + 12);
			const isHeld = upgradeS !== ANY_32;
			this.#state = isHeld ? HELD : ENDING;
			this.#tries = 0;
			this.isReady = false;
			// Of two times only the difference counts: a coordinator without a clock has 0 for the first (ZCL 11.13.8.2.8).
			const waitMs = Math.max(0, upgradeS - uint32(bytes, start + 8)) * SECOND_MS;
			this.deadlineMs = nowMs + (isHeld ? Math.min(waitMs, DAY_MS) : HOUR_MS);
		}
	}

	write(out: Outgoing, sequence: number, nowMs: number): void {
		const { bytes } = out;
		const state = this.#state;
		const isBlock = state === LOADING;
		this.isReady = false;
		this.deadlineMs = nowMs + (isBlock ? BLOCK_ANSWER_MS * Math.min(2 ** this.#tries++, 30) : ANSWER_MS);
		bytes[0] = CLUSTER_COMMAND;
		bytes[1] = sequence;
		bytes[2] = isBlock ? BLOCK_REQUEST : state === ENDING ? UPGRADE_END : QUERY_NEXT_IMAGE;
		bytes[3] = isBlock
			? HAS_PERIOD
			: this.#outcome <= TAKEN
				? 0
				: this.#outcome < LOW_POWER
					? STATUS_INVALID_IMAGE
					: STATUS_ABORT;
		putUint32(bytes, 4, MANUFACTURER);
		putUint32(bytes, 6, this.#world.info.deviceId);
		putUint32(bytes, 8, state === ASKING ? this.running : this.#version);
		let end = 12;
		if (isBlock) {
			putUint32(bytes, 12, this.#world.updater?.received ?? 0);
			putUint32(bytes, 16, BLOCK_LENGTH | (this.#periodMs << 8));
			end = 19;
		}
		out.cluster = this.cluster;
		out.destination = COORDINATOR;
		out.destinationEndpoint = this.#endpoint;
		out.bytes = bytes;
		out.start = 0;
		out.end = end;
	}

	failed(nowMs: number): void {
		// In HELD it is of a question that was answered all the same.
		const state = this.#state;
		if (state !== REST && state !== HELD) this.deadlineMs = Math.min(this.deadlineMs, nowMs + AGAIN_MS);
	}

	readAttribute(id: number, into: Uint8Array, at: number): number {
		const state = this.#state;
		const { deviceId } = this.#world.info;
		let type = TYPE_UINT32;
		let value = ANY_32;
		if (id === 0) {
			// The server is whoever asks first: none was set.
			type = TYPE_IEEE_ADDRESS;
			putUint32(into, at + 5, ANY_32);
		} else if (id === 1) value = this.#isOpen ? (this.#world.updater?.received ?? 0) : ANY_32;
		else if (id === 2) value = this.running;
		else if (id === 4) value = state >= VERIFYING ? this.#version : ANY_32;
		else if (id === 6) {
			type = TYPE_ENUM8;
			// Normal, download in progress, complete, waiting to upgrade, count down (ZCL 11.10.7).
			value = state < LOADING ? 0 : state - 1;
		} else {
			type = TYPE_UINT16;
			value = id === 3 ? 2 : id === 7 ? MANUFACTURER : id === 8 ? deviceId : this.#periodMs;
			if (!IDS.includes(id)) return at;
		}
		into[at] = type;
		putUint32(into, at + 1, value);
		const width = type === TYPE_IEEE_ADDRESS ? 8 : type === TYPE_UINT32 ? 4 : type === TYPE_UINT16 ? 2 : 1;
		return at + 1 + width;
	}

	/** For the updater: it is over with our file. Inside whatever call: what follows from it is done in the next one of ours. */
	updated(refusal: number): void {
		this.#outcome = refusal;
		this.#isOpen = this.isReady = false;
	}

	/** Version of the firmware that runs, as the headers of files have it. */
	private get running(): number {
		return buildNumber(this.#world.info.firmwareVersion);
	}

	private isOurs(bytes: Uint8Array, at: number): boolean {
		return uint16(bytes, at) === MANUFACTURER && uint16(bytes, at + 2) === this.#world.info.deviceId;
	}

	/** Of a notify: it is for us, and, where it is for many, we are among those that the dice choose. */
	private isMeant({ isBroadcast, bytes, start, end }: ZCLFrame): boolean {
		if (!isBroadcast) return true;
		const { crypto, info } = this.#world;
		const kind = bytes[start];
		if (this.#state === LOADING || end - start < 2 + 2 * kind + (kind > 2 ? 2 : 0)) return false;
		const [manufacturer, type] = [uint16(bytes, start + 2), uint16(bytes, start + 4)];
		if (kind > 0 && manufacturer !== MANUFACTURER && manufacturer !== ANY_16) return false;
		if (kind > 1 && type !== info.deviceId && type !== ANY_16) return false;
		if (kind > 2 && uint32(bytes, start + 6) === this.running) return false;
		return 1 + (crypto.random(1)[0] % 100) <= bytes[start + 1];
	}

	private offered(version: number, size: number, nowMs: number): void {
		if (this.#isOpen) {
			// Asked for in the middle of a transfer, by a coordinator that knows nothing of it any more.
			if (version === this.#version && size === this.#size) {
				this.enter(LOADING, nowMs);
				return;
			}
			this.#world.updater?.abort();
			this.#outcome = -1;
		}
		if (!this.#isNotified && (version === this.running || version >= FORCED_VERSION)) {
			this.rest(DAY_MS, nowMs);
			return;
		}
		this.#version = version;
		this.#size = size;
		const refusal = nowMs < this.#notBeforeMs ? UNDER_WAY : this.begin(nowMs);
		if (refusal !== TAKEN) this.finish(refusal, nowMs);
	}

	private begin(nowMs: number): number {
		const { updater, storage } = this.#world;
		let refusal = NO_MEMORY;
		try {
			refusal = updater?.begin(this, this.#size) ?? NO_MEMORY;
			if (refusal !== TAKEN) return refusal;
			this.#isOpen = true;
			this.#outcome = -1;
			this.#periodMs = 0;
			this.enter(LOADING, nowMs);
			const loading = new Uint8Array(LOADING_LENGTH);
			putUint32(loading, 0, this.#version);
			putUint32(loading, 4, this.#size);
			loading[8] = this.#endpoint;
			storage.set(LOADING_KEY, loading);
		} catch {
			// Flash that keeps nothing: it does not go on by itself after a restart, that is all.
		}
		return refusal;
	}

	private loaded(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		const status = bytes[start];
		const { updater } = this.#world;
		if (updater === undefined) return;
		if (status === STATUS_WAIT_FOR_DATA && end - start >= WAIT_LENGTH) {
			const waitMs = (uint32(bytes, start + 5) - uint32(bytes, start + 1)) * SECOND_MS;
			if (end - start >= WAIT_LENGTH + 2) this.#periodMs = uint16(bytes, start + WAIT_LENGTH);
			this.#heardMs = nowMs + Math.min(Math.max(waitMs, this.#periodMs), HOUR_MS);
			this.deadlineMs = this.#heardMs;
			this.isReady = false;
			return;
		}
		if (status !== STATUS_SUCCESS) {
			this.refused(BLOCK_REQUEST, nowMs);
			return;
		}
		const from = start + BLOCK_HEADER_LENGTH;
		if (end <= from || !this.isOurs(bytes, start + 1) || uint32(bytes, start + 5) !== this.#version) return;
		const at = uint32(bytes, start + 9);
		const stop = from + bytes[start + 13];
		// What comes again, late or twice, was taken before.
		if (at !== updater.received || stop === from || stop > end) return;
		for (let next = from; next < stop && this.#isOpen && updater.received === at + next - from; )
			next += updater.write(bytes, next, stop);
		this.#heardMs = nowMs;
		this.#tries = 0;
		if (this.#isOpen && at < FRONT_LENGTH && updater.received >= FRONT_LENGTH) {
			this.#notBeforeMs = nowMs + this.#pauseMs;
			this.#pauseMs = Math.min(this.#pauseMs * 2, HOUR_MS);
		}
		if (this.#isOpen && updater.received >= this.#size) {
			this.#state = VERIFYING;
			updater.end();
		}
		this.isReady = false;
		this.deadlineMs = nowMs + (this.#state === VERIFYING ? SECOND_MS : Math.max(BREATH_MS, this.#periodMs));
		this.settle(nowMs);
	}

	/** The coordinator does not do what `command` asks for. */
	private refused(command: number, nowMs: number): void {
		const state = this.#state;
		const isAsked =
			(state === ASKING && command === QUERY_NEXT_IMAGE) ||
			(state === LOADING && command === BLOCK_REQUEST) ||
			(state === ENDING && command === UPGRADE_END && this.#outcome !== TAKEN);
		if (isAsked) this.drop(DAY_MS, nowMs);
	}

	/** Looks at what has become of the file, of which the updater tells inside other calls. */
	private settle(nowMs: number): void {
		if (this.#outcome >= 0 && this.#state !== REST && this.#state < ENDING) this.finish(this.#outcome, nowMs);
	}

	private finish(refusal: number, nowMs: number): void {
		this.#outcome = refusal;
		this.forget();
		this.enter(ENDING, nowMs);
	}

	/** What is loaded is given up; a later offer goes on with it. */
	private drop(againMs: number, nowMs: number): void {
		if (this.#isOpen) {
			this.#world.updater?.abort();
			this.forget();
		}
		this.rest(againMs, nowMs);
	}

	private forget(): void {
		try {
			this.#world.storage.delete(LOADING_KEY);
		} catch {
			// After the next restart it would be asked for once more, in vain.
		}
	}

	private rest(againMs: number, nowMs: number): void {
		this.#state = REST;
		this.#outcome = -1;
		this.isReady = this.#isNotified = false;
		this.deadlineMs = nowMs + againMs;
	}

	private enter(state: number, nowMs: number): void {
		this.#state = state;
		this.#tries = 0;
		this.#heardMs = nowMs;
		this.makeReady(nowMs);
	}

	/** Something is to be sent; looks again whether it was. */
	private makeReady(nowMs: number): void {
		this.isReady = true;
		this.deadlineMs = nowMs + ANSWER_MS;
	}
}
