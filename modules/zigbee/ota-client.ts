/**
 * Client of the OTA Upgrade cluster (ZCL revision 8, chapter 11). The file and its checks are the same as for an upload
 * over HTTP. The version in the file's Zigbee header is not trusted, because coordinators rewrite it. The table shows
 * the events in each state and the next state:
 *
 *   REST        deadline, notify: ASKING
 *   ASKING      offer: LOADING; REST if it is ignored, ENDING if it is refused       no file, abort: REST
 *               notify: ASKING       deadline: asks again; after TRIES LOADING if a file is open, otherwise REST
 *   LOADING     block: requests the next one; VERIFYING after the last one, ENDING if the updater refuses it
 *               wait: requests the block later       deadline: requests it again; REST after SILENCE_LIMIT_MS
 *               notify: ASKING       abort: REST
 *   VERIFYING   result of the updater: ENDING
 *   ENDING      reports the result; end response: HELD until the given time, or ENDING if no time is given
 *               deadline: reports again; after TRIES restarts if the file is good, otherwise REST
 *               refused: REST if the file is bad
 *   HELD        deadline: restarts       end response: as in ENDING
 *
 * The client asks the coordinator for a file soon after joining and once a day. An offer of the running version is
 * ignored unless the coordinator has sent a notify. Otherwise a coordinator that rewrites versions would offer the same
 * file again and again.
 *
 * A record in storage names the file that is being loaded. After a restart (for a battery device, at the next wake-up),
 * the same coordinator is asked for this file immediately, but only once if it sends no block. If the coordinator
 * offers the file later, the transfer continues after the last piece in flash (update/installer.ts).
 *
 * Limits: after a transfer has erased its first sector, the next transfer must wait for a minute, then two, four … up
 * to an hour, because flash wears out, and a coordinator needs no login to start a transfer. Blocks have BLOCK_LENGTH
 * bytes, as with most coordinators. Longer blocks would not fit into a frame on every route.
 */
import { putUint32LE, uint16LE, uint32LE } from "../bytes/integers.js";
import { isMistake } from "../io/fault.js";
import { FRONT_LENGTH, MANUFACTURER } from "../update/front.js";
import { LOW_POWER, NO_MEMORY, TAKEN, UNDER_WAY } from "../update/refusals.js";
import type { Sender } from "../update/updater.js";
import {
	ANY_32,
	ASKING,
	ATTRIBUTES,
	ENDING,
	HELD,
	LOADING,
	LOADING_KEY,
	type OTADeps,
	putAttribute,
	REST,
	Transfer,
	VERIFYING,
	versionOf,
} from "./ota-transfer.js";
import type { ClusterClient, Outgoing, ZCLFrame } from "./radio.js";

const CLUSTER = 0x0019;
const IMAGE_NOTIFY = 0;
const QUERY_NEXT_IMAGE = 1;
const NEXT_IMAGE = 2;
const BLOCK_REQUEST = 3;
const BLOCK = 5;
const UPGRADE_END = 6;
const UPGRADE_END_RESPONSE = 7;
/** Default response, which all clusters have (ZCL 2.5.12): command, status. */
const DEFAULT_RESPONSE = 0x0b;
const CLUSTER_COMMAND = 1;

const STATUS_SUCCESS = 0;
const STATUS_ABORT = 0x95;
const STATUS_INVALID_IMAGE = 0x96;
const STATUS_WAIT_FOR_DATA = 0x97;

const COORDINATOR = 0;
/** Flag in a request for a block. It means that a minimum period follows. */
const HAS_PERIOD = 2;
const ANY_16 = 0xffff;
const FORCED_VERSION = 0xffff_fffe;
const OFFER_LENGTH = 13;
const BLOCK_LENGTH = 50;
const BLOCK_HEADER_LENGTH = 14;
const WAIT_LENGTH = 9;
const END_LENGTH = 16;

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Longest wait for an answer. It is long because a coordinator may first have to download the file. */
const ANSWER_MS = 60_000;
const BLOCK_ANSWER_MS = 2000;
/** Pause before the next request, because a coordinator may not listen until its block is acknowledged. */
const BLOCK_PAUSE_MS = 5;
const RETRY_MS = 2000;
const TRIES = 3;
const SILENCE_LIMIT_MS = 900_000;
/** Time for which a battery device stays awake although the coordinator is silent. */
const AWAKE_MS = 60_000;

export class OTAClient implements ClusterClient, Sender {
	readonly #deps: OTADeps;
	#transfer: Transfer | undefined;
	isReady = false;
	deadlineMs = Infinity;
	#notBeforeMs = 0;
	#pauseMs = MINUTE_MS;

	constructor(deps: OTADeps) {
		this.#deps = deps;
	}

	get cluster(): number {
		return CLUSTER;
	}

	get attributes(): readonly number[] {
		return ATTRIBUTES;
	}

	get name(): string {
		return "zigbee";
	}

	get isSlow(): true {
		return true;
	}

	/** True during an exchange. False if the coordinator is silent, or has ordered a longer wait. */
	isBusy(nowMs: number): boolean {
		const transfer = this.#transfer;
		if (transfer === undefined) return false;
		if (transfer.state === LOADING) return Math.abs(nowMs - transfer.lastMessageMs) < AWAKE_MS;
		// A deadline of Infinity means that the restart was requested.
		return this.deadlineMs - nowMs <= AWAKE_MS || this.deadlineMs === Infinity;
	}

	joined(nowMs: number): void {
		const { updater, storage, crypto } = this.#deps;
		if (updater?.isOpen !== true) return;
		if (this.#transfer !== undefined) {
			this.failed(nowMs);
			return;
		}
		// The delay is random, so that the gateways of a building do not all send queries at the same time after a power
		// failure.
		this.deadlineMs = nowMs + MINUTE_MS + crypto.random(1)[0] * SECOND_MS;
		const transfer = new Transfer();
		if (!transfer.restore(storage)) return;
		// The first block stores the record again, so a coordinator that does not have the file is asked only once.
		this.deleteRecord();
		this.#transfer = transfer;
		if (this.beginTransfer(transfer, nowMs) !== TAKEN) this.#transfer = undefined;
	}

	left(): void {
		this.isReady = false;
		if (this.#transfer === undefined) this.deadlineMs = Infinity;
	}

	advance(nowMs: number): void {
		this.processResult(nowMs);
		if (nowMs < this.deadlineMs) return;
		const transfer = this.#transfer;
		if (transfer === undefined) {
			this.enter(ASKING, nowMs);
			return;
		}
		const { state } = transfer;
		if (state === VERIFYING) this.deadlineMs = nowMs + SECOND_MS;
		else if (state === LOADING) {
			if (nowMs - transfer.lastMessageMs >= SILENCE_LIMIT_MS) this.giveUp(HOUR_MS, nowMs);
			else this.makeReady(nowMs);
		} else if (state === HELD || (state === ENDING && transfer.outcome === TAKEN && transfer.tries >= TRIES)) {
			this.deadlineMs = Infinity;
			this.#deps.updater?.restart();
		} else if (++transfer.tries > TRIES) {
			if (transfer.isOpen) this.enter(LOADING, nowMs);
			else this.enterRest(DAY_MS, nowMs);
		} else this.makeReady(nowMs);
	}

	received(frame: ZCLFrame, source: number, endpoint: number, nowMs: number): void {
		const { control, command, bytes, start, end } = frame;
		if (source !== COORDINATOR || this.#deps.updater?.isOpen !== true || start === end) return;
		this.processResult(nowMs);
		const { state } = this;
		const length = end - start;
		if ((control & 3) !== CLUSTER_COMMAND) {
			const status = bytes[start + 1];
			if (command === DEFAULT_RESPONSE && length > 1 && (status !== STATUS_SUCCESS || state === ENDING))
				this.onRefusal(bytes[start], nowMs);
		} else if (command === IMAGE_NOTIFY) {
			if (state > LOADING || !this.isForThisDevice(frame)) return;
			this.transfer.isNotified = true;
			this.transfer.endpoint = endpoint;
			this.enter(ASKING, nowMs);
		} else if (command === NEXT_IMAGE && state === ASKING) {
			const isOffer = length >= OFFER_LENGTH && bytes[start] === STATUS_SUCCESS && this.matchesDevice(bytes, start + 1);
			if (isOffer) this.onOffer(uint32LE(bytes, start + 5), uint32LE(bytes, start + 9), nowMs);
			else this.giveUp(DAY_MS, nowMs);
		} else if (command === BLOCK && state === LOADING) this.onBlock(bytes, start, end, nowMs);
		else if (
			command === UPGRADE_END_RESPONSE &&
			state >= ENDING &&
			length >= END_LENGTH &&
			this.transfer.outcome === TAKEN
		) {
			const upgradeS = uint32LE(bytes, start + 12);
			const isHeld = upgradeS !== ANY_32;
			this.transfer.state = isHeld ? HELD : ENDING;
			this.transfer.tries = 0;
			this.isReady = false;
			// The difference of the two times is the time to wait (11.13.8.2.8).
			const waitMs = Math.max(0, upgradeS - uint32LE(bytes, start + 8)) * SECOND_MS;
			this.deadlineMs = nowMs + (isHeld ? Math.min(waitMs, DAY_MS) : HOUR_MS);
		}
	}

	write(out: Outgoing, sequence: number, nowMs: number): void {
		const { bytes } = out;
		const { transfer } = this;
		const { state, outcome } = transfer;
		const isBlock = state === LOADING;
		this.isReady = false;
		this.deadlineMs = nowMs + (isBlock ? BLOCK_ANSWER_MS * Math.min(2 ** transfer.tries++, 30) : ANSWER_MS);
		bytes[0] = CLUSTER_COMMAND;
		bytes[1] = sequence;
		bytes[2] = isBlock ? BLOCK_REQUEST : state === ENDING ? UPGRADE_END : QUERY_NEXT_IMAGE;
		bytes[3] = isBlock ? HAS_PERIOD : outcome <= TAKEN ? 0 : outcome < LOW_POWER ? STATUS_INVALID_IMAGE : STATUS_ABORT;
		putUint32LE(bytes, 4, MANUFACTURER);
		putUint32LE(bytes, 6, this.#deps.info.deviceId);
		putUint32LE(bytes, 8, state === ASKING ? this.runningVersion : transfer.version);
		let end = 12;
		if (isBlock) {
			putUint32LE(bytes, 12, this.#deps.updater?.received ?? 0);
			putUint32LE(bytes, 16, BLOCK_LENGTH | (transfer.periodMs << 8));
			end = 19;
		}
		out.cluster = CLUSTER;
		out.destination = COORDINATOR;
		out.destinationEndpoint = transfer.endpoint;
		out.bytes = bytes;
		out.start = 0;
		out.end = end;
	}

	failed(nowMs: number): void {
		// In HELD, the coordinator has already answered, so the chip's report is wrong and is ignored.
		const { state } = this;
		if (state !== REST && state !== HELD) this.deadlineMs = Math.min(this.deadlineMs, nowMs + RETRY_MS);
	}

	readAttribute(id: number, into: Uint8Array, at: number): number {
		return putAttribute(id, this.#transfer, this.#deps, into, at);
	}

	/**
	 * Stores the updater's result. It is processed in the next call, because a method of this object may be on the stack.
	 */
	updated(refusal: number): void {
		const transfer = this.#transfer;
		if (transfer === undefined) return;
		transfer.outcome = refusal;
		transfer.isOpen = this.isReady = false;
	}

	private get state(): number {
		return this.#transfer?.state ?? REST;
	}

	private get transfer(): Transfer {
		this.#transfer ??= new Transfer();
		return this.#transfer;
	}

	private get runningVersion(): number {
		return versionOf(this.#deps);
	}

	private matchesDevice(bytes: Uint8Array, at: number): boolean {
		return uint16LE(bytes, at) === MANUFACTURER && uint16LE(bytes, at + 2) === this.#deps.info.deviceId;
	}

	/** Returns true if a notify is for this device. A notify by broadcast selects devices at random. */
	private isForThisDevice({ isBroadcast, bytes, start, end }: ZCLFrame): boolean {
		if (!isBroadcast) return true;
		const { crypto, info } = this.#deps;
		const kind = bytes[start];
		if (this.state === LOADING || end - start < 2 + 2 * kind + (kind > 2 ? 2 : 0)) return false;
		const manufacturer = uint16LE(bytes, start + 2);
		const type = uint16LE(bytes, start + 4);
		if (kind > 0 && manufacturer !== MANUFACTURER && manufacturer !== ANY_16) return false;
		if (kind > 1 && type !== info.deviceId && type !== ANY_16) return false;
		if (kind > 2 && uint32LE(bytes, start + 6) === this.runningVersion) return false;
		return 1 + (crypto.random(1)[0] % 100) <= bytes[start + 1];
	}

	private onOffer(version: number, size: number, nowMs: number): void {
		const { transfer } = this;
		if (transfer.isOpen) {
			// The offer repeats the open transfer, which the coordinator has forgotten.
			if (version === transfer.version && size === transfer.size) {
				this.enter(LOADING, nowMs);
				return;
			}
			this.#deps.updater?.abort();
			transfer.outcome = -1;
		}
		if (!transfer.isNotified && (version === this.runningVersion || version >= FORCED_VERSION)) {
			this.enterRest(DAY_MS, nowMs);
			return;
		}
		transfer.version = version;
		transfer.size = size;
		const refusal = nowMs < this.#notBeforeMs ? UNDER_WAY : this.beginTransfer(transfer, nowMs);
		if (refusal !== TAKEN) this.finish(refusal, nowMs);
	}

	private beginTransfer(transfer: Transfer, nowMs: number): number {
		let refusal = NO_MEMORY;
		try {
			refusal = this.#deps.updater?.begin(this, transfer.size) ?? NO_MEMORY;
		} catch (error) {
			if (isMistake(error)) throw error;
			// If the OTA slot is not available, the refusal is NO_MEMORY.
		}
		if (refusal !== TAKEN) return refusal;
		transfer.isOpen = true;
		transfer.isRecorded = false;
		transfer.outcome = -1;
		transfer.periodMs = 0;
		this.enter(LOADING, nowMs);
		return TAKEN;
	}

	private onBlock(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		const status = bytes[start];
		const { transfer } = this;
		const { updater } = this.#deps;
		if (updater === undefined) return;
		if (status === STATUS_WAIT_FOR_DATA && end - start >= WAIT_LENGTH) {
			const waitMs = (uint32LE(bytes, start + 5) - uint32LE(bytes, start + 1)) * SECOND_MS;
			if (end - start >= WAIT_LENGTH + 2) transfer.periodMs = uint16LE(bytes, start + WAIT_LENGTH);
			transfer.lastMessageMs = nowMs + Math.min(Math.max(waitMs, transfer.periodMs), HOUR_MS);
			this.deadlineMs = transfer.lastMessageMs;
			this.isReady = false;
			transfer.record(this.#deps.storage);
			return;
		}
		if (status !== STATUS_SUCCESS) {
			this.onRefusal(BLOCK_REQUEST, nowMs);
			return;
		}
		const from = start + BLOCK_HEADER_LENGTH;
		if (end <= from || !this.matchesDevice(bytes, start + 1) || uint32LE(bytes, start + 5) !== transfer.version) return;
		const at = uint32LE(bytes, start + 9);
		const stop = from + bytes[start + 13];
		// A late or repeated block is ignored.
		if (at !== updater.received || stop === from || stop > end) return;
		for (let next = from; next < stop && transfer.isOpen && updater.received === at + next - from; )
			next += updater.write(bytes, next, stop);
		transfer.lastMessageMs = nowMs;
		transfer.tries = 0;
		if (transfer.isOpen) transfer.record(this.#deps.storage);
		if (transfer.isOpen && at < FRONT_LENGTH && updater.received >= FRONT_LENGTH) {
			this.#notBeforeMs = nowMs + this.#pauseMs;
			this.#pauseMs = Math.min(this.#pauseMs * 2, HOUR_MS);
		}
		if (transfer.isOpen && updater.received >= transfer.size) {
			transfer.state = VERIFYING;
			updater.end();
		}
		this.isReady = false;
		this.deadlineMs = nowMs + (transfer.state === VERIFYING ? SECOND_MS : Math.max(BLOCK_PAUSE_MS, transfer.periodMs));
		this.processResult(nowMs);
	}

	private onRefusal(command: number, nowMs: number): void {
		const { state } = this;
		const isPending =
			(state === ASKING && command === QUERY_NEXT_IMAGE) ||
			(state === LOADING && command === BLOCK_REQUEST) ||
			(state === ENDING && command === UPGRADE_END && this.transfer.outcome !== TAKEN);
		if (isPending) this.giveUp(DAY_MS, nowMs);
	}

	private processResult(nowMs: number): void {
		const transfer = this.#transfer;
		if (transfer !== undefined && transfer.outcome >= 0 && transfer.state < ENDING)
			this.finish(transfer.outcome, nowMs);
	}

	private finish(refusal: number, nowMs: number): void {
		this.transfer.outcome = refusal;
		this.deleteRecord();
		this.enter(ENDING, nowMs);
	}

	/** Ends the transfer. A later offer can resume it. */
	private giveUp(againMs: number, nowMs: number): void {
		if (this.#transfer?.isOpen) {
			this.#deps.updater?.abort();
			this.deleteRecord();
		}
		this.enterRest(againMs, nowMs);
	}

	private deleteRecord(): void {
		try {
			this.#deps.storage.delete(LOADING_KEY);
		} catch {
			// If the record can't be deleted, one useless request follows the next restart.
		}
	}

	private enterRest(againMs: number, nowMs: number): void {
		this.#transfer = undefined;
		this.isReady = false;
		this.deadlineMs = nowMs + againMs;
	}

	private enter(state: number, nowMs: number): void {
		const { transfer } = this;
		transfer.state = state;
		transfer.tries = 0;
		transfer.lastMessageMs = nowMs;
		this.makeReady(nowMs);
	}

	private makeReady(nowMs: number): void {
		this.isReady = true;
		this.deadlineMs = nowMs + ANSWER_MS;
	}
}
