import assert from "node:assert/strict";
import { FrameReader, READER_ROOM, seal } from "../../modules/zigbee/unpi.js";
import { type Feedable, feeds, REFUSED } from "../feeds.js";
import { frame } from "./chip.js";
import { trace } from "./trace.js";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

class Reading implements Feedable {
	readonly bytes = new Uint8Array(READER_ROOM);
	readonly reader = new FrameReader(this.bytes);
	#read: string[] = [];

	take(bytes: Uint8Array, start: number, end: number): void {
		const { reader } = this;
		for (let at = start; ; reader.skip()) {
			at = reader.read(bytes, at, end);
			if (!reader.isReady) return;
			const { data, length } = reader;
			this.#read.push(hex(this.bytes.subarray(data - 2, data + length)));
		}
	}

	settle(): string[] {
		const { reader } = this;
		while (reader.isInside) {
			reader.skip();
			if (reader.isReady) this.take(this.bytes, 0, 0);
			else this.#read.push(REFUSED);
		}
		return this.#read.splice(0);
	}
}

for (const body of ["2102", "4180000201020701", `4481${"fe".repeat(250)}`]) {
	feeds(`A frame of ${body.length / 2} bytes`, {
		open: () => new Reading(),
		frame: frame(body),
		meaning: body,
		bits: 8,
		checked: true,
		streams: true,
		garbage: [
			Buffer.of(0),
			Buffer.of(0xfe),
			Buffer.of(0xfe, 0xff),
			Buffer.of(0xef),
			Buffer.from("1ac1020b0a527e", "hex"),
		],
	});
}

describe("Frames of the UART", () => {
	it("are built as in TI's examples", () => {
		assert.equal(hex(frame("2102")), "fe00210223");
		assert.equal(hex(frame("410001")), "fe0141000141");
		assert.equal(hex(frame("4180000201020701")), "fe064180000201020701c0");
	});

	it("are built in the middle of a buffer, without a change to the rest", () => {
		const bytes = new Uint8Array(12).fill(0xaa);
		bytes.set([0x21, 0x02], 5);
		assert.equal(seal(bytes, 3, 2), 8);
		assert.equal(hex(bytes), "aaaaaafe00210223aaaaaaaa");
	});

	it("are found inside what looked like the beginning of a longer frame", () => {
		const reading = new Reading();
		const all = Buffer.concat([Buffer.of(0xfe, 40, 0x44), frame("610001"), frame("6102aabb"), Buffer.alloc(60)]);
		reading.take(all, 0, all.length);
		assert.deepEqual(
			reading.settle().filter((one) => one !== REFUSED),
			["610001", "6102aabb"],
		);
	});

	it("are found after any amount of garbage", () => {
		let seed = 7;
		const random = () => {
			seed = (seed * 1103515245 + 12345) % 0x80000000;
			return seed >> 16;
		};
		for (let run = 0; run < 300; run++) {
			const reading = new Reading();
			// Start bytes and plausible lengths occur more often than by chance.
			const garbage = Uint8Array.from({ length: random() % 700 }, () => [0xfe, 0xfa, 3, random() & 0xff][random() & 3]);
			reading.take(garbage, 0, garbage.length);
			reading.settle();
			const good = frame("4f80000100");
			reading.take(good, 0, good.length);
			assert.deepEqual(reading.settle(), ["4f80000100"], `run ${run}`);
		}
	});

	it("are built and read unchanged, for each frame of the trace", () => {
		const bodies = trace().map(({ body }) => body);
		assert.ok(bodies.length > 100);
		const reading = new Reading();
		const stream = Buffer.concat(bodies.map(frame));
		for (let at = 0; at < stream.length; at += 7) reading.take(stream, at, Math.min(stream.length, at + 7));
		assert.deepEqual(reading.settle(), bodies);
	});
});
