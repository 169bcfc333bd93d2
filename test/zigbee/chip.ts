/** A minimal fake coprocessor, and the driver connected to it, on virtual time. */
import assert from "node:assert/strict";
import { OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { Coprocessor } from "../../modules/zigbee/coprocessor.js";
import { type Incoming, RADIO_CODES, type RadioListener, ROLE_ROUTER } from "../../modules/zigbee/radio.js";
import { FrameReader, READER_ROOM, seal } from "../../modules/zigbee/unpi.js";

export const SHORT = 0x4a11;
const IEEE = "010a0000004b1200";
/** Data of EXT_NWK_INFO without a network. */
const NOWHERE = "feff00ffff00000000000000000000000000000000000000";

/** A frame from the hex digits of command and data, which may contain spaces. */
export function frame(text: string): Uint8Array {
	const body = Buffer.from(text.replaceAll(" ", ""), "hex");
	const bytes = new Uint8Array(body.length + 3);
	bytes.set(body, 2);
	assert.equal(seal(bytes, 0, body.length), bytes.length);
	return bytes;
}

/** A ZNP chip: memory and behaviour. */
export class FakeChip {
	/** NV items in hex, by id. */
	readonly nv = new Map<number, string>([[0x87, "00"]]);
	isJoined = false;
	/** A network in reach permits joining. */
	isOpen = false;
	isSilent = false;
	device = 0;
	version = "0201020701d1fe3401";
	channel = 15;
	/** Called first with each request; returns its answers, or undefined for the default ones. */
	answer: (request: string) => readonly string[] | undefined = () => undefined;

	join(role = ROLE_ROUTER): this {
		this.nv.set(0x87, `0${role}`);
		this.isJoined = true;
		return this;
	}

	reset(): readonly string[] {
		const start = this.nv.get(3);
		if (start === "03") {
			this.isJoined = false;
			// Bit 1 stays set: it concerns the next start of BDB.
			this.nv.set(3, "02");
		}
		this.device = 0;
		return ["4180 000201020701"];
	}

	/** Frames that answer a request. */
	ask(request: string): readonly string[] {
		const made = this.answer(request);
		if (made !== undefined) return made;
		if (this.isSilent) return [];
		const command = request.slice(0, 4);
		const data = Buffer.from(request.slice(4), "hex");
		const answer = `6${command.slice(1)}`;
		const item = data.length >= 2 ? data.readUInt16LE(0) : 0;
		switch (command) {
			case "4100":
				return this.reset();
			case "2102":
				return [answer + this.version];
			case "2104":
				return [answer + IEEE];
			case "2107":
				return [`${answer}${this.nv.has(item) ? "00" : "09"}`];
			case "2108":
				return [`${answer}0001${this.nv.get(item)}`];
			case "2109":
				this.nv.set(item, data.subarray(4).toString("hex"));
				return [`${answer}00`];
			case "2f05":
				return [`${answer}00`, ...this.commission(data[0])];
			case "2550":
				return [answer + this.info()];
			case "2534":
				this.isJoined = false;
				this.device = 0;
				return [`${answer}00`, "45b4 114a00", "45c9 114a020b0000004b1200000000", "45c0 00"];
			case "2401":
				return [`${answer}00`, `4480 0001${data.subarray(6, 7).toString("hex")}`];
			default:
				return [`${answer}00`];
		}
	}

	info(): string {
		if (this.device === 0) return NOWHERE;
		const channel = this.channel.toString(16).padStart(2, "0");
		return `114a0${this.device}621a000077665544332211dd010a0000004b1200${channel}`;
	}

	private commission(mode: number): string[] {
		const device = this.nv.get(0x87) === "01" ? 7 : 6;
		if (mode === 0 && this.isJoined) {
			this.device = device;
			return [`45c0 0${device}`, "4f80 0d0000"];
		}
		if (mode === 0) return ["4f80 020000"];
		if (!this.isOpen) return ["45c0 02", "45c0 01", "4f80 020100"];
		this.isJoined = true;
		this.device = device;
		this.nv.set(3, "00");
		return ["45c0 02", "45c0 03", "45c0 05", `45c0 0${device}`, "4f80 000100"];
	}
}

export interface BedOptions {
	readonly role?: number;
	/** True: the reset line is connected. */
	readonly hasLine?: boolean;
	readonly chip?: FakeChip;
	/** Number of bytes that reach the driver at a time. */
	readonly piece?: number;
}

/** The driver on a chip that answers at once. */
export class Bed implements RadioListener {
	servers: readonly number[] = [0x0000, 0x0003, 0x0702, 0x0b04];
	clients: readonly number[] = [0x000a, 0x0019];
	readonly chip: FakeChip;
	readonly driver: Coprocessor;
	nowMs = 1000;
	/** Requests as `<ms> <hex>`; the line as `<ms> line up` or `<ms> line down`. */
	readonly requestLog: string[] = [];
	/** States as `<ms> <code>`. */
	readonly states: string[] = [];
	/** Statuses of sent frames. */
	readonly sents: number[] = [];
	/** Received frames as `<cluster> <source>/<endpoint> <zcl>`, followed by `broadcast` if it is one. */
	readonly receivedFrames: string[] = [];
	/** Called inside the driver's report. */
	onChanged: () => void = () => {};
	onSent: () => void = () => {};
	readonly #bytes = new Uint8Array(READER_ROOM);
	readonly #reader = new FrameReader(this.#bytes);
	readonly #piece: number;
	#isHeld = false;
	/** Frames of the chip, delivered after the call that caused them. */
	readonly #waiting: string[] = [];
	#isDelivering = false;
	/** The unanswered request; `#openMs` is its time. */
	#open = "";
	#openMs = 0;

	constructor({ role = ROLE_ROUTER, hasLine = false, chip = new FakeChip(), piece = 64 }: BedOptions = {}) {
		this.chip = chip;
		this.#piece = piece;
		this.driver = new Coprocessor(this, role, hasLine ? { setLines: (reset) => this.#line(reset) } : {});
	}

	get state(): string {
		return RADIO_CODES[this.driver.state];
	}

	/** True while the chip is in reset. */
	get isHeld(): boolean {
		return this.#isHeld;
	}

	radioChanged(nowMs: number): void {
		assert.equal(nowMs, this.nowMs);
		this.states.push(`${nowMs} ${this.state}`);
		this.onChanged();
	}

	received({ cluster, source, sourceEndpoint, isBroadcast, bytes, start, end }: Incoming): void {
		const zcl = Buffer.from(bytes.subarray(start, end)).toString("hex");
		const name = cluster.toString(16).padStart(4, "0");
		this.receivedFrames.push(`${name} ${source}/${sourceEndpoint} ${zcl}${isBroadcast ? " broadcast" : ""}`);
	}

	sent(status: number): void {
		this.sents.push(status);
		this.onSent();
	}

	start(): this {
		return this.call((nowMs) => this.driver.start(nowMs));
	}

	/** Calls the driver, and delivers what follows at once. */
	call(change: (nowMs: number) => void): this {
		change(this.nowMs);
		this.#drain();
		return this;
	}

	/** Delivers bytes, or frames as texts, from the chip. */
	receive(...pieces: readonly (Uint8Array | string)[]): this {
		for (const piece of pieces) {
			const bytes = typeof piece === "string" ? frame(piece) : piece;
			if (typeof piece === "string") this.#closed(piece);
			for (let at = 0; at < bytes.length; at += this.#piece) {
				const end = Math.min(bytes.length, at + this.#piece);
				const buffer = new Uint8Array(end - at + 4).fill(0xfe);
				buffer.set(bytes.subarray(at, end), 2);
				this.driver.receive(buffer, 2, 2 + end - at, this.nowMs);
				buffer.fill(0xfe);
				this.#drain();
			}
		}
		return this;
	}

	/** Sends a ZCL frame to the coordinator. */
	send(zcl: string, cluster = 0x0702): this {
		const bytes = Buffer.from(zcl, "hex");
		return this.call((nowMs) =>
			this.driver.send({ cluster, destination: 0, destinationEndpoint: 1, bytes, start: 0, end: bytes.length }, nowMs),
		);
	}

	/** Advances time, stopping whenever the driver is due. */
	after(ms: number): this {
		const untilMs = this.nowMs + ms;
		for (let calls = 0; this.driver.deadlineMs <= untilMs; calls++) {
			assert.ok(calls < 20_000, "the driver is due again and again");
			this.nowMs = Math.max(this.nowMs, this.driver.deadlineMs);
			this.driver.advance(this.nowMs);
			this.#drain();
		}
		this.nowMs = untilMs;
		return this;
	}

	/** Requests since the last call, without times. */
	requests(): string[] {
		return this.requestLog.splice(0).map((line) => line.split(" ").slice(1).join(" "));
	}

	#line(reset: boolean): void {
		this.requestLog.push(`${this.nowMs} line ${reset ? "down" : "up"}`);
		const starts = this.#isHeld && !reset;
		this.#isHeld = reset;
		this.chip.device = 0;
		if (starts && !this.chip.isSilent) this.#waiting.push(...this.chip.reset());
	}

	#drain(): void {
		for (;;) {
			const output = this.driver.poll();
			if (output.kind === OUTPUT_NONE) break;
			assert.equal(output.kind, OUTPUT_TRANSMIT);
			assert.ok(output.end - output.start <= 128, "more than a link accepts");
			const bytes = output.bytes.slice(output.start, output.end);
			for (let at = 0; ; this.#reader.skip()) {
				at = this.#reader.read(bytes, at, bytes.length);
				if (!this.#reader.isReady) break;
				const { data, length } = this.#reader;
				const request = Buffer.from(this.#bytes.subarray(data - 2, data + length)).toString("hex");
				this.requestLog.push(`${this.nowMs} ${request}`);
				if (request.startsWith("2")) this.#opened(request);
				else this.#open = "";
				if (!this.#isHeld) this.#waiting.push(...this.chip.ask(request));
			}
			assert.ok(!this.#reader.isInside, "half a frame was sent");
		}
		// Frames are delivered one after another.
		if (this.#isDelivering) return;
		this.#isDelivering = true;
		for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) this.receive(text);
		this.#isDelivering = false;
	}

	/** Checks that one request is pending at a time, unless the previous request has timed out. */
	#opened(request: string): void {
		const limitMs = this.#open.startsWith("2534") ? 3000 : 6000;
		const isOver = this.#open === "" || this.nowMs - this.#openMs >= limitMs;
		assert.ok(isOver, `${request} was sent while ${this.#open} was unanswered`);
		this.#open = request;
		this.#openMs = this.nowMs;
	}

	/** Called before a frame is delivered, because the driver may send the next request at once. */
	#closed(text: string): void {
		const body = text.replaceAll(" ", "");
		const isAnswer = this.#open !== "" && body.startsWith(`6${this.#open.slice(1, 4)}`);
		const isRefusal = body.startsWith("6000") && body.slice(6, 10) === this.#open.slice(0, 4);
		if (isAnswer || isRefusal || body.startsWith("4180")) this.#open = "";
	}
}
