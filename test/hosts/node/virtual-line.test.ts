import assert from "node:assert/strict";
import { VirtualWorld } from "../../../hosts/node/virtual.js";
import { decodeCharacter, encodeCharacter } from "../../../hosts/node/wire-character.js";
import { addParity, hasEvenParity } from "../../../modules/bytes/parity.js";
import {
	FORMAT_7E1,
	FORMAT_8E1,
	FORMAT_8N1,
	FORMAT_8N2,
	type LineSettings,
	SERIAL_ERROR_CHARACTER,
	SERIAL_ERROR_GONE,
	SERIAL_ERROR_OVERRUN,
	type Serial,
	type SerialFormat,
} from "../../../modules/io/host.js";
import { type Machine, OUTPUT_LINE, OUTPUT_NONE, OUTPUT_TRANSMIT, type Output } from "../../../modules/io/machine.js";

/** The far end of the line; records input with its times, and sends on command. */
class FarEnd implements Machine {
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly received: number[] = [];
	readonly heardAtMs: number[] = [];
	readonly #outputs: Output[] = [];

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		for (let i = start; i < end; i++) {
			this.received.push(bytes[i]);
			this.heardAtMs.push(Math.round(nowMs * 100) / 100);
		}
	}

	advance(): void {
		this.deadlineMs = Number.POSITIVE_INFINITY;
	}

	poll(): Output {
		return this.#outputs.shift() ?? output(OUTPUT_NONE, {});
	}

	/** Sends the bytes at `atMs`. */
	sendAt(bytes: number[], atMs = 0): this {
		this.#outputs.push(output(OUTPUT_TRANSMIT, { bytes: Uint8Array.from(bytes), end: bytes.length }));
		this.deadlineMs = atMs;
		return this;
	}

	line(baud: number, format: SerialFormat = FORMAT_7E1): this {
		this.#outputs.push(output(OUTPUT_LINE, { baud, format }));
		return this;
	}
}

function output(kind: number, rest: Partial<Output>): Output {
	return { kind, bytes: new Uint8Array(0), start: 0, end: 0, baud: 0, format: FORMAT_7E1, code: 0, ...rest };
}

class NearEnd {
	readonly world: VirtualWorld;
	readonly log: string[] = [];
	readonly received: number[] = [];
	readonly serial: Serial;

	constructor(far: FarEnd, options: object = {}, line: LineSettings = { baud: 300, format: FORMAT_7E1 }) {
		this.world = new VirtualWorld(options);
		const port = this.world.serial.meter;
		port.connect(far);
		const note = (text: string) => this.log.push(`${this.world.clock.monotonicMs()} ${text}`);
		this.serial = new port.io(
			{
				...line,
				onReadable: () => this.#read(),
				onWritable: (count) => note(`room ${count}`),
				onDrained: () => note("drained"),
				onError: (code) => note(`error ${code}`),
			},
			port.pins,
		);
		assert.deepEqual(this.log, [], "no callback in the constructor");
		this.world.advance(0);
		assert.deepEqual(this.log.splice(0), ["0 room 256"]);
	}

	write(...bytes: number[]): number {
		return this.serial.write(Uint8Array.from(bytes));
	}

	#read(): void {
		const buffer = new Uint8Array(16);
		for (let n = this.serial.read(buffer); n !== undefined; n = this.serial.read(buffer)) {
			this.received.push(...buffer.subarray(0, n));
		}
	}
}

describe("characters on the virtual line", () => {
	it("carry even parity as in bytes/parity.ts, and are marked if their parity is wrong", () => {
		for (let character = 0; character < 128; character++) {
			const ours = Uint8Array.of(character);
			addParity(ours, 0, 1);
			assert.equal(encodeCharacter(character), ours[0]);
			assert.equal(decodeCharacter(ours[0]), character);
			assert.ok(!hasEvenParity(encodeCharacter(character | 0x80)));
			assert.equal(decodeCharacter(encodeCharacter(character | 0x80)), character | 0x80);
		}
	});
});

describe("virtual line", () => {
	it("takes ten bits per character, both ways, and reports when the last was sent", () => {
		const far = new FarEnd();
		const near = new NearEnd(far);
		assert.equal(near.write(0x2f, 0x3f), 254);
		near.world.advance(1000);
		assert.deepEqual(far.received, [0x2f, 0x3f]);
		assert.deepEqual(far.heardAtMs, [33.33, 66.67]);
		assert.deepEqual(near.log, ["33 room 255", "66 drained"]);
		near.world.serial.meter.connect(new FarEnd().sendAt([1, 2, 3]));
		near.world.advance(99);
		assert.deepEqual(near.received, [1, 2]);
		near.world.advance(1);
		assert.deepEqual(near.received, [1, 2, 3]);
	});

	it("announces room after each accepted write, and throws on a longer one without writing", () => {
		const far = new FarEnd();
		const near = new NearEnd(far, {}, { baud: 9600, format: FORMAT_7E1 });
		near.world.serial.meter.connect(far.line(9600));
		assert.equal(near.write(...new Array(256).fill(0x55)), 0);
		assert.throws(() => near.write(1), RangeError);
		near.world.advance(1000);
		assert.equal(far.received.length, 256);
		assert.deepEqual(
			near.log.map((line) => line.split(" ")[1]),
			["room", "drained"],
		);
		assert.equal(near.write(1), 255);
	});

	for (const hardwareParity of [true, false]) {
		it(`carries 7E1 for a port ${hardwareParity ? "with hardware parity" : "of eight bits"}`, () => {
			const far = new FarEnd().sendAt([0x2f, 0x41, 0xc3]);
			const near = new NearEnd(far, { hardwareParity });
			near.world.advance(200);
			const wire = [0xaf, 0x41, 0x43];
			assert.deepEqual(near.received, hardwareParity ? [0x2f, 0x41, 0xc3] : wire);
			assert.equal(near.log.includes(`100 error ${SERIAL_ERROR_CHARACTER}`), hardwareParity);
			if (hardwareParity) near.write(0x2f);
			else near.write(0xaf, 0x2f);
			near.world.advance(200);
			assert.deepEqual(far.received, hardwareParity ? [0x2f] : [0x2f, 0xaf]);
		});
	}

	it("carries eight bits between two ends with 8N1", () => {
		const far = new FarEnd().line(9600, FORMAT_8N1).sendAt([0x7e, 0xa0, 0xff]);
		const near = new NearEnd(far, {}, { baud: 9600, format: FORMAT_8N1 });
		near.write(0x93, 0x00);
		near.world.advance(100);
		assert.deepEqual(near.received, [0x7e, 0xa0, 0xff]);
		assert.deepEqual(far.received, [0x93, 0x00]);
	});

	it("carries 8E1 in 11 bits per character, and garbles it for a receiver with 8N1", () => {
		const far = new FarEnd().line(2400, FORMAT_8E1).sendAt([0x68, 0x80, 0xff]);
		const near = new NearEnd(far, {}, { baud: 2400, format: FORMAT_8E1 });
		near.world.advance(13);
		assert.deepEqual(near.received, [0x68, 0x80]);
		near.write(0x10, 0x40);
		near.world.advance(100);
		assert.deepEqual(
			[near.received, far.received],
			[
				[0x68, 0x80, 0xff],
				[0x10, 0x40],
			],
		);
		const other = new NearEnd(
			new FarEnd().line(2400, FORMAT_8E1).sendAt([0x68, 0x80]),
			{},
			{ baud: 2400, format: FORMAT_8N1 },
		);
		other.world.advance(100);
		assert.equal(other.received.length, 2);
		assert.notDeepEqual(other.received, [0x68, 0x80]);
	});

	it("carries 8N2 in 11 bits per character, also to and from 8N1, which has one stop bit less", () => {
		for (const format of [FORMAT_8N2, FORMAT_8N1] as const) {
			const far = new FarEnd().line(1200, FORMAT_8N2).sendAt([0x40, 0x3f, 0x0d]);
			const near = new NearEnd(far, {}, { baud: 1200, format });
			near.world.advance(26);
			assert.deepEqual(near.received, [0x40, 0x3f]);
			near.write(0x80, 0x3f);
			near.world.advance(100);
			assert.deepEqual(
				[near.received, far.received],
				[
					[0x40, 0x3f, 0x0d],
					[0x80, 0x3f],
				],
			);
		}
	});

	it("garbles characters for a receiver at another speed, always in the same way", () => {
		const run = (baud: number) => {
			const near = new NearEnd(new FarEnd().sendAt([0x2f, 0x41, 0x42, 0x43]), {}, { baud, format: FORMAT_7E1 });
			near.world.advance(1000);
			return near.received;
		};
		assert.deepEqual(run(300), [0x2f, 0x41, 0x42, 0x43]);
		assert.equal(run(9600).length, 16);
		assert.ok(
			!run(9600)
				.slice(0, 4)
				.every((byte, i) => byte === [0x2f, 0x41, 0x42, 0x43][i]),
		);
		assert.deepEqual(run(9600), run(9600));
	});

	it("changes the meter's line only after earlier bytes were sent", () => {
		const far = new FarEnd().sendAt([0x31]).line(9600).sendAt([0x32]);
		const near = new NearEnd(far);
		near.world.advance(33.4);
		near.serial.configure({ baud: 9600, format: FORMAT_7E1 });
		assert.deepEqual(near.received, [0x31]);
		assert.equal(near.world.serial.meter.meterLine!.baud, 9600);
	});

	it("loses the character that arrives while the receiver changes its speed", () => {
		const far = new FarEnd().line(9600).sendAt([0x31, 0x32, 0x33]);
		const near = new NearEnd(far);
		near.world.advance(0.5);
		near.serial.configure({ baud: 9600, format: FORMAT_7E1 });
		near.world.advance(10);
		assert.deepEqual(near.received.slice(-2), [0x32, 0x33]);
		assert.ok(!near.received.slice(0, -2).includes(0x31));
	});

	it("breaks the character that is being sent when the sender changes its speed", () => {
		const far = new FarEnd();
		const near = new NearEnd(far);
		near.write(0x31);
		near.world.advance(20);
		near.serial.configure({ baud: 9600, format: FORMAT_7E1 });
		near.world.advance(100);
		assert.notDeepEqual(far.received, [0x31]);
	});

	it("sends back an echo of each byte at the moment it was sent", () => {
		const near = new NearEnd(new FarEnd(), { echo: true });
		near.write(0x2f, 0x3f);
		near.world.advance(67);
		assert.deepEqual(near.received, [0x2f, 0x3f]);
	});

	it("flips bits with noise, about as often as requested", () => {
		const far = new FarEnd().line(9600).sendAt(new Array(2000).fill(0x55));
		const near = new NearEnd(far, { noise: 20, seed: 3 }, { baud: 9600, format: FORMAT_7E1 });
		near.world.advance(5000);
		const wrong = near.received.filter((byte) => byte !== 0x55).length;
		assert.equal(near.received.length, 2000);
		assert.ok(wrong > 60 && wrong < 150, `${wrong} wrong`);
	});

	it("keeps 4096 unread bytes and reports lost ones", () => {
		const far = new FarEnd().line(9600).sendAt(new Array(4098).fill(0x55));
		const world = new VirtualWorld();
		const port = world.serial.meter;
		port.connect(far);
		const errors: number[] = [];
		const onError = (code: number) => errors.push(code);
		const serial = new port.io({ baud: 9600, format: FORMAT_7E1, onError }, port.pins);
		world.advance(10_000);
		assert.equal(serial.read(new Uint8Array(5000)), 4096);
		assert.deepEqual(errors, [SERIAL_ERROR_OVERRUN, SERIAL_ERROR_OVERRUN]);
	});

	it("reports that the port is pulled out, rejects a new one until it is back, and is silent after close", () => {
		const near = new NearEnd(new FarEnd());
		const port = near.world.serial.meter;
		const open = () => new port.io({ baud: 300, format: FORMAT_7E1 }, port.pins);
		assert.throws(open, /in use/);
		port.unplug();
		near.world.advance(1);
		assert.deepEqual(near.log, [`0 error ${SERIAL_ERROR_GONE}`]);
		assert.throws(open, /not there/);
		port.plugIn();
		near.serial.close();
		near.serial.close();
		const serial = open();
		serial.write(Uint8Array.of(1));
		serial.close();
		near.world.advance(1000);
		assert.equal(near.log.length, 1);
		assert.equal(port.sentByGateway, 0);
	});
});
