import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { NodeClock, NodeCrypto, NodeTimers } from "../../hosts/node/platform.js";
import { SeededRandom } from "../../hosts/node/random.js";
import { createUDPPort } from "../../hosts/node/udp.js";
import { type Endpoint, VirtualResolver } from "../../hosts/node/virtual-udp.js";
import { Driver } from "../../modules/io/driver.js";
import { DATAGRAM_LIMIT } from "../../modules/io/host.js";
import {
	TIME_BAD_REPLY,
	TIME_DOUBTED,
	TIME_NO_ADDRESS,
	TIME_NO_REPLY,
	TIME_NOT_WELCOME,
	TIME_OUT_OF_RANGE,
	TIME_WELL,
} from "../../modules/sntp/client.js";
import { TimeService } from "../../modules/sntp/service.js";
import { Bed, seededCrypto } from "../dns/bed.js";
import { expectFaults } from "../faults.js";

const S = 1000;
const MINUTE = 60 * S;
const HOUR = 60 * MINUTE;
/** True UTC when virtual time is 0; BUILT is the time of the build. */
const TRUTH = Date.UTC(2026, 10, 21, 15, 0, 0);
const BUILT = Date.UTC(2026, 0, 31);

const ntpSeconds = (utcMs: number) => (Math.floor(utcMs / 1000) + 2_208_988_800) % 2 ** 32;

function putTime(into: Buffer, at: number, utcMs: number): void {
	into.writeUInt32BE(ntpSeconds(utcMs), at);
	into.writeUInt32BE(Math.floor(((((utcMs % 1000) + 1000) % 1000) / 1000) * 2 ** 32), at + 4);
}

/** A correct reply of a server with the clock `utcMs`. */
function replyTo(question: Uint8Array, utcMs: number): Buffer {
	const reply = Buffer.alloc(48);
	reply[0] = (question[0] & 0x38) | 4;
	reply[1] = 2;
	reply.writeUInt32BE(0x0000_0800, 4);
	reply.writeUInt32BE(0x0000_0400, 8);
	reply.set(question.subarray(40, 48), 24);
	putTime(reply, 32, utcMs);
	putTime(reply, 40, utcMs);
	return reply;
}

interface ServerOptions {
	/** Error of the server's clock, ms. */
	aheadMs?: number;
	/** Transit time in each direction, ms. */
	wayMs?: number;
	change?(reply: Buffer): void;
	silent?: boolean;
	/** Source address or port of the reply, if not the server's own. */
	from?: { address?: string; port?: number };
}

/** A network with a method `resolve`, as in the hosts. */
class NamedNetwork {
	readonly #resolver: VirtualResolver;
	/** Callbacks of look-ups for "never". */
	readonly unanswered: ((address: string | undefined) => void)[] = [];

	constructor(resolver: VirtualResolver) {
		this.#resolver = resolver;
	}

	resolve(name: string, done: (address: string | undefined) => void): void {
		if (name === "never") this.unanswered.push(done);
		else this.#resolver.resolve(name, done);
	}
}

/** A time service on virtual time. The resolver never answers for the name "never". */
class TimeBed extends Bed {
	readonly resolver = new VirtualResolver(this.time);
	readonly named = new NamedNetwork(this.resolver);
	readonly requests: string[] = [];
	readonly sets: number[] = [];
	synchronised = 0;
	readonly service: TimeService;

	constructor(servers: string, utcAheadMs?: number) {
		super();
		if (utcAheadMs !== undefined) this.time.setUTC(TRUTH + utcAheadMs);
		this.service = new TimeService({
			...this.world(),
			clock: {
				utcMs: () => this.time.utcMs(),
				setUTC: (utcMs) => {
					this.sets.push(utcMs);
					this.time.setUTC(utcMs);
				},
			},
			crypto: seededCrypto(7),
			info: { timeServers: servers, builtUtcMs: BUILT },
			network: this.named,
			clockListener: { clockChanged: () => this.synchronised++ },
		});
	}

	get sync() {
		const { service } = this;
		const { lastSuccessMs, lastError } = service.sync;
		return { start: () => service.start(), stop: () => service.stop(), lastSuccessMs, lastError };
	}

	/** Starts a server of that name at 10.0.0.<number>, port 123. */
	serve(name: string, number: number, options: ServerOptions = {}): void {
		const { wayMs = 20, aheadMs = 0, change, silent, from } = options;
		const own = { address: `10.0.0.${number}`, port: 123 };
		const serve = (question: Uint8Array, to: Endpoint) => {
			this.requests.push(name);
			if (silent) return [];
			const bytes = replyTo(question, this.truth + aheadMs);
			change?.(bytes);
			this.network.send({ from: { ...own, ...from }, to, bytes }, wayMs);
			return [];
		};
		this.resolver.names.set(name, own.address);
		this.network.serve(own.address, own.port, serve, wayMs);
	}

	get truth(): number {
		return TRUTH + this.time.nowMs;
	}

	/** Error of the gateway's clock, ms; undefined if it was never set. */
	get ahead(): number | undefined {
		const utcMs = this.time.utcMs();
		return utcMs === undefined ? undefined : utcMs - this.truth;
	}

	/** Starts the service, and runs it for this time. */
	start(ms: number): void {
		this.sync.start();
		this.run(ms);
	}

	run(ms: number): void {
		this.pass(ms);
		assert.ok(this.network.ports.length <= 1);
	}
}

/** Runs a bed with one such server for one request. */
function once(options: ServerOptions, utcAheadMs?: number): TimeBed {
	const bed = new TimeBed("a", utcAheadMs);
	bed.serve("a", 1, options);
	bed.start(6 * S);
	return bed;
}

const changed = (change: (reply: Buffer) => void, utcAheadMs?: number) => once({ change }, utcAheadMs);

describe("sntp/client", () => {
	it("sets an unset clock to the time of the only server, and reports that the clock has changed", () => {
		const bed = once({ wayMs: 30 });
		assert.ok(Math.abs(bed.ahead!) <= 2, `${bed.ahead} ms`);
		assert.equal(bed.synchronised, 1);
		assert.deepEqual([bed.sync.lastSuccessMs, bed.sync.lastError], [80, TIME_WELL]);
		assert.deepEqual(bed.network.ports, []);
	});

	it("sends requests of version 4 that contain only a random number, which differs each time", () => {
		const bed = once({ silent: true });
		bed.run(HOUR);
		const questions = bed.network.sent.map(({ bytes }) => Buffer.from(bytes));
		assert.ok(questions.length > 5);
		for (const bytes of questions) {
			assert.equal(bytes.length, 48);
			assert.equal(bytes.toString("hex", 0, 40), `23${"00".repeat(39)}`);
		}
		assert.equal(new Set(questions.map((bytes) => bytes.toString("hex", 40))).size, questions.length);
		assert.equal(new Set(bed.network.sent.map(({ from }) => from.port)).size, questions.length);
	});

	it("corrects by half of the transit time, without the server's delay", () => {
		const served = once({
			wayMs: 200,
			change: (reply) => putTime(reply, 32, TRUTH + 220 - 150),
		});
		// The server claims 150 ms of the 400 as its own delay.
		assert.ok(Math.abs(served.ahead! - -75) <= 2, `${served.ahead} ms`);
		const slow = once({ wayMs: 2000 });
		assert.ok(Math.abs(slow.ahead!) <= 2, `${slow.ahead} ms`);
	});

	it("does not set a clock that differs by less than 100 ms, and counts this as success", () => {
		for (const ahead of [-97, 0, 97]) {
			const bed = once({}, ahead);
			assert.deepEqual([bed.sets.length, bed.synchronised, bed.ahead], [0, 1, ahead]);
		}
		for (const ahead of [-105, 105, 999_000, -999_000]) {
			const bed = once({}, ahead);
			assert.deepEqual([bed.sets.length, bed.synchronised], [1, 1]);
			assert.ok(Math.abs(bed.ahead!) <= 2);
		}
	});

	it("sends the next request after 6 hours, with a random deviation of up to a tenth", () => {
		const bed = new TimeBed("a");
		bed.serve("a", 1);
		bed.start(40 * 24 * HOUR);
		const times = bed.network.sent.map(({ timeMs }) => timeMs);
		const gaps = times.slice(1).map((timeMs, i) => (timeMs - times[i]) / HOUR);
		assert.ok(gaps.length > 140);
		assert.ok(gaps.every((gap) => gap >= 5.4 && gap <= 6.601));
		assert.ok(Math.max(...gaps) - Math.min(...gaps) > 1);
	});

	it("ignores datagrams that are not the reply to its request", () => {
		const ignored: Record<string, ServerOptions> = {
			"another number": { change: (reply) => (reply[24] ^= 1) },
			"another number at its end": { change: (reply) => (reply[31] ^= 1) },
			"another address": { from: { address: "10.0.0.66" } },
			"another port": { from: { port: 124 } },
		};
		for (const [what, options] of Object.entries(ignored)) {
			const bed = once(options);
			assert.deepEqual([bed.ahead, bed.sync.lastError], [undefined, TIME_NO_REPLY], what);
		}
		const bed = new TimeBed("a");
		bed.serve("a", 1);
		bed.network.serve("10.0.0.1", 123, (question, to) => {
			const answer = (bytes: Uint8Array, delayMs: number, address = "10.0.0.1") =>
				bed.network.send({ from: { address, port: 123 }, to, bytes }, delayMs);
			const good = replyTo(question, bed.truth);
			const wrong = replyTo(question, bed.truth + 5 * MINUTE);
			answer(good.subarray(0, 47), 5);
			answer(new Uint8Array(0), 5);
			answer(wrong, 6, "10.0.0.66");
			answer(wrong.fill(0, 24, 32), 7);
			answer(new Uint8Array(DATAGRAM_LIMIT), 8);
			answer(Buffer.concat([good, Buffer.alloc(20)]), 9);
			return [];
		});
		bed.start(6 * S);
		assert.ok(Math.abs(bed.ahead!) <= 10);
	});

	it("rejects replies of a server without a time, and inconsistent replies", () => {
		const bad: Record<string, (reply: Buffer) => void> = {
			"not synchronised": (reply) => (reply[0] |= 0xc0),
			"stratum 16": (reply) => (reply[1] = 16),
			"a client": (reply) => (reply[0] = (reply[0] & 0xf8) | 3),
			"a broadcast": (reply) => (reply[0] = (reply[0] & 0xf8) | 5),
			"version 2": (reply) => (reply[0] = 0x14),
			"version 5": (reply) => (reply[0] = 0x2c),
			"no transmit time": (reply) => reply.fill(0, 40, 48),
			"far by its delay": (reply) => reply.writeUInt32BE(4 * 65536, 4),
			"far by its dispersion": (reply) => reply.writeUInt32BE(2 * 65536, 8),
			"sent before it came": (reply) => putTime(reply, 32, TRUTH + 2 * S),
			"held longer than it took": (reply) => putTime(reply, 32, TRUTH - 2 * S),
		};
		for (const [what, change] of Object.entries(bad)) {
			const bed = changed(change);
			assert.deepEqual([bed.ahead, bed.sync.lastError], [undefined, TIME_BAD_REPLY], what);
		}
		const good: Record<string, (reply: Buffer) => void> = {
			"stratum 1": (reply) => (reply[1] = 1),
			"stratum 15": (reply) => (reply[1] = 15),
			"version 3": (reply) => (reply[0] = 0x1c),
			"a leap second ahead": (reply) => (reply[0] |= 0x40),
			"just near enough": (reply) => reply.writeUInt32BE(65536 + 31000, 8),
		};
		for (const [what, change] of Object.entries(good)) assert.equal(changed(change).synchronised, 1, what);
	});

	it("accepts times from the build up to the end of 2099, in this NTP era and the next", () => {
		const says = (utcMs: number) => {
			const change = (reply: Buffer) => {
				putTime(reply, 32, utcMs);
				putTime(reply, 40, utcMs);
			};
			const bed = new TimeBed("a,b");
			bed.serve("a", 1, { change });
			bed.serve("b", 2, { change });
			bed.start(6 * S);
			return bed;
		};
		for (const utcMs of [0, 1_704_067_199_000, BUILT - S, 4_102_444_800_000]) {
			const bed = says(utcMs);
			assert.deepEqual([bed.ahead, bed.sync.lastError], [undefined, TIME_OUT_OF_RANGE], `${utcMs}`);
		}
		for (const utcMs of [
			BUILT,
			Date.UTC(2036, 1, 7, 6, 28, 15),
			Date.UTC(2036, 1, 7, 6, 28, 16, 500),
			4_102_444_799_000,
		]) {
			const bed = says(utcMs);
			assert.equal(bed.synchronised, 1, `${utcMs}`);
			assert.ok(Math.abs(bed.sets[0] - utcMs) <= 50, `${new Date(bed.sets[0]).toISOString()}`);
		}
	});

	it("uses the next server if one is silent or unknown", () => {
		const bed = new TimeBed("unknown,never,silent,good");
		bed.serve("silent", 1, { silent: true });
		bed.serve("good", 2);
		bed.start(9.9 * S);
		assert.deepEqual(bed.requests, ["silent"]);
		assert.equal(bed.sync.lastError, TIME_NO_ADDRESS);
		bed.run(S);
		assert.deepEqual(bed.requests, ["silent", "good"]);
		assert.equal(bed.synchronised, 1);
	});

	it("waits longer and longer while no server replies: 15 s, 30 s … 30 minutes", () => {
		const bed = new TimeBed("a");
		bed.serve("a", 1, { silent: true });
		bed.start(4 * HOUR);
		const times = bed.network.sent.map(({ timeMs }) => timeMs);
		const gaps = times.slice(1).map((timeMs, i) => Math.round((timeMs - times[i]) / S) - 5);
		assert.deepEqual(gaps.slice(0, 9), [15, 30, 60, 120, 240, 480, 960, 1800, 1800]);
	});

	it("obeys kiss-o'-death codes: waits an hour after RATE, and until the network is lost after DENY or RSTR", () => {
		const kiss = (code: string) => (reply: Buffer) => {
			reply[0] |= 0xc0;
			reply[1] = 0;
			reply.write(code, 12, "latin1");
		};
		const times = (code: string) => {
			const bed = new TimeBed("a");
			bed.serve("a", 1, { change: kiss(code) });
			bed.start(3 * HOUR);
			assert.deepEqual([bed.sync.lastError, bed.ahead], [TIME_NOT_WELCOME, undefined]);
			const count = bed.requests.length;
			bed.sync.stop();
			bed.start(S);
			assert.equal(bed.requests.length, count + 1);
			return bed.network.sent.map(({ timeMs }) => timeMs);
		};
		const rate = times("RATE");
		assert.ok(rate.length >= 3 && rate.length <= 5);
		assert.ok(rate.slice(1, -1).every((timeMs, i) => timeMs - rate[i] >= HOUR));
		assert.equal(times("DENY").length, 2);
		assert.equal(times("RSTR").length, 2);
		assert.ok(times("INIT").length > 8);
		// The next server is tried at once.
		const bed = new TimeBed("a,b");
		bed.serve("a", 1, { change: kiss("DENY") });
		bed.serve("b", 2);
		bed.start(S);
		assert.equal(bed.synchronised, 1);
	});

	it("ignores a kiss-o'-death code that does not come from the server", () => {
		const bed = once({
			change: (reply) => {
				reply[1] = 0;
				reply.write("DENY", 12, "latin1");
				reply[30] ^= 1;
			},
		});
		bed.run(MINUTE);
		assert.ok(bed.requests.length > 1);
		assert.equal(bed.sync.lastError, TIME_NO_REPLY);
	});

	it("sets an unset clock to the time of one server only if no other one replies; otherwise a second one must agree", () => {
		const both = (aheadOfB: number, others: ServerOptions = { silent: true }) => {
			const bed = new TimeBed("a,b,c");
			bed.serve("a", 1);
			bed.serve("b", 2, { aheadMs: aheadOfB });
			bed.serve("c", 3, others);
			bed.start(12 * S);
			return bed;
		};
		assert.deepEqual(both(1990).requests, ["a", "b"]);
		assert.equal(both(1990).synchronised, 1);
		const doubted = both(2010);
		assert.deepEqual([doubted.requests.length, doubted.ahead, doubted.sync.lastError], [3, undefined, TIME_DOUBTED]);
		assert.equal(doubted.traced.length, 1);
		const majority = both(HOUR, {});
		assert.deepEqual(majority.requests, ["a", "b", "c"]);
		assert.ok(Math.abs(majority.ahead!) <= 2);
		const alone = new TimeBed("a,b");
		alone.serve("a", 1, { silent: true });
		alone.serve("b", 2);
		alone.sync.start();
		alone.run(12 * S);
		assert.ok(Math.abs(alone.ahead!) <= 2);
	});

	it("doubts a single server that is 20 years past the build, until another one agrees or its time changes", () => {
		const year = 31_557_600_000;
		const ahead = BUILT + 20 * year - TRUTH;
		for (const [aheadMs, isTaken] of [
			[ahead - MINUTE, true],
			[ahead + MINUTE, false],
			[Date.UTC(2099, 6, 1) - TRUTH, false],
		] as const) {
			const bed = once({ aheadMs });
			bed.run(MINUTE);
			assert.equal(bed.ahead !== undefined, isTaken, `${aheadMs}`);
			assert.equal(bed.sync.lastError, isTaken ? TIME_WELL : TIME_DOUBTED);
			// The server does not become credible by repeating its time.
			if (!isTaken) bed.run(6 * HOUR);
			assert.equal(bed.ahead !== undefined, isTaken, `${aheadMs}, later`);
			bed.serve("a", 1);
			bed.run(7 * HOUR);
			assert.ok(isTaken || Math.abs(bed.ahead!) < 100);
		}
		const two = new TimeBed("a,b");
		two.serve("a", 1, { aheadMs: ahead + HOUR });
		two.serve("b", 2, { aheadMs: ahead + HOUR });
		two.sync.start();
		two.run(MINUTE);
		assert.equal(Math.round(two.ahead! / MINUTE), Math.round((ahead + HOUR) / MINUTE));
		// A single server with that time does not change a clock that is set either.
		const set = once({ aheadMs: ahead + HOUR }, 0);
		set.run(6 * HOUR);
		assert.ok(Math.abs(set.ahead!) < 100);
	});

	it("recognises one server under two names", () => {
		const bed = new TimeBed("a,b,10.0.0.1", HOUR);
		bed.serve("a", 1);
		bed.serve("b", 1);
		bed.start(12 * S);
		assert.deepEqual([bed.requests.length, bed.synchronised, bed.sync.lastError], [1, 0, TIME_DOUBTED]);
	});

	it("steps by more than 1000 s when two servers agree", () => {
		for (const ahead of [-1_001_000, 1_001_000, 365 * 24 * HOUR]) {
			const bed = new TimeBed("a,b", ahead);
			bed.serve("a", 1);
			bed.serve("b", 2, { aheadMs: 1500 });
			bed.start(S);
			assert.deepEqual(bed.requests, ["a", "b"]);
			assert.equal(bed.synchronised, 1);
			assert.ok(Math.abs(bed.ahead!) <= 1502);
		}
	});

	it("is not misled by one wrong server while another one confirms the clock", () => {
		const bed = new TimeBed("liar,b", 0);
		bed.serve("liar", 1, { aheadMs: 24 * HOUR });
		bed.serve("b", 2);
		bed.start(10 * 24 * HOUR);
		assert.deepEqual(bed.sets, []);
		assert.ok(bed.synchronised > 30);
	});

	it("steps to the time of a single server only if it repeats that time three times, 10 minutes apart", () => {
		const bed = new TimeBed("a,b", -2 * HOUR);
		bed.serve("a", 1);
		bed.serve("b", 2, { silent: true });
		bed.start(20 * MINUTE);
		assert.deepEqual([bed.sets.length, bed.sync.lastError], [0, TIME_DOUBTED]);
		assert.ok(bed.traced.length >= 6);
		bed.run(60 * MINUTE);
		assert.equal(bed.sets.length, 1);
		assert.ok(Math.abs(bed.ahead!) <= 2);
	});

	it("never steps to the time of a single server that sends a different time in each reply, or is contradicted", () => {
		let calls = 0;
		const moody = new TimeBed("a", 0);
		moody.serve("a", 1, {
			change: (reply) => {
				const utcMs = moody.truth + 24 * HOUR + 10 * S * calls++;
				putTime(reply, 32, utcMs);
				putTime(reply, 40, utcMs);
			},
		});
		moody.sync.start();
		moody.run(48 * HOUR);
		assert.ok(calls > 50);
		assert.deepEqual(moody.sets, []);
		const contradicted = new TimeBed("a,b", 0);
		contradicted.serve("a", 1, { aheadMs: 24 * HOUR });
		contradicted.serve("b", 2, { aheadMs: 48 * HOUR });
		contradicted.sync.start();
		contradicted.run(48 * HOUR);
		assert.deepEqual(contradicted.sets, []);
	});

	it("accepts a clock that was set by hand meanwhile", () => {
		const bed = new TimeBed("a", -2 * HOUR);
		bed.serve("a", 1);
		bed.start(MINUTE);
		assert.equal(bed.synchronised, 0);
		bed.time.setUTC(bed.truth + 30 * S);
		bed.run(10 * MINUTE);
		assert.equal(bed.synchronised, 1);
		assert.ok(Math.abs(bed.ahead!) <= 2);
	});

	it("sends no request without servers, and none after stop", () => {
		const none = new TimeBed("");
		none.sync.start();
		none.run(HOUR);
		assert.deepEqual([none.network.sent.length, none.sync.lastSuccessMs], [0, undefined]);
		for (const at of [5, 25, 50, 10_000]) {
			const bed = new TimeBed("a", 0);
			bed.serve("a", 1, { silent: at > 100 });
			bed.start(at);
			bed.sync.stop();
			bed.sync.stop();
			const { length } = bed.network.sent;
			bed.run(HOUR);
			const later = bed.network.sent.slice(length);
			assert.deepEqual([later, bed.synchronised, bed.network.ports], [[], 0, []], `stopped at ${at}`);
		}
	});

	it("sends its requests to the configured port", () => {
		const bed = new TimeBed("10.0.0.9:1123, a:124");
		bed.resolver.names.set("a", "10.0.0.8");
		bed.start(6 * S);
		assert.deepEqual(
			bed.network.sent.map(({ to }) => `${to.address}:${to.port}`),
			["10.0.0.9:1123", "10.0.0.8:124"],
		);
	});

	it("continues after a port can't be opened or is lost", () => {
		const faults = expectFaults(/no port is free/);
		const bed = new TimeBed("a");
		bed.serve("a", 1);
		bed.network.serve("10.0.0.1", 123, () => {
			bed.network.fail();
			return [];
		});
		bed.start(S);
		assert.deepEqual([bed.sync.lastError, bed.network.ports], [TIME_NO_REPLY, []]);
		bed.serve("a", 1);
		bed.network.failure = "no port is free";
		bed.time.advance(30 * S);
		assert.equal(faults.length, 1);
		bed.network.failure = "";
		bed.run(MINUTE);
		assert.equal(bed.synchronised, 1);
	});

	it("repeats a name look-up that is never answered, and ignores the late reply to the earlier one", () => {
		const bed = new TimeBed("never");
		const { unanswered } = bed.named;
		bed.serve("never", 1);
		bed.start(5 * S);
		assert.deepEqual([unanswered.length, bed.sync.lastError], [1, TIME_NO_ADDRESS]);
		bed.run(15 * S);
		assert.equal(unanswered.length, 2);
		unanswered[0]("10.0.0.1");
		bed.run(S);
		assert.deepEqual(bed.requests, []);
		unanswered[1]("10.0.0.1");
		bed.run(S);
		assert.deepEqual([bed.requests, bed.synchronised], [["never"], 1]);
	});

	it("survives 10 000 replies with random bytes, and sets no time outside of the accepted range", () => {
		const random = new SeededRandom(11);
		const bed = new TimeBed("a", 0);
		let replies = 0;
		bed.serve("a", 1, {
			change: (reply) => {
				replies++;
				for (let k = random.below(6); k >= 0; k--) reply[random.below(48)] = random.next();
			},
		});
		for (let i = 0; i < 10_000; i++) {
			bed.start(100);
		}
		assert.ok(replies > 9000);
		for (const utcMs of bed.sets) assert.ok(utcMs >= BUILT && utcMs <= 4_102_444_799_000);
		assert.ok(Math.abs(bed.ahead!) <= 1000 * S * bed.sets.length);
	});

	it("gets the time of a real server over a real port", async () => {
		const aheadMs = 3 * HOUR;
		const server = createSocket("udp4");
		server.on("message", (bytes, { address, port }) => {
			server.send(replyTo(bytes, Date.now() + aheadMs), port, address);
		});
		await new Promise<void>((done) => server.bind(0, "127.0.0.1", done));
		const clock = new NodeClock(undefined);
		let sync: TimeService | undefined;
		try {
			await new Promise<void>((done, fail) => {
				sync = new TimeService({
					udp: createUDPPort(fail),
					driver: new Driver({ clock, timers: new NodeTimers(), guard: (_part, run) => run() }),
					clock,
					crypto: new NodeCrypto(),
					buffer: new Uint8Array(DATAGRAM_LIMIT),
					info: { timeServers: `127.0.0.1:${server.address().port}`, builtUtcMs: BUILT },
					network: {},
					trace: fail,
					clockListener: { clockChanged: done },
				});
				sync.start();
			});
			assert.ok(Math.abs(clock.utcMs()! - Date.now() - aheadMs) < 500);
		} finally {
			sync?.close();
			server.close();
		}
	});
});
