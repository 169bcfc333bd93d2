/** MQTT packets of the gateway, read by npm's mqtt-packet, and packets of mqtt-packet, read by the gateway. */
import assert from "node:assert/strict";
import mqtt from "mqtt-packet";
import { NodeText } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import {
	CONNACK,
	encodeAcknowledge,
	encodeConnect,
	encodeDisconnect,
	encodePing,
	encodePublish,
	encodeSubscribe,
	KEPT_LIMIT,
	NO_ID,
	PACKET_LIMIT,
	PacketReader,
	PINGRESP,
	PUBACK,
	PUBLISH,
	SUBACK,
} from "../../modules/mqtt/packet.js";
import { feeds, REFUSED } from "../feeds.js";

const RUNS = 500;
const text = new NodeText();

/** Packets that mqtt-packet reads from the bytes. */
function parse(...bytes: Uint8Array[]): mqtt.Packet[] {
	const packets: mqtt.Packet[] = [];
	const parser = mqtt.parser({ protocolVersion: 4 });
	parser.on("packet", (packet) => packets.push(packet));
	parser.on("error", (error) => assert.fail(error));
	for (const piece of bytes) parser.parse(Buffer.from(piece));
	return packets;
}

/** Packets that the gateway's reader reads from the bytes, one per line. */
function read(reader: PacketReader, bytes: Uint8Array, start: number, end: number): string[] {
	const lines: string[] = [];
	let at = start;
	while (at < end && !reader.isBad) {
		at = reader.take(bytes, at, end);
		if (reader.isBad) lines.push(REFUSED);
		else if (reader.isWhole) lines.push(describePacket(reader));
	}
	return lines;
}

function describePacket(reader: PacketReader): string {
	const { type, length, kept, qos, payloadAt } = reader;
	if (type === CONNACK) return `connack ${kept[1]}`;
	if (type === PUBACK) return `puback ${reader.number(0)}`;
	if (type === SUBACK) return `suback ${reader.number(0)} ${kept[2]}`;
	if (type === PINGRESP) return "pingresp";
	assert.equal(type, PUBLISH);
	if (payloadAt === 0) return `publish ${qos} long ${length}`;
	const topic = Buffer.from(kept.subarray(2, 2 + reader.number(0))).toString();
	const id = qos > 0 ? reader.number(payloadAt - 2) : 0;
	return `publish ${qos} ${id} ${topic} ${Buffer.from(kept.subarray(payloadAt, Math.min(length, KEPT_LIMIT))).toString()}`;
}

function textOf(random: SeededRandom, limit: number): string {
	const letters = ["a", "Z", "0", "-", "/", " ", "ä", "€", "漢", "\u{1f50c}"];
	return Array.from({ length: random.below(limit + 1) }, () => letters[random.below(letters.length)]).join("");
}

describe("Sent MQTT packets", () => {
	it("are read correctly by mqtt-packet", () => {
		const random = new SeededRandom(311);
		for (let run = 0; run < RUNS; run++) {
			const fields = {
				clientId: textOf(random, 30),
				user: textOf(random, 20),
				password: textOf(random, 200),
				willTopic: `${textOf(random, 60)}t`,
				willMessage: textOf(random, 20),
			};
			const { user, password } = fields;
			const keepAliveS = random.below(65_536);
			const [connect] = parse(encodeConnect(text, fields, keepAliveS));
			assert.equal(connect?.cmd, "connect");
			assert.ok(connect.cmd === "connect");
			assert.equal(connect.protocolId, "MQTT");
			assert.equal(connect.protocolVersion, 4);
			assert.equal(connect.clean, true);
			assert.equal(connect.keepalive, keepAliveS);
			assert.equal(connect.clientId, fields.clientId);
			assert.equal(connect.username, user === "" && password === "" ? undefined : user);
			assert.equal(connect.password?.toString(), password === "" ? undefined : password);
			const { topic, payload, qos, retain } = connect.will!;
			assert.deepEqual([topic, payload?.toString(), qos, retain], [fields.willTopic, fields.willMessage, 1, true]);

			const payloadBytes = random.bytes([0, 1, 100, 127, 128, 16_383, 16_384][random.below(7)]);
			const name = `${textOf(random, 40)}x`;
			const id = 1 + random.below(65_535);
			const [publish] = parse(encodePublish(text.encode(name), id, payloadBytes.length, true), payloadBytes);
			assert.ok(publish?.cmd === "publish");
			assert.deepEqual(
				[publish.topic, publish.messageId, publish.retain, publish.qos, publish.dup],
				[name, id, true, 1, false],
			);
			assert.ok(Buffer.from(publish.payload).equals(payloadBytes));

			const [unanswered] = parse(encodePublish(text.encode(name), NO_ID, payloadBytes.length, false), payloadBytes);
			assert.ok(unanswered?.cmd === "publish");
			assert.deepEqual([unanswered.topic, unanswered.retain, unanswered.qos, unanswered.dup], [name, false, 0, false]);
			assert.ok(Buffer.from(unanswered.payload).equals(payloadBytes));

			const [subscribe] = parse(encodeSubscribe([text.encode(name)], id));
			assert.ok(subscribe?.cmd === "subscribe");
			assert.deepEqual([subscribe.messageId, subscribe.subscriptions], [id, [{ topic: name, qos: 0 }]]);
			const [both] = parse(encodeSubscribe([text.encode(name), text.encode("a/b")], id));
			assert.ok(both?.cmd === "subscribe");
			assert.deepEqual(both.subscriptions, [
				{ topic: name, qos: 0 },
				{ topic: "a/b", qos: 0 },
			]);
			const [acknowledge] = parse(encodeAcknowledge(id));
			assert.deepEqual([acknowledge?.cmd, acknowledge?.messageId], ["puback", id]);
		}
		assert.deepEqual(
			parse(encodePing(), encodeDisconnect()).map(({ cmd }) => cmd),
			["pingreq", "disconnect"],
		);
	});

	it("are refused if a field or the whole packet is longer than MQTT allows", () => {
		const topic = new Uint8Array(0x10000);
		assert.throws(() => encodePublish(topic, 1, 0, true), RangeError);
		assert.throws(() => encodePublish(topic.subarray(1), 1, 268_435_455, true), RangeError);
		assert.equal(encodePublish(text.encode("a"), 1, 268_435_455 - 5, true)[4], 0x7f);
	});
});

describe("Received MQTT packets", () => {
	it("are read as mqtt-packet has written them, however they are split", () => {
		const random = new SeededRandom(5);
		for (let run = 0; run < RUNS; run++) {
			const id = 1 + random.below(65_535);
			const qos = random.below(2) as 0 | 1;
			const topic = `${textOf(random, 12)}t`;
			const payload = textOf(random, 3);
			const packets: [mqtt.Packet, string][] = [
				[{ cmd: "connack", returnCode: random.below(6), sessionPresent: false }, "connack"],
				[{ cmd: "puback", messageId: id }, `puback ${id}`],
				[{ cmd: "suback", messageId: id, granted: [[0, 1, 2, 128][random.below(4)]] }, `suback ${id}`],
				[{ cmd: "pingresp" }, "pingresp"],
				[
					{ cmd: "publish", topic, payload, qos, dup: false, retain: random.oneIn(2), messageId: id },
					`publish ${qos} ${qos === 0 ? 0 : id} ${topic} ${payload}`,
				],
				[
					{
						cmd: "publish",
						topic: "x".repeat(KEPT_LIMIT),
						payload: "y".repeat(random.below(1900)),
						qos: 0,
						dup: false,
						retain: false,
					},
					"publish 0 long",
				],
			];
			const chosen = Array.from({ length: 1 + random.below(4) }, () => packets[random.below(packets.length)]);
			const bytes = Buffer.concat(chosen.map(([packet]) => mqtt.generate(packet)));
			const reader = new PacketReader();
			const lines: string[] = [];
			for (let at = 0; at < bytes.length; ) {
				const end = Math.min(bytes.length, at + 1 + random.below(40));
				lines.push(...read(reader, bytes, at, end));
				at = end;
			}
			assert.equal(lines.length, chosen.length);
			for (const [i, [packet, line]] of chosen.entries()) {
				const isKept = packet.cmd !== "publish" || Buffer.byteLength(topic) + 8 + payload.length * 4 < KEPT_LIMIT;
				if (isKept) assert.ok(lines[i].startsWith(line), `${lines[i]} for ${line}`);
				if (packet.cmd === "connack") assert.equal(lines[i], `connack ${packet.returnCode}`);
			}
		}
	});

	const nonsense: Record<string, string> = {
		"a packet of a client": "101000044d5154540402003c000461626364",
		"an answer without a request": "50020001",
		"reserved flags": "21020000",
		"a CONNACK of another length": "2003000000",
		"a previous session": "20020100",
		"an unknown return code": "20020006",
		"a PUBACK with identifier 0": "40020000",
		"a SUBACK for four topics": "9006000100000000",
		"a SUBACK with a reserved code": "9003000103",
		"a SUBACK with a reserved code for the second topic": "900400010003",
		"a PINGRESP with a payload": "d00100",
		"QoS 2": "340700016100016262",
		"QoS 3": "360700016100016262",
		"QoS 0 sent again": "380500016161",
		"QoS 1 without an identifier": "3203000161",
		"QoS 1 with identifier 0": "320500016100006261",
		"an empty topic": "30040000abcd",
		"a topic longer than its packet": "300400ffabcd",
		"a length of five digits": "30ffffffff01",
		"a packet beyond PACKET_LIMIT": "308180010001",
		"a web page": Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n").toString("hex"),
		"a TLS alert": "15030300020246",
	};
	for (const [name, hex] of Object.entries(nonsense)) {
		it(`are rejected: ${name}`, () => {
			const bytes = Buffer.from(hex, "hex");
			const reader = new PacketReader();
			assert.deepEqual(read(reader, bytes, 0, bytes.length), [REFUSED]);
			// The reader also rejects everything after an invalid packet.
			const sound = Buffer.from("d000", "hex");
			assert.equal(reader.take(sound, 0, 2), 0);
			assert.ok(reader.isBad);
		});
	}

	it("is stored as a whole if memory suffices, and the next one is not", () => {
		const asked: number[] = [];
		const keeping = new PacketReader();
		keeping.mayKeep = (length) => asked.push(length) < 2;
		const packet = Buffer.concat([Buffer.of(0x30, 0x80, 0x20, 0, 1, 0x61), Buffer.alloc(4096 - 3, "x")]);
		let at = 0;
		for (const isKept of [true, false]) {
			at = 0;
			while (at < packet.length) at = keeping.take(packet, at, Math.min(packet.length, at + 100));
			assert.ok(keeping.isWhole);
			assert.deepEqual([keeping.length, keeping.kept.length], [4096, isKept ? 4096 : KEPT_LIMIT]);
			if (isKept) assert.ok(packet.subarray(3).equals(keeping.kept));
		}
		assert.deepEqual(asked, [4096, 4096]);
		keeping.take(Buffer.of(0xd0, 0), 0, 2);
		assert.equal(keeping.kept.length, KEPT_LIMIT);
	});

	it("may be as long as PACKET_LIMIT", () => {
		const reader = new PacketReader();
		const packet = Buffer.concat([Buffer.of(0x30, 0x80, 0x80, 0x01, 0, 1, 0x61), Buffer.alloc(PACKET_LIMIT - 3)]);
		assert.deepEqual(read(reader, packet, 0, packet.length), [`publish 0 0 a ${"\0".repeat(KEPT_LIMIT - 3)}`]);
	});
});

feeds("An MQTT packet", {
	open: () => {
		let reader = new PacketReader();
		let lines: string[] = [];
		return {
			take: (bytes, start, end) => {
				lines.push(...read(reader, bytes, start, end));
			},
			settle: () => {
				// A connection ends with a cut or invalid packet; the next has a new reader.
				reader = new PacketReader();
				const result = lines;
				lines = [];
				return result;
			},
		};
	},
	frame: new Uint8Array(
		mqtt.generate({
			cmd: "publish",
			topic: "homeassistant/status",
			payload: "online",
			qos: 0,
			dup: false,
			retain: false,
		}),
	),
	meaning: "publish 0 0 homeassistant/status online",
	bits: 8,
	checked: false,
	streams: false,
});
