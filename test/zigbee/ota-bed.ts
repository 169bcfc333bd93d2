/** The OTA client with its updater, and a coordinator with a file, over an air that can lose frames. */
import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import type { VirtualSlots } from "../../hosts/node/virtual-update.js";
import type { EventLog } from "../../modules/diagnostics/event-log.js";
import { Driver, type Task } from "../../modules/io/driver.js";
import { MemoryLedger } from "../../modules/io/memory.js";
import { TLSPermit } from "../../modules/io/tls-permit.js";
import { Updater } from "../../modules/update/updater.js";
import { OTAClient } from "../../modules/zigbee/ota-client.js";
import type { Outgoing, ZCLFrame } from "../../modules/zigbee/radio.js";
import { BOARD, makeSlots, UNIT } from "../update/firmware-files.js";

const crypto = new NodeCrypto();
const ANSWER_MS = 20;

/** A received request without its header, as [command, payload]. */
export type Request = readonly [command: number, payload: Buffer];

/** The unit during one start. Lasting parts are passed to the next start. */
export class OTABed {
	readonly time = new VirtualTime();
	readonly slots: VirtualSlots;
	readonly storage: VirtualStorage;
	readonly updater: Updater;
	readonly client: OTAClient;
	readonly requests: Request[] = [];
	readonly logged: string[] = [];
	/** Number of requested restarts. */
	restarts = 0;
	/** Battery voltage, V. */
	volts = 4.5;
	/** Whether the next frame arrives. */
	arrives = () => true;
	/** Answer to a command, as a frame without the sequence number, from its control byte on; undefined: no answer. */
	answer: (command: number, payload: Buffer) => Buffer | undefined = () => undefined;
	readonly #drive: Task;
	#sequence = 0;

	constructor({ slots = makeSlots(), storage = new VirtualStorage() } = {}) {
		this.slots = slots;
		this.storage = storage;
		const guard = (_part: string, run: () => void) => run();
		const driver = new Driver({ clock: this.time, timers: this.time, guard });
		const update = slots.start(crypto, () => {});
		const power = { cells: 3, batteryVoltage: () => this.volts, usbVoltage: () => 0, temperatureC: () => 20 };
		const info = { ...UNIT, ...(update.image === undefined ? {} : { firmwareVersion: update.image.version }) };
		this.updater = new Updater(
			{ update, power },
			{ info, crypto, storage, driver, trace: () => {} },
			{
				ledger: new MemoryLedger(undefined),
				events: { note: ({ name }, detail) => this.logged.push(`${name} ${detail}`) } as Pick<EventLog, "note">,
				live: { changed: () => {} },
				restartSoon: () => this.restarts++,
				tlsPermit: new TLSPermit(),
			},
		);
		const client = new OTAClient({ updater: this.updater, info, crypto, storage });
		this.client = client;
		const out: Outgoing = {
			cluster: 0,
			destination: 0,
			destinationEndpoint: 0,
			bytes: new Uint8Array(80),
			start: 0,
			end: 0,
		};
		this.#drive = driver.register("zigbee", {
			get deadlineMs() {
				return client.deadlineMs;
			},
			advance: (nowMs) => client.advance(nowMs),
			drain: (nowMs) => {
				if (client.isReady) this.carry(out, nowMs);
			},
		});
	}

	get isBusy(): boolean {
		return this.client.isBusy(this.time.nowMs);
	}

	join(): void {
		this.#drive.update((nowMs) => this.client.joined(nowMs));
	}

	leave(): void {
		this.#drive.update(() => this.client.left());
	}

	/** Sends a frame from the coordinator, or from `source`; fills in the sequence number. */
	send(frame: Uint8Array, { source = 0, isBroadcast = false } = {}): void {
		const bytes = Buffer.concat([
			Buffer.from([0xaa]),
			frame.subarray(0, 1),
			Buffer.from([this.#sequence]),
			frame.subarray(1),
			Buffer.from([0xbb]),
		]);
		const zcl: ZCLFrame = {
			control: frame[0],
			manufacturer: 0,
			sequence: this.#sequence,
			command: frame[1],
			isBroadcast,
			bytes,
			start: 4,
			end: bytes.length - 1,
		};
		this.#drive.update((nowMs) => this.client.received(zcl, source, 1, nowMs));
	}

	/** How often `command` was requested. */
	count(command: number): number {
		return this.requests.filter(([one]) => one === command).length;
	}

	/** Advances time in steps of a second until the condition holds, at most a day. */
	until(condition: () => boolean): void {
		for (let seconds = 0; !condition(); seconds++) {
			assert.ok(
				seconds < 86_400,
				`the condition is never met: ${this.updater.state}, ${this.requests.length} requests`,
			);
			this.time.advance(1000);
		}
	}

	get lastError(): string {
		return this.updater.lastError;
	}

	private carry(out: Outgoing, nowMs: number): void {
		this.client.write(out, ++this.#sequence & 0xff, nowMs);
		const bytes = Buffer.from(out.bytes.subarray(out.start, out.end));
		assert.deepEqual([bytes[0], bytes[1], out.cluster, out.destination], [1, this.#sequence & 0xff, 0x19, 0]);
		if (!this.arrives()) {
			this.time.set(() => this.#drive.update((later) => this.client.failed(later)), 5);
			return;
		}
		const [command, payload] = [bytes[2], bytes.subarray(3)];
		this.requests.push([command, payload]);
		const answer = this.answer(command, payload);
		if (answer !== undefined) this.time.set(() => this.send(answer), ANSWER_MS);
	}
}

const u16 = (value: number) => [value & 255, value >> 8];
const u32 = (value: number) => [...u16(value & 0xffff), ...u16(value >>> 16)];

/** Frames of a coordinator: frame control of a server, command, payload. */
export const frames = Object.freeze({
	notify: (jitter = 100, ...more: number[]) =>
		Buffer.from([0x19, 0, more.length === 0 ? 0 : more.length / 2 - (more.length > 4 ? 1 : 0), jitter, ...more]),
	offer: (version: number, size: number) =>
		Buffer.from([0x19, 2, 0, ...u16(0xfff1), ...u16(BOARD.deviceId), ...u32(version), ...u32(size)]),
	none: Buffer.from([0x19, 2, 0x98]),
	block: (version: number, at: number, data: Uint8Array) =>
		Buffer.from([
			0x19,
			5,
			0,
			...u16(0xfff1),
			...u16(BOARD.deviceId),
			...u32(version),
			...u32(at),
			data.length,
			...data,
		]),
	wait: (currentS: number, untilS: number, periodMs: number) =>
		Buffer.from([0x19, 5, 0x97, ...u32(currentS), ...u32(untilS), ...u16(periodMs)]),
	abort: Buffer.from([0x19, 5, 0x95]),
	end: (currentS: number, upgradeS: number, version = 0xffffffff) =>
		Buffer.from([0x19, 7, ...u16(0xfff1), ...u16(BOARD.deviceId), ...u32(version), ...u32(currentS), ...u32(upgradeS)]),
	defaultResponse: (command: number, status: number) => Buffer.from([0x18, 0x0b, command, status]),
});

/** A coordinator that offers this file and sends its blocks; `endS`: seconds until the restart. */
export function serve(file: Uint8Array, version: number, endS = 1): OTABed["answer"] {
	return (command, payload) => {
		if (command === 1) return frames.offer(version, file.length);
		if (command === 6) return payload[0] === 0 ? frames.end(0, endS) : frames.defaultResponse(6, 0);
		assert.equal(command, 3);
		if (payload.readUInt32LE(5) !== version) return frames.abort;
		const at = payload.readUInt32LE(9);
		return frames.block(version, at, file.subarray(at, at + payload[13]));
	};
}
