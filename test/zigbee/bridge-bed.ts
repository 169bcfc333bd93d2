/** The bridge in a network of its own: a modelled chip, and the coordinator's frames made by zigbee-herdsman. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { FORMAT_8N1, type HostInfo, type LineSettings } from "../../modules/io/host.js";
import type { Output } from "../../modules/io/machine.js";
import { mapOf } from "../../modules/obis/mapping.js";
import type { Readout } from "../../modules/readout/readout.js";
import { Bridge, type BridgeListener, type BridgeOptions } from "../../modules/zigbee/bridge.js";
import {
	type Chip,
	type ClusterClient,
	type Incoming,
	type Network,
	type Outgoing,
	RADIO_JOINED,
	RADIO_JOINING,
	RADIO_OFF,
	RADIO_STARTING,
	type RadioListener,
	ZCL_LIMIT,
	type ZCLFrame,
} from "../../modules/zigbee/radio.js";
import { bytesOf } from "../latin1.js";
import { recordsOfBlock } from "../readout/block.js";

/** The used part of the package's frame; the package's own types include all of it. */
export interface Frame {
	readonly header: {
		readonly frameControl: Readonly<Record<string, number | boolean>>;
		readonly manufacturerCode: number | undefined;
		readonly transactionSequenceNumber: number;
		readonly commandIdentifier: number;
	};
	// biome-ignore lint/suspicious/noExplicitAny: what a payload has depends on its command
	readonly payload: any;
	readonly command: { readonly name: string };
	toBuffer(): Buffer;
}
interface Zcl {
	readonly Frame: {
		create(
			type: number,
			direction: number,
			noDefault: boolean,
			manufacturer: number | undefined,
			sequence: number,
			command: string | number,
			cluster: number | string,
			payload: unknown,
			custom: object,
		): Frame;
		fromBuffer(cluster: number, header: unknown, bytes: Buffer, custom: object): Frame;
	};
	readonly Header: { fromBuffer(bytes: Buffer): unknown };
}
const require = createRequire(import.meta.url);
const { Frame, Header }: Zcl = require("zigbee-herdsman/dist/zspec/zcl/index.js");
const { attributeKeyValue }: { attributeKeyValue(frame: Frame, id: number, custom: object): Record<string, unknown> } =
	require("zigbee-herdsman/dist/controller/helpers/zclFrameConverter.js");

export const BASIC = 0x0000;
export const POWER_CONFIGURATION = 0x0001;
export const IDENTIFY = 0x0003;
export const METERING = 0x0702;
export const ELECTRICAL = 0x0b04;

/** Values of a frame with attributes, by the coordinator's names; NaN: unknown. */
export function shown(frame: Frame): Record<string, unknown> {
	return attributeKeyValue(frame, 0, {});
}

export const TEXT = {
	encode: (value: string) => new TextEncoder().encode(value),
	decode: (bytes: Uint8Array, start = 0, end = bytes.length) => new TextDecoder().decode(bytes.subarray(start, end)),
};

export const INFO: HostInfo = {
	board: "virtual",
	chip: "none",
	serial: "VIRTUAL0001",
	labelPassword: "label-password",
	firmwareVersion: "1.2.345-release",
	builtUtcMs: Date.UTC(2026, 0, 31, 12, 34, 56),
	manufacturer: "Smart-Meter Gateway project",
	model: "SLZB-06",
	deviceId: 1,
	hostname: "gateway",
	timeServers: "",
	reportKey: "",
	settingsKeys: "",
	upgradeUrl: "",
};

/** A successful readout of this block. */
export function readout(block: string, more: Partial<Readout> = {}): Readout {
	return {
		protocol: "IEC62056-21",
		meterId: bytesOf("ABC5meter"),
		mode: 0x44,
		baud: 9600,
		utcMs: 0,
		status: 0,
		records: recordsOfBlock(block),
		...more,
	};
}

/** A chip that always works. It records frames in `sent`; the test calls `confirm` when one has arrived. */
export class PlayedChip implements Chip {
	readonly #user: RadioListener;
	readonly line: LineSettings = { baud: 115_200, format: FORMAT_8N1 };
	state = RADIO_OFF;
	readonly ieeeAddress = Uint8Array.of(1, 0, 0, 0, 0, 0x4b, 0x12, 0);
	network: Network | undefined;
	readonly firmware = "played";
	readonly owesLeave = false;
	readonly joiningUntilMs = 0;
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly sent: (Outgoing & { readonly frame: Buffer; readonly ms: number })[] = [];
	/** How often the endpoint was registered. */
	registered = 0;
	isSending = false;

	constructor(user: RadioListener) {
		this.#user = user;
	}

	get canSend(): boolean {
		return this.state === RADIO_JOINED && !this.isSending;
	}

	send(frame: Outgoing, ms: number): void {
		assert.ok(this.canSend, "a frame was sent while none can be");
		assert.ok(frame.end > frame.start && frame.end - frame.start <= ZCL_LIMIT, "the frame is too long");
		this.isSending = true;
		this.sent.push({ ...frame, frame: Buffer.from(frame.bytes.slice(frame.start, frame.end)), ms });
	}

	confirm(status: number, nowMs: number): void {
		assert.ok(this.isSending);
		this.isSending = false;
		this.#user.sent(status, nowMs);
	}

	become(state: number, nowMs: number): void {
		this.state = state;
		this.isSending = false;
		this.#user.radioChanged(nowMs);
	}

	start(nowMs: number): void {
		this.become(RADIO_STARTING, nowMs);
	}

	join(nowMs: number): void {
		this.become(RADIO_JOINING, nowMs);
	}

	leave(): void {}
	stop(): void {}
	clustersChanged(): void {
		this.registered++;
	}
	receive(): void {}
	advance(): void {}
	poll(): Output {
		throw new Error("poll is never called");
	}
}

/** A fake of our time client: one attribute, and the values written to it. */
export class PlayedClient implements ClusterClient {
	readonly cluster: number;
	readonly attributes = [0, 0xfffd];
	readonly deadlineMs = Number.POSITIVE_INFINITY;
	readonly got: string[] = [];
	isReady = false;

	constructor(cluster = 0x000a) {
		this.cluster = cluster;
	}

	joined(): void {
		this.got.push("joined");
	}
	left(): void {
		this.got.push("left");
	}
	failed(): void {
		this.got.push("failed");
		this.isReady = false;
	}
	advance(): void {}
	received(frame: ZCLFrame, source: number, endpoint: number): void {
		const { control, command, bytes, start, end } = frame;
		this.got.push(
			`${control & 3}/${command} ${Buffer.from(bytes.slice(start, end)).toString("hex")} ${source}/${endpoint}`,
		);
	}
	isBusy(): boolean {
		return false;
	}
	write(out: Outgoing, sequence: number): void {
		this.isReady = false;
		out.bytes.set([0x10, sequence, 0x00, 0x00, 0x00]);
		out.cluster = this.cluster;
		out.destinationEndpoint = 1;
		out.end = 5;
	}
	readAttribute(id: number, into: Uint8Array, at: number): number {
		if (!this.attributes.includes(id)) return at;
		into.set([0x21, 0x34, 0x12], at);
		return at + 3;
	}
}

export class BridgeBed implements BridgeListener {
	readonly bridge: Bridge;
	readonly chip: PlayedChip;
	nowMs = 1000;
	readonly stored: Uint8Array[] = [];
	readonly identified: number[] = [];
	changes = 0;
	#sequence = 0;
	readonly #options: BridgeOptions;

	constructor(options: Partial<BridgeOptions> = {}) {
		this.#options = {
			chip: (user) => new PlayedChip(user),
			user: this,
			info: INFO,
			text: TEXT,
			cells: 0,
			map: mapOf(new Uint8Array(0)),
			reports: undefined,
			clients: [],
			sequence: 0,
			...options,
		};
		this.bridge = new Bridge(this.#options);
		this.chip = this.bridge.chip as PlayedChip;
	}

	mapChanged(map: Uint8Array): void {
		Object.assign(this.#options, { map });
		this.bridge.mapChanged(this.nowMs);
	}

	bridgeChanged(): void {
		this.changes++;
	}

	storeReports(bytes: Uint8Array): void {
		this.stored.push(bytes);
	}

	identify(seconds: number): void {
		this.identified.push(seconds);
	}

	/** Advances time as the driver does. Everything sent arrives at once. Returns the reports. */
	run(ms: number, status = 0): { cluster: number; ms: number; values: Record<string, unknown>; sequence: number }[] {
		const { bridge, chip } = this;
		const endMs = this.nowMs + ms;
		const reports = [];
		let calls = 0;
		for (;;) {
			assert.ok(calls++ < 100_000, "the bridge never rests");
			if (chip.isSending) {
				const { cluster, frame, ms } = chip.sent.at(-1) as (typeof chip.sent)[number];
				if (frame[2] === 0x0a) {
					const report = decode(cluster, frame);
					reports.push({ cluster, ms, values: shown(report), sequence: report.header.transactionSequenceNumber });
				}
				chip.confirm(status, this.nowMs);
			}
			if (chip.isSending) continue;
			const dueMs = bridge.deadlineMs;
			if (dueMs > endMs) break;
			this.nowMs = Math.max(this.nowMs, dueMs);
			bridge.advance(this.nowMs);
		}
		this.nowMs = endMs;
		return reports;
	}

	/** Joins a network; all reports that are due arrive. */
	join(): this {
		this.chip.become(RADIO_JOINED, this.nowMs);
		this.run(0);
		return this;
	}

	measure(block: string): void {
		this.bridge.measured(readout(block), this.nowMs);
	}

	/** Delivers a frame to the bridge; returns its immediate answer, which arrives. */
	give(cluster: number, frame: Uint8Array, more: Partial<Incoming> = {}): Buffer | undefined {
		const bytes = Uint8Array.of(1, 2, 3, ...frame, 4, 5);
		const { chip } = this;
		const before = chip.sent.length;
		this.bridge.received(
			{
				cluster,
				source: 0,
				sourceEndpoint: 1,
				isBroadcast: false,
				bytes,
				start: 3,
				end: 3 + frame.length,
				...more,
			},
			this.nowMs,
		);
		bytes.fill(0xa5);
		if (chip.sent.length === before) return undefined;
		const sent = chip.sent[before];
		chip.confirm(0, this.nowMs);
		// A report may follow the answer.
		for (const { frame: next } of chip.sent.slice(before + 1)) assert.equal(next[2], 0x0a, "more than one answer");
		assert.equal(sent.cluster, cluster);
		assert.equal(sent.destination, more.source ?? 0);
		assert.equal(sent.destinationEndpoint, more.sourceEndpoint ?? 1);
		return sent.frame;
	}

	/** A command of the coordinator and its answer, encoded and decoded by zigbee-herdsman. */
	ask(cluster: number, command: string, payload: unknown, more: Ask = {}): Frame | undefined {
		const sequence = this.#sequence++ & 0xff;
		const { isCluster = false, toClient = false, noDefault = true, manufacturer, ...incoming } = more;
		const { length } = command;
		assert.ok(length > 0);
		const frame = Frame.create(
			isCluster ? 1 : 0,
			toClient ? 1 : 0,
			noDefault,
			manufacturer,
			sequence,
			command,
			cluster,
			payload,
			{},
		);
		const reply = this.give(cluster, frame.toBuffer(), incoming);
		if (reply === undefined) return undefined;
		const answer = decode(cluster, reply);
		assert.equal(answer.header.transactionSequenceNumber, sequence);
		assert.equal(answer.header.frameControl["direction"], toClient ? 0 : 1);
		assert.equal(answer.header.frameControl["disableDefaultResponse"], true);
		assert.equal(answer.header.manufacturerCode, manufacturer);
		return answer;
	}

	/** Reads attributes: values by id, `status 86` for unknown ones. */
	read(cluster: number, ids: readonly number[], more: Ask = {}): Record<string, unknown> {
		const answer = this.ask(
			cluster,
			"read",
			ids.map((attrId) => ({ attrId })),
			more,
		);
		assert.equal(answer?.command.name, "readRsp");
		const payload = answer?.payload as { attrId: number; status: number; attrData: unknown }[];
		return Object.fromEntries(
			payload.map(({ attrId, status, attrData }) => [
				attrId.toString(16).padStart(4, "0"),
				status === 0 ? attrData : `status ${status.toString(16)}`,
			]),
		);
	}

	/** Configures a report; returns the answer's payload. */
	configure(cluster: number, settings: readonly object[], more: Ask = {}): readonly Record<string, number>[] {
		const all = settings.map((setting) => ({ direction: 0, ...setting }));
		return this.ask(cluster, "configReport", all, more)?.payload;
	}
}

interface Ask extends Partial<Incoming> {
	readonly isCluster?: boolean;
	readonly toClient?: boolean;
	readonly noDefault?: boolean;
	readonly manufacturer?: number;
}

export function decode(cluster: number, bytes: Buffer): Frame {
	return Frame.fromBuffer(cluster, Header.fromBuffer(bytes), bytes, {});
}
