/**
 * Tests that every decoder of external bytes must pass: it gets a frame whole, byte by byte, in random pieces, twice in
 * a row, after garbage, cut at every place, and with each bit flipped.
 */
import assert from "node:assert/strict";
import fc from "fast-check";

/** Returned in place of a meaning when the decoder has detected an error. */
export const REFUSED = "refused";

export interface Feedable {
	/** Takes `bytes[start..end)`; the buffer is overwritten afterwards. */
	take(bytes: Uint8Array, start: number, end: number): void;
	/**
	 * Called when the sender is silent. Returns the meanings decoded since the last call, as complete texts in order,
	 * or REFUSED. If the decoder must be reset before another frame, as its user does, this method does so.
	 */
	settle(): string[];
}

export interface Feed {
	/** A new decoder. */
	open(): Feedable;
	readonly frame: Uint8Array;
	/** Meaning of the frame. */
	readonly meaning: string;
	/** Bits of a character that can be flipped on the line: 8, or 7 if the eighth is not carried. */
	readonly bits: number;
	/**
	 * True: the frame has a check, so that a flipped bit gives REFUSED or has no effect. False: it may give another
	 * meaning, but the next frame is decoded.
	 */
	readonly checked: boolean;
	/** True: frames may follow each other without a silence. */
	readonly streams: boolean;
	/** Number of bytes at the end of the frame that may be missing when the decoder already knows the meaning. */
	readonly spare?: number;
	/** Bytes that may precede a frame. */
	readonly garbage?: readonly Uint8Array[];
}

/** Declares the tests of a decoder and a frame. */
export function feeds(name: string, feed: Feed): void {
	const { frame, meaning, streams } = feed;
	const spare = feed.spare ?? 0;

	describe(name, () => {
		it("is decoded as a whole", () => assert.deepEqual(fed(feed.open(), frame), [meaning]));

		it("is decoded byte by byte", () => assert.deepEqual(fed(feed.open(), frame, [1]), [meaning]));

		it("is decoded in random pieces", () => {
			const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });
			fc.assert(
				fc.property(pieces, (sizes) => assert.deepEqual(fed(feed.open(), frame, sizes), [meaning])),
				{ numRuns: 50 },
			);
		});

		it("is decoded twice in a row", () => {
			const decoder = feed.open();
			if (streams) assert.deepEqual(fed(decoder, join(frame, frame), [7]), [meaning, meaning]);
			else for (let i = 0; i < 2; i++) assert.deepEqual(fed(decoder, frame, [7]), [meaning]);
		});

		for (const garbage of feed.garbage ?? []) {
			it(`is decoded after ${JSON.stringify(Buffer.from(garbage).toString("latin1"))}`, () => {
				const decoder = feed.open();
				assert.equal(fed(decoder, join(garbage, frame), [5]).at(-1), meaning);
				assert.deepEqual(fed(decoder, frame), [meaning]);
			});
		}

		it("is decoded after a copy that was truncated at any place", () => {
			for (let length = 0; length < frame.length; length++) {
				const decoder = feed.open();
				const cut = fed(decoder, frame.subarray(0, length));
				const isWhole = length >= frame.length - spare;
				for (const one of cut) {
					assert.ok(one === REFUSED || (isWhole && one === meaning), `cut after ${length} gave ${one}`);
				}
				assert.deepEqual(fed(decoder, frame), [meaning], `after a cut after ${length}`);
			}
		});

		it("is decoded after a copy with any one bit flipped", () => {
			for (let at = 0; at < frame.length; at++) {
				for (let bit = 0; bit < feed.bits; bit++) checkFlip(feed, at, bit);
			}
		});
	});
}

function checkFlip(feed: Feed, at: number, bit: number): void {
	const { frame, meaning, checked, streams } = feed;
	const where = `bit ${bit} of byte ${at}`;
	const damaged = frame.slice();
	damaged[at] ^= 1 << bit;
	const decoder = feed.open();
	if (checked) {
		for (const one of fed(decoder, damaged)) assert.ok(one === meaning || one === REFUSED, `${where} gave ${one}`);
	} else fed(decoder, damaged);
	assert.deepEqual(fed(decoder, frame), [meaning], `after ${where}`);
	if (streams) assert.equal(fed(feed.open(), join(damaged, frame)).at(-1), meaning, `right after ${where}`);
}

/** Feeds all bytes in pieces of these sizes, repeated (default: one piece), then a silence. */
function fed(decoder: Feedable, bytes: Uint8Array, sizes: readonly number[] = [bytes.length]): string[] {
	for (let at = 0, i = 0; at < bytes.length; i++) {
		const end = Math.min(bytes.length, at + sizes[i % sizes.length]);
		// The piece is in the middle of a buffer that is overwritten afterwards, like a port's.
		const buffer = new Uint8Array(end - at + 4).fill(0x2a);
		buffer.set(bytes.subarray(at, end), 2);
		decoder.take(buffer, 2, 2 + end - at);
		buffer.fill(0x2f);
		at = end;
	}
	return decoder.settle();
}

function join(...parts: Uint8Array[]): Uint8Array {
	return new Uint8Array(Buffer.concat(parts));
}
