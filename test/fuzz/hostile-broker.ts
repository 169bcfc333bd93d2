/**
 * A hostile MQTT broker. Nothing throws, only valid packets are sent, no command runs sooner than it may, the memory of
 * a transmission is released, and a new readout arrives at an honest broker.
 */
import assert from "node:assert/strict";
import { put } from "../../modules/config/schema.js";
import { RESERVE } from "../../modules/io/memory.js";
import { MQTT_COMMANDS } from "../../modules/parts/mqtt/fields.js";
import { BASE, Bed } from "../mqtt/bed.js";
import { makeHostile } from "./hostile-link.js";
import type { Mutator } from "./mutator.js";

const TOPICS: readonly string[] = [
	...["homeassistant/status", `${BASE}/command`, `${BASE}/provision`, `${BASE}/status`, `${BASE}/state`],
	...["", "#", "+/x", "a\0b", "\u{1f600}".repeat(60), "x".repeat(300)],
];
const PAYLOADS: readonly string[] = [
	"online",
	"offline",
	"read",
	"identify",
	"install",
	"",
	"{}",
	"\xff\xfe".repeat(99),
];
/** PUBLISH with every flag, and the packets that a broker or only a client may send. */
const PUBLISH = 0x30;
const COMMAND_PAUSE_MS = 2000;
const STEP_LIMIT_MS = 200_000;
/** Time within which a readout arrives again: an hour after a refusal, and some more. */
const HEAL_LIMIT_MS = 4_000_000;
const HEAL_STEP_MS = 5000;
/** Time for all other messages, ms. */
const REST_MS = 120_000;
/** Lowest average time between two connections, ms. */
const CONNECTION_MS = 1000;

/** The length of a packet's rest; sometimes a wrong one, or one with too many bytes. */
function lengthField(length: number, mutator: Mutator): number[] {
	const { random } = mutator;
	if (random.oneIn(20)) return [0xff, 0xff, 0xff, 0xff, ...(random.oneIn(2) ? [0x7f] : [])];
	if (random.oneIn(20)) return [...random.bytes(1 + random.below(4))];
	const claimed = random.oneIn(12) ? random.below(20_000) : length;
	const digits: number[] = [];
	let rest = claimed;
	do {
		digits.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
		rest >>= 7;
	} while (rest > 0);
	return random.oneIn(30) ? [...digits.slice(0, -1), digits.at(-1)! | 0x80, 0] : digits;
}

function publish(mutator: Mutator): number[] {
	const { random } = mutator;
	const topic = Buffer.from(mutator.pick(TOPICS), "latin1");
	const length = random.oneIn(12) ? random.below(0x1_0000) : topic.length;
	const id = random.oneIn(2) ? [random.below(2), random.below(3)] : [];
	const isLong = random.oneIn(10);
	const payload = isLong ? random.bytes(random.below(17_000)) : Buffer.from(mutator.pick(PAYLOADS), "latin1");
	return [length >> 8, length & 0xff, ...topic, ...id, ...payload];
}

export function oddPacket(mutator: Mutator): Uint8Array {
	const { random } = mutator;
	const number = () => [random.below(2), random.below(6)];
	const [head, body] = mutator.pick([
		() => [PUBLISH | random.below(16), publish(mutator)] as const,
		() => [PUBLISH, publish(mutator)] as const,
		() => [0x20, [random.oneIn(4) ? random.below(256) : 0, random.oneIn(2) ? random.below(8) : 0]] as const,
		() => [0x40, number()] as const,
		() =>
			[
				0x90,
				[...number(), ...Array.from({ length: random.below(5) }, () => mutator.pick([0, 1, 2, 0x80, 9]))],
			] as const,
		() => [0xd0, []] as const,
		() => [random.below(256), [...random.bytes(random.below(30))]] as const,
	])();
	return Uint8Array.from([head, ...lengthField(body.length, mutator), ...body]);
}

export class HostileBroker {
	readonly bed: Bed;
	#promised = 0;
	/** Counter of the last readout, Wh. */
	#wh = 0;

	constructor(seed: number) {
		const suffices = (slots: number) => {
			this.#promised = slots - RESERVE.slots;
			return true;
		};
		this.bed = new Bed({ seed, memory: { suffices } });
		this.bed.set(put(MQTT_COMMANDS, true));
		this.bed.start();
		this.#checkGood();
	}

	run(mutator: Mutator): void {
		const { bed } = this;
		const { random } = mutator;
		const { time } = bed.world;
		const { broker } = bed;
		const [fromMs, ran, sessions] = [time.nowMs, bed.ran.length, broker.sessions.length];
		broker.onConnection = (peer) => makeHostile(peer, time, mutator, oddPacket);
		// Some sessions begin with an honest connection.
		if (random.oneIn(2)) bed.service.settingsChanged();
		else broker.current?.peer.reset();
		for (let steps = 1 + random.below(8); steps > 0; steps--) {
			if (random.oneIn(2)) this.#read();
			if (random.oneIn(6)) bed.fail();
			if (random.oneIn(8)) bed.service.settingsChanged();
			if (random.oneIn(8)) bed.service.test({ finished: () => {} });
			bed.advance(random.below(STEP_LIMIT_MS));
		}
		const passedMs = time.nowMs - fromMs;
		assert.ok(bed.ran.length - ran <= 2 + passedMs / COMMAND_PAUSE_MS, `${bed.ran.length - ran} commands`);
		const count = broker.sessions.length - sessions;
		assert.ok(count <= 3 + passedMs / CONNECTION_MS, `${count} connections in ${passedMs} ms`);
		broker.onConnection = undefined;
		this.#checkGood();
		broker.sessions.splice(0, broker.sessions.length - 1);
		broker.published.length = 0;
	}

	#read(): void {
		this.#wh++;
		this.bed.measured(`1-0:1.8.0*255(${(this.#wh / 1000).toFixed(3)}*kWh)`);
	}

	#checkGood(): void {
		const { bed } = this;
		this.#read();
		const hasArrived = () => JSON.parse(bed.broker.last.get(`${BASE}/state`) || "{}")["1_0_1_8_0"] === this.#wh / 1000;
		for (let ms = 0; bed.service.stateText !== "ok" || !hasArrived(); ms += HEAL_STEP_MS) {
			assert.ok(ms < HEAL_LIMIT_MS, `${bed.service.stateText}, ${bed.broker.last.get(`${BASE}/state`)}`);
			bed.advance(HEAL_STEP_MS);
		}
		// Other messages may follow.
		bed.advance(REST_MS);
		assert.equal(bed.broker.retained.get(`${BASE}/status`), "online");
		bed.ledger.fits({ slots: 0, chunkBytes: 0 });
		assert.equal(this.#promised, 0, "memory stays claimed");
	}
}
