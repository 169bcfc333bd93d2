/** The gateway as a Shelly Pro 3EM by WebSocket: handshake, frames, notifications, and its limits. */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import type { JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { clientFrame as frame, CLIENT_HEADERS as HEADERS, takeServerFrames } from "../websocket/peer.js";

const BATTERY = "192.0.2.40";
const OTHER = "192.0.2.41";
const STRANGER = "192.0.2.42";
const HEAD =
	"HTTP/1.1 101 Switching Protocols\r\nCache-Control: no-store\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
const TEXT = 0x81;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
const REQUEST_LIMIT = 512;

function telegram(watts: string): Buffer {
	return Buffer.from(["/TST5METER", "", `1-0:16.7.0(${watts}*kW)`, "1-0:32.7.0(230*V)", "!", ""].join("\r\n"));
}

describe("The gateway as a Shelly Pro 3EM by WebSocket", () => {
	let gateway: VirtualGateway;
	let name: string;

	/** A client that has asked for a WebSocket. */
	class Socket {
		readonly peer: VirtualClient;

		constructor(from = BATTERY, headers: object = HEADERS, path = "/rpc") {
			this.peer = gateway.world.connect(false, from);
			this.peer.send(encodeRequest(path, { headers: { ...headers } }));
			gateway.world.advance(10);
		}

		/** Status of the reply to the handshake. */
		get status(): number {
			return Number(this.peer.text.split(" ")[1]);
		}

		send(bytes: string | Uint8Array, size = bytes.length): void {
			for (let at = 0; at < bytes.length; at += size) {
				this.peer.send(bytes.slice(at, at + size));
				gateway.world.advance(1);
			}
			gateway.world.advance(500);
		}

		request(body: object, size?: number): void {
			this.send(frame(TEXT, JSON.stringify(body)), size);
		}

		/** Removes and returns the frames that have arrived, as first bytes and payloads. */
		frames(): [first: number, payload: string][] {
			const bytes = Buffer.from(this.peer.received);
			const [found, end] = takeServerFrames(bytes);
			assert.equal(end, bytes.length, "whole frames");
			this.peer.discard(bytes.length);
			return found;
		}

		messages(): JSONObject[] {
			return this.frames().map(([first, payload]) => {
				assert.equal(first, TEXT);
				return JSON.parse(payload);
			});
		}
	}

	/** A socket whose handshake has succeeded. */
	const open = (from?: string) => {
		const socket = new Socket(from);
		assert.equal(socket.peer.text, HEAD);
		socket.peer.discard(HEAD.length);
		return socket;
	};
	const ask = { id: 1, src: "aios-1", method: "EM.GetStatus", params: { id: 0 } };

	beforeEach(async () => {
		gateway = new VirtualGateway();
		await gateway.connectMeter({ telegram: telegram("-00.087"), mode: "D", pushBaud: 2400, pushMs: 2000 });
		await gateway.login();
		await gateway.write("iec62056/config", { mode_d_enabled: true });
		await gateway.write("live-meter/clients", { clients: [{ address: BATTERY }, { address: OTHER }] });
		await gateway.write("live-meter", { shelly: true });
		await gateway.pass(10_000);
		name = `shellypro3em-${(await gateway.read("live-meter/status")).id.toLowerCase()}`;
	});
	afterEach(() => gateway.stop());

	it("replies to requests in their order, with an error for an unknown method", () => {
		const socket = open();
		const bodies = [
			"Shelly.GetDeviceInfo",
			"Shelly.GetConfig",
			"Shelly.GetStatus",
			"Switch.Set",
			"Shelly.GetComponents",
		];
		socket.send(
			Buffer.concat(
				bodies.map((method, i) => frame(TEXT, JSON.stringify({ id: i, src: "aios-1", dst: name, method }))),
			),
		);
		const replies = socket.messages().filter(({ id }) => id !== undefined);
		assert.deepEqual(
			replies.map(({ id, src, dst }) => [id, src, dst]),
			bodies.map((_, i) => [i, name, "aios-1"]),
		);
		const [info, config, status, wrong, components] = replies;
		assert.equal(info.result.id, name);
		assert.equal(config.result.sys.device.mac, info.result.mac);
		assert.equal(status.result["em:0"].total_act_power, -87);
		assert.deepEqual([wrong.error.code, wrong.result], [404, undefined]);
		assert.deepEqual([components.result.components, components.result.total], [[], 0]);
	});

	it("takes bytes one by one, fragments, and control frames between them", () => {
		const socket = open();
		const body = JSON.stringify(ask);
		socket.send(Buffer.concat([frame(0x01, body.slice(0, 9)), frame(PING, "now"), frame(0x80, body.slice(9))]), 1);
		const [pong, reply] = socket.frames();
		assert.deepEqual(pong, [PONG, "now"]);
		assert.equal(JSON.parse(reply[1]).result.total_act_power, -87);
		socket.send(frame(PING, "x".repeat(125)));
		assert.deepEqual(socket.frames(), [[PONG, "x".repeat(125)]]);
	});

	it("sends each readout's power after the first request that names its source", async () => {
		const socket = open();
		socket.request({ id: 1, method: "Shelly.GetDeviceInfo" });
		await gateway.pass(6000);
		assert.deepEqual(
			socket.messages().map(({ id }) => id),
			[1],
		);
		socket.request(ask);
		assert.equal(socket.messages().length, 1);
		await gateway.connectMeter({ telegram: telegram("00.500"), mode: "D", pushBaud: 2400, pushMs: 2000 });
		await gateway.pass(8000);
		const notices = socket.messages();
		assert.ok(notices.length >= 3, `${notices.length}`);
		const { src, dst, method, params, id } = notices.at(-1)!;
		assert.deepEqual([src, dst, method, id], [name, "aios-1", "NotifyStatus", undefined]);
		assert.deepEqual([params["em:0"].total_act_power, params["em:0"].a_voltage], [500, 230]);
		assert.ok(Math.abs(params.ts * 1000 - gateway.world.time.utcMs()!) < 3000);
		const [client] = (await gateway.read("live-meter/status")).clients;
		assert.deepEqual([client.address, client.dialect, client.requests, client.power], [BATTERY, "shelly", 2, 500]);
	});

	it("sends the counters with the first notification, when they change, and once a minute", async () => {
		const counted = (kwh: string) =>
			Buffer.from(["/TST5METER", "", "1-0:16.7.0(00.087*kW)", `1-0:1.8.0(${kwh}*kWh)`, "!", ""].join("\r\n"));
		const connect = (kwh: string) =>
			gateway.connectMeter({ telegram: counted(kwh), mode: "D", pushBaud: 2400, pushMs: 2000 });
		/** Values of the counter in the notifications of the next `ms`. */
		const counters = async (ms: number) => {
			await gateway.pass(ms);
			return socket
				.messages()
				.filter(({ method, params }) => method === "NotifyStatus" && params["emdata:0"])
				.map(({ params }) => params["emdata:0"].total_act);
		};
		const socket = open();
		await connect("000012.572");
		socket.request(ask);
		assert.deepEqual(await counters(30_000), [12_572]);
		await connect("000012.573");
		assert.deepEqual(await counters(30_000), [12_573]);
		const each = await counters(300_000);
		assert.ok(each.length >= 4 && each.length <= 5 && each.every((value) => value === 12_573), each.join());
		// A change within the pause follows after it.
		await gateway.write("live-meter", { pause_ms: 10_000 });
		await counters(11_000);
		await connect("000012.574");
		assert.deepEqual(await counters(25_000), [12_574]);
	});

	it("sends nothing without fresh values, and no two values within the pause", async () => {
		const socket = open();
		await gateway.write("live-meter", { pause_ms: 5000 });
		socket.request(ask);
		socket.request(ask);
		assert.equal(socket.messages().length, 1);
		await gateway.pass(20_000);
		assert.ok([3, 4].includes(socket.messages().length));
	});

	it("closes when the meter falls silent, and opens again when it is back", async () => {
		const [socket, idle] = [open(), open(OTHER)];
		socket.request(ask);
		await gateway.connectMeter(undefined);
		await gateway.pass(7000);
		socket.frames();
		socket.request(ask);
		assert.deepEqual(socket.frames(), [], "no reply with an old value");
		await gateway.pass(9000);
		for (const { peer } of [socket, idle]) assert.ok(peer.isClosed);
		assert.deepEqual(socket.frames(), [[CLOSE, ""]]);
		assert.equal(new Socket().status, 503);
		await gateway.connectMeter({ telegram: telegram("00.500"), mode: "D", pushBaud: 2400, pushMs: 2000 });
		await gateway.pass(15_000);
		open();
	});

	it("refuses strangers, browsers, and requests that are not handshakes", async () => {
		const missing = (name: keyof typeof HEADERS) => ({ ...HEADERS, [name]: undefined });
		for (const [from, headers, path] of [
			[STRANGER, HEADERS, "/rpc"],
			[BATTERY, { ...HEADERS, Origin: "http://192.0.2.20" }, "/rpc"],
			[BATTERY, { ...HEADERS, "Sec-WebSocket-Version": "8" }, "/rpc"],
			[BATTERY, { ...HEADERS, "Sec-WebSocket-Key": "short" }, "/rpc"],
			[BATTERY, { ...HEADERS, Upgrade: "h2c" }, "/rpc"],
			[BATTERY, { ...HEADERS, Connection: "close" }, "/rpc"],
			[BATTERY, missing("Sec-WebSocket-Key"), "/rpc"],
			[BATTERY, HEADERS, "/rpc/EM.GetStatus/x"],
		] as const) {
			const kept = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
			const isBrowser = "Origin" in kept;
			assert.equal(new Socket(from, kept, path).status, isBrowser ? 301 : 404, JSON.stringify(headers));
		}
		const { refused } = await gateway.read("live-meter/status");
		assert.deepEqual([refused.address, refused.dialect], [STRANGER, "shelly"]);
		await gateway.write("live-meter", { shelly: false });
		assert.equal(new Socket().status, 301);
	});

	it("allows two sockets at once, and frees the place of a closed one", async () => {
		const first = open();
		open(OTHER);
		assert.equal(new Socket().status, 503);
		first.send(frame(CLOSE, ""));
		assert.deepEqual(first.frames(), [[CLOSE, ""]]);
		assert.ok(first.peer.isClosed);
		const again = open();
		again.request(ask);
		assert.equal(again.messages().length, 1);
	});

	it("closes when the dialect is turned off, and when the address leaves the list", async () => {
		const [socket, other] = [open(), open(OTHER)];
		await gateway.write("live-meter/clients", { clients: [{ address: BATTERY }] });
		await gateway.pass(100);
		assert.deepEqual(other.frames(), [[CLOSE, ""]]);
		assert.ok(other.peer.isClosed);
		assert.ok(!socket.peer.isClosed);
		await gateway.write("live-meter", { shelly: false });
		await gateway.pass(100);
		assert.deepEqual(socket.frames(), [[CLOSE, ""]]);
		assert.ok(socket.peer.isClosed);
		await gateway.write("live-meter", { ecotracker: true });
		assert.equal(new Socket().status, 301);
	});

	it("pings after silence, and closes if nothing comes back", async () => {
		const socket = open();
		await gateway.pass(16_000);
		assert.deepEqual(socket.frames(), [[PING, ""]]);
		socket.send(frame(PONG, ""));
		await gateway.pass(16_000);
		assert.deepEqual(socket.frames(), [[PING, ""]]);
		await gateway.pass(16_000);
		assert.ok(socket.peer.isClosed);
		open();
	});

	const violations: [string, Uint8Array][] = [
		["an unmasked frame", frame(TEXT, "{}", false)],
		["a reserved bit", frame(0xc1, "{}")],
		["binary data", frame(0x82, "{}")],
		["a reserved opcode", frame(0x83, "{}")],
		["a ping of 126 bytes", frame(PING, "x".repeat(126))],
		["a message that is too large", frame(TEXT, `{"method":"${"x".repeat(REQUEST_LIMIT)}"}`)],
		[
			"fragments that are too large together",
			Buffer.concat([frame(0x01, "x".repeat(REQUEST_LIMIT)), frame(0x80, "x")]),
		],
		["a length in eight bytes", Buffer.from([TEXT, 0xff, 0, 0, 0, 0, 0, 0, 0, 9])],
		["no JSON", frame(TEXT, "no")],
		["a request without a method", frame(TEXT, '{"id":1}')],
		["an empty message", frame(TEXT, "")],
	];
	for (const [what, bytes] of violations) {
		it(`closes on ${what}, and sends nothing of it back`, () => {
			const socket = open();
			socket.send(Buffer.concat([bytes, frame(TEXT, JSON.stringify(ask)), Buffer.alloc(5000, 0x81)]));
			assert.deepEqual(socket.frames(), [[CLOSE, ""]]);
			assert.ok(socket.peer.isClosed);
		});
	}

	it("answers one request at a time while a client does not read, and serves others meanwhile", async () => {
		const [flood, socket] = [open(), open(OTHER)];
		flood.peer.paused = true;
		for (let i = 0; i < 200; i++)
			flood.peer.send(frame(TEXT, JSON.stringify({ ...ask, id: i, method: "Shelly.GetStatus" })));
		await gateway.pass(1000);
		socket.request(ask);
		assert.equal(socket.messages().filter(({ id }) => id === 1).length, 1);
		flood.peer.paused = false;
		await gateway.pass(15_000);
		const ids = flood.messages().flatMap(({ id }) => id ?? []);
		assert.deepEqual(
			ids,
			Array.from({ length: 200 }, (_, i) => i),
		);
		await gateway.read("system/status");
	});

	it("is displaced by requests that need its place", async () => {
		const sockets = [open(), open(OTHER)];
		await gateway.pass(2000);
		const rest = [1, 2, 3].map(() => gateway.begin("GET", "/shelly", { secure: false, token: null, from: BATTERY }));
		for (const one of rest) assert.equal((await one.reply()).status, 200);
		assert.ok(sockets.some(({ peer }) => peer.isClosed));
		open();
	});
});
