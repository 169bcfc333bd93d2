/**
 * Client of the Time cluster (ZCL revision 8, 12.2). It asks the coordinator for the time soon after joining and once a
 * day. It sets the clock only if there is no better source:
 *
 *   the clock was never set         the clock is set
 *   a time server was accepted      ignored
 *   the times differ by 2 to 1000 s the clock is set; the answer is too inexact for smaller differences
 *   the times differ by more        ignored, because the present source of the clock is trusted more
 *
 * Times before this firmware's build, or more than 20 years after it, are ignored. A coordinator is ignored if it is
 * neither synchronised nor the master. A failed request is repeated after a minute, then two, four … up to a day.
 */
import { uint16LE, uint32LE } from "../bytes/integers.js";
import type { Clock, HostInfo } from "../io/host.js";
import type { ClusterClient, Outgoing, ZCLFrame } from "./radio.js";

export interface TimeDeps {
	readonly clock: Pick<Clock, "utcMs" | "setUTC">;
	readonly info: Pick<HostInfo, "builtUtcMs">;
	hasTimeServer(nowMs: number): boolean;
	/** Called when the clock was set. */
	clockSet(): void;
}

const CLUSTER = 0x000a;
const COORDINATOR = 0;
const ENDPOINT = 1;
/**
 * Frame control of a general command to the server that requests no default response. The command reads Time and
 * TimeStatus.
 */
const CONTROL = 0x10;
const READ_RESPONSE = 0x01;
const TIME_STATUS = 1;
/** Bits of TimeStatus for a trusted time: master, synchronised. */
const TRUSTED = 3;
const EPOCH_MS = 946_684_800_000;
/** Earliest time that is accepted, 2024-01-01. */
const EARLIEST_UTC_MS = 1_704_067_200_000;
const LATEST_AFTER_BUILD_MS = 631_152_000_000;
const CORRECTION_MIN_MS = 2000;
const CORRECTION_MAX_MS = 1_000_000;

const FIRST_REQUEST_MS = 5000;
const ANSWER_MS = 60_000;
const DAY_MS = 86_400_000;
const NO_ATTRIBUTES: readonly number[] = Object.freeze([]);

export class TimeClient implements ClusterClient {
	readonly #deps: TimeDeps;
	isReady = false;
	deadlineMs = Infinity;
	#waitMs = ANSWER_MS;

	constructor(deps: TimeDeps) {
		this.#deps = deps;
	}

	get cluster(): number {
		return CLUSTER;
	}

	get attributes(): readonly number[] {
		return NO_ATTRIBUTES;
	}

	/** False, because a device that is awake only briefly does not wait for the time. */
	isBusy(): boolean {
		return false;
	}

	joined(nowMs: number): void {
		this.#waitMs = ANSWER_MS;
		this.deadlineMs = nowMs + FIRST_REQUEST_MS;
	}

	left(): void {
		this.isReady = false;
		this.deadlineMs = Infinity;
	}

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.isReady = true;
		this.deadlineMs = nowMs + this.#waitMs;
	}

	write(out: Outgoing, sequence: number, nowMs: number): void {
		this.isReady = false;
		this.deadlineMs = nowMs + this.#waitMs;
		this.#waitMs = Math.min(this.#waitMs * 2, DAY_MS);
		out.cluster = CLUSTER;
		out.destination = COORDINATOR;
		out.destinationEndpoint = ENDPOINT;
		out.bytes.fill(0, 0, 7);
		out.bytes[0] = CONTROL;
		out.bytes[1] = sequence;
		out.bytes[5] = TIME_STATUS;
		out.start = 0;
		out.end = 7;
	}

	failed(): void {}

	received({ control, command, bytes, start, end }: ZCLFrame, source: number, _endpoint: number, nowMs: number): void {
		if (source !== COORDINATOR || (control & 3) !== 0 || command !== READ_RESPONSE) return;
		let seconds = 0;
		let status = TRUSTED;
		// Each record has id and status. If the status is 0, type and value (4 bytes or 1) follow.
		for (let at = start; at + 3 <= end; at += 3) {
			if (bytes[at + 2] !== 0) continue;
			const isStatus = uint16LE(bytes, at) === TIME_STATUS;
			if (at + (isStatus ? 5 : 8) > end) return;
			if (isStatus) status = bytes[at + 4];
			else seconds = uint32LE(bytes, at + 4);
			at += isStatus ? 2 : 5;
		}
		this.deadlineMs = nowMs + DAY_MS;
		this.#waitMs = ANSWER_MS;
		if ((status & TRUSTED) !== 0) this.setClock(EPOCH_MS + seconds * 1000, nowMs);
	}

	readAttribute(_id: number, _into: Uint8Array, at: number): number {
		return at;
	}

	private setClock(utcMs: number, nowMs: number): void {
		const { clock, info } = this.#deps;
		const { builtUtcMs } = info;
		if (utcMs < Math.max(EARLIEST_UTC_MS, builtUtcMs) || utcMs > builtUtcMs + LATEST_AFTER_BUILD_MS) return;
		const present = clock.utcMs();
		const differenceMs = Math.abs(utcMs - (present ?? 0));
		const isCorrection =
			differenceMs >= CORRECTION_MIN_MS && differenceMs <= CORRECTION_MAX_MS && !this.#deps.hasTimeServer(nowMs);
		if (present !== undefined && !isCorrection) return;
		clock.setUTC(utcMs);
		this.#deps.clockSet();
	}
}
