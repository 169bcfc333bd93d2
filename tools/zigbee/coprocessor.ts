/**
 * Simulated ZNP coprocessor (TI CC2652 with a coordinator image of Z-Stack 3.x.0). In place of the radio it has a place
 * on a simulated air, which other coprocessors share. It receives and sends UART bytes and has non-volatile memory. As
 * in the real chip, NV item 0x0087 selects coordinator, router or end device.
 */
import { type Air, type AirFrame, ARRIVED, BROADCAST, type Station } from "./air.js";
import type { Binding, Chip, Endpoint } from "./chip.js";
import { COMMANDS } from "./commands.js";
import { type Faults, NO_FAULTS } from "./faults.js";
import { AREQ, encodeFrame, type Frame, FrameReader, SREQ, SRSP, uint16 } from "./frames.js";
import { HOLD, Polling, reportLeave } from "./network-life.js";
import { COORDINATOR, END_DEVICE, type Network, NV_IEEE_ADDRESS, NV_LOGICAL_TYPE, NVMemory } from "./nvram.js";
import { hearZDO } from "./zdo.js";

const RPC_ERROR = 0;
const SYS = 1;
const AF = 4;
const ZDO = 5;
const APP_CNF = 15;

const ERROR_COMMAND = 2;
const ERROR_LENGTH = 4;
const RESET_REQUEST = 0x00;
const RESET_INDICATION = 0x80;
const AF_DATA_CONFIRM = 0x80;
const AF_INCOMING_MESSAGE = 0x81;
const ZDO_TC_DEVICE = 0xca;

export const START_POWER = 0;
export const START_EXTERNAL = 1;
export const START_WATCHDOG = 2;

const ZDO_ENDPOINT = 0;
const ALL_ENDPOINTS = 0xff;
const LINK_QUALITY = 200;
const RADIUS = 0x1d;

/** Versions of common images, as in SYS_VERSION: transport, product, major, minor, maintenance. */
export const BUILDS = Object.freeze({
	/** Image for CC2652 and CC1352. */
	"3.x.0": [2, 1, 2, 7, 1],
	/** Image for CC2530 and CC2531 with Z-Stack 3.0.x. */
	"3.0.x": [2, 2, 2, 7, 2],
	/** Image for CC2530 and CC2531 with Z-Stack 1.2. */
	"1.2": [2, 0, 2, 6, 3],
	/** Image that TI itself has built. */
	sdk: [2, 0, 2, 7, 1],
	/** Not a ZNP but a Silicon Labs chip, which announces itself by ASH (RSTACK). */
	foreign: [],
});
export type Build = keyof typeof BUILDS;
const REVISION = 20250321;
const ASH_RESET_ACKNOWLEDGED = Buffer.of(0x1a, 0xc1, 0x02, 0x0b, 0x0a, 0x52, 0x7e);

/** First byte that a host sends to the boot loader in ROM (cc2538-bsl). */
const BSL_SYNC = 0x55;
/** Answer of the boot loader if it accepts. */
const BSL_ACK = Buffer.of(0x00, 0xcc);
const BSL_NACK = Buffer.of(0x00, 0x33);

export interface CoprocessorOptions {
	readonly air: Air;
	/** Address of the chip, least significant byte first. */
	readonly ieee: Buffer;
	/** Non-volatile memory. Default: the memory of a new chip. */
	readonly nv?: NVMemory;
	readonly build?: Build;
	readonly faults?: Partial<Faults>;
	/** Number of rows in the binding table. Default: as in Koenkk's images. */
	readonly bindings?: number;
	/** Number of clusters in a row of the binding table. Default: as in Koenkk's images. */
	readonly boundClusters?: number;
	/** Time from a reset to the reset indication. */
	readonly bootMs?: number;
	/** Time that each change of the network state takes, ms. */
	readonly stepMs?: number;
	readonly pollMs?: number;
	readonly startsInReset?: boolean;
}

export class SimulatedCoprocessor implements Chip {
	readonly air: Air;
	readonly ieee: Buffer;
	readonly nv: NVMemory;
	readonly faults: Faults;
	build: Build;
	readonly bindingLimit: number;
	readonly clusterLimit: number;
	readonly stepMs: number;
	readonly pollMs: number;
	readonly endpoints = new Map<number, Endpoint>();
	bindings: Binding[] = [];
	readonly watched = new Set<number>();
	channels = { primary: 0, secondary: 0 };
	role = COORDINATOR;
	devState = HOLD;
	network: Network | undefined;
	hasBegun = false;
	polling: Polling;
	onBytes: (bytes: Buffer) => void = () => {};
	onFrame: (isFromHost: boolean, frame: Frame) => void = () => {};
	readonly #bootMs: number;
	readonly #reader = new FrameReader();
	readonly #timers = new Set<number>();
	#openTimer: number | undefined;
	#sequence = 0;
	#isRunning = false;
	#isInReset = false;
	#isInBootLoader = false;

	constructor(options: CoprocessorOptions) {
		this.air = options.air;
		this.ieee = options.ieee;
		this.nv = options.nv ?? new NVMemory();
		this.faults = { ...NO_FAULTS, ...options.faults };
		this.build = options.build ?? "3.x.0";
		this.bindingLimit = options.bindings ?? 1;
		this.clusterLimit = options.boundClusters ?? 4;
		this.stepMs = options.stepMs ?? 1;
		this.pollMs = options.pollMs ?? 1000;
		this.#bootMs = options.bootMs ?? 5;
		this.polling = new Polling(this);
		this.air.add(this);
		if (options.startsInReset) this.#isInReset = true;
		else this.restart(START_POWER);
	}

	get isSleepy(): boolean {
		return this.role === END_DEVICE;
	}

	get networkKey(): Buffer {
		return this.nv.networkKey;
	}

	get isOpen(): boolean {
		return this.#openTimer !== undefined;
	}

	receive(bytes: Uint8Array): void {
		if (this.faults.silent || this.#isInReset) return;
		if (this.#isInBootLoader) {
			this.#write(bytes.every((byte) => byte === BSL_SYNC) ? BSL_ACK : BSL_NACK);
			return;
		}
		if (!this.#isRunning) return;
		if (this.build === "foreign") {
			this.#write(ASH_RESET_ACKNOWLEDGED);
			return;
		}
		for (const frame of this.#reader.push(bytes)) {
			this.onFrame(true, frame);
			if (frame.type === SREQ) this.#answer(frame);
			else if (frame.type === AREQ && frame.subsystem === SYS && frame.command === RESET_REQUEST) {
				this.restart(START_POWER);
				return;
			}
		}
	}

	/** Sets the lines. `bootLoader` is sampled at the end of the reset. */
	setLines(reset: boolean, bootLoader: boolean): void {
		if (reset) {
			this.#stop();
			this.#isInReset = true;
		} else if (this.#isInReset) {
			this.#isInReset = false;
			this.#isInBootLoader = bootLoader;
			if (!bootLoader) this.restart(START_EXTERNAL);
		}
	}

	/** Restarts for the reason START_…; the contents of RAM are lost. */
	restart(reason = START_WATCHDOG): void {
		if (this.#isInReset) return;
		this.#stop();
		this.after(this.#bootMs, () => {
			this.nv.boot();
			if (this.nv.item(NV_IEEE_ADDRESS) === undefined) this.nv.setItem(NV_IEEE_ADDRESS, this.ieee);
			this.role = this.nv.item(NV_LOGICAL_TYPE)?.[0] ?? COORDINATOR;
			this.#isRunning = true;
			if (this.build === "foreign") this.#write(ASH_RESET_ACKNOWLEDGED);
			else {
				const [transport, product, major, minor, maintenance] = BUILDS[this.build];
				this.say(SYS, RESET_INDICATION, [reason, transport, product, major, minor, maintenance]);
			}
		});
	}

	close(): void {
		this.#stop();
		this.#isInReset = true;
		this.air.remove(this);
	}

	get version(): Buffer {
		const revision = Buffer.alloc(4);
		revision.writeUInt32LE(REVISION);
		return Buffer.from([...BUILDS[this.build], ...(this.build === "1.2" ? [] : revision)]);
	}

	after(delayMs: number, run: () => void): number {
		const timer = this.air.timers.set(() => {
			this.#timers.delete(timer);
			run();
		}, delayMs);
		this.#timers.add(timer);
		return timer;
	}

	forget(timer: number): void {
		this.#timers.delete(timer);
		this.air.timers.clear(timer);
	}

	say(subsystem: number, command: number, data: Uint8Array | readonly number[]): void {
		this.#send({ type: AREQ, subsystem, command, data: Buffer.from(data) });
	}

	nextSequence(): number {
		this.#sequence = (this.#sequence + 1) & 0xff;
		return this.#sequence;
	}

	open(seconds: number): void {
		if (this.#openTimer !== undefined) this.forget(this.#openTimer);
		this.#openTimer = undefined;
		if (seconds === 0 || this.role === END_DEVICE) return;
		const limitMs = seconds === 0xff ? 0x7fff_ffff : seconds * 1000;
		this.#openTimer = this.after(limitMs, () => {
			this.#openTimer = undefined;
		});
	}

	transmit(frame: AirFrame, done: (status: number) => void = () => {}): void {
		this.air.send(this, frame, done);
		this.polling.hasSent();
	}

	sendData(frame: AirFrame, transaction: number): void {
		const forcedStatus = this.faults.confirms.shift();
		const confirm = (status: number) =>
			this.say(AF, AF_DATA_CONFIRM, [forcedStatus ?? status, frame.sourceEndpoint, transaction]);
		if (forcedStatus === undefined || forcedStatus === ARRIVED) this.transmit(frame, confirm);
		else this.after(this.stepMs, () => confirm(forcedStatus));
	}

	hear(frame: AirFrame): boolean {
		if (!this.#isRunning) return false;
		if (frame.destinationEndpoint === ZDO_ENDPOINT) {
			hearZDO(this, frame);
			return true;
		}
		const taken = [...this.endpoints].filter(
			([endpoint, { profile }]) =>
				(frame.destinationEndpoint === endpoint || frame.destinationEndpoint === ALL_ENDPOINTS) &&
				(profile === frame.profile || frame.destinationEndpoint === endpoint),
		);
		for (const [endpoint] of taken) this.#sayIncoming(frame, endpoint);
		return taken.length > 0;
	}

	hasJoined(newcomer: Station): void {
		const { shortAddress, parent } = newcomer.network!;
		this.say(ZDO, ZDO_TC_DEVICE, [...uint16(shortAddress), ...newcomer.ieee, ...uint16(parent)]);
	}

	hasLeft(leaver: Station): void {
		if (this.#isRunning) reportLeave(this, leaver.network!.shortAddress, leaver.ieee);
	}

	hasMoved(): void {
		if (this.network !== undefined) this.nv.network = this.network;
	}

	#sayIncoming({ cluster, source, sourceEndpoint, destination, payload }: AirFrame, endpoint: number): void {
		const isBroadcast = destination >= BROADCAST ? 1 : 0;
		this.say(AF, AF_INCOMING_MESSAGE, [
			...[0, 0, ...uint16(cluster), ...uint16(source), sourceEndpoint, endpoint],
			...[isBroadcast, LINK_QUALITY, 0, 0, 0, 0, 0, 0, payload.length, ...payload],
			...[...uint16(source), RADIUS],
		]);
	}

	#answer(frame: Frame): void {
		const { subsystem, command } = frame;
		const run = COMMANDS.get((subsystem << 8) | command);
		// Unknown commands of this subsystem are ignored, because mt_app_config.c has no default case.
		if (run === undefined && subsystem === APP_CNF) return;
		const refused = (code: number) => ({
			...{ type: SRSP, subsystem: RPC_ERROR, command: 0 },
			data: Buffer.of(code, (SREQ << 5) | subsystem, command),
		});
		let answer: Frame;
		try {
			if (run === undefined) answer = refused(ERROR_COMMAND);
			else answer = { type: SRSP, subsystem, command, data: Buffer.from(run(this, frame.data)) };
		} catch (error) {
			// A RangeError means that the command was too short.
			if (!(error instanceof RangeError)) throw error;
			answer = refused(ERROR_LENGTH);
		}
		if (this.faults.lostAnswers > 0) this.faults.lostAnswers--;
		else if (this.faults.lateMs > 0) this.after(this.faults.lateMs, () => this.#send(answer));
		else this.#send(answer);
	}

	#send(frame: Frame): void {
		if (this.faults.silent || !this.#isRunning) return;
		this.onFrame(false, frame);
		this.#write(encodeFrame(frame));
	}

	#write(bytes: Buffer): void {
		const { garbage, pieceBytes } = this.faults;
		const noise = Buffer.from(Array.from({ length: garbage }, (_, index) => (index * 0x5b + 0xf7) & 0xff));
		const all = Buffer.concat([noise, bytes]);
		const piece = pieceBytes > 0 ? pieceBytes : all.length;
		for (let at = 0; at < all.length; at += piece) this.onBytes(all.subarray(at, at + piece));
	}

	#stop(): void {
		for (const timer of this.#timers) this.air.timers.clear(timer);
		this.#timers.clear();
		this.#openTimer = undefined;
		this.#isRunning = false;
		this.#isInBootLoader = false;
		this.#reader.clear();
		this.endpoints.clear();
		this.watched.clear();
		this.channels = { primary: 0, secondary: 0 };
		this.devState = HOLD;
		this.hasBegun = false;
		this.network = undefined;
		this.polling = new Polling(this);
	}
}
