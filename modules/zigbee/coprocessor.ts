/**
 * Driver of a TI coprocessor with Z-Stack ZNP, which implements Zigbee below ZCL. The columns after the first are
 * events; a sequence is a list of requests to the chip (mt.ts).
 *
 *   phase       sequence   refused, or no   chip restarts   deadline
 *               complete   answer in 6 s    (41 80)
 *   HELD        –          –                –               –
 *   PULSING     –          –                –               RESETTING after 10 ms
 *   RESETTING   –          –                BOOTING (a)     RESETTING again (b)
 *   PAUSED      –          –                –               reset (b)
 *   BOOTING     (c)        PAUSED           BOOTING         –
 *   RESTORING   SETTLED    PAUSED           BOOTING         SETTLED after 60 s without the final notification (4F 80)
 *   SETTLED     –          missed (d)       BOOTING         queries the network (EXT_NWK_INFO) every 30 s
 *   LEAVING     –          –                WIPING          WIPING after 3 s, in which the frame goes out
 *   WIPING      reset      PAUSED           BOOTING         –
 *   PAIRING     reset      PAUSED           BOOTING         –
 *   STEERING    SETTLED    PAUSED           BOOTING         WAITING after 60 s without the final notification
 *   WAITING     –          –                BOOTING         STEERING after 5, 10, 20 … 60 s; SETTLED after JOIN_MS
 *
 *   (a) HELD if the radio is off
 *   (b) after 5, 10, 20 … 60 s; after the third failed attempt the state is SILENT, or FOREIGN if the chip sent
 *       other data than ZNP
 *   (c) the next task: RESTORING; for a leave RESTORING, then LEAVING; for a join PAIRING, then STEERING
 *   (d) resets the chip after 3 missed answers
 *
 * In HELD, the radio is off: the chip is in reset, or was reset and not started. In PULSING, the reset line is active.
 * PAUSED follows a failed attempt.
 *
 * The gateway's wish to leave remains in effect until the chip has forgotten its network, and its wish to join until
 * the time limit. Repeated restarts count as failed attempts, until the chip was in SETTLED for 30 s or has reported
 * the result of a search.
 *
 * SILENT and FOREIGN end only when the chip works, so that the displayed state does not change with each attempt. If
 * the coordinator orders the device to leave (45 C9), the network is forgotten in the same way as after a request of
 * the gateway.
 *
 * Limits: one request (SREQ) at a time; one ZCL frame of ZCL_LIMIT bytes in flight, with 20 s for its confirmation.
 */
import { type CoprocessorPort, FORMAT_8N1, type LineSettings } from "../io/host.js";
import {
	BDB_IN_PROGRESS,
	BDB_PARENT_LOST,
	BDB_RECOVER,
	BDB_RESTORED,
	BDB_STEERING,
	BDB_SUCCESS,
	BOOT,
	LEAVE,
	PAIR,
	RESTORE,
	STEER,
	SYS_VERSION,
	WIPE,
	ZDO_EXT_NWK_INFO,
} from "./mt.js";
import {
	type Chip,
	isJoined,
	type Outgoing,
	RADIO_FOREIGN,
	RADIO_IDLE,
	RADIO_JOINED,
	RADIO_JOINING,
	RADIO_LEAVING,
	RADIO_OFF,
	RADIO_ORPHAN,
	RADIO_SILENT,
	RADIO_STARTING,
	type RadioListener,
	ZCL_LIMIT,
} from "./radio.js";
import { BELONGS, FLAG_OF_DRIVER, LEAVE_MS, MEMBER, ODD, OTHER, REQUEST_MS, Requests, SENT_LOST } from "./requests.js";

export const JOIN_MS = 300_000;

const HELD = 0;
const PULSING = 1;
const RESETTING = 2;
const PAUSED = 3;
const BOOTING = 4;
const RESTORING = 5;
const SETTLED = 6;
const LEAVING = 7;
const WIPING = 8;
const PAIRING = 9;
const STEERING = 10;
const WAITING = 11;

const PULSE_MS = 10;
const QUERY_MS = 30_000;
const MISS_LIMIT = 3;
const RETRY_FIRST_MS = 5000;
const RETRY_LONGEST_MS = 60_000;
const ATTEMPTS = 3;
const ORPHAN_FIRST_MS = 30_000;
const ORPHAN_LONGEST_MS = 900_000;

const OWES_LEAVE = FLAG_OF_DRIVER;
/** Flag: the sequence WIPE is complete, and the next boot forgets the network. */
const WIPED = 2 * FLAG_OF_DRIVER;
/** Flag: the sequence PAIR is complete. */
const PAIRED = 4 * FLAG_OF_DRIVER;
const LOST = 8 * FLAG_OF_DRIVER;

const LINE = Object.freeze({ baud: 115_200, format: FORMAT_8N1 });

export class Coprocessor extends Requests implements Chip {
	state = RADIO_OFF;
	joiningUntilMs = 0;
	readonly #port: Pick<CoprocessorPort, "setLines">;
	#phase = HELD;
	#dueMs = Infinity;
	#queryMs = Infinity;
	#misses = 0;
	#failures = 0;
	/** Number of restored networks for which no final notification arrived. */
	#unnotified = 0;
	#pauseMs = 0;
	#recoverMs = Infinity;

	/** The chip is not used before `start` or `stop`. `port` controls the chip's reset line, if the board has one. */
	constructor(user: RadioListener, role: number, port: Pick<CoprocessorPort, "setLines">) {
		super(user, role);
		this.#port = port;
	}

	get line(): LineSettings {
		return LINE;
	}

	get owesLeave(): boolean {
		return this.has(OWES_LEAVE);
	}

	get canSend(): boolean {
		return this.state === RADIO_JOINED && this.#phase === SETTLED && !this.isSending;
	}

	start(nowMs: number): void {
		this.#failures = this.#unnotified = 0;
		this.setState(RADIO_STARTING, nowMs);
		this.reset(nowMs);
	}

	stop(nowMs: number): void {
		this.#failures = 0;
		this.joiningUntilMs = 0;
		this.setState(RADIO_OFF, nowMs);
		this.reset(nowMs);
	}

	/** Searches for a network. It has no effect if the radio is off. */
	join(nowMs: number): void {
		if (this.state === RADIO_OFF) return;
		this.joiningUntilMs = nowMs + JOIN_MS;
		this.requestLeave(nowMs);
	}

	/** Leaves the network. If the chip does not work now, it leaves later; until then, `owesLeave` is true. */
	leave(nowMs: number): void {
		this.joiningUntilMs = 0;
		this.requestLeave(nowMs);
	}

	/** Restarts the chip, because it keeps the description of its endpoint until a reset. */
	clustersChanged(nowMs: number): void {
		const phase = this.#phase;
		// In all other phases, a reset is already due.
		if (phase === RESTORING || phase === SETTLED || phase >= STEERING) this.restart(nowMs);
	}

	send(frame: Outgoing, nowMs: number): void {
		if (!this.canSend || frame.end - frame.start > ZCL_LIMIT) throw new Error("zigbee: no such frame can be sent now");
		this.queue(frame);
		this.sendDue(nowMs);
	}

	get deadlineMs(): number {
		return Math.min(this.#dueMs, this.confirmMs, this.gapMs);
	}

	advance(nowMs: number): void {
		this.checkTimeouts(nowMs);
		if (nowMs < this.#dueMs) return;
		switch (this.#phase) {
			case PULSING:
				this.#port.setLines?.(false, false);
				this.enter(RESETTING, this.backOff(nowMs));
				break;
			case RESETTING:
			case PAUSED:
				if (this.#phase === RESETTING) this.countFailure(nowMs);
				this.reset(nowMs);
				break;
			case SETTLED:
				if (this.pendingRequest !== 0) this.abandonRequest(nowMs);
				else {
					this.#failures = 0;
					this.sendDue(nowMs);
				}
				break;
			case LEAVING:
				this.run(WIPING, WIPE, nowMs);
				break;
			case WAITING:
				if (nowMs < this.joiningUntilMs) this.run(STEERING, STEER, nowMs);
				else this.settle(nowMs);
				break;
			default:
				if (this.pendingRequest !== 0) this.pause(false, nowMs);
				else if (this.#phase === STEERING) this.waitForRetry(nowMs);
				else {
					this.#unnotified++;
					this.settle(nowMs);
				}
		}
	}

	protected restarted(nowMs: number): void {
		const phase = this.#phase;
		if (this.state === RADIO_OFF) this.enter(HELD, Infinity);
		else if (phase === LEAVING) this.run(WIPING, WIPE, nowMs);
		else if (phase === RESETTING) this.boot(nowMs);
		else if (phase > PAUSED) {
			if (this.#failures >= ATTEMPTS - 1) this.pause(false, nowMs);
			else {
				this.#failures++;
				this.boot(nowMs);
				this.showStarting(nowMs);
			}
		}
	}

	protected expelled(nowMs: number): void {
		if (this.#phase !== SETTLED && this.#phase !== RESTORING) return;
		this.setFlag(OWES_LEAVE, true);
		// A request that is pending keeps its deadline.
		this.enter(LEAVING, nowMs + (this.pendingRequest === 0 ? LEAVE_MS : REQUEST_MS));
		this.setState(RADIO_LEAVING, nowMs);
	}

	protected notified(status: number, about: number, nowMs: number): void {
		const phase = this.#phase;
		if (status === BDB_IN_PROGRESS) return;
		if (about === BDB_PARENT_LOST) this.setFlag(LOST, status !== BDB_SUCCESS && status !== BDB_RESTORED);
		if (phase === STEERING) {
			if (about !== BDB_STEERING) return;
			this.#failures = 0;
			if (status === BDB_SUCCESS) this.settle(nowMs);
			else this.waitForRetry(nowMs);
		} else if (phase === RESTORING || phase === SETTLED) {
			this.#unnotified = 0;
			this.settle(nowMs);
		}
	}

	protected changed(isMember: boolean, nowMs: number): void {
		if (this.#phase !== SETTLED) return;
		if (isMember) this.setFlag(LOST, false);
		this.settle(nowMs);
	}

	private boot(nowMs: number): void {
		this.setFlag(LOST, false);
		const wasWiped = this.has(WIPED);
		if (wasWiped) this.setFlag(WIPED | OWES_LEAVE, false);
		if (wasWiped && nowMs < this.joiningUntilMs) {
			this.run(PAIRING, PAIR, nowMs);
			this.setState(RADIO_JOINING, nowMs);
		} else this.run(BOOTING, BOOT, nowMs);
	}

	private selectTask(nowMs: number): void {
		const hasWantedRole = this.chipRole === this.wantedRole;
		if (!this.owesLeave && nowMs < this.joiningUntilMs) {
			this.#pauseMs = 0;
			if (!this.has(PAIRED)) this.run(PAIRING, PAIR, nowMs);
			else if (hasWantedRole) this.run(STEERING, STEER, nowMs);
			else this.pause(true, nowMs);
			if (this.#phase !== PAUSED) this.setState(RADIO_JOINING, nowMs);
			return;
		}
		// A chip with another role is not in the gateway's network. It is not started, because as a coordinator it would
		// open a network of its own.
		if (hasWantedRole) this.run(RESTORING, RESTORE, nowMs);
		else this.settle(nowMs);
		if (this.owesLeave) this.setState(RADIO_LEAVING, nowMs);
	}

	protected answered(request: number, isAccepted: boolean, nowMs: number): void {
		this.#misses = 0;
		if (!isAccepted) {
			if (request === SYS_VERSION) this.#failures = ATTEMPTS;
			this.pause(true, nowMs);
		} else if (request === ZDO_EXT_NWK_INFO) this.onNetworkInfo(nowMs);
		else if (this.#phase === SETTLED) this.sendDue(nowMs);
		else this.continueSequence(nowMs);
	}

	private onNetworkInfo(nowMs: number): void {
		const { state } = this;
		const belongs = this.has(BELONGS);
		const wasMember = isJoined(state);
		let next = RADIO_IDLE;
		if (this.owesLeave) {
			if (belongs) this.run(LEAVING, LEAVE, nowMs);
			else this.run(WIPING, WIPE, nowMs);
			return;
		}
		if (this.has(MEMBER) && !this.has(LOST)) next = RADIO_JOINED;
		else if (belongs && state !== RADIO_JOINING) next = RADIO_ORPHAN;
		else if (wasMember) {
			// The network seems to be lost. The chip is restarted, because only what it reports after a restart is reliable.
			this.restart(nowMs);
			return;
		} else if (nowMs < this.joiningUntilMs) {
			this.waitForRetry(nowMs);
			return;
		} else if (this.#unnotified > 0 && this.#unnotified < ATTEMPTS) {
			this.pause(false, nowMs);
			return;
		}
		if (next === RADIO_ORPHAN && state !== RADIO_ORPHAN) {
			this.#pauseMs = ORPHAN_FIRST_MS;
			this.#recoverMs = nowMs + ORPHAN_FIRST_MS;
		}
		this.joiningUntilMs = 0;
		this.#queryMs = nowMs + QUERY_MS;
		this.sendDue(nowMs);
		if (next !== state) this.setState(next, nowMs);
		else if (wasMember && this.has(OTHER)) this.user.radioChanged(nowMs);
	}

	/** Sends what is due. Call it only in SETTLED. It does nothing while an answer is pending. */
	private sendDue(nowMs: number): void {
		if (this.pendingRequest !== 0) return;
		if (nowMs >= this.#queryMs) {
			this.#queryMs = nowMs + QUERY_MS;
			if (this.state === RADIO_ORPHAN && nowMs >= this.#recoverMs) {
				this.#pauseMs = Math.min(ORPHAN_LONGEST_MS, this.#pauseMs * 2);
				this.#recoverMs = nowMs + this.#pauseMs;
				this.sendRequest(BDB_RECOVER);
				// If no parent is found, the chip reports the loss again.
				this.setFlag(LOST, false);
			} else this.sendRequest(ZDO_EXT_NWK_INFO);
			this.#dueMs = nowMs + this.limitMs;
		} else if (this.sendFrame(nowMs)) this.#dueMs = nowMs + this.limitMs;
		else this.#dueMs = this.#queryMs;
	}

	protected missed(nowMs: number): void {
		this.#queryMs = nowMs;
		if (++this.#misses >= MISS_LIMIT) this.restart(nowMs);
		else this.sendDue(nowMs);
	}

	private settle(nowMs: number): void {
		if (this.#phase !== SETTLED) this.#misses = 0;
		this.#phase = SETTLED;
		this.#queryMs = nowMs;
		this.#dueMs = Math.min(this.#dueMs, nowMs + REQUEST_MS);
		this.sendDue(nowMs);
	}

	private requestLeave(nowMs: number): void {
		const { state } = this;
		const phase = this.#phase;
		this.setFlag(OWES_LEAVE, true);
		this.setFlag(PAIRED, false);
		if (phase === SETTLED || phase === WAITING || phase === STEERING) this.settle(nowMs);
		if (isJoined(state) || (state >= RADIO_IDLE && this.joiningUntilMs === 0)) this.setState(RADIO_LEAVING, nowMs);
		else if (state === RADIO_IDLE) this.setState(RADIO_JOINING, nowMs);
	}

	private waitForRetry(nowMs: number): void {
		this.#pauseMs = Math.min(RETRY_LONGEST_MS, Math.max(RETRY_FIRST_MS, this.#pauseMs * 2));
		this.setFlag(PAIRED, false);
		this.enter(WAITING, Math.min(nowMs + this.#pauseMs, this.joiningUntilMs));
	}

	private restart(nowMs: number): void {
		this.reset(nowMs);
		this.showStarting(nowMs);
	}

	/** Ends an attempt as failed. `isOdd`: true if the chip answers, but can't be used. */
	private pause(isOdd: boolean, nowMs: number): void {
		if (isOdd) this.setFlag(ODD, true);
		this.countFailure(nowMs);
		this.enter(PAUSED, this.backOff(nowMs));
		this.showStarting(nowMs);
	}

	private showStarting(nowMs: number): void {
		const { state } = this;
		if (state === RADIO_IDLE || isJoined(state)) this.setState(RADIO_STARTING, nowMs);
	}

	private countFailure(nowMs: number): void {
		this.#failures++;
		if (this.state !== RADIO_OFF && this.#failures >= ATTEMPTS)
			this.setState(this.has(ODD) ? RADIO_FOREIGN : RADIO_SILENT, nowMs);
	}

	private backOff(nowMs: number): number {
		return nowMs + Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS << Math.min(this.#failures, 4));
	}

	private reset(nowMs: number): void {
		this.setFlag(ODD, false);
		if (this.#port.setLines !== undefined) {
			this.#port.setLines(true, false);
			if (this.state === RADIO_OFF) this.enter(HELD, Infinity);
			else this.enter(PULSING, nowMs + PULSE_MS);
			return;
		}
		this.enter(RESETTING, this.backOff(nowMs));
		this.sendReset();
	}

	private enter(phase: number, dueMs: number): void {
		this.#phase = phase;
		this.#dueMs = dueMs;
		this.dropRequest();
	}

	private run(phase: number, script: string, nowMs: number): void {
		this.#phase = phase;
		this.setSequence(script);
		this.continueSequence(nowMs);
	}

	private continueSequence(nowMs: number): void {
		const phase = this.#phase;
		if (this.sendNextRequest()) this.#dueMs = nowMs + this.limitMs;
		else if (phase === BOOTING) this.selectTask(nowMs);
		else if (phase === WIPING || phase === PAIRING) {
			this.setFlag(phase === WIPING ? WIPED : PAIRED, true);
			this.reset(nowMs);
		}
	}

	private setState(state: number, nowMs: number): void {
		if (state === this.state) return;
		this.state = state;
		if (this.isSending) this.finish(SENT_LOST, nowMs);
		this.user.radioChanged(nowMs);
	}
}
