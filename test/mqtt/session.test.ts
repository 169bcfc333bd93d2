/** A session without a connection: every event in every state, splits, invalid packets, keep-alive. */
import assert from "node:assert/strict";
import mqtt from "mqtt-packet";
import { NodeText } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import {
	ANSWER_MS,
	END_LOST,
	END_NONSENSE,
	END_SILENT,
	END_UNGREETED,
	END_WELL,
	type Message,
	SESSION_ENDED,
	SESSION_GREETING,
	SESSION_LEAVING,
	SESSION_READY,
	Session,
} from "../../modules/mqtt/session.js";

const text = new NodeText();
const TOPIC = "homeassistant/status";
const OTHER_TOPIC = "smgw/1/command";

class Payload implements Message {
	readonly isRetained = true;
	readonly topic = text.encode("a/b");
	readonly length: number;
	readonly #bytes: Uint8Array;
	#at = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
		this.length = bytes.length;
	}

	read(into: Uint8Array, start: number, end: number): number {
		// A source need not fill all of the room.
		const piece = this.#bytes.subarray(this.#at, this.#at + Math.min(end - start, 7));
		into.set(piece, start);
		this.#at += piece.length;
		return piece.length;
	}
}

/** A session and its output. */
class Bed {
	nowMs = 1000;
	readonly packets: mqtt.Packet[] = [];
	/** Received messages, as `topic payload`, and `retained` at the end of a retained one. */
	readonly messages: string[] = [];
	readonly session = new Session(
		{
			text,
			clientId: "id",
			user: "",
			password: "",
			willTopic: "w",
			willMessage: "offline",
			listenTo: [TOPIC, OTHER_TOPIC],
			files: undefined,
			listener: {
				arrived: (topic, payload, isRetained) =>
					this.messages.push(`${topic} ${payload}${isRetained ? " retained" : ""}`),
			},
		},
		this.nowMs,
	);
	readonly #parser = mqtt.parser({ protocolVersion: 4 });

	constructor() {
		this.#parser.on("packet", (packet) => this.packets.push(packet));
	}

	/** Reads all output of the session, `room` bytes at a time. */
	flush(room = 64): this {
		const buffer = new Uint8Array(room + 2);
		for (;;) {
			const count = this.session.take(buffer, 1, 1 + room, this.nowMs);
			if (count === 0) return this;
			this.#parser.parse(Buffer.from(buffer.subarray(1, 1 + count)));
		}
	}

	receive(bytes: Uint8Array, size = bytes.length): this {
		for (let at = 0; at < bytes.length; at += size) {
			const piece = Buffer.concat([Buffer.from([0xff]), bytes.subarray(at, at + size)]);
			this.session.receive(piece, 1, piece.length, this.nowMs);
			piece.fill(0);
		}
		return this;
	}

	deliver(packet: mqtt.Packet, size?: number): this {
		return this.receive(mqtt.generate(packet), size);
	}

	ready(): this {
		return this.flush().deliver({ cmd: "connack", returnCode: 0, sessionPresent: false }).flush();
	}

	get commands(): string[] {
		return this.packets.map(({ cmd }) => cmd);
	}

	wait(ms: number): this {
		this.nowMs += ms;
		this.session.advance(this.nowMs);
		return this;
	}
}

function bedIn(state: number): Bed {
	const bed = new Bed();
	if (state === SESSION_GREETING) bed.flush();
	else bed.ready();
	if (state >= SESSION_LEAVING) bed.session.leave(bed.nowMs);
	if (state === SESSION_ENDED) bed.flush();
	assert.equal(bed.session.state, state);
	return bed;
}

const puback = (messageId: number): mqtt.Packet => ({ cmd: "puback", messageId });
const message = (topic: string, payload: string, qos: 0 | 1 = 0, messageId = 9): mqtt.Packet => ({
	cmd: "publish",
	topic,
	payload,
	qos,
	messageId,
	dup: false,
	retain: false,
});

describe("An MQTT session", () => {
	it("ends if the subscription can't be sent in time", () => {
		const bed = new Bed().flush().deliver({ cmd: "connack", returnCode: 0, sessionPresent: false });
		assert.equal(bed.session.state, SESSION_READY);
		bed.wait(ANSWER_MS - 1);
		assert.equal(bed.session.state, SESSION_READY);
		bed.wait(1);
		assert.deepEqual([bed.session.state, bed.session.end], [SESSION_ENDED, END_SILENT]);
	});

	const E = SESSION_ENDED;
	const rows: [string, (bed: Bed) => void, number[], number[]][] = [
		[
			"CONNACK 0",
			(bed) => bed.deliver({ cmd: "connack", returnCode: 0, sessionPresent: false }),
			[SESSION_READY, E, SESSION_LEAVING, E],
			[0, END_NONSENSE, 0, 0],
		],
		[
			"CONNACK 5",
			(bed) => bed.deliver({ cmd: "connack", returnCode: 5, sessionPresent: false }),
			[E, E, SESSION_LEAVING, E],
			[5, END_NONSENSE, 0, 0],
		],
		[
			"a PUBACK without a message",
			(bed) => bed.deliver(puback(2)),
			[E, E, SESSION_LEAVING, E],
			[END_NONSENSE, END_NONSENSE, 0, 0],
		],
		[
			"an unexpected PINGRESP",
			(bed) => bed.deliver({ cmd: "pingresp" }),
			[E, E, SESSION_LEAVING, E],
			[END_NONSENSE, END_NONSENSE, 0, 0],
		],
		[
			"a PUBLISH",
			(bed) => bed.deliver(message(TOPIC, "online")),
			[E, SESSION_READY, SESSION_LEAVING, E],
			[END_NONSENSE, 0, 0, 0],
		],
		[
			"nonsense",
			(bed) => bed.receive(Buffer.from("HTTP/1.1")),
			[E, E, SESSION_LEAVING, E],
			[END_NONSENSE, END_NONSENSE, 0, 0],
		],
		[
			"the end of the waiting time",
			(bed) => bed.wait(ANSWER_MS),
			[E, SESSION_READY, E, E],
			[END_SILENT, 0, END_SILENT, 0],
		],
		[
			"a request to disconnect",
			(bed) => bed.session.leave(bed.nowMs),
			[E, SESSION_LEAVING, SESSION_LEAVING, E],
			[END_WELL, 0, 0, 0],
		],
		["the end of the connection", (bed) => bed.session.lost(), [E, E, E, E], [END_UNGREETED, END_LOST, END_WELL, 0]],
	];
	for (const [what, event, states, ends] of rows) {
		for (const [from, name] of ["GREETING", "READY", "LEAVING", "ENDED"].entries()) {
			it(`handles ${what} in state ${name}`, () => {
				const bed = bedIn(from);
				event(bed);
				assert.deepEqual([bed.session.state, bed.session.end], [states[from], ends[from]]);
				const { deadlineMs } = bed.session;
				if (bed.session.state === SESSION_ENDED) {
					assert.equal(deadlineMs, Number.POSITIVE_INFINITY);
					assert.equal(bed.session.take(new Uint8Array(8), 0, 8, bed.nowMs), 0);
				} else assert.ok(deadlineMs > bed.nowMs);
			});
		}
	}

	it("connects, subscribes, publishes and disconnects, however small the buffer is", () => {
		for (const room of [1, 2, 3, 10, 512]) {
			const bed = new Bed();
			bed.flush(room).deliver({ cmd: "connack", returnCode: 0, sessionPresent: false }, 1).flush(room);
			const payload = Buffer.from("x".repeat(300));
			bed.session.publish(new Payload(payload), bed.nowMs, true);
			assert.equal(bed.session.isFree, false);
			bed.flush(room);
			assert.deepEqual(bed.commands, ["connect", "subscribe", "publish"]);
			const published = bed.packets[2];
			assert.ok(published.cmd === "publish");
			assert.ok(payload.equals(published.payload as Buffer));
			assert.equal(bed.session.acknowledged, 0);
			bed.deliver(puback(published.messageId!), 1);
			assert.equal(bed.session.acknowledged, 1);
			assert.equal(bed.session.isFree, true);
			bed.session.leave(bed.nowMs);
			bed.flush(room);
			assert.equal(bed.commands.at(-1), "disconnect");
			assert.equal(bed.session.end, END_WELL);
		}
	});

	it("gives each message another identifier, neither 0 nor that of the subscription", () => {
		const bed = new Bed().ready();
		const seen = new Set<number>();
		for (let i = 0; i < 65_534 + 3; i++) {
			bed.session.publish(new Payload(new Uint8Array(0)), bed.nowMs, true);
			const buffer = new Uint8Array(16);
			const count = bed.session.take(buffer, 0, 16, bed.nowMs);
			const id = (buffer[count - 2] << 8) | buffer[count - 1];
			assert.ok(id > 1);
			seen.add(id);
			bed.receive(Buffer.of(0x40, 2, id >> 8, id & 0xff));
			assert.ok(bed.session.isFree);
		}
		assert.equal(seen.size, 65_534);
	}).timeout(120_000);

	it("rejects a PUBACK for a message that is not completely sent", () => {
		const bed = new Bed().ready();
		bed.session.publish(new Payload(Buffer.alloc(100)), bed.nowMs, true);
		bed.session.take(new Uint8Array(50), 0, 50, bed.nowMs);
		bed.deliver(puback(2));
		assert.equal(bed.session.end, END_NONSENSE);
	});

	it("passes on the messages that it subscribed to, and acknowledges those with QoS 1", () => {
		const bed = new Bed().ready();
		for (const [topic, payload, messages] of [
			[TOPIC, "offline", "offline"],
			[`${TOPIC}/x`, "online", undefined],
			["homeassistant/statu", "sonline", undefined],
			["x".repeat(200), "online", undefined],
			[OTHER_TOPIC, "", ""],
			[OTHER_TOPIC, "read", "read"],
			[OTHER_TOPIC, "x".repeat(300), "x".repeat(16)],
		] as const) {
			bed.messages.length = 0;
			bed.deliver(message(topic, payload), 5);
			assert.deepEqual(bed.messages, messages === undefined ? [] : [`${topic} ${messages}`], `${topic} ${payload}`);
		}
		bed.messages.length = 0;
		bed.deliver({ ...message(OTHER_TOPIC, "install"), retain: true } as mqtt.IPublishPacket);
		assert.deepEqual(bed.messages, [`${OTHER_TOPIC} install retained`]);
		bed.deliver(message(TOPIC, "online", 1, 77), 1).flush();
		assert.equal(bed.messages.length, 2);
		const last = bed.packets.at(-1);
		assert.deepEqual([last?.cmd, last?.messageId], ["puback", 77]);
	});

	it("ends if the broker sends without end", () => {
		const bed = new Bed().ready();
		let count = 0;
		while (bed.session.state === SESSION_READY && count < 1000) {
			bed.deliver(message(TOPIC, "online"));
			count++;
		}
		assert.ok(count > 32 && count < 100, String(count));
		assert.equal(bed.session.end, END_NONSENSE);
	});

	it("takes a message each second for as long as they come, also while it publishes itself", () => {
		const bed = new Bed().ready();
		for (let i = 1; i <= 600; i++) {
			bed.wait(1000).deliver(message(TOPIC, "online"));
			bed.session.publish(new Payload(Buffer.alloc(10)), bed.nowMs, false);
			bed.flush();
			assert.equal(bed.session.state, SESSION_READY, `after ${i} s`);
		}
		assert.equal(bed.messages.length, 600);
	});

	it("waits longer only while the broker accepts bytes", () => {
		const bed = new Bed().ready();
		bed.session.publish(new Payload(Buffer.alloc(100)), bed.nowMs, true);
		const buffer = new Uint8Array(10);
		for (let i = 0; i < 5; i++) {
			bed.wait(ANSWER_MS - 1);
			assert.equal(bed.session.state, SESSION_READY);
			assert.equal(bed.session.take(buffer, 0, 10, bed.nowMs), 10);
		}
		bed.wait(ANSWER_MS);
		assert.equal(bed.session.end, END_SILENT);
	});

	it("treats a message with QoS 0 as in flight until it is sent, and rejects a PUBACK for it", () => {
		for (const room of [1, 64]) {
			const bed = new Bed().ready();
			bed.session.publish(new Payload(Buffer.alloc(100)), bed.nowMs, false);
			assert.deepEqual([bed.session.isFree, bed.session.acknowledged], [false, 0]);
			bed.flush(room);
			assert.deepEqual([bed.session.isFree, bed.session.acknowledged], [true, 1]);
			bed.deliver(puback(2));
			assert.equal(bed.session.end, END_NONSENSE);
		}
	});

	it("requests an acknowledgement if it has received nothing from the broker for a while", () => {
		const bed = new Bed().ready();
		const publish = () => {
			bed.wait(1000).session.publish(new Payload(Buffer.alloc(1)), bed.nowMs, false);
			bed.flush();
		};
		for (let second = 1; second < 45; second++) {
			publish();
			assert.equal(bed.session.isFree, true, `${second} s`);
		}
		publish();
		assert.equal(bed.session.isFree, false);
		bed.deliver(puback(2));
		assert.equal(bed.session.isFree, true);
	});

	it("never throws, whatever it receives, and can still be ended", () => {
		const random = new SeededRandom(99);
		for (let run = 0; run < 600; run++) {
			const bed = random.oneIn(2) ? new Bed().flush() : new Bed().ready();
			if (random.oneIn(3) && bed.session.isFree)
				bed.session.publish(new Payload(random.bytes(20)), bed.nowMs, random.oneIn(2));
			const frames: Uint8Array[] = [
				random.bytes(random.below(30)),
				mqtt.generate(puback(2)),
				mqtt.generate(message(TOPIC, "online")),
				mqtt.generate({ cmd: "connack", returnCode: 0, sessionPresent: false }),
				mqtt.generate({ cmd: "suback", messageId: 1, granted: [0] }),
			];
			for (let i = 0; i < 6; i++) {
				const frame = Uint8Array.from(frames[random.below(frames.length)]);
				if (frame.length > 0 && random.oneIn(3)) frame[random.below(frame.length)] ^= 1 << random.below(8);
				bed.receive(frame, 1 + random.below(9));
				if (random.oneIn(3)) bed.flush();
				if (random.oneIn(5)) bed.wait(random.below(30_000));
			}
			// The session can still be ended.
			bed.session.lost();
			assert.equal(bed.session.state, SESSION_ENDED);
		}
	});

	it("throws if a payload ends before its length", () => {
		const bed = new Bed().ready();
		const short = new Payload(Buffer.alloc(3));
		bed.session.publish(
			{ topic: short.topic, isRetained: true, length: 5, read: (...room) => short.read(...room) },
			bed.nowMs,
			true,
		);
		assert.throws(() => bed.flush(), /ended before its length/);
	});
});
