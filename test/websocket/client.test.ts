/** The WebSocket client: handshakes, messages in all forms, control frames, and violations of the protocol. */
import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { VirtualWorld } from "../../hosts/node/virtual.js";
import { SOCKET_SEND_WINDOW, type VirtualClient } from "../../hosts/node/virtual-network.js";
import { HTTP_BAD_REPLY, HTTP_NO_REPLY, HTTP_REPLY_MS, OUTCOME_NONE } from "../../modules/http/client.js";
import { CLIENT_ENDED, CLIENT_UNREACHABLE } from "../../modules/io/client.js";
import { Driver, type Task } from "../../modules/io/driver.js";
import { WebSocketClient } from "../../modules/websocket/client.js";
import { FRAME_ROOM } from "../../modules/websocket/frames.js";
import { agreement, type ClientFrame, frame, takeFrame, takeRequest } from "./server.js";

const ADDRESS = "192.0.2.7";
const PORT = 8123;
const LIMIT = 300;
const text = new NodeText();

const TEXT = 0x81;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
/** Not the last one of its message. */
const CONTINUATION = 0x00;

/** An owner of one client, which keeps the messages that it gets. */
class Owner {
	readonly world = new VirtualWorld();
	readonly messages: string[] = [];
	readonly frames: ClientFrame[] = [];
	request = "";
	peer: VirtualClient | undefined;
	readonly client: WebSocketClient;
	isHolding = false;
	readonly #task: Task;

	/** `answer`: what the server sends after the request. */
	constructor(answer: (request: string) => string | Uint8Array = agreement, serve = true) {
		const { clock, crypto, network, timers } = this.world;
		if (serve) {
			this.world.servers.serve(ADDRESS, PORT, {
				onConnection: (peer) => {
					this.peer = peer;
					peer.onReceived = () => {
						if (this.request === "") {
							this.request = takeRequest(peer) ?? "";
							if (this.request !== "") peer.send(answer(this.request));
						}
						for (let taken = takeFrame(peer); taken; taken = takeFrame(peer)) this.frames.push(taken);
					};
				},
			});
		}
		const driver = new Driver({ clock, timers, guard: (_part, run) => run() });
		this.#task = driver.register("test", this);
		this.client = this.#task.update(
			() =>
				new WebSocketClient({
					...{ task: this.#task, text, crypto, port: network.tcpClient!, host: ADDRESS, portNumber: PORT },
					...{ tls: undefined, hostField: "hub.lan:8123", path: "/api/websocket", limit: LIMIT },
				}),
		);
		this.world.advance(100);
	}

	get deadlineMs(): number {
		return this.client?.deadlineMs ?? Number.POSITIVE_INFINITY;
	}

	advance(nowMs: number): void {
		this.client.advance(nowMs);
	}

	drain(): void {
		const { client } = this;
		while (client !== undefined && client.length >= 0 && !this.isHolding) {
			this.messages.push(text.decode(client.message, 0, client.length));
			client.take();
		}
	}

	send(message: string): void {
		const bytes = Buffer.concat([Buffer.alloc(FRAME_ROOM), Buffer.from(message)]);
		this.#task.update((nowMs) => this.client.send(bytes, FRAME_ROOM, bytes.length, nowMs));
		this.world.advance(100);
	}

	close(): void {
		this.#task.update(() => this.client.close());
		this.world.advance(100);
	}

	/** Lets the server send bytes, in pieces of `size`. */
	receive(bytes: Uint8Array, size = bytes.length): void {
		for (let at = 0; at < bytes.length; at += size) {
			this.peer!.send(bytes.subarray(at, at + size));
			this.world.advance(1);
		}
		this.world.advance(100);
	}

	/** True if a close frame without a status was sent last. */
	get hasClosed(): boolean {
		const last = this.frames.at(-1);
		return last?.code === 8 && last.payload.length === 0;
	}
}

describe("The WebSocket client", () => {
	it("asks as RFC 6455 says, and exchanges messages of all sizes", () => {
		const owner = new Owner();
		assert.match(
			owner.request,
			/^GET \/api\/websocket HTTP\/1\.1\r\nHost: hub\.lan:8123\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: \S{24}\r\nSec-WebSocket-Version: 13\r\n\r\n$/,
		);
		for (const size of [0, 1, 125, 126, 127, 299, 300]) {
			owner.receive(frame(TEXT, "x".repeat(size)));
			assert.equal(owner.messages.at(-1), "x".repeat(size));
		}
		for (const size of [0, 1, 125, 126, 2000, 3000]) {
			owner.send(`${"ä".repeat(size / 2)}!`);
			assert.deepEqual(owner.frames.at(-1), { code: 1, payload: Buffer.from(`${"ä".repeat(size / 2)}!`) });
		}
		assert.equal(owner.client.outcome, OUTCOME_NONE);
		owner.close();
		assert.ok(owner.hasClosed);
		assert.ok(owner.peer!.isClosed);
	});

	it("masks each message with another key", () => {
		const owner = new Owner();
		const masks: string[] = [];
		const { peer } = owner;
		peer!.onReceived = () => masks.push(Buffer.from(peer!.received).subarray(2, 6).toString("hex"));
		owner.send("a");
		peer!.discard(peer!.receivedCount);
		owner.send("a");
		assert.equal(masks.length, 2);
		assert.notEqual(masks[0], masks[1]);
	});

	it("takes messages in fragments and bytes one by one, with control frames between them", () => {
		const owner = new Owner((request) =>
			Buffer.concat([Buffer.from(agreement(request)), frame(0x01, "he"), frame(PING, "now"), frame(0x00, "l")]),
		);
		assert.deepEqual(owner.frames, [{ code: 10, payload: Buffer.from("now") }]);
		owner.receive(Buffer.concat([frame(0x8a, "unasked"), frame(0x00, ""), frame(0x80, "lo"), frame(TEXT, "next")]), 1);
		assert.deepEqual(owner.messages, ["hello", "next"]);
		assert.equal(owner.client.outcome, OUTCOME_NONE);
	});

	it("reads nothing while a message is held", () => {
		const owner = new Owner();
		owner.isHolding = true;
		owner.receive(Buffer.concat([frame(TEXT, "first"), frame(TEXT, "second")]));
		assert.equal(owner.client.length, 5);
		owner.isHolding = false;
		owner.receive(frame(TEXT, "third"));
		assert.deepEqual(owner.messages, ["first", "second", "third"]);
	});

	it("answers a ping after the message that is being sent", () => {
		const owner = new Owner();
		owner.peer!.paused = true;
		owner.send("y".repeat(SOCKET_SEND_WINDOW + 500));
		for (let i = 0; i < 50; i++) owner.receive(frame(PING, `${i}`));
		owner.peer!.paused = false;
		owner.world.advance(1000);
		assert.deepEqual(
			owner.frames.map(({ code, payload }) => `${code} ${payload.length}`),
			[`1 ${SOCKET_SEND_WINDOW + 500}`, ...Array.from({ length: 50 }, (_, i) => `10 ${`${i}`.length}`)],
		);
	});

	it("ends if many frames are no messages, so that a server can't keep it busy", () => {
		for (const first of [PING, PONG, CONTINUATION]) {
			const owner = new Owner();
			owner.receive(Buffer.concat(new Array(1000).fill(frame(first, ""))));
			assert.equal(owner.client.outcome, HTTP_BAD_REPLY);
			assert.ok(owner.peer!.isClosed);
		}
		// The messages between them count from the beginning.
		const owner = new Owner();
		for (let i = 0; i < 20; i++)
			owner.receive(Buffer.concat([...new Array(50).fill(frame(PONG, "")), frame(TEXT, `${i}`)]));
		assert.equal(owner.messages.length, 20);
	});

	it("answers a close frame, and ends", () => {
		for (const payload of [Buffer.from([3, 0xe9, 0x62, 0x79, 0x65]), Buffer.alloc(0)]) {
			const owner = new Owner();
			owner.receive(frame(CLOSE, payload));
			assert.equal(owner.client.outcome, CLIENT_ENDED);
			assert.ok(owner.hasClosed);
			assert.ok(owner.peer!.isClosed);
		}
	});

	const violations: [string, Uint8Array][] = [
		["a masked frame", Buffer.from([TEXT, 0x81, 1, 2, 3, 4, 0x60])],
		["a reserved bit", frame(0xc1, "x")],
		["a reserved opcode", frame(0x83, "x")],
		["a reserved control opcode", frame(0x8b, "x")],
		["a ping of 126 bytes", frame(PING, "x".repeat(126))],
		["binary data", frame(0x82, "x")],
		["a message that is too large", frame(TEXT, "x".repeat(LIMIT + 1))],
		["fragments that are too large together", Buffer.concat([frame(0x01, "x".repeat(LIMIT)), frame(0x80, "x")])],
		["a length in eight bytes", Buffer.from([TEXT, 127, 0x80, 0, 0, 0, 0, 0, 0, 0])],
	];
	for (const [name, bytes] of violations) {
		it(`ends on ${name}`, () => {
			const owner = new Owner();
			owner.receive(bytes);
			assert.equal(owner.client.outcome, HTTP_BAD_REPLY);
			assert.ok(owner.hasClosed);
			assert.deepEqual(owner.messages, []);
			assert.ok(owner.peer!.isClosed);
		});
	}

	const handshakes: [string, (request: string) => string][] = [
		["another status", () => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"],
		["no HTTP", () => "220 mail ready\r\n\r\n"],
		["an empty line", () => "\n"],
		["a wrong proof", (request) => agreement(request).replace(/Accept: ./, "Accept: _")],
		["no proof", (request) => agreement(request).replace(/Sec-W.*\r\n/, "")],
		["an endless head", (request) => agreement(request, `X: ${"x".repeat(9000)}\r\n`)],
	];
	for (const [name, answer] of handshakes) {
		it(`refuses ${name} in the handshake`, () => {
			const { client, frames, peer } = new Owner(answer);
			assert.equal(client.outcome, HTTP_BAD_REPLY);
			assert.deepEqual(frames, []);
			assert.ok(peer!.isClosed);
		});
	}

	it("takes long fields in the handshake", () => {
		const owner = new Owner((request) => agreement(request, `Set-Cookie: ${"x".repeat(5000)}\r\n`));
		owner.receive(frame(TEXT, "x"));
		assert.deepEqual(owner.messages, ["x"]);
	});

	it("waits for a limited time: for the handshake, for the first message, and after each that it sends", () => {
		const silent = new Owner(() => "");
		silent.world.advance(HTTP_REPLY_MS);
		assert.equal(silent.client.outcome, HTTP_NO_REPLY);
		const owner = new Owner();
		owner.world.advance(HTTP_REPLY_MS - 1000);
		owner.receive(frame(TEXT, "x"));
		owner.world.advance(10 * HTTP_REPLY_MS);
		assert.equal(owner.client.outcome, OUTCOME_NONE);
		owner.send("y");
		owner.receive(frame(PING, ""));
		owner.world.advance(HTTP_REPLY_MS);
		assert.equal(owner.client.outcome, HTTP_NO_REPLY);
		assert.ok(owner.hasClosed);
	});

	it("reports the end of the connection, and a server that is not there", () => {
		const owner = new Owner();
		owner.peer!.close();
		owner.world.advance(100);
		assert.equal(owner.client.outcome, CLIENT_ENDED);
		assert.equal(new Owner(undefined, false).client.outcome, CLIENT_UNREACHABLE);
	});
});
