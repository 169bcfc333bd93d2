/**
 * The simulated DLMS meter with time driven by hand: frames go in, and a log records the output. A small client in this
 * file makes the frames, independently of the project's client.
 */
import { FORMAT_8N1 } from "../../modules/io/host.js";
import type { Output } from "../../modules/io/machine.js";
import type { DLMSMeter } from "../../tools/meter/dlms-meter.js";
import { parseDLMSOptions } from "../../tools/meter/dlms-options.js";
import { makeDLMSMeter } from "../../tools/meter/make-dlms-meter.js";
import { DrivenMachine } from "./driven-machine.js";

export const EVENING = Date.UTC(2026, 5, 21, 18, 30);
const SNRM = "93";
const DISC = "53";

/** CRC-16/X.25, calculated bit by bit as it is defined; input and output are hex, low byte first. */
export function check(hex: string): string {
	let crc = 0xffff;
	for (const byte of Buffer.from(hex, "hex")) {
		for (let bit = 0; bit < 8; bit++) {
			const isOdd = ((crc ^ (byte >> bit)) & 1) === 1;
			crc >>= 1;
			if (isOdd) crc ^= 0x8408;
		}
	}
	crc = ~crc & 0xffff;
	return Buffer.of(crc & 0xff, crc >> 8).toString("hex");
}

/** A frame around hex contents, with checks and flags. */
export function frame(addresses: string, control: string, information = "", isSegmented = false): string {
	const length = (addresses.length + control.length + information.length) / 2 + (information === "" ? 4 : 6);
	const head = `${(0xa000 | (isSegmented ? 0x0800 : 0) | length).toString(16)}${addresses}${control}`;
	const body = information === "" ? head : head + check(head) + information;
	return `7e${body}${check(body)}7e`;
}

/** Control byte and information of a frame with one-byte addresses; `?` for a wrong check. */
export function contents(hex: string): string {
	const body = hex.slice(2, -4 - 2);
	const control = body.slice(8, 10);
	if (check(body) !== hex.slice(-6, -2)) return "? frame check";
	if (body.length === 10) return control;
	return check(body.slice(0, 10)) === body.slice(10, 14) ? `${control} ${body.slice(14)}` : "? header check";
}

export class DrivenDLMSMeter extends DrivenMachine<DLMSMeter> {
	#client: number;
	#sent = 0;
	#received = 0;

	/** Takes options as on the command line. The meter answers after 20 ms, and characters take no time. */
	constructor(line = "", client = 0x21) {
		const options = parseDLMSOptions(line === "" ? [] : line.split(" "))!;
		super(makeDLMSMeter(options, { utcMs: EVENING, clocked: false, reactionMs: 20 }));
		this.#client = client;
		this.poll();
		this.take();
	}

	/** Delivers these hex bytes to the meter now. */
	send(hex: string): this {
		return this.deliver(Buffer.from(hex, "hex"));
	}

	/** Contents of the frames that answer these bytes within 100 ms. */
	exchange(hex: string): string[] {
		this.take();
		this.send(hex).pass(100);
		return this.take()
			.filter((entry) => !entry.includes("line"))
			.map((entry) => contents(entry.slice(entry.indexOf(" ") + 1)));
	}

	#addresses(): string {
		return `03${this.#client.toString(16).padStart(2, "0")}`;
	}

	/** Sends a frame with a short address, without the physical one; returns the reply. */
	control(control: string, information = ""): string[] {
		return this.exchange(frame(this.#addresses(), control, information));
	}

	open(): this {
		this.#sent = 0;
		this.#received = 0;
		this.control(SNRM);
		return this;
	}

	close(): string[] {
		return this.control(DISC);
	}

	/** Sends an APDU in one frame and collects the reply with RR frames; empty if none arrives. */
	apdu(hex: string): string {
		let answer = "";
		let frames = this.control(this.#number(0x10 | (this.#sent << 1)), `e6e600${hex}`);
		this.#sent = (this.#sent + 1) & 7;
		for (let i = 0; i < 100; i++) {
			for (const [control, information] of frames.map((text) => text.split(" "))) {
				if (Number.parseInt(control, 16) & 1) return information === undefined ? control : `${control} ${information}`;
				this.#received = (this.#received + 1) & 7;
				answer += information;
			}
			if (frames.length === 0 || answer.length === 0) break;
			const isWhole = !this.#wasSegmented;
			if (isWhole) return answer.slice("e6e700".length);
			frames = this.control(this.#number(0x11));
		}
		return "";
	}

	#wasSegmented = false;

	#number(control: number): string {
		return ((this.#received << 5) | control).toString(16).padStart(2, "0");
	}

	protected override lineText({ baud, format }: Output): string {
		return `${baud} ${format === FORMAT_8N1 ? "8N1" : "7E1"}`;
	}

	protected override sentText({ bytes, start, end }: Output): string {
		const hex = Buffer.from(bytes.subarray(start, end)).toString("hex");
		this.#wasSegmented = hex.startsWith("7ea8");
		return hex;
	}
}
