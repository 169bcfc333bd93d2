/**
 * Hostile messages to the bridge (modules/zigbee/bridge.ts) from the coordinator or another node of the network:
 * frames of all clusters, commands, types and lengths, and more than can be answered. The bridge never throws. Its
 * answers are whole, short enough and addressed to the sender. No attribute changes except the identify time, and only
 * the coordinator configures reports.
 */
import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { FORMAT_8N1, type LineSettings } from "../../modules/io/host.js";
import type { Output } from "../../modules/io/machine.js";
import { OUTPUT_NONE } from "../../modules/io/machine.js";
import { mapOf } from "../../modules/obis/mapping.js";
import { Bridge } from "../../modules/zigbee/bridge.js";
import {
	type Chip,
	ENDPOINT,
	type Incoming,
	type Network,
	type Outgoing,
	RADIO_JOINED,
	RADIO_OFF,
	type RadioListener,
	ZCL_LIMIT,
} from "../../modules/zigbee/radio.js";
import { REPORTS_SIZE } from "../../modules/zigbee/reports.js";
import { readoutOf } from "../mqtt/bed.js";
import { type Mutator, runAll } from "./mutator.js";

const TO_CLIENT = 8;
const MANUFACTURER = 4;
const READ = 0x00;
const CONFIGURE = 0x06;
const READ_REPORTING = 0x08;
const REPORT = 0x0a;
const DEFAULT_RESPONSE = 0x0b;
const WRITTEN = 0x04;
const DISCOVER = 0x0c;
/** Commands that are a response or a report, and get no answer. */
const ANSWERS = [0x01, 0x04, 0x07, 0x09, 0x0a, 0x0b, 0x0d, 0x10, 0x12, 0x14, 0x16];

const SERVED = [0x0000, 0x0003, 0x0702, 0x0b04];
const CLUSTERS = [...SERVED, 0x0001, 0x000a, 0x0019, 0x0005, 0x0500, 0xfc00];
const ATTRIBUTES = [
	...[0, 1, 2, 3, 4, 5, 6, 7, 0x0d, 0x4000, 0xfffd, 0x0100, 0x0200, 0x0300, 0x0301, 0x0302, 0x0303, 0x0304, 0x0306],
	...[0x0308, 0x0400, 0x0505, 0x0508, 0x050b, 0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605, 0xffff],
];
const TYPES = [
	0x00, 0x10, 0x18, 0x1b, 0x20, 0x21, 0x22, 0x25, 0x29, 0x2a, 0x2b, 0x30, 0x41, 0x42, 0x43, 0x48, 0xe2, 0xf0, 0xff,
];
const REPORTABLE = [
	[0x0000, 0x25],
	[0x0001, 0x25],
	[0x0400, 0x2a],
	[0x0505, 0x21],
	[0x0508, 0x21],
	[0x050b, 0x29],
];
/** Size of a value by type, bytes; 0: a length precedes it. */
const SIZES: Readonly<Record<number, number>> = {
	...{ 16: 1, 24: 1, 25: 2, 27: 4, 32: 1, 33: 2, 34: 3, 35: 4, 37: 6, 40: 1, 41: 2, 42: 3, 43: 4 },
	...{ 48: 1, 49: 2, 65: 0, 66: 0, 226: 4, 240: 8 },
};
const COORDINATOR = 0;
const IDENTIFY = 3;
const READOUT = readoutOf(
	"1.8.0(015882.692*kWh)\r\n2.8.0(000219.488*kWh)\r\n16.7.0(-01.228*kW)\r\n32.7.0(235.2*V)\r\n31.7.0(005.30*A)",
);
/** Configured reports are written to flash within this time. */
const KEEP_MS = 10_000;
/** Number of frames in a storm, more than the queue of answers holds. */
const STORM = 10_000;
const WAITING_LIMIT = 8;

interface Sent extends Outgoing {
	readonly payload: Uint8Array;
}

/** A simulated driver of a chip in a network; it sends one frame at a time. */
class PlayedRadio implements Chip {
	readonly line: LineSettings = { baud: 115_200, format: FORMAT_8N1 };
	state = RADIO_OFF;
	network: Network = { channel: 15, panId: 0x1a62, shortAddress: 0x4a11, extendedPanId: new Uint8Array(8) };
	readonly ieeeAddress = new Uint8Array(8);
	readonly firmware = "";
	readonly joiningUntilMs = 0;
	readonly owesLeave = false;
	readonly deadlineMs = Number.POSITIVE_INFINITY;
	sent: Sent | undefined;
	readonly #none: Output = {
		...{ kind: OUTPUT_NONE, bytes: new Uint8Array(0), start: 0, end: 0, baud: 0, format: FORMAT_8N1, code: 0 },
	};

	get canSend(): boolean {
		return this.state === RADIO_JOINED && this.sent === undefined;
	}

	send(frame: Outgoing): void {
		assert.ok(this.canSend, "two frames at a time");
		const payload = frame.bytes.slice(frame.start, frame.end);
		this.sent = { ...frame, payload };
		assert.ok(payload.length >= 3 && payload.length <= ZCL_LIMIT, `a frame of ${payload.length} bytes`);
	}

	start(): void {}
	join(): void {}
	leave(): void {}
	stop(): void {}
	clustersChanged(): void {}
	receive(): void {}
	advance(): void {}
	poll(): Output {
		return this.#none;
	}
}

export interface HostileFrame {
	readonly cluster: number;
	readonly source: number;
	readonly endpoint: number;
	readonly isBroadcast: boolean;
	readonly payload: Uint8Array;
}

class Bed {
	readonly radio = new PlayedRadio();
	readonly bridge: Bridge;
	stored: Uint8Array | undefined;
	nowMs = 10_000;
	#user!: RadioListener;

	constructor(reports?: Uint8Array) {
		const { info } = new VirtualWorld();
		this.bridge = new Bridge({
			chip: (user) => {
				this.#user = user;
				return this.radio;
			},
			user: {
				bridgeChanged: () => {},
				storeReports: (bytes) => {
					this.stored = bytes;
				},
				identify: (seconds) => assert.ok(seconds >= 0 && seconds <= 0xffff),
			},
			...{ info, text: new NodeText(), cells: 0, map: mapOf(new Uint8Array(0)), reports, clients: [] },
			sequence: 0,
		});
		this.radio.state = RADIO_JOINED;
		this.#user.radioChanged(this.nowMs);
		this.bridge.measured(READOUT, this.nowMs);
		this.#sendAll();
	}

	/** Receives a frame; returns the answer, if any. */
	hear(request: HostileFrame): Sent | undefined {
		const { cluster, source, endpoint, isBroadcast, payload } = request;
		// Surround the payload with leftovers of the buffer.
		const bytes = new Uint8Array(256).fill(0xa5);
		bytes.set(payload, 3);
		const incoming: Incoming = {
			...{ cluster, source, sourceEndpoint: endpoint, isBroadcast, bytes, start: 3, end: 3 + payload.length },
		};
		this.#user.received(incoming, this.nowMs);
		bytes.fill(0x5a);
		const { sent } = this.radio;
		this.radio.sent = undefined;
		return sent;
	}

	/** Receives a frame without letting an answer be sent. */
	storm(request: HostileFrame): void {
		this.#user.received(
			{ ...request, sourceEndpoint: request.endpoint, bytes: request.payload, start: 0, end: request.payload.length },
			this.nowMs,
		);
	}

	/** Delivers everything sent and everything due; returns the number of frames. */
	settle(): number {
		let count = 0;
		while (this.radio.sent !== undefined) {
			this.radio.sent = undefined;
			this.#user.sent(0, this.nowMs);
			assert.ok(++count <= WAITING_LIMIT, "the bridge does not stop sending");
		}
		return count;
	}

	arrived(): void {
		this.#user.sent(0, this.nowMs);
		this.#sendAll();
	}

	pass(ms: number): void {
		this.nowMs += ms;
		if (this.bridge.deadlineMs <= this.nowMs) this.bridge.advance(this.nowMs);
		this.#sendAll();
	}

	#sendAll(): void {
		this.settle();
		assert.ok(this.bridge.deadlineMs > this.nowMs, "the deadline has not moved after its handling");
	}

	/** As the coordinator; returns the record in hex. */
	read(cluster: number, id: number): string {
		const payload = Uint8Array.of(0, 1, READ, id & 0xff, id >> 8);
		const answer = this.hear({ cluster, source: COORDINATOR, endpoint: 1, isBroadcast: false, payload });
		assert.ok(answer, "the bridge does not answer");
		this.arrived();
		return Buffer.from(answer.payload.slice(3)).toString("hex");
	}

	/** All readable and reportable attributes, except the identify time. */
	snapshot(): string {
		const lines = SERVED.flatMap((cluster) => ATTRIBUTES.map((id) => `${cluster} ${id} ${this.read(cluster, id)}`));
		return lines.filter((line) => !line.startsWith("3 0 ")).join("\n");
	}
}

/** Checks that an answer is complete, of the right kind and addressed to the sender of the request. */
function checkAnswer(request: HostileFrame, answer: Sent): void {
	const [control, ...rest] = request.payload;
	const from = (control & MANUFACTURER) !== 0 ? 2 : 0;
	const [sequence, command] = rest.slice(from);
	const { payload } = answer;
	assert.deepEqual(
		[answer.cluster, answer.destination, answer.destinationEndpoint],
		[request.cluster, request.source, request.endpoint],
	);
	assert.equal(payload[0] & MANUFACTURER, control & MANUFACTURER);
	assert.notEqual(payload[0] & TO_CLIENT, control & TO_CLIENT, "wrong direction");
	const at = (payload[0] & MANUFACTURER) !== 0 ? 3 : 1;
	assert.equal(payload[at], sequence, "wrong sequence number");
	const isCluster = (control & 3) === 1;
	if (!isCluster) assert.ok(!ANSWERS.includes(command), "the bridge answered a response");
	const body = payload.slice(at + 2);
	if ((payload[0] & 3) === 1) return;
	if (payload[at + 1] === DEFAULT_RESPONSE) {
		assert.ok(!request.isBroadcast, "the bridge refused a broadcast");
		assert.deepEqual([body.length, body[0]], [2, command]);
	} else {
		assert.equal(payload[at + 1], command === 0x03 ? 4 : command + (command === 0x02 ? 2 : 1));
		if (command === READ) checkRecords(body);
		if (payload[at + 1] === WRITTEN && body[0] === 0)
			assert.equal(request.cluster, IDENTIFY, "an attribute of another cluster was written");
	}
}

/** Checks records of read attributes: id, status, and, with status 0, type and value. */
function checkRecords(body: Uint8Array): void {
	let at = 0;
	while (at < body.length) {
		assert.ok(at + 3 <= body.length, "truncated record");
		const status = body[at + 2];
		at += 3;
		if (status !== 0) continue;
		const type = body[at];
		const size = SIZES[type];
		assert.ok(size !== undefined, `type ${type}`);
		at += 1 + (size === 0 ? 1 + body[at + 1] : size);
		assert.ok(at <= body.length, "truncated value");
	}
}

/** A valid or almost valid frame. */
function frameOf(mutator: Mutator): Uint8Array {
	const { random } = mutator;
	const control = random.oneIn(3) ? random.below(256) : mutator.pick([0x00, 0x10, 0x01, 0x11, 0x18, 0x09, 0x19]);
	const command = random.oneIn(3)
		? random.below(256)
		: mutator.pick([0, 2, 3, 5, 6, 8, 0x0c, 0x11, 0x13, 0x15, 0x0a, 0x0b, 0x40]);
	const head = [control, ...((control & MANUFACTURER) !== 0 ? [0x5f, 0x11] : []), random.below(256), command];
	const id = () => {
		const one = random.oneIn(6) ? random.below(0x1_0000) : mutator.pick(ATTRIBUTES);
		return [one & 0xff, one >> 8];
	};
	const body: number[] = [];
	for (let records = random.below(random.oneIn(8) ? 60 : 8); records > 0; records--) {
		const type = mutator.pick(TYPES);
		if (command === READ) body.push(...id());
		else if (command === CONFIGURE && random.oneIn(2)) {
			const [attribute, known] = mutator.pick(REPORTABLE);
			body.push(0, attribute & 0xff, attribute >> 8, known, 5, 0, 44, 1, ...random.bytes(SIZES[known]));
		} else if (command === CONFIGURE)
			body.push(random.oneIn(8) ? 1 : 0, ...id(), type, ...random.bytes(4), ...random.bytes(SIZES[type] ?? 0));
		else if (command === READ_REPORTING) body.push(random.below(2), ...id());
		else if (command === DISCOVER) body.push(...id(), random.below(256));
		else if ([2, 3, 5, REPORT].includes(command)) body.push(...id(), type, ...random.bytes(SIZES[type] || 1));
		else body.push(...random.bytes(1 + random.below(20)));
	}
	const whole = Uint8Array.from([...head, ...body]).slice(0, 200);
	if (random.oneIn(6)) return whole.slice(0, random.below(whole.length + 1));
	if (random.oneIn(6)) return mutator.mutate(whole, random.bytes(20)).slice(0, 200);
	return whole;
}

export function hostileFrame(mutator: Mutator, byStrangers = false): HostileFrame {
	const { random } = mutator;
	const isStranger = byStrangers || random.oneIn(2);
	return {
		cluster: random.oneIn(8) ? random.below(0x1_0000) : mutator.pick(CLUSTERS),
		source: isStranger ? 1 + random.below(0xfff7) : COORDINATOR,
		endpoint: random.oneIn(2) ? ENDPOINT : random.below(256),
		isBroadcast: random.oneIn(6),
		payload: frameOf(mutator),
	};
}

export async function fuzzClusters(seed: number, runs: number): Promise<void> {
	let bed = new Bed();
	let byStrangers = false;
	const before = bed.snapshot();
	await runAll("clusters", seed, runs, (mutator, run) => {
		const { random } = mutator;
		for (let frames = random.below(20); frames > 0; frames--) {
			const request = hostileFrame(mutator, byStrangers);
			const answer = bed.hear(request);
			if (answer !== undefined) {
				checkAnswer(request, answer);
				bed.arrived();
			}
			bed.pass(random.below(20));
		}
		if (run % 50 !== 49) return;
		assert.equal(bed.snapshot(), before, "an attribute has changed");
		bed.pass(KEEP_MS);
		if (byStrangers) assert.equal(bed.stored, undefined, "another node than the coordinator has configured reports");
		byStrangers = random.oneIn(2);
		// The next start must accept any stored bytes.
		if (byStrangers) bed = new Bed();
		else bed = new Bed(random.oneIn(4) ? random.bytes(REPORTS_SIZE) : bed.stored);
	});
}

/** Floods the bridge from one node: the queue of answers stays within its limit, and answers resume at once. */
export function stormOfFrames(seed: number, mutator: Mutator): void {
	const bed = new Bed();
	const before = bed.snapshot();
	for (let frames = 0; frames < STORM; frames++) bed.storm(hostileFrame(mutator));
	assert.ok(bed.settle() <= WAITING_LIMIT);
	assert.equal(bed.snapshot(), before, `SEED=${seed}`);
}
