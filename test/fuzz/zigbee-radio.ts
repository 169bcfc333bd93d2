/**
 * A hostile coprocessor for its driver (modules/zigbee/coprocessor.ts): damaged and invented frames in all states, in
 * pieces, with lost, late or unrelated answers. The driver never throws, becomes idle, sends no more than its link
 * carries, joins only on request, and works again with a good chip.
 */
import assert from "node:assert/strict";
import { OUTPUT_NONE, OUTPUT_TRANSMIT } from "../../modules/io/machine.js";
import { Coprocessor } from "../../modules/zigbee/coprocessor.js";
import {
	RADIO_CODES,
	RADIO_IDLE,
	RADIO_JOINED,
	RADIO_OFF,
	RADIO_ORPHAN,
	type RadioListener,
	ROLE_END_DEVICE,
	ROLE_ROUTER,
} from "../../modules/zigbee/radio.js";
import { type Mutator, runAll } from "./mutator.js";
import { frame, incoming, ScriptedChip } from "./zigbee-chip.js";

/** Highest number of `advance` calls at one time until the driver is idle. */
const CALL_LIMIT = 20;
/** Highest number of frames after one input: the size of the driver's queue (io/machine.ts). */
const OUTPUT_LIMIT = 8;
/** Longest requested search for a network, with its follow-up, ms. */
const JOINING_MS = 330_000;
/** Virtual time for the driver to recover with a good chip, ms; it retries a silent chip with growing delays. */
const HEAL_MS = 900_000;
const STEP_LIMIT = 80;
/** Longest gap within a frame, ms. */
const GAP_MS = 1000;

/** Known commands: the chip's notifications and answers. */
export const COMMANDS = [
	...[0x4180, 0x4480, 0x4481, 0x4482, 0x4f80, 0x45c0, 0x45c9, 0x45c1, 0x45cb, 0x45ff, 0x45b4, 0x6000],
	...[0x6101, 0x6102, 0x6104, 0x6108, 0x6109, 0x6400, 0x6401, 0x6402, 0x6534, 0x6550, 0x653e, 0x6f05, 0x6f08],
];
const REPORT = Uint8Array.of(0x18, 0x01, 0x0a, 0x00, 0x00, 0x25, 1, 2, 3, 4, 5, 6);

class Bed implements RadioListener {
	readonly servers = [0x0000, 0x0003, 0x0702, 0x0b04];
	readonly clients = [0x000a, 0x0019];
	readonly chip: ScriptedChip;
	readonly radio: Coprocessor;
	nowMs = 5000;
	frames = 0;
	/** A sent frame is not yet confirmed. */
	isSending = false;
	#joinUntilMs = 0;
	readonly #mutator: Mutator;

	constructor(mutator: Mutator) {
		this.#mutator = mutator;
		const { random } = mutator;
		const role = mutator.pick([ROLE_ROUTER, ROLE_END_DEVICE]);
		this.chip = new ScriptedChip(random.oneIn(2) ? role : undefined);
		this.chip.isOpen = random.oneIn(2);
		const setLines = (reset: boolean) => {
			if (!reset) this.chip.restart();
		};
		this.radio = new Coprocessor(this, role, random.oneIn(2) ? { setLines } : {});
	}

	radioChanged(): void {
		const { state, network } = this.radio;
		assert.ok(RADIO_CODES[state] !== undefined, `state ${state}`);
		assert.equal(network !== undefined, state === RADIO_JOINED || state === RADIO_ORPHAN, RADIO_CODES[state]);
		if (network !== undefined) assert.equal(network.extendedPanId.length, 8);
	}

	received(): void {
		this.frames++;
	}

	sent(): void {
		assert.ok(this.isSending, "confirmation of a frame that was not sent");
		this.isSending = false;
	}

	step(): void {
		const { chip } = this;
		const { random } = this.#mutator;
		const next = chip.queued[0] ?? frame(0x4180, [0, 2, 1, 2, 7, 1]);
		switch (random.below(16)) {
			case 0:
				this.hear(this.#mutator.mutate(next, frame(this.#command(), random.bytes(random.below(30)))));
				break;
			case 1:
				chip.queued.shift();
				break;
			case 2:
				this.hear(frame(this.#command(), random.bytes(random.below(random.oneIn(10) ? 251 : 40))));
				break;
			case 3:
				this.hear(random.bytes(1 + random.below(random.oneIn(10) ? 600 : 40)));
				break;
			case 4:
				this.hear(incoming(this.#mutator.pick([0, 3, 0x0702, 0x19]), random.bytes(random.below(200)), this.#source()));
				break;
			case 5:
				this.hear(next);
				break;
			case 6:
				this.#want();
				break;
			case 7:
				chip.isSilent = random.oneIn(8);
				if (random.oneIn(4)) chip.restart();
				break;
			case 8:
				this.pass(random.below(random.oneIn(4) ? 100_000 : 2000));
				break;
			case 9:
				if (this.radio.deadlineMs < Number.POSITIVE_INFINITY)
					this.pass(Math.max(0, this.radio.deadlineMs - this.nowMs));
				break;
			default:
				if (chip.queued.length > 0) this.hear(chip.queued.shift()!);
		}
		this.#send();
	}

	/** Passes bytes from the chip to the driver in pieces. */
	hear(bytes: Uint8Array): void {
		this.#mutator.inPieces(bytes, (buffer, start, end) => {
			this.nowMs += this.#mutator.random.below(3);
			this.radio.receive(buffer, start, end, this.nowMs);
			this.poll();
		});
	}

	/** Advances time, and the driver at each of its deadlines. */
	pass(ms: number): void {
		const untilMs = this.nowMs + ms;
		for (let calls = 0; this.radio.deadlineMs <= untilMs; calls++) {
			const atMs = Math.max(this.nowMs, this.radio.deadlineMs);
			if (atMs > this.nowMs) calls = 0;
			assert.ok(calls < CALL_LIMIT, `the deadline has not moved after its handling, ${RADIO_CODES[this.radio.state]}`);
			this.nowMs = atMs;
			this.radio.advance(this.nowMs);
			this.poll();
		}
		this.nowMs = untilMs;
	}

	/** Passes the driver's output to the chip. */
	poll(): void {
		let count = 0;
		for (let output = this.radio.poll(); output.kind !== OUTPUT_NONE; output = this.radio.poll()) {
			assert.equal(output.kind, OUTPUT_TRANSMIT);
			assert.ok(++count <= OUTPUT_LIMIT, "the driver does not stop sending");
			this.chip.mayJoin = this.nowMs < this.#joinUntilMs;
			this.chip.receiveFrame(output.bytes.slice(output.start, output.end));
		}
	}

	/** Makes the chip a good one, and checks that everything works again. */
	heal(): void {
		const { chip, radio } = this;
		chip.isSilent = false;
		// Let the beginning of an incomplete frame expire.
		this.pass(GAP_MS);
		chip.queued = [];
		if (radio.state === RADIO_OFF) radio.start(this.nowMs);
		this.poll();
		chip.restart();
		const endMs = this.nowMs + HEAL_MS;
		const isWell = () => radio.state === RADIO_JOINED || (radio.state === RADIO_IDLE && !chip.isMember);
		while (this.nowMs < endMs && !(isWell() && chip.queued.length === 0 && !radio.owesLeave)) {
			if (chip.queued.length > 0) this.hear(chip.queued.shift()!);
			else this.pass(Math.min(60_000, Math.max(1, radio.deadlineMs - this.nowMs)));
		}
		assert.ok(isWell(), `${RADIO_CODES[radio.state]}, and the chip is ${chip.isMember ? "" : "not "}in a network`);
		if (radio.state !== RADIO_JOINED) return;
		const before = this.frames;
		this.hear(incoming(0x0702, [0, 1, 0, 0, 0]));
		assert.equal(this.frames, before + 1, "a frame is not received");
		while (chip.queued.length > 0) this.hear(chip.queued.shift()!);
		assert.ok(radio.canSend, "the driver can't send");
		chip.sent = [];
		this.#send(true);
		while (chip.queued.length > 0) this.hear(chip.queued.shift()!);
		assert.equal(chip.sent.length, 1);
		assert.equal(this.isSending, false, "the driver gets no confirmation");
	}

	#send(surely = false): void {
		if (!this.radio.canSend || !(surely || this.#mutator.random.oneIn(8))) return;
		assert.equal(this.isSending, false, "a frame is sent before the last one was confirmed");
		this.isSending = true;
		const to = { cluster: 0x0702, destination: 0, destinationEndpoint: 1 };
		this.radio.send({ ...to, bytes: REPORT, start: 0, end: REPORT.length }, this.nowMs);
		this.poll();
	}

	#want(): void {
		const { radio } = this;
		switch (this.#mutator.random.below(6)) {
			case 0:
				radio.join(this.nowMs);
				this.#joinUntilMs = this.nowMs + JOINING_MS;
				break;
			case 1:
				radio.leave(this.nowMs);
				break;
			case 2:
				radio.stop(this.nowMs);
				break;
			case 3:
				radio.clustersChanged(this.nowMs);
				break;
			default:
				radio.start(this.nowMs);
		}
		this.poll();
	}

	#command(): number {
		return this.#mutator.random.oneIn(4) ? this.#mutator.random.below(0x1_0000) : this.#mutator.pick(COMMANDS);
	}

	#source() {
		const { random } = this.#mutator;
		return { source: random.below(0x1_0000), broadcast: random.below(2), endpoint: random.below(4) };
	}
}

export async function fuzzRadio(seed: number, runs: number): Promise<void> {
	await runAll("coprocessor", seed, runs, (mutator) => {
		const bed = new Bed(mutator);
		bed.radio.start(bed.nowMs);
		bed.poll();
		for (let steps = mutator.random.below(STEP_LIMIT); steps > 0; steps--) bed.step();
		bed.heal();
	});
}
