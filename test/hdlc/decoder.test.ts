import assert from "node:assert/strict";
import fc from "fast-check";
import { FrameDecoder, ROOM } from "../../modules/hdlc/decoder.js";
import { FRAME_LIMIT } from "../../modules/hdlc/frame.js";
import { type Feedable, feeds, REFUSED } from "../feeds.js";
import { type ExpectedFrame, frameVectors, hex, info, makeFrame, rr, UA, unhex } from "./frames.js";

/** Collects the decoder's frames as texts. `base`: bytes of the buffer before those that the decoder may use. */
class Collector implements Feedable {
	readonly decoder: FrameDecoder;
	readonly found: string[] = [];
	readonly base: number;
	#bad = 0;

	constructor(size = FRAME_LIMIT + 1, base = 0) {
		this.decoder = new FrameDecoder(new Uint8Array(size));
		this.base = base;
		this.decoder.bytes.fill(0xbb, 0, base);
		this.decoder.release(base);
	}

	take(bytes: Uint8Array, start: number, end: number): void {
		for (let at = start; ; ) {
			at = this.decoder.read(bytes, at, end);
			if (!this.decoder.ready) break;
			this.#collect();
		}
	}

	settle(): string[] {
		for (this.decoder.silence(); this.decoder.ready; this.decoder.silence()) this.#collect();
		assert.ok(!this.decoder.inside, "still inside a frame after a silence");
		const { bytes } = this.decoder;
		assert.ok(
			bytes.subarray(0, this.base).every((byte) => byte === 0xbb),
			"wrote before the base",
		);
		const found = this.found.splice(0);
		if (this.decoder.bad > this.#bad && found.length === 0) found.push(REFUSED);
		this.#bad = this.decoder.bad;
		return found;
	}

	#collect(): void {
		const { decoder } = this;
		const { bytes, destinationStart, sourceStart, sourceEnd } = decoder;
		const part = (start: number, end: number) => hex(bytes.subarray(start, end));
		const information = decoder.tooLong ? "too long" : part(decoder.infoStart, decoder.infoEnd);
		this.found.push(
			[
				part(destinationStart, sourceStart),
				part(sourceStart, sourceEnd),
				part(sourceEnd, sourceEnd + 1),
				decoder.segmented ? "more" : "last",
				information,
			].join(" "),
		);
		assert.equal(decoder.control, bytes[sourceEnd]);
		decoder.release(this.base);
	}
}

function textOf(frame: ExpectedFrame): string {
	const { destination, source, control, segmented, information } = frame;
	return [destination, source, control, segmented ? "more" : "last", information].join(" ");
}

function decode(bytes: Uint8Array, collector = new Collector()): string[] {
	collector.take(bytes, 0, bytes.length);
	return collector.settle();
}

function join(...parts: (Uint8Array | readonly number[])[]): Uint8Array {
	return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const METER = { to: [0x21], from: [0x02, 0x23] };
const UA_FRAME = makeFrame({ ...METER, control: UA });
const UA_TEXT = "21 0223 73 last ";
const LONG = Uint8Array.from({ length: 300 }, (_, i) => i * 7);
const I_FRAME = makeFrame({ ...METER, control: info(0, 1), information: LONG });
const I_TEXT = `21 0223 30 last ${hex(LONG)}`;

describe("captured HDLC frames", () => {
	for (const { name, bytes, frames } of frameVectors()) {
		const right = frames.filter((frame) => frame.check === "right").map(textOf);
		it(`of ${name} are separated and checked`, () => {
			const collector = new Collector();
			const expected = right.length > 0 ? right : [REFUSED];
			assert.deepEqual(decode(bytes, collector), expected);
			assert.equal(
				collector.decoder.bad > 0,
				frames.some((frame) => frame.check === "wrong"),
			);
		});
		it(`of ${name} are separated in pieces of any size, with their flags shared or doubled`, () => {
			const shared = unhex(hex(bytes).replaceAll("7e7ea", "7ea"));
			const doubled = unhex(hex(bytes).replaceAll("7e7ea", "7e7e7e7ea"));
			fc.assert(
				fc.property(fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 8 }), (sizes) => {
					for (const line of [bytes, shared, doubled]) {
						const collector = new Collector();
						for (let at = 0, i = 0; at < line.length; i++) {
							const end = Math.min(line.length, at + sizes[i % sizes.length]);
							collector.take(line, at, end);
							at = end;
						}
						assert.deepEqual(collector.settle(), right.length > 0 ? right : [REFUSED]);
					}
				}),
				{ numRuns: 10 },
			);
		});
	}
});

const garbage = ["7e", "7e7e7e", "00", "ff7e", "7ea0", "7ea7ff", "7ea0070321", "7ea7ff0321", "a0070321", "7eaf7e"].map(
	unhex,
);
const open = () => new Collector();
const common = { open, bits: 8, checked: true, streams: true, spare: 1, garbage };
feeds("an HDLC frame without information", { ...common, frame: UA_FRAME, meaning: UA_TEXT });
feeds("an HDLC frame with information", { ...common, frame: I_FRAME, meaning: I_TEXT });
feeds("an HDLC frame full of flags", {
	...common,
	open: () => new Collector(400, 50),
	frame: makeFrame({ ...METER, control: info(7, 7), segmented: true, information: new Uint8Array(40).fill(0x7e) }),
	meaning: `21 0223 fe more ${"7e".repeat(40)}`,
});
feeds("an HDLC frame with the longest addresses", {
	...common,
	frame: makeFrame({ to: [2, 4, 6, 9], from: [0, 2, 0, 0x23], control: rr(3), information: [1] }),
	meaning: "02040609 00020023 71 last 01",
});

describe("the HDLC decoder", () => {
	it("finds the frames after a frame whose end was lost", () => {
		for (let lost = 1; lost < I_FRAME.length; lost++) {
			const found = decode(join(I_FRAME.subarray(0, I_FRAME.length - lost), UA_FRAME, I_FRAME));
			assert.deepEqual(found.slice(-2), [UA_TEXT, I_TEXT], `${lost} lost`);
		}
	});
	it("finds two frames inside a frame with a wrong check", () => {
		const around = makeFrame({ ...METER, control: UA, information: [1, ...UA_FRAME, 2, ...I_FRAME, 3] });
		around[around.length - 2] ^= 1;
		assert.deepEqual(decode(around), [UA_TEXT, I_TEXT]);
		around[around.length - 2] ^= 1;
		assert.equal(decode(around).length, 1);
	});
	it("completes a frame only when the flag after its check arrives, or after a silence", () => {
		const collector = new Collector();
		collector.take(UA_FRAME, 0, UA_FRAME.length - 1);
		assert.deepEqual(collector.found, []);
		assert.ok(collector.decoder.inside);
		assert.deepEqual(collector.settle(), [UA_TEXT]);
		assert.deepEqual(decode(join(UA_FRAME.subarray(0, -1), [0x55], I_FRAME)), [I_TEXT]);
	});
	it("drops a frame of another type, of an impossible length, or with an address of three or over four bytes", () => {
		for (const text of ["7eb0070321930f017e", "7ea006032193007e", "7ea0080321930f01007e", "7ea009020203219300007e"])
			assert.deepEqual(decode(unhex(text)), [REFUSED], text);
		assert.deepEqual(decode(unhex("7ea00d02020202022193000000007e")), [REFUSED]);
	});
	it("accepts the check values of the standard's example", () => {
		assert.deepEqual(decode(unhex("7ea0070321930f017e")), ["03 21 93 last "]);
		assert.deepEqual(decode(unhex("7ea00802232193bd647e")), ["0223 21 93 last "]);
	});
	it("returns only the header of a frame that is longer than the free space, and reads the next frame", () => {
		// Bytes of flags, format, addresses, control and checks.
		const overhead = 12;
		for (const [size, fits] of [
			[LONG.length + overhead - 1, false],
			[LONG.length + overhead, true],
		] as const) {
			for (const base of [0, 100]) {
				const found = decode(join(I_FRAME, UA_FRAME, I_FRAME), new Collector(base + size, base));
				const one = fits ? I_TEXT : "21 0223 30 last too long";
				assert.deepEqual(found, [one, UA_TEXT, one], `${size} behind ${base}`);
			}
		}
	});
	it("finds no frame inside one that is too long", () => {
		const around = makeFrame({ ...METER, control: UA, information: [...LONG, ...UA_FRAME, ...LONG] });
		assert.deepEqual(decode(join(around, UA_FRAME), new Collector(100)), ["21 0223 73 last too long", UA_TEXT]);
	});
	it("reads a frame of the greatest possible length", () => {
		const longest = makeFrame({ ...METER, control: info(0, 0), information: new Uint8Array(2047 - 10) });
		assert.equal(longest.length, FRAME_LIMIT);
		assert.equal(decode(longest, new Collector(FRAME_LIMIT)).length, 1);
		assert.deepEqual(decode(longest, new Collector(FRAME_LIMIT - 1)), ["21 0223 10 last too long"]);
	});
	it("never needs more than ROOM for a frame without information", () => {
		const frame = makeFrame({ to: [2, 4, 6, 9], from: [0, 2, 0, 0x23], control: rr(3) });
		assert.ok(frame.length <= ROOM);
		assert.equal(decode(frame, new Collector(ROOM)).length, 1);
	});
	it("finds a frame after any bytes and a silence, and writes nothing outside its space", () => {
		fc.assert(
			fc.property(
				fc.array(fc.oneof(fc.uint8Array({ maxLength: 30 }), fc.constantFrom(...garbage, UA_FRAME)), { maxLength: 9 }),
				fc.integer({ min: ROOM, max: 60 }),
				fc.integer({ min: 0, max: 9 }),
				(pieces, room, base) => {
					const collector = new Collector(base + room, base);
					for (const piece of pieces) collector.take(piece, 0, piece.length);
					collector.settle();
					assert.deepEqual(decode(UA_FRAME, collector), [UA_TEXT]);
				},
			),
			{ numRuns: 300 },
		);
	});
	it("completes a frame although `release` lowers the base in the middle of it", () => {
		const decoder = new FrameDecoder(new Uint8Array(100));
		decoder.release(40);
		decoder.read(UA_FRAME, 0, 5);
		decoder.release(0);
		assert.equal(decoder.read(UA_FRAME, 5, UA_FRAME.length), UA_FRAME.length);
		assert.ok(decoder.ready);
		assert.equal(decoder.destinationStart, 3);
	});
});
