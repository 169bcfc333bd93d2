import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { makeCertificate } from "../../../hosts/node/self-signed.js";
import { VirtualWorld } from "../../../hosts/node/virtual.js";
import { PowerCut, VirtualStorage } from "../../../hosts/node/virtual-storage.js";
import { VirtualTime } from "../../../hosts/node/virtual-time.js";
import type { Socket, SocketOptions } from "../../../modules/io/host.js";

describe("virtual time", () => {
	it("runs callbacks in the order of their times, equal times in the order of their requests", () => {
		const time = new VirtualTime();
		const seen: string[] = [];
		const note = (name: string) => () => seen.push(`${name}@${time.nowMs}`);
		time.set(note("c"), 20);
		time.set(note("a"), 10);
		time.set(note("b"), 10);
		time.set(note("never"), 31);
		time.advance(30);
		assert.deepEqual(seen, ["a@10", "b@10", "c@20"]);
		assert.equal(time.nowMs, 30);
	});

	it("keeps the order with many events", () => {
		const time = new VirtualTime();
		const seen: number[] = [];
		for (let i = 0; i < 2000; i++) {
			const at = (i * 7919) % 2000;
			time.set(() => seen.push(at), at);
		}
		time.run(2000);
		assert.deepEqual(
			seen,
			[...seen].sort((a, b) => a - b),
		);
		assert.equal(seen.length, 2000);
	});

	it("drops a cleared timer, and accepts any id", () => {
		const time = new VirtualTime();
		const id = time.set(() => assert.fail("cleared"), 5);
		time.clear(id);
		time.clear(id);
		time.clear(12_345);
		time.advance(10);
		const fired = time.set(() => {}, 1);
		time.advance(1);
		time.clear(fired);
	});

	it("never calls back inside the call that sets a timer", () => {
		const time = new VirtualTime();
		let isSet = false;
		time.set(() => assert.ok(isSet), -5);
		isSet = true;
		time.advance(0);
	});

	it("passes on an exception of a callback, at the moment it was thrown", () => {
		const time = new VirtualTime();
		time.set(() => {
			throw new Error("mine");
		}, 7);
		assert.throws(() => time.advance(100), /mine/);
		assert.equal(time.nowMs, 7);
	});

	it("stops a callback that requests itself again for ever", () => {
		const time = new VirtualTime();
		const again = () => void time.set(again, 0);
		again();
		assert.throws(() => time.advance(1), /time stands still/);
	});

	it("has no UTC until it is set, then continues from there", () => {
		const time = new VirtualTime();
		assert.equal(time.utcMs(), undefined);
		time.advance(5);
		time.setUTC(1_000_000);
		time.advance(10.5);
		assert.equal(time.utcMs(), 1_000_010);
		assert.equal(time.monotonicMs(), 15);
	});
});

describe("virtual storage", () => {
	it("stores copies, and rejects keys and sizes that flash doesn't accept", () => {
		const storage = new VirtualStorage();
		const value = Uint8Array.of(1, 2);
		storage.set("a_1", value);
		value[0] = 9;
		storage.get("a_1")![1] = 9;
		assert.deepEqual(storage.get("a_1"), Uint8Array.of(1, 2));
		storage.set("a".repeat(15), new Uint8Array(4500));
		for (const key of ["", "A", "a-b", "a".repeat(16)]) assert.throws(() => storage.set(key, value), RangeError);
		assert.throws(() => storage.set("b", new Uint8Array(4501)), RangeError);
		storage.delete("a_1");
		assert.equal(storage.get("a_1"), undefined);
	});

	it("throws when flash is full, and keeps the old value", () => {
		const storage = new VirtualStorage();
		storage.capacity = 4;
		storage.set("a", new Uint8Array(4));
		assert.throws(() => storage.set("b", new Uint8Array(1)), /full/);
		assert.throws(() => storage.set("a", new Uint8Array(5)), /full/);
		assert.equal(storage.get("a")!.length, 4);
	});

	for (const keepsNew of [false, true]) {
		it(`has the ${keepsNew ? "new" : "old"} value after a power cut, and throws until power is back`, () => {
			const storage = new VirtualStorage();
			storage.cutPowerAt(2, keepsNew);
			storage.set("a", Uint8Array.of(1));
			assert.throws(() => storage.set("a", Uint8Array.of(2)), PowerCut);
			assert.throws(() => storage.get("a"), PowerCut);
			storage.powerUp();
			assert.deepEqual(storage.get("a"), Uint8Array.of(keepsNew ? 2 : 1));
		});
	}
});

describe("virtual world", () => {
	it("has the same random numbers for the same seed, and real hashes", () => {
		const bytes = (seed: number) => new VirtualWorld({ seed }).crypto.random(16);
		assert.deepEqual(bytes(5), bytes(5));
		assert.notDeepEqual(bytes(5), bytes(6));
		const { crypto, text } = new VirtualWorld();
		const expected = createHash("sha256").update("grün 🌍").digest("hex");
		assert.equal(Buffer.from(crypto.sha256(text.encode("grün "), text.encode("🌍"))).toString("hex"), expected);
		assert.equal(text.decode(text.encode("x🌍y"), 1, 5), "🌍");
	});

	it("reads the resources of the checkout, or given ones", () => {
		assert.ok(new VirtualWorld().resources.get("obis-names.bin")!.length > 1000);
		const resources = new Map([["x", Uint8Array.of(1)]]);
		assert.deepEqual(new VirtualWorld({ resources }).resources.get("x"), Uint8Array.of(1));
	});
});

/** A server that answers each request with `reply`, as fast as there is room. A request must arrive in one piece. */
function serve(world: VirtualWorld, reply: string) {
	const port = world.network.http;
	const buffer = new Uint8Array(512);
	const errors: string[] = [];
	const sockets: Socket[] = [];
	const listener = new port.io({
		...port.pins,
		onReadable(count) {
			for (let i = 0; i < count; i++) {
				const from = listener.read()!;
				let unsent = new Uint8Array(0);
				let room = 0;
				const flush = () => {
					const count = Math.min(room, unsent.length);
					room = socket.write(unsent, 0, count);
					unsent = unsent.slice(count);
				};
				const options: SocketOptions = {
					...port.pins,
					from,
					onReadable() {
						let request = "";
						for (let n = socket.read(buffer); n !== undefined; n = socket.read(buffer)) {
							request += Buffer.from(buffer.subarray(0, n)).toString();
						}
						if (!request.endsWith("\r\n\r\n")) return;
						unsent = new Uint8Array(Buffer.from(reply));
						flush();
					},
					onWritable(count) {
						room = count;
						flush();
					},
					onError: () => errors.push("gone"),
				};
				const socket: Socket = new port.socket(options);
				sockets.push(socket);
			}
		},
	});
	return { listener, errors, sockets };
}

describe("virtual network", () => {
	it("carries a request, and a reply longer than the window, with a length or in chunks", () => {
		const body = "0123456789".repeat(1000);
		const half = body.length / 2;
		const chunk = `${half.toString(16)}\r\n`;
		for (const reply of [
			`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
			`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${body.slice(0, half)}\r\n${chunk}${body.slice(half)}\r\n0\r\n\r\n`,
		]) {
			const world = new VirtualWorld();
			serve(world, reply);
			const answer = world.request("/x", { client: world.connect(false) });
			assert.equal(answer.status, 200);
			assert.equal(answer.text, body);
		}
	});

	it("reports what arrived of an incomplete reply", () => {
		const world = new VirtualWorld();
		serve(world, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc");
		assert.throws(() => world.request("/x", { client: world.connect(false), timeoutMs: 100 }), /no whole reply.*abc/);
		assert.throws(() => world.connect(), /connection refused/);
	});

	it("holds back a server whose client doesn't read", () => {
		const world = new VirtualWorld();
		const { sockets } = serve(world, "x".repeat(5000));
		const client = world.connect(false);
		client.paused = true;
		client.send("GET / HTTP/1.1\r\n\r\n");
		world.advance(10);
		assert.equal(client.receivedCount, 0);
		assert.throws(() => sockets[0].write(new Uint8Array(1)), RangeError);
		client.paused = false;
		world.advance(10);
		assert.equal(client.receivedCount, 5000);
	});

	it("reports the client's end once, and nothing after close", () => {
		const world = new VirtualWorld();
		const { errors, sockets, listener } = serve(world, "");
		const refused = world.connect(false);
		refused.send("abc");
		refused.close();
		world.advance(1);
		assert.deepEqual(errors, ["gone"]);
		const other = world.connect(false);
		world.advance(1);
		sockets[1].close();
		sockets[1].close();
		other.close();
		listener.close();
		listener.close();
		world.advance(1);
		assert.ok(other.isClosed);
		assert.deepEqual(errors, ["gone"]);
		assert.throws(() => world.connect(false), /refused/);
	});

	it("keeps the given certificate of a secure port, and rejects an unusable one", () => {
		const https = new VirtualWorld().network.https!;
		const [own, first, second] = ["own", "first", "second"].map((name) =>
			makeCertificate({ names: [name], validFromMs: 1_700_000_000_000, validToMs: 1_900_000_000_000 }),
		);
		assert.throws(() => new https.io({ ...https.pins, onReadable: () => {} }), /needs a certificate/);
		const listener = new https.io({ ...https.pins, identity: own, onReadable: () => {} });
		assert.equal(https.identity?.certificate, Buffer.from(own.certificate).toString());
		listener.setIdentity(first);
		assert.equal(https.identity?.certificate, Buffer.from(first.certificate).toString());
		assert.throws(() => listener.setIdentity({ certificate: first.certificate, key: second.key }), /does not match/);
		assert.equal(https.identity?.key, Buffer.from(first.key).toString());
	});

	it("soon reports the result that the test has set for a certificate's self-test, and reports nothing after close", () => {
		const world = new VirtualWorld();
		const https = world.network.https!;
		const identity = makeCertificate({ names: ["x"], validFromMs: 1_700_000_000_000, validToMs: 1_900_000_000_000 });
		const listener = new https.io({ ...https.pins, identity, onReadable: () => {} });
		const results: string[] = [];
		listener.testIdentity((problem) => results.push(problem));
		assert.equal(results.length, 0);
		world.advance(0);
		https.testProblem = "no cipher";
		listener.testIdentity((problem) => results.push(problem));
		world.advance(0);
		listener.testIdentity((problem) => results.push(problem));
		listener.close();
		world.advance(1000);
		assert.deepEqual(results, ["", "no cipher"]);
		assert.throws(() => listener.testIdentity(() => {}), /closed/);
	});

	it("rejects connections beyond the backlog", () => {
		const world = new VirtualWorld();
		const port = world.network.http;
		const listener = new port.io({ ...port.pins, onReadable: () => {} });
		for (let i = 0; i < 8; i++) assert.ok(port.connect());
		assert.equal(port.connect(), undefined);
		listener.read()!.close();
		assert.ok(port.connect());
	});
});
