/**
 * An attacker on the line of a meter that pushes DLMS/COSEM: replays, changed, truncated and endless messages, sealed
 * with the meter's keys and title or with others. The only value of a good push is its invocation counter, so a readout
 * shows which push was accepted.
 */
import { protect } from "../../tools/meter/dlms-cipher.js";
import { blockPush, hdlcPush, mbusPush } from "../../tools/meter/push-frames.js";
import type { Mutator } from "./mutator.js";

export const KEYS = { encryption: Buffer.alloc(16, 0x11), authentication: Buffer.alloc(16, 0x22) };
const OTHER_KEYS = { encryption: Buffer.alloc(16, 0x33), authentication: Buffer.alloc(16, 0x44) };
const TITLE = Buffer.from("475753000000bc61", "hex");
const OTHER_TITLE = Buffer.from("475753000000bc62", "hex");
/** Security control: encrypted and authenticated. */
const BOTH = 0x30;
/** Record of a good push, followed by counter and unit. */
export const RECORD = "1-0:1.8.0*255: ";

function notification(value: number): Buffer {
	const plain = Buffer.from("0f0000000100020309060100010800ff060000000002020f00161e", "hex");
	plain.writeUInt32BE(value >>> 0, plain.indexOf("06000000000202", 0, "hex") + 1);
	return plain;
}

/** Values that break a decoder without checks. */
const STRUCTURES = [
	"0f0000000100 0284ffffffff 0600000001",
	`0f0000000100 ${"0201".repeat(300)}`,
	"0f0000000100 0101 0984ffffffff",
	"0f0000000100 0102 0482ffff 00",
	"0f0000000100 0103 13 02ff 0101ffff 05 820fff",
	"0f0000000100 0182ffff 00",
	`0f0000000100 02fa ${"09060100010800ff0600000007".repeat(100)}`,
	`0f0000000100 0102 09060100010800ff 0981ff${"41".repeat(255)}`,
	"0f0000000100 0204 0101 0204 120003 09060100010800ff 0f02 120000 0600000009 0600000009 0600000009",
	"0f000000010cffffffffffffffffffffffff 0101 0600000001",
	"0f0000000100 0203 09060100010800ff 1400000000000000ff 02020f7f16ff",
	"0f0000000100 0203 09060100010800ff 18ffffffffffffffff 02020f80161e",
	"2f41414135780a312e382e302831290a210d0a",
	"c401c100",
	"",
];

export class HostilePusher {
	/** The last invocation counter used. */
	counter = 0;
	/** The last result of `odd` used the keys, so any content is valid. */
	isForged = false;
	/** Good pushes, as sent. */
	readonly #recorded: Uint8Array[] = [];

	/** A valid push with a new counter. */
	good(mutator: Mutator, step = 1): Uint8Array {
		this.counter += step;
		const bytes = frame(mutator, seal(notification(this.counter), this.counter));
		if (this.#recorded.length < 50) this.#recorded.push(bytes);
		return bytes;
	}

	/** Hostile bytes. The gateway may accept only a good push with a new counter from them. */
	odd(mutator: Mutator): Uint8Array {
		const { random } = mutator;
		const last = this.counter;
		const next = ++this.counter;
		const plain = notification(next);
		const push = seal(plain, next);
		this.isForged = false;
		switch (random.below(14)) {
			case 0:
				return mutator.mutate(this.good(mutator), frame(mutator, push));
			case 1:
				return frame(mutator, mutator.mutate(push, push));
			case 2:
				return mutator.pick(this.#recorded) ?? new Uint8Array(0);
			case 3:
				return this.good(mutator, 1 + random.below(100_000));
			case 4:
				return frame(mutator, seal(plain, next, { keys: OTHER_KEYS }));
			case 5:
				return frame(mutator, seal(plain, next, { title: OTHER_TITLE }));
			case 6:
				return frame(mutator, seal(plain, next, { control: mutator.pick([0x00, 0x20, 0x50, 0x70, 0xb0, 0x32, 0x3f]) }));
			case 7:
				return frame(mutator, plain);
			case 8:
				return endless(mutator, push);
			case 9: {
				this.isForged = true;
				const structure = Buffer.from(mutator.pick(STRUCTURES).replaceAll(" ", ""), "hex");
				return frame(mutator, seal(random.oneIn(2) ? structure : mutator.mutate(plain, structure), next));
			}
			case 10: {
				// The tag does not cover the length of the title.
				const again = seal(notification(last), last);
				const title = mutator.pick([[0x81, 8], [0x82, 0, 8], [0], [0x84, 0xff, 0xff, 0xff, 0xff]]);
				return frame(mutator, Buffer.concat([again.subarray(0, 1), Buffer.from(title), again.subarray(2)]));
			}
			case 11:
				return Buffer.concat([...Array(3)].map(() => frame(mutator, push).subarray(0, random.below(60))));
			case 12:
				return frame(mutator, Buffer.concat([push.subarray(0, 10), Buffer.of(0x82, 0xff, 0xff), random.bytes(2500)]));
			default:
				return random.bytes(random.below(400));
		}
	}
}

interface Sealing {
	readonly keys?: typeof KEYS;
	readonly title?: Uint8Array;
	readonly control?: number;
}

function seal(
	plain: Uint8Array,
	counter: number,
	{ keys = KEYS, title = TITLE, control = BOTH }: Sealing = {},
): Buffer {
	const body = protect(keys, { title, counter }, control, plain);
	const length = Buffer.of(0x82, body.length >> 8, body.length & 0xff);
	return Buffer.concat([Buffer.of(counter % 3 === 0 ? 0xdc : 0xdb, title.length), title, length, body]);
}

function frame(mutator: Mutator, apdu: Uint8Array): Uint8Array {
	const { random } = mutator;
	switch (random.below(4)) {
		case 0:
			return hdlcPush(apdu, 12 + random.below(500));
		case 1:
			return blockPush(apdu, 1 + random.below(120));
		case 2:
			return mbusPush(apdu, mutator.pick([20, 245, 252]));
		default:
			return apdu;
	}
}

/** Blocks or segments without the last. */
function endless(mutator: Mutator, apdu: Uint8Array): Uint8Array {
	const { random } = mutator;
	const long = Buffer.concat([apdu, random.bytes(200 + random.below(6000))]);
	const size = mutator.pick([30, 60, 120]);
	const bytes = mutator.pick([blockPush(long, size), hdlcPush(long, size), mbusPush(long, size)]);
	// Cut off the last block or segment.
	return bytes.subarray(0, bytes.length - size);
}
