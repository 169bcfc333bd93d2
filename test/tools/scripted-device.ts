/**
 * A minimal host of a Zigbee node that drives the simulated coprocessor without the firmware: it starts and joins as
 * the firmware does, answers reads from a table, and accepts every configuration of reports.
 */
import assert from "node:assert/strict";
import type { SimulatedCoprocessor } from "../../tools/zigbee/coprocessor.js";
import { AREQ, encodeFrame, type Frame, FrameReader, SREQ, SRSP } from "../../tools/zigbee/frames.js";

export const SYS = 1;
export const AF = 4;
export const ZDO = 5;
export const APP_CNF = 15;

const LIMIT_MS = 5000;
const READ = 0x00;
const READ_RESPONSE = 0x01;
const CONFIGURE_REPORTING = 0x06;
const CONFIGURE_RESPONSE = 0x07;
const REPORT = 0x0a;
const UNSUPPORTED = 0x86;

/** Type and value by `cluster/attribute`, hex. */
export type Attributes = Readonly<Record<string, string>>;

/** Attributes that a coordinator reads from an electricity meter during interview and configuration. */
export const METER: Attributes = {
	"0000/0000": "2008",
	"0000/0001": "2001",
	"0000/0002": "2001",
	"0000/0003": "2001",
	"0000/0004": "42074578616d706c65",
	"0000/0005": "420c6d657465722d726561646572",
	"0000/0006": "42083230323631313232",
	"0000/0007": "3004",
	"0000/4000": "4208312e322e332b3435",
	"0702/0000": "254f61bc000000",
	"0702/0200": "1800",
	"0702/0300": "3000",
	"0702/0301": "22010000",
	"0702/0302": "22e80300",
	"0702/0400": "2a06ffff",
};

interface Waiting {
	readonly key: number;
	readonly done: (data: Buffer) => void;
}

const keyOf = (type: number, subsystem: number, command: number) => (type << 16) | (subsystem << 8) | command;

export class ScriptedDevice {
	/** Received AREQs about the network: subsystem, command, data, as in `45c0 07`. */
	readonly notifications: string[] = [];
	/** Received ZCL commands, as in `0702:06`. */
	readonly commands: string[] = [];
	readonly #chip: SimulatedCoprocessor;
	readonly #attributes: Attributes;
	readonly #reader = new FrameReader();
	#waiting: Waiting[] = [];
	#sequence = 0;

	constructor(chip: SimulatedCoprocessor, attributes: Attributes = METER) {
		this.#chip = chip;
		this.#attributes = attributes;
		chip.onBytes = (bytes) => {
			for (const frame of this.#reader.push(bytes)) this.#take(frame);
		};
	}

	request(subsystem: number, command: number, data: readonly number[] = []): Promise<Buffer> {
		const answer = this.wait(subsystem, command, SRSP);
		this.#chip.receive(encodeFrame({ type: SREQ, subsystem, command, data: Buffer.from(data) }));
		return answer;
	}

	wait(subsystem: number, command: number, type = AREQ): Promise<Buffer> {
		return new Promise((resolve, reject) => {
			const key = keyOf(type, subsystem, command);
			const limit = setTimeout(
				() => reject(new Error(`no ${key.toString(16)}; notifications: ${this.notifications}`)),
				LIMIT_MS,
			);
			const done = (data: Buffer) => {
				clearTimeout(limit);
				resolve(data);
			};
			this.#waiting.push({ key, done });
		});
	}

	async reset(): Promise<Buffer> {
		const started = this.wait(SYS, 0x80);
		this.#chip.receive(encodeFrame({ type: AREQ, subsystem: SYS, command: 0, data: Buffer.of(1) }));
		return started;
	}

	/** Starts as a new node of this role, with its endpoint, ready to join. */
	async begin(role: number): Promise<void> {
		await this.reset();
		await this.#writeItem(0x0003, [3]);
		await this.reset();
		await this.#writeItem(0x0087, [role]);
		await this.#writeItem(0x008f, [1]);
		await this.#writeItem(0x0084, [0x00, 0xf8, 0xff, 0x07]);
		await this.reset();
		await this.register();
	}

	async register(): Promise<void> {
		const clusters = [3, 0x00, 0x00, 0x03, 0x00, 0x02, 0x07, 2, 0x0a, 0x00, 0x19, 0x00];
		const status = await this.request(AF, 0x00, [1, 0x04, 0x01, 0x53, 0x00, 1, 0, ...clusters]);
		assert.equal(status[0], 0);
	}

	/** BDB commissioning; returns status, last mode and remaining modes of the notification. */
	async commission(mode: number): Promise<string> {
		let notified = this.wait(APP_CNF, 0x80);
		assert.equal((await this.request(APP_CNF, 0x05, [mode]))[0], 0);
		// 1: in progress.
		if ((await notified)[0] === 1) notified = this.wait(APP_CNF, 0x80);
		return (await notified).toString("hex");
	}

	/** Reports attributes of the table to the coordinator; returns the confirmed status. */
	async report(cluster: number, ...ids: number[]): Promise<number> {
		const records = ids.flatMap((id) => [id & 0xff, id >> 8, ...this.#attribute(cluster, id)!]);
		return this.send(cluster, Buffer.from([0x18, this.#nextSequence(), REPORT, ...records]));
	}

	async send(cluster: number, frame: Buffer, destination = 0): Promise<number> {
		const confirmed = this.wait(AF, 0x80);
		const head = [2, destination & 0xff, destination >> 8, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, cluster & 0xff, cluster >> 8];
		const answer = await this.request(AF, 0x02, [
			...[...head, this.#nextSequence(), 0x30, 30],
			...[frame.length & 0xff, frame.length >> 8, ...frame],
		]);
		return answer[0] === 0 ? (await confirmed)[0] : answer[0];
	}

	async #writeItem(id: number, value: readonly number[]): Promise<void> {
		const key = [id & 0xff, id >> 8];
		await this.request(SYS, 0x07, [...key, value.length, 0, value.length, ...value]);
		assert.equal((await this.request(SYS, 0x09, [...key, 0, value.length, ...value]))[0], 0);
	}

	#nextSequence(): number {
		this.#sequence = (this.#sequence + 1) & 0xff;
		return this.#sequence;
	}

	#take({ type, subsystem, command, data }: Frame): void {
		const name = Buffer.of((type << 5) | subsystem, command).toString("hex");
		if (type === AREQ && subsystem !== AF) this.notifications.push(`${name} ${data.toString("hex")}`);
		const index = this.#waiting.findIndex(({ key }) => key === keyOf(type, subsystem, command));
		if (index >= 0) this.#waiting.splice(index, 1)[0].done(data);
		if (type === AREQ && subsystem === AF && command === 0x81) this.#answer(data);
	}

	#answer(message: Buffer): void {
		const cluster = message.readUInt16LE(2);
		const source = message.readUInt16LE(4);
		const [control, sequence, command] = message.subarray(17);
		const payload = message.subarray(20, 17 + message[16]);
		this.commands.push(`${cluster.toString(16).padStart(4, "0")}:${command.toString(16).padStart(2, "0")}`);
		if ((control & 3) !== 0) return;
		const ids = Array.from({ length: payload.length >> 1 }, (_, at) => payload.readUInt16LE(2 * at));
		const reply = (answer: number, data: readonly number[]) =>
			void this.send(cluster, Buffer.from([0x18, sequence, answer, ...data]), source);
		if (command === CONFIGURE_REPORTING) reply(CONFIGURE_RESPONSE, [0]);
		else if (command === READ) {
			reply(
				READ_RESPONSE,
				ids.flatMap((id) => {
					const value = this.#attribute(cluster, id);
					return [id & 0xff, id >> 8, ...(value === undefined ? [UNSUPPORTED] : [0, ...value])];
				}),
			);
		}
	}

	#attribute(cluster: number, id: number): Buffer | undefined {
		const name = [cluster, id].map((part) => part.toString(16).padStart(4, "0")).join("/");
		const hex = this.#attributes[name];
		return hex === undefined ? undefined : Buffer.from(hex, "hex");
	}
}
