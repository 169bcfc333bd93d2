/**
 * Noise on the console for Improv: pieces of packets in any order, wrong sums and lengths, invalid text, packets of other
 * types, and lines of a log in between. Nothing throws, answers are well-formed packets that fit into the console, the
 * network changes only by a whole command with a valid sum, and a good client is served again.
 */
import assert from "node:assert/strict";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { Gateway } from "../../modules/app/gateway.js";
import { CONSOLE_ROOM } from "../../modules/io/host.js";
import { networkWithCable } from "../../modules/parts/network/cable-part.js";
import { VirtualConsole } from "../app/console.js";
import { packet } from "../app/packets.js";
import { checkFaults } from "../faults.js";
import { keyOf, SIGNER, signed } from "../provision/signed.js";
import type { Mutator } from "./mutator.js";

const SSIDS = ["home", "open", "elsewhere", "x".repeat(33), ""];
const PASSWORDS = ["secret-of-home", "", "wrong-password", "short"];
const COMMANDS = [1, 1, 2, 3, 4, 5, 6, 7, 240, 240, 0, 8, 255];
const START = "IMPROV\u0001";
const DATA_AT = 9;
const COMMAND = 3;
const JOIN = 1;
const STATE = 2;
const PROVISIONED = 4;
const FILE = signed({ "system/timezone": { timezone: "Europe/Warsaw" } }, 1);
/** Time in which all bytes of a piece are read, so that the console loses none, ms. */
const PIECE_MS = 400;
/** Time within which a session ends, ms. */
const REST_MS = 70_000;
/** Time after the start in which a configured network may be changed, ms. */
const CHANGE_MS = 300_000;
const HEAL_LIMIT_MS = 120_000;
/** Longer than a join takes. */
const HEAL_STEP_MS = 30_000;

const text = (value: string) => [Buffer.byteLength(value), ...Buffer.from(value)];

function command(mutator: Mutator): Uint8Array {
	const { random } = mutator;
	const code = mutator.pick(COMMANDS);
	const offset = random.below(FILE.length);
	const data = mutator.pick<() => readonly number[]>([
		() => [],
		() => [...text(mutator.pick(SSIDS)), ...text(mutator.pick(PASSWORDS))],
		() => [...random.bytes(random.below(250))],
		() => [...Buffer.from(mutator.pick(["meter-2", "a b", "\xff\xfe"]), "latin1")],
		() => [FILE.length & 0xff, FILE.length >> 8, offset & 0xff, offset >> 8, ...FILE.subarray(offset, offset + 100)],
	])();
	const length = random.oneIn(6) ? random.below(256) : data.length;
	return packet(random.oneIn(8) ? random.below(256) : COMMAND, [code, length, ...data].slice(0, 255));
}

export function noise(mutator: Mutator): Uint8Array {
	const { random } = mutator;
	switch (random.below(6)) {
		case 0:
			return mutator.mutate(command(mutator), command(mutator));
		case 1:
			return command(mutator).subarray(0, random.below(30));
		case 2:
			return Buffer.from(
				mutator.pick(["IMPRO", "I (123) wifi: connected\r\n", START, "IMPROVIMPROV", "\n", "\0\xff"]),
				"latin1",
			);
		case 3:
			return random.bytes(1 + random.below(300));
		default:
			return command(mutator);
	}
}

/** SSID of a whole command to join with a valid sum at this offset, if there is one. */
function joinAt(bytes: Uint8Array, at: number): string | undefined {
	const end = at + DATA_AT + bytes[at + 8];
	const isCommand = bytes[at + 7] === COMMAND && bytes[at + DATA_AT] === JOIN && end < bytes.length;
	const sum = bytes.subarray(at, end).reduce((all, byte) => all + byte, 0) & 0xff;
	if (!isCommand || sum !== bytes[end]) return undefined;
	const ssidAt = at + DATA_AT + 3;
	return Buffer.from(bytes.subarray(ssidAt, ssidAt + bytes[ssidAt - 1])).toString();
}

export class HostileConsole {
	readonly #world: VirtualWorld;
	readonly #console: VirtualConsole;
	readonly #gateway: Gateway;
	/** All that was sent to the gateway, and what it has answered since the last check. */
	#sent = Buffer.alloc(0);
	#written = Buffer.alloc(0);

	constructor(seed: number) {
		let made: VirtualConsole | undefined;
		const home = { password: "secret-of-home", rssi: -40 };
		this.#world = new VirtualWorld({
			seed,
			utcMs: Date.UTC(2026, 10, 20),
			info: { settingsKeys: keyOf(SIGNER) },
			wifi: (timers) => new VirtualAir(timers, { home, open: { rssi: -9 } }).port,
			console: (time) => {
				made = new VirtualConsole(time);
				return made;
			},
		});
		this.#console = made!;
		this.#console.onWritten = (piece) => {
			assert.ok(piece.length <= CONSOLE_ROOM);
			this.#written = Buffer.concat([this.#written, piece]);
		};
		this.#gateway = new Gateway(this.#world, [networkWithCable()]);
		this.#gateway.start();
	}

	stop(): void {
		this.#gateway.stop();
	}

	run(mutator: Mutator): void {
		const { random } = mutator;
		const world = this.#world;
		// Some begin at a time when only the first network may be set.
		if (random.oneIn(3)) world.advance(CHANGE_MS);
		let previous = this.#ssid;
		for (let count = 1 + random.below(40); count > 0; count--) {
			const before = this.#ssid;
			const isFixed = before !== undefined && world.time.nowMs > CHANGE_MS;
			mutator.inPieces(noise(mutator), (buffer, start, end) => {
				this.#send(buffer.slice(start, end));
				if (random.oneIn(3)) world.advance(random.below(30));
			});
			world.advance(PIECE_MS + random.below(random.oneIn(20) ? REST_MS : 200));
			this.#checkAnswers();
			checkFaults();
			const ssid = this.#ssid;
			if (ssid === before) continue;
			// The gateway returns from a network that gives it no address to the one before.
			const isReturn = ssid === previous;
			previous = before;
			if (isReturn) continue;
			assert.ok(!isFixed, "the network was changed although none may be set any more");
			const wanted: (string | undefined)[] = [];
			for (let at = this.#sent.indexOf(START); at >= 0; at = this.#sent.indexOf(START, at + 1))
				wanted.push(joinAt(this.#sent, at));
			assert.ok(wanted.includes(ssid), `${ssid} was joined without a command`);
		}
		world.advance(REST_MS);
		this.#checkAnswers();
		this.#checkGood();
	}

	get #ssid(): string | undefined {
		return this.#gateway.networking.settings.station?.ssid;
	}

	#send(bytes: Uint8Array): void {
		this.#sent = Buffer.concat([this.#sent, bytes]);
		this.#console.send(bytes);
	}

	/** Each packet is preceded by a line end, has a valid sum, and no length of 10. */
	#checkAnswers(): number[] {
		const states: number[] = [];
		let at = 0;
		const bytes = this.#written;
		while (at < bytes.length) {
			assert.equal(bytes.toString("latin1", at, at + 8), `\n${START}`);
			const end = at + 1 + DATA_AT + bytes[at + 9];
			const sum = bytes.subarray(at + 1, end).reduce((all, byte) => all + byte, 0) & 0xff;
			assert.deepEqual([bytes[end], bytes[end + 1]], [sum, 10]);
			assert.notEqual(bytes[at + 9], 10);
			if (bytes[at + 8] === 1) states.push(bytes[at + 10]);
			at = end + 2;
		}
		this.#written = Buffer.alloc(0);
		return states;
	}

	/** A good client sets up the network, or gets the state if none may be set up any more. */
	#checkGood(): void {
		const world = this.#world;
		const mayJoin = this.#ssid === undefined || world.time.nowMs + HEAL_LIMIT_MS < CHANGE_MS;
		for (let ms = 0; ; ms += HEAL_STEP_MS) {
			assert.ok(ms < HEAL_LIMIT_MS, "a good client gets no answer");
			if (mayJoin) this.#console.send(packet(COMMAND, [JOIN, 20, ...text("home"), ...text("secret-of-home")]));
			else this.#console.send(packet(COMMAND, [STATE, 0]));
			world.advance(HEAL_STEP_MS);
			const states = this.#checkAnswers();
			if (mayJoin ? states.includes(PROVISIONED) : states.length > 0) break;
		}
		world.advance(REST_MS);
		checkFaults();
	}
}
