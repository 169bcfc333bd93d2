/**
 * A coprocessor and its surroundings in virtual time: the port for a VirtualWorld, and coordinators that only listen.
 */
import { ByteQueue } from "../../hosts/node/byte-queue.js";
import type { VirtualTime } from "../../hosts/node/virtual-time.js";
import {
	type CoprocessorPort,
	type LineSettings,
	SERIAL_ERROR_GONE,
	type Serial,
	type SerialOptions,
} from "../../modules/io/host.js";
import { Air, type AirFrame, type Station } from "../../tools/zigbee/air.js";
import { SimulatedCoprocessor } from "../../tools/zigbee/coprocessor.js";
import { type Network, NVMemory } from "../../tools/zigbee/nvram.js";

const ROOM = 256;
const COORDINATOR = Buffer.from("0000000000000001", "hex");
const NODE = Buffer.from("4b1200aabbccddee", "hex");

export interface RadioOptions {
	/** False: reset and boot line are not connected. */
	readonly hasLines?: boolean;
	/** Default: the memory of a new chip. */
	readonly nv?: NVMemory;
}

/** The radio of a unit across its restarts: air and coordinator continue, and the chip keeps its NVRAM. */
export class VirtualRadio {
	readonly nv: NVMemory;
	readonly coordinator = new Listener();
	/** The coordinator of another network. */
	readonly neighbour = new Listener({ channel: 20, panId: 0x2b73, extendedPanId: "0102030405060708" });
	/** Values of the lines: 1 in reset, 0 running, 2 boot loader requested. */
	readonly lines: number[] = [];
	readonly #hasLines: boolean;
	#chip: SimulatedCoprocessor | undefined;
	#isThere = true;
	port: VirtualSerial | undefined;

	constructor({ hasLines = true, nv = new NVMemory() }: RadioOptions = {}) {
		this.#hasLines = hasLines;
		this.nv = nv;
	}

	get chip(): SimulatedCoprocessor {
		return this.#chip!;
	}

	/** Makes the port for a new world. */
	readonly make = (time: VirtualTime): CoprocessorPort => {
		const air = new Air({ timers: time });
		for (const coordinator of [this.coordinator, this.neighbour]) {
			air.add(coordinator);
			coordinator.air = air;
		}
		const { nv } = this;
		const chip = new SimulatedCoprocessor({ air, nv, ieee: NODE });
		this.#chip = chip;
		const setLines = (reset: boolean, bootLoader: boolean) => {
			this.lines.push(Number(reset) + 2 * Number(bootLoader));
			chip.setLines(reset, bootLoader);
		};
		const pins = { radio: this, time };
		return { io: VirtualSerial, pins, hardwareParity: true, ...(this.#hasLines ? { setLines } : {}) };
	};

	get isThere(): boolean {
		return this.#isThere;
	}

	/** Unplugs the device, or plugs it in. */
	plug(isThere: boolean): void {
		this.#isThere = isThere;
		if (!isThere) this.port?.removed();
	}
}

class VirtualSerial implements Serial {
	readonly #options: SerialOptions;
	readonly #radio: VirtualRadio;
	readonly #time: VirtualTime;
	readonly #received = new ByteQueue();
	#isClosed = false;

	constructor(options: SerialOptions, pins: object) {
		const { radio, time } = pins as { radio: VirtualRadio; time: VirtualTime };
		this.#options = options;
		this.#radio = radio;
		this.#time = time;
		if (!radio.isThere) {
			this.removed();
			return;
		}
		if (radio.port !== undefined) throw new Error("the port is open twice");
		radio.port = this;
		radio.chip.onBytes = (bytes) => {
			if (this.#isClosed) return;
			this.#received.push(Uint8Array.from(bytes));
			this.#soon(() => this.#options.onReadable?.(this.#received.length));
		};
		this.#soon(() => this.#options.onWritable?.(ROOM));
	}

	read(into: Uint8Array, start?: number, end?: number): number | undefined {
		return this.#isClosed ? undefined : this.#received.read(into, start, end);
	}

	write(bytes: Uint8Array, start = 0, end = bytes.length): number {
		const copy = bytes.slice(start, end);
		this.#soon(() => {
			this.#radio.chip.receive(copy);
			this.#options.onWritable?.(ROOM);
			this.#options.onDrained?.();
		});
		return ROOM;
	}

	configure(_line: LineSettings): void {}

	close(): void {
		if (!this.#isClosed && this.#radio.port === this) this.#radio.port = undefined;
		this.#isClosed = true;
	}

	removed(): void {
		this.#soon(() => this.#options.onError?.(SERIAL_ERROR_GONE));
	}

	#soon(run: () => void): void {
		this.#time.set(() => {
			if (!this.#isClosed) run();
		}, 1);
	}
}

/** A coordinator that admits nodes while it is open, and records frames. */
class Listener implements Station {
	readonly ieee = COORDINATOR;
	readonly isSleepy = false;
	readonly network: Network;
	readonly networkKey: Buffer;
	isOpen = false;
	/** Received frames for its endpoint 1. */
	readonly reportedFrames: AirFrame[] = [];
	/** Answer to such a frame; undefined: no answer. */
	answer: (frame: AirFrame) => Buffer | undefined = () => undefined;
	air: Air | undefined;
	/** IEEE addresses of devices in hex: those that joined, and with `-` in front those that left. */
	readonly members: string[] = [];

	constructor({ channel = 15, panId = 0x1a62, extendedPanId = "77665544332211dd" } = {}) {
		const common = { shortAddress: 0, parent: 0, parentIEEE: COORDINATOR, updateId: 0 };
		this.network = { ...common, channel, panId, extendedPanId: Buffer.from(extendedPanId, "hex") };
		this.networkKey = Buffer.from(extendedPanId);
	}

	hear(frame: AirFrame): boolean {
		if (frame.destinationEndpoint === 0) return true;
		this.reportedFrames.push(frame);
		const payload = this.answer(frame);
		if (payload !== undefined) this.send(frame.source, { ...frame, payload });
		return true;
	}

	send(destination: number, { cluster, profile, payload }: Pick<AirFrame, "cluster" | "profile" | "payload">): void {
		const endpoint = profile === 0 ? 0 : 1;
		const ends = { source: 0, sourceEndpoint: endpoint, destination, destinationEndpoint: endpoint };
		this.air?.send(this, { ...ends, cluster, profile, payload, wantsAck: false }, () => {});
	}

	hasJoined({ ieee }: Station): void {
		this.members.push(ieee.toString("hex"));
	}

	hasLeft({ ieee }: Station): void {
		this.members.push(`-${ieee.toString("hex")}`);
	}

	hasMoved(): void {}

	/** Reports of a cluster, as hex from the attribute on. */
	reports(cluster: number): string[] {
		const isReport = ({ cluster: of, payload }: AirFrame) => of === cluster && payload[2] === 0x0a;
		return this.reportedFrames.filter(isReport).map(({ payload }) => payload.subarray(3).toString("hex"));
	}
}
