import assert from "node:assert/strict";
import { FrameSender, WITH_LLC, WITH_MORE } from "../../modules/hdlc/sender.js";
import { OUTPUT_NONE, OUTPUT_TRANSMIT, type Output } from "../../modules/io/machine.js";
import { type ExpectedFrame, frameVectors, hex, makeFrame, unhex } from "./frames.js";

const LLC = "e6e600";

/** Pieces of the current frame. */
function pieces(sender: FrameSender): Uint8Array[] {
	const output: Output = { kind: OUTPUT_NONE, bytes: sender.head, start: 0, end: 0, baud: 0, format: 0, code: 0 };
	const found: Uint8Array[] = [];
	while (sender.busy) {
		sender.next(output);
		assert.equal(output.kind, OUTPUT_TRANSMIT);
		found.push(output.bytes.slice(output.start, output.end));
	}
	return found;
}

/** The address in these bytes. */
function addressOf(destination: string, source: string) {
	const parts = [...unhex(destination)].map((byte) => byte >> 1);
	const [logical, physical] =
		parts.length === 4 ? [parts[0] * 128 + parts[1], parts[2] * 128 + parts[3]] : [parts[0], parts[1] ?? 0];
	return { client: unhex(source)[0] >> 1, logical, physical, length: parts.length };
}

function send(frame: ExpectedFrame): Uint8Array {
	const { destination, source, information } = frame;
	const sender = new FrameSender(addressOf(destination, source));
	const isFirst = information.startsWith(LLC);
	const bytes = unhex(`ff${information}ff`);
	sender.carry(bytes, isFirst ? 4 : 1, bytes.length - 1);
	assert.ok(!sender.busy);
	sender.begin(Number.parseInt(frame.control, 16), (isFirst ? WITH_LLC : 0) | (frame.segmented ? WITH_MORE : 0));
	const sent = Buffer.concat(pieces(sender));
	assert.equal(sender.frameLength(information.length / 2), sent.length);
	return sent;
}

describe("the sender of HDLC frames", () => {
	let count = 0;
	for (const { name, bytes, frames } of frameVectors()) {
		const own = frames.filter((frame) => frame.check === "right" && frame.source.length === 2);
		if (own.length === 0) continue;
		count += own.length;
		it(`reproduces the frames of ${name} bit for bit`, () => {
			const captured = hex(bytes);
			for (const frame of own) assert.ok(captured.includes(hex(send(frame))), JSON.stringify(frame));
		});
	}
	it("is compared with at least 40 captured frames", () => assert.ok(count >= 40, `${count} frames`));

	it("outputs a frame without information at once, and a long one in pieces that fit a link", () => {
		const sender = new FrameSender({ client: 16, logical: 1, physical: 17, length: 0 });
		sender.begin(0x93, 0);
		assert.deepEqual(pieces(sender).map(hex), ["7ea00802232193bd647e"]);
		const long = Uint8Array.from({ length: 300 }, (_, i) => i);
		sender.carry(long, 0, long.length);
		sender.begin(0x10, WITH_LLC);
		const found = pieces(sender);
		assert.deepEqual(
			found.map((piece) => piece.length),
			[12, 128, 128, 44, 3],
		);
		const information = [0xe6, 0xe6, 0, ...long];
		const whole = makeFrame({ to: [0x02, 0x23], from: [0x21], control: 0x10, information });
		assert.equal(hex(Buffer.concat(found)), hex(whole));
		// The next frame has no bytes of the last one.
		sender.begin(0x93, 0);
		assert.deepEqual(pieces(sender).map(hex), ["7ea00802232193bd647e"]);
	});
	it("makes frames with the longest addresses", () => {
		const sender = new FrameSender({ client: 127, logical: 16383, physical: 16382, length: 4 });
		sender.carry(unhex("0102"), 0, 2);
		sender.begin(0x54, WITH_LLC | WITH_MORE);
		const to = [0xfe, 0xfe, 0xfe, 0xfd];
		const parts = { to, from: [0xff], control: 0x54, information: unhex(`${LLC}0102`), segmented: true };
		assert.equal(hex(Buffer.concat(pieces(sender))), hex(makeFrame(parts)));
	});
});
