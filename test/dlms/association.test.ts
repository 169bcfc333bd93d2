import assert from "node:assert/strict";
import { STEP_END } from "../../modules/dlms/association.js";
import { ScalerCache } from "../../modules/dlms/scaler-cache.js";
import { AssociationDriver, type ClientOptions, listOf } from "./association-driver.js";
import { hex, toHex } from "./crypto.js";
import { Server, type ServerOptions } from "./server.js";

const NAME = "1 0.0.42.0.0.255 2";
const ENERGY = "3 1.0.1.8.0.255";
const OBJECTS = new Map<string, string | number>([
	[NAME, "0910 4D4D4D30303030303030313233343536"],
	["8 0.0.1.0.0.255 2", "090C 07EA0301 07112D1E FF FFC4 00"],
	["1 0.0.96.1.0.255 2", "0908 3132333435363738"],
	[`${ENERGY} 2`, "06 00BC614E"],
	[`${ENERGY} 3`, "0202 0F00 161E"],
	["3 1.0.32.7.0.255 2", "12 0909"],
	["3 1.0.32.7.0.255 3", "0202 0FFF 1623"],
	["3 1.0.31.7.0.255 2", "10 FF9C"],
	["3 1.0.31.7.0.255 3", "0202 0FFE 1621"],
	["4 1.0.1.6.0.255 2", "12 1068"],
	["4 1.0.1.6.0.255 3", "0202 0F01 161B"],
	["4 1.0.1.6.0.255 5", "090C 07EA0301 07112D1E FF 8000 00"],
	["5 1.0.1.4.0.255 2", "12 0064"],
	["5 1.0.1.4.0.255 3", "12 0065"],
	["5 1.0.1.4.0.255 4", "0202 0F00 161B"],
	["5 1.0.1.4.0.255 6", "090C 07EA0301 07112D00 FF 8000 00"],
]);
const LIST = [
	"8 0-0:1.0.0.255 2",
	"1 0-0:96.1.0.255 2",
	"3 1-0:1.8.0.255 2",
	"3 1-0:32.7.0.255 2",
	"3 1-0:52.7.0.255 2",
	"3 1-0:31.7.0.255 2",
	"4 1-0:1.6.0.255 2",
	"5 1-0:1.4.0.255 2",
	"5 1-0:1.4.0.255 3",
];
const READ = [
	"0.0.1.0.0.255: 2026-03-01T17:45:30+01:00",
	"0.0.96.1.0.255: 12345678",
	"1.0.1.8.0.255: 12345678 Wh",
	"1.0.32.7.0.255: 231.3 V",
	"#4 refused 4",
	"1.0.31.7.0.255: -1.00 A",
	"1.0.1.6.0.255: 42000 W | 2026-03-01T17:45:30",
	"1.0.1.4.0.255: 100 W",
	"1.0.1.4.0.255: 101 W | 2026-03-01T17:45:00",
];
const list = listOf(...LIST);

function pair(both: Partial<ServerOptions> & ClientOptions = {}): [AssociationDriver, Server] {
	const server = new Server({ objects: OBJECTS, counter: 1, ...both });
	return [new AssociationDriver({ list, ...both, counter: 1, counterLimit: 1000 }), server];
}

function read(driver: AssociationDriver, server: Server): void {
	assert.equal(driver.run(server), undefined);
	assert.deepEqual(driver.notes.all, READ);
	assert.equal(Buffer.from(driver.cache.name).toString(), "MMM0000000123456");
	assert.deepEqual([driver.reading.read, driver.reading.refused], [8, 1]);
	assert.equal(driver.association.receive(hex("00"), 0, 1), STEP_END);
}

const LEVELS: [string, Partial<ServerOptions> & ClientOptions][] = [
	["without authentication", {}],
	["with a password", { mechanism: 1, password: "12345678" }],
	["with a password, ciphered", { mechanism: 1, password: "12345678", ciphered: true }],
	["with GMAC", { mechanism: 5 }],
	["with GMAC, ciphered", { mechanism: 5, ciphered: true }],
	["with GMAC, ciphered by suite 1", { mechanism: 5, ciphered: true, suite: 1 }],
	["with SHA-256", { mechanism: 6, password: "a secret" }],
	["with SHA-256, ciphered", { mechanism: 6, password: "a secret", ciphered: true }],
];

describe("an association", () => {
	for (const [name, level] of LEVELS) {
		describe(name, () => {
			it("reads the whole list in one request", () => {
				const [driver, server] = pair(level);
				read(driver, server);
				// The name, 6 scalers, 9 values and 2 times.
				assert.equal(driver.reading.requests, 1);
			});

			it("reads the list in requests that fit a frame", () => {
				for (const frameLimit of [13, 29, 61, 125, 126, 200]) {
					const [driver, server] = pair(level);
					driver.association.frameLimit = frameLimit;
					read(driver, server);
					const fitting = Math.max(1, Math.floor((frameLimit - (level.ciphered ? 25 : 4)) / 10));
					assert.equal(driver.reading.requests, Math.ceil(18 / fitting));
					// A request has at least one attribute even if it exceeds the limit, since HDLC then segments it.
					const least = level.ciphered ? 34 : 13;
					const gets = driver.sent.filter(([tag]) => tag === 0xc0 || tag === 0xc8);
					for (const { length } of gets) assert.ok(length <= Math.max(frameLimit, least), `${length} bytes`);
				}
			});

			it("reads attributes one by one if the meter does not support lists", () => {
				const [driver, server] = pair({ ...level, conformance: 0x00101d });
				read(driver, server);
				assert.equal(driver.reading.requests, 18);
			});

			it("reads answers in blocks", () => {
				for (const block of [1, 2, 5, 30, 200]) {
					const [driver, server] = pair({ ...level, block });
					read(driver, server);
				}
			});

			it("sends requests that fit the APDU size of the meter", () => {
				for (const pdu of [33, 40, 64, 100]) {
					const [driver, server] = pair({ ...level, pdu });
					read(driver, server);
					// A request has at least one attribute even if it exceeds the limit.
					const least = level.ciphered ? 34 : 13;
					const gets = driver.sent.filter(([tag]) => tag === 0xc0 || tag === 0xc8);
					for (const { length } of gets) assert.ok(length <= Math.max(pdu, least), `${length} bytes of ${pdu}`);
				}
			});

			it("releases the association at its end", () => {
				const [driver, server] = pair({ ...level, release: true });
				read(driver, server);
				const last = toHex(driver.sent.at(-1)!);
				if (level.ciphered) assert.match(last, /^6228800100be230421211f3[01][0-9a-f]{60}$/);
				else assert.equal(last, "6203800100");
			});

			it("skips notifications between answers", () => {
				const [driver, server] = pair(level);
				const notifications = [hex("0F00000001000600000001"), hex("C20000030100010800FF0206000000")];
				assert.equal(
					driver.run(server, (answer) => [...notifications, answer]),
					undefined,
				);
				assert.deepEqual(driver.notes.all, READ);
			});

			it("reserves counters before it uses them, and uses none twice", () => {
				const server = new Server({ objects: OBJECTS, ...level });
				const driver = new AssociationDriver({ list, ...level, counter: 7, counterLimit: 7, release: true });
				server.options.clientCounter = 6;
				assert.equal(driver.run(server), undefined);
				const uses = server.counters.length + (level.ciphered && level.mechanism === 5 ? 1 : 0);
				assert.equal(driver.grants > 0, uses > 0);
				// The release uses a counter that is already reserved, and so causes no write to flash.
				assert.ok(driver.cipher.counter - 7 >= uses);
				assert.ok(driver.cipher.counter <= driver.cipher.counterLimit);
				assert.equal(new Set(server.counters).size, server.counters.length);
			});

			it("always ends if an answer is truncated, and never reads a wrong value", () => {
				const [whole, server] = pair(level);
				whole.run(server);
				for (let which = 1; which <= whole.received.length; which++) {
					const { length } = whole.received[which - 1];
					for (let cut = 0; cut < length; cut++) {
						const [driver, other] = pair(level);
						const result = driver.run(other, (answer, count) => [count === which ? answer.subarray(0, cut) : answer]);
						assert.ok(result !== undefined || driver.association.isRead);
						for (const line of driver.notes.all) assert.ok(READ.includes(line) || /refused/.test(line), line);
					}
				}
			});

			it("always ends if a bit of an answer is flipped, and reads no wrong value if it is ciphered", () => {
				const [whole, server] = pair(level);
				whole.run(server);
				for (let which = 1; which <= whole.received.length; which++) {
					for (let bit = 0; bit < whole.received[which - 1].length * 8; bit++) {
						const [driver, other] = pair(level);
						const result = driver.run(other, (answer, count) => {
							if (count !== which) return [answer];
							const damaged = answer.slice();
							damaged[bit >> 3] ^= 1 << (bit & 7);
							return [damaged, answer];
						});
						assert.ok(result !== undefined || driver.association.isRead);
						if (!level.ciphered) continue;
						for (const line of driver.notes.all) assert.ok(READ.includes(line) || /refused/.test(line), line);
					}
				}
			});
		});
	}

	it("reads scalers once, and reuses them only for the same meter", () => {
		const cache = new ScalerCache(list[0]);
		const first = new AssociationDriver({ list, cache });
		assert.equal(first.run(new Server({ objects: OBJECTS })), undefined);
		const again = new AssociationDriver({ list, cache });
		const server = new Server({ objects: OBJECTS, conformance: 0x001011 });
		assert.equal(again.run(server), undefined);
		assert.deepEqual(again.notes.all, READ);
		assert.equal(again.reading.requests, 1 + 9 + 2);
		// Another meter with other scalers, then a meter without a name.
		const other = new Map(OBJECTS).set(NAME, "0903 584D58").set(`${ENERGY} 3`, "0202 0F03 161E");
		const swapped = new AssociationDriver({ list, cache });
		assert.equal(swapped.run(new Server({ objects: other })), undefined);
		assert.ok(swapped.notes.all.includes("1.0.1.8.0.255: 12345678000 Wh"));
		const nameless = new AssociationDriver({ list, cache });
		assert.equal(nameless.run(new Server({ objects: new Map(OBJECTS).set(NAME, 4) })), undefined);
		assert.deepEqual([nameless.notes.all, nameless.cache.name.length], [READ, 0]);
	});
});
