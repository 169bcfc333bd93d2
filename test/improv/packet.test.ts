import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { DATA_AT, PACKET_COMMAND, PACKET_STATE, PacketReader, PacketWriter } from "../../modules/improv/packet.js";
import { CONSOLE_ROOM } from "../../modules/io/host.js";
import { packet } from "./packets.js";

const text = new NodeText();

/** Data of the sound packets in the bytes, as a reader is given them in pieces of `next()` bytes at most. */
function read(bytes: Uint8Array, next: () => number): string[] {
	const reader = new PacketReader();
	const found: string[] = [];
	for (let at = 0; at < bytes.length; ) {
		const end = Math.min(bytes.length, at + Math.max(1, Math.min(reader.wanted, next())));
		const isWhole = reader.push(bytes, at, end);
		at = end;
		if (!isWhole) continue;
		const data = Buffer.from(reader.bytes.subarray(DATA_AT, reader.end)).toString("latin1");
		found.push(`${reader.type} ${reader.isSound ? "" : "damaged "}${data}`);
	}
	return found;
}

describe("Packets of Improv", () => {
	const line = Buffer.concat([
		Buffer.from("boot: IMIMPRO\nIMPROV\u0001"),
		Buffer.from("no packet\r\n"),
		packet(PACKET_COMMAND, [...Buffer.from("one")]),
		Buffer.from("network: not connected, reason 2"),
		packet(PACKET_STATE, []),
		packet(PACKET_COMMAND, Array<number>(255).fill(73)),
	]);

	it("are found between text, in whatever pieces they come", () => {
		// The text that begins like a packet takes what it says is its length.
		const expected = ["3 one", "1 ", `3 ${"I".repeat(255)}`];
		const clean = line.subarray(line.indexOf("no packet"));
		const random = new SeededRandom(1);
		for (const next of [() => 1, () => 1000, () => 1 + random.below(12)]) assert.deepEqual(read(clean, next), expected);
	});

	it("are found again after what only begins like one, and nothing throws whatever comes", () => {
		assert.ok(read(Buffer.concat([line, line]), () => 5).includes("3 one"));
		const random = new SeededRandom(2);
		for (let round = 0; round < 200; round++) {
			const damaged = Buffer.concat([line, packet(PACKET_COMMAND, [1, 2, 3])]);
			for (let i = 0; i < 5; i++) damaged[random.below(damaged.length)] = random.below(256);
			read(damaged, () => 1 + random.below(40));
		}
	});

	it("tell a wrong sum", () => {
		const wrong = packet(PACKET_COMMAND, [1, 0]);
		wrong[wrong.length - 2]++;
		assert.deepEqual(
			read(wrong, () => 9),
			["3 damaged \u0001\u0000"],
		);
	});

	it("are made with a line end before and behind, never 10 bytes of data, and cut where there is no room", () => {
		const writer = new PacketWriter(text);
		for (let length = 0; length < 200; length++) {
			writer.result(5, ["x".repeat(length)]);
			assert.ok(writer.length <= CONSOLE_ROOM);
			const made = Buffer.from(writer.bytes.subarray(0, writer.length));
			const data = [...made.subarray(10, -2)];
			assert.notEqual(data.length, 10);
			assert.deepEqual(made, Buffer.concat([Buffer.from("\n"), packet(4, data)]));
			assert.equal(data[1], data.length - 2);
			const kept = Math.min(length, CONSOLE_ROOM - 15);
			assert.deepEqual(data.slice(2, 3 + kept), [kept, ...Buffer.from("x".repeat(kept))]);
		}
	});
});
