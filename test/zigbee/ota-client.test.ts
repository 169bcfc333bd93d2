import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { SLOTS } from "../../hosts/simulated/boot-loader.js";
import { FRONT_LENGTH } from "../../modules/update/front.js";
import { TAKEN } from "../../modules/update/refusals.js";
import { BOARD, makeFile, makeImage } from "../update/firmware-files.js";
import { frames, OTABed, serve } from "./ota-bed.js";

const QUERY = 1;
const BLOCK = 3;
const END = 6;
const VERSION = 3;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const SMALL_IMAGE = makeImage(9000);
const SMALL = makeFile(SMALL_IMAGE);
const IMAGE = makeImage(150_000);
const FILE = makeFile(IMAGE);

/** A unit in a network, after a notification of the file. */
function loading(file = SMALL, version = VERSION, answer = serve(file, version)): OTABed {
	const bed = new OTABed();
	bed.answer = answer;
	bed.join();
	bed.send(frames.notify());
	return bed;
}

function assertInstalled(bed: OTABed, image = SMALL_IMAGE): void {
	const lying = bed.slots.flash.open(SLOTS[1])!.bytes.subarray(0, image.length);
	assert.equal(Buffer.compare(lying, image), 0);
	assert.equal(bed.lastError, "");
	assert.equal(bed.storage.get("zb_ota"), undefined);
}

const lastEnd = (bed: OTABed) => bed.requests.filter(([command]) => command === END).at(-1)?.[1];

function attribute({ client }: OTABed, id: number): Buffer {
	const into = new Uint8Array(20);
	return Buffer.from(into.subarray(3, client.readAttribute(id, into, 3)));
}

describe("OTA Upgrade client: a file", () => {
	it("is requested after a notification and loaded; its end is reported, and it starts after the coordinator's answer", () => {
		const bed = loading();
		assert.ok(bed.isBusy);
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed);
		assert.equal(bed.count(QUERY), 1);
		assert.equal(bed.count(BLOCK), Math.ceil(SMALL.length / 50));
		assert.equal(bed.count(END), 1);
		assert.equal(lastEnd(bed)![0], 0);
		assert.deepEqual(bed.logged, ["update_installed 1.2.3-test from zigbee"]);
		assert.equal(bed.updater.state, "restarting");
		bed.time.advance(DAY_MS);
		assert.equal(bed.restarts, 1);
	});

	it("is accepted whatever version its header has, because coordinators rewrite it", () => {
		const forced = SMALL.slice();
		forced.set([0xfe, 0xff, 0xff, 0xff], 14);
		const bed = loading(forced, 0xfffffffe);
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed);
	});

	it("is requested with the running version and the identity of the board", () => {
		const bed = loading();
		bed.time.advance(30);
		const [[, query], [, block]] = bed.requests;
		assert.equal(query.toString("hex"), `00f1ff0${BOARD.deviceId}0002000000`);
		assert.equal(block.toString("hex"), `02f1ff0${BOARD.deviceId}000300000000000000320000`);
	});

	it("is loaded although blocks get lost, come twice, come late, or come from another node", () => {
		const random = new SeededRandom(4);
		const bed = loading();
		const good = serve(SMALL, VERSION);
		let last: Buffer | undefined;
		bed.answer = (command, payload) => {
			const answer = good(command, payload);
			if (command !== BLOCK) return answer;
			if (random.oneIn(5)) return undefined;
			if (last !== undefined && random.oneIn(5)) bed.time.set(() => bed.send(last!), 10);
			const strange = frames.block(VERSION, payload.readUInt32LE(9), new Uint8Array(50));
			if (random.oneIn(5)) bed.time.set(() => bed.send(strange, { source: 0x1234 }), 15);
			last = answer;
			return answer;
		};
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed);
	});

	it("is loaded although frames do not arrive", () => {
		const random = new SeededRandom(5);
		const bed = loading();
		bed.arrives = () => !random.oneIn(4);
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed);
	});

	it("may come in smaller or in larger blocks", () => {
		for (const size of [1, 7, 60]) {
			const bed = loading();
			bed.answer = (command, payload) => {
				if (command !== BLOCK) return serve(SMALL, VERSION)(command, payload);
				const at = payload.readUInt32LE(9);
				return frames.block(VERSION, at, SMALL.subarray(at, at + size));
			};
			bed.until(() => bed.restarts > 0);
			assertInstalled(bed);
		}
	});

	it("waits as long as the coordinator requests, with its clock or without, and keeps to the coordinator's pace from then on", () => {
		const bed = loading();
		const waits = [frames.wait(1000, 1090, 0), frames.wait(0, 90, 2000)];
		bed.answer = (command, payload) => {
			if (command === BLOCK && waits.length > 0) return waits.shift();
			return serve(SMALL, VERSION)(command, payload);
		};
		bed.time.advance(89_000);
		assert.equal(bed.count(BLOCK), 1);
		bed.time.advance(2000);
		assert.equal(bed.count(BLOCK), 2);
		bed.time.advance(90_000);
		assert.equal(bed.count(BLOCK), 3);
		assert.equal(attribute(bed, 9).toString("hex"), "21d007");
		bed.time.advance(20_500);
		assert.equal(bed.count(BLOCK), 13);
		assert.equal(bed.requests.at(-1)![1].readUInt16LE(14), 2000);
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed);
	});

	it("is started when the coordinator says so: after a while, or with a later answer", () => {
		const after = new OTABed();
		after.answer = serve(SMALL, VERSION, 3600);
		after.join();
		after.send(frames.notify());
		after.until(() => after.count(END) > 0);
		after.time.advance(3_500_000);
		assert.equal(after.restarts, 0);
		assert.equal(attribute(after, 6).toString("hex"), "3004");
		after.time.advance(200_000);
		assert.equal(after.restarts, 1);

		const later = new OTABed();
		later.answer = serve(SMALL, VERSION, 0xffffffff);
		later.join();
		later.send(frames.notify());
		later.until(() => later.count(END) > 0);
		later.time.advance(3 * 3_600_000 + MINUTE_MS);
		assert.equal(later.count(END), 4, "the client sends one request an hour");
		assert.equal(later.restarts, 0);
		later.send(frames.end(0, 0));
		later.time.advance(1);
		assert.equal(later.restarts, 1);
	});

	it("is started although the coordinator no longer answers", () => {
		const bed = loading();
		bed.answer = (command, payload) => (command === END ? undefined : serve(SMALL, VERSION)(command, payload));
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed);
		assert.ok(bed.count(END) > 1);
	});

	it("is rejected with the right status, and the coordinator's default response ends the transfer", () => {
		const damaged = SMALL.slice();
		damaged[SMALL.length - 50] ^= 1;
		const cases: [Uint8Array, string, number, number][] = [
			[makeFile(SMALL_IMAGE, { deviceId: 2 }), "ota_wrong_device", 0x96, FRONT_LENGTH + 50],
			[makeFile(SMALL_IMAGE, { chip: "esp32" }), "ota_wrong_device", 0x96, FRONT_LENGTH + 50],
			[damaged, "ota_invalid_image", 0x96, SMALL.length],
			[new Uint8Array(5000).fill(0x55), "ota_invalid_image", 0x96, 50],
		];
		for (const [file, code, status, most] of cases) {
			const bed = loading(file);
			bed.until(() => !bed.isBusy);
			assert.equal(bed.lastError, code);
			assert.equal(lastEnd(bed)![0], status);
			assert.equal(bed.count(END), 1);
			assert.ok(bed.count(BLOCK) <= Math.ceil(most / 50), `${bed.count(BLOCK)} blocks`);
			assert.equal(bed.restarts, 0);
			assert.equal(bed.storage.get("zb_ota"), undefined);
		}
	});

	it("is rejected if its build is lower than the running one, whatever the offer says; the same build is accepted", () => {
		for (const [version, refusal] of [
			["9.9.1-old", "ota_downgrade"],
			["1.2.2-same", ""],
		] as const) {
			const file = makeFile(SMALL_IMAGE, { version });
			const bed = loading(file, 0xffff_fff0);
			bed.time.advance(10 * MINUTE_MS);
			assert.deepEqual([bed.lastError, bed.restarts], [refusal, refusal === "" ? 1 : 0]);
			if (refusal === "") continue;
			assert.equal(lastEnd(bed)![0], 0x96);
			assert.ok(
				bed.slots.flash.open(SLOTS[1])!.bytes.every((byte) => byte === 0xff),
				"flash was written",
			);
		}
	});

	it("is aborted, but not rejected, if the cells are nearly empty", () => {
		const bed = loading();
		bed.volts = 3.2;
		bed.until(() => !bed.isBusy);
		assert.equal(bed.lastError, "ota_low_power");
		assert.equal(lastEnd(bed)![0], 0x95);
	});

	it("is given up if the coordinator aborts, and nothing more is sent", () => {
		const bed = loading();
		bed.answer = (command, payload) =>
			command === BLOCK && payload.readUInt32LE(9) > 1000 ? frames.abort : serve(SMALL, VERSION)(command, payload);
		bed.until(() => !bed.isBusy);
		assert.equal(bed.count(END), 0);
		assert.equal(bed.updater.state, "idle");
		assert.equal(bed.lastError, "ota_interrupted");
	});
});

describe("OTA Upgrade client: queries", () => {
	it("sends a query soon after it has joined, and once a day", () => {
		const bed = new OTABed();
		bed.answer = () => frames.none;
		bed.time.advance(DAY_MS);
		assert.equal(bed.count(QUERY), 0);
		bed.join();
		bed.time.advance(50_000);
		assert.equal(bed.count(QUERY), 0);
		bed.time.advance(300_000);
		assert.equal(bed.count(QUERY), 1);
		bed.time.advance(3 * DAY_MS);
		assert.equal(bed.count(QUERY), 4);
	});

	it("repeats a query a few times if there is no answer, and sends another the next day", () => {
		const bed = new OTABed();
		bed.join();
		bed.time.advance(DAY_MS / 2);
		assert.equal(bed.count(QUERY), 4);
		bed.time.advance(DAY_MS);
		assert.equal(bed.count(QUERY), 8);
	});

	it("does not repeat a query if a default response says that there are no files", () => {
		const bed = new OTABed();
		bed.answer = () => frames.defaultResponse(1, 0x81);
		bed.join();
		bed.time.advance(DAY_MS / 2);
		assert.equal(bed.count(QUERY), 1);
	});

	it("accepts an offer after its own query, except one of the running version or of 0xFFFFFFFE", () => {
		for (const [version, isTaken] of [
			[VERSION, true],
			[1, true],
			[2, false],
			[0xfffffffe, false],
		] as const) {
			const bed = new OTABed();
			bed.answer = serve(SMALL, version);
			bed.join();
			bed.time.advance(20 * MINUTE_MS);
			assert.equal(bed.restarts > 0, isTaken, `version ${version}`);
			assert.equal(bed.count(BLOCK) > 0, isTaken);
		}
	});

	it("ignores offers for another board, and offers that are cut off", () => {
		for (const [at, value] of [
			[3, 0],
			[5, 9],
		]) {
			const bed = loading(SMALL, VERSION, () => {
				const offer = frames.offer(VERSION, SMALL.length);
				offer[at] = value;
				return offer;
			});
			bed.until(() => !bed.isBusy);
			assert.equal(bed.count(BLOCK), 0);
		}
		const bed = loading(SMALL, VERSION, () => frames.offer(VERSION, SMALL.length).subarray(0, 10));
		bed.until(() => !bed.isBusy);
		assert.equal(bed.count(BLOCK), 0);
	});

	it("follows notifications of the coordinator only, and broadcast ones only if they match and choose it", () => {
		const asks = (frame: Uint8Array, how = {}) => {
			const bed = new OTABed();
			bed.answer = () => frames.none;
			bed.join();
			bed.send(frame, how);
			return bed.count(QUERY) === 1;
		};
		const isBroadcast = true;
		assert.ok(asks(frames.notify()));
		assert.ok(!asks(frames.notify(), { source: 0x1234 }));
		assert.ok(asks(frames.notify(), { isBroadcast }));
		assert.ok(!asks(frames.notify(0), { isBroadcast }));
		assert.ok(asks(frames.notify(100, 0xf1, 0xff), { isBroadcast }));
		assert.ok(asks(frames.notify(100, 0xff, 0xff), { isBroadcast }));
		assert.ok(!asks(frames.notify(100, 0x5f, 0x11), { isBroadcast }));
		assert.ok(asks(frames.notify(100, 0xf1, 0xff, BOARD.deviceId, 0), { isBroadcast }));
		assert.ok(!asks(frames.notify(100, 0xf1, 0xff, 9, 0), { isBroadcast }));
		assert.ok(asks(frames.notify(100, 0xf1, 0xff, BOARD.deviceId, 0, 3, 0, 0, 0), { isBroadcast }));
		assert.ok(!asks(frames.notify(100, 0xf1, 0xff, BOARD.deviceId, 0, 2, 0, 0, 0), { isBroadcast }));
		assert.ok(!asks(frames.notify(100, 0xf1, 0xff, BOARD.deviceId, 0, 3, 0, 0, 0).subarray(0, 8), { isBroadcast }));
		const chosen = Array.from({ length: 100 }, () => asks(frames.notify(30), { isBroadcast }));
		const share = chosen.filter(Boolean).length;
		assert.ok(share > 5 && share < 60, `${share} of 100 were chosen`);
	});

	it("never throws on damaged replies", () => {
		const random = new SeededRandom(77);
		for (let i = 0; i < 100; i++) {
			const bed = loading();
			const good = serve(SMALL, VERSION);
			const from = random.below(40);
			bed.answer = (command, payload) => {
				const answer = good(command, payload)!;
				if (bed.requests.length < from || random.oneIn(3)) return answer;
				const bytes = Buffer.from(answer.subarray(0, 2 + random.below(answer.length)));
				if (bytes.length > 2) bytes[2 + random.below(bytes.length - 2)] = random.below(256);
				return bytes;
			};
			bed.time.advance(MINUTE_MS);
			bed.updater.stop();
		}
	});
});

describe("OTA Upgrade client: an interrupted transfer", () => {
	/** Advances time until that many bytes have arrived. */
	const until = (bed: OTABed, bytes: number) => bed.until(() => bed.updater.received >= bytes || bed.restarts > 0);

	it("continues if the coordinator is back within minutes", () => {
		const bed = loading(FILE);
		until(bed, 40_000);
		bed.arrives = () => false;
		bed.time.advance(10 * MINUTE_MS);
		assert.equal(bed.updater.state, "receiving");
		bed.arrives = () => true;
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed, IMAGE);
		assert.ok(bed.count(BLOCK) <= FILE.length / 50 + 30, `${bed.count(BLOCK)} blocks`);
	});

	it("ends after a quarter of an hour without replies, is requested again later, and continues at the last piece", () => {
		const bed = loading(FILE);
		until(bed, 70_000);
		bed.answer = () => undefined;
		bed.time.advance(20 * MINUTE_MS);
		assert.equal(bed.updater.state, "idle");
		assert.equal(bed.lastError, "ota_interrupted");
		assert.ok(!bed.isBusy);
		bed.requests.length = 0;
		bed.answer = serve(FILE, VERSION);
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed, IMAGE);
		assert.ok(bed.count(BLOCK) < (FILE.length / 50) * 0.7, `${bed.count(BLOCK)} blocks`);
	});

	it("continues without a query after the unit's restart, because the coordinator still sends", () => {
		const bed = loading(FILE);
		until(bed, 70_000);
		bed.updater.stop();
		const next = new OTABed({ slots: bed.slots, storage: bed.storage });
		next.answer = serve(FILE, VERSION);
		next.join();
		next.until(() => next.restarts > 0);
		assert.equal(next.count(QUERY), 0);
		assert.ok(next.count(BLOCK) < (FILE.length / 50) * 0.7, `${next.count(BLOCK)} blocks`);
		assertInstalled(next, IMAGE);
		const updated = new OTABed({ slots: next.slots, storage: next.storage });
		assert.equal(attribute(updated, 2).toString("hex"), "2303000000", "the new version runs");
	});

	it("continues after another notification, and begins again with another file", () => {
		const bed = loading(FILE);
		until(bed, 20_000);
		bed.send(frames.notify());
		bed.time.advance(1000);
		assert.ok(bed.updater.received > 20_000);
		assert.equal(bed.count(QUERY), 2);
		bed.answer = serve(SMALL, 7);
		bed.time.advance(MINUTE_MS);
		bed.send(frames.notify());
		bed.until(() => bed.restarts > 0);
		assertInstalled(bed);
	});

	it("begins again at most 31 times a day for a coordinator that aborts and notifies, because each beginning may erase flash", () => {
		const bed = loading(FILE);
		const good = serve(FILE, VERSION);
		let beginnings = 0;
		bed.answer = (command, payload) => {
			const at = command === BLOCK ? payload.readUInt32LE(9) : 0;
			if (command === BLOCK && at === 0) beginnings++;
			return at > 5000 ? frames.abort : good(command, payload);
		};
		for (let seconds = 0; seconds < DAY_MS / 1000; seconds += 10) {
			bed.time.advance(10_000);
			bed.send(frames.notify());
		}
		assert.ok(beginnings > 20 && beginnings < 32, `${beginnings} beginnings in a day`);
		assert.equal(bed.requests.filter(([command, payload]) => command === END && payload[0] !== 0x95).length, 0);
	});

	it("is dropped if the coordinator notifies again but has no file", () => {
		const bed = loading(FILE);
		until(bed, 20_000);
		bed.answer = () => frames.none;
		bed.send(frames.notify());
		bed.time.advance(1000);
		assert.equal(bed.updater.state, "idle");
		assert.ok(!bed.isBusy);
	});

	it("gives way to an upload over HTTP, and informs the coordinator", () => {
		const bed = loading(FILE);
		until(bed, 20_000);
		const refusals: number[] = [];
		assert.equal(
			bed.updater.begin({ name: "192.0.2.1", updated: (refusal) => refusals.push(refusal) }, SMALL.length),
			TAKEN,
		);
		assert.deepEqual(bed.logged, ["update_refused ota_interrupted from zigbee"]);
		const before = bed.updater.received;
		for (let at = 0; at < SMALL.length; at += 1000) {
			const piece = SMALL.subarray(at, at + 1000);
			for (let from = 0; from < piece.length; ) from += bed.updater.write(piece, from, piece.length);
			bed.time.advance(1000);
		}
		assert.equal(before, 0);
		bed.updater.end();
		bed.time.advance(MINUTE_MS);
		assert.deepEqual(refusals, [TAKEN]);
		assert.equal(lastEnd(bed)![0], 0x95);
		assert.equal(bed.restarts, 1);
		assertInstalled(bed);
	});

	it("does not begin during an upload over HTTP, or while the firmware is on trial", () => {
		const bed = new OTABed();
		bed.answer = serve(SMALL, VERSION);
		bed.join();
		assert.equal(bed.updater.begin({ name: "192.0.2.1", updated: () => {} }, 0), TAKEN);
		bed.send(frames.notify());
		bed.time.advance(1000);
		assert.equal(bed.updater.state, "receiving");
		assert.equal(bed.count(BLOCK), 0);
		assert.equal(lastEnd(bed)![0], 0x95);

		const first = loading();
		first.until(() => first.restarts > 0);
		const trial = new OTABed({ slots: first.slots, storage: first.storage });
		trial.answer = serve(SMALL, 9);
		trial.join();
		trial.send(frames.notify());
		trial.time.advance(1000);
		assert.equal(trial.updater.state, "trial");
		assert.equal(lastEnd(trial)![0], 0x95);
	});

	it("continues wherever it was interrupted", () => {
		const random = new SeededRandom(11);
		for (let i = 0; i < 6; i++) {
			let bed = loading(FILE);
			for (let cuts = 0; bed.restarts === 0; cuts++) {
				assert.ok(cuts < 100, "the transfer never ends");
				bed.time.advance(random.below(40_000));
				if (bed.restarts > 0) break;
				if (random.oneIn(2)) {
					bed.leave();
					bed.join();
				} else {
					bed.updater.stop();
					bed = new OTABed({ slots: bed.slots, storage: bed.storage });
					bed.answer = serve(FILE, VERSION);
					bed.join();
					// The unit is about to restart.
					if (bed.updater.state === "trial") break;
				}
			}
			assertInstalled(bed, IMAGE);
		}
	});
});

describe("OTA Upgrade client: attributes", () => {
	it("have the running version, the manufacturer and the progress of the transfer", () => {
		const bed = new OTABed();
		assert.deepEqual([...bed.client.attributes], [0, 1, 2, 3, 4, 6, 7, 8, 9]);
		const read = (id: number) => attribute(bed, id).toString("hex");
		assert.equal(read(0), `f0${"ff".repeat(8)}`);
		assert.equal(read(1), "23ffffffff");
		assert.equal(read(2), "2302000000");
		assert.equal(read(3), "210200");
		assert.equal(read(4), "23ffffffff");
		assert.equal(read(6), "3000");
		assert.equal(read(7), "21f1ff");
		assert.equal(read(8), `210${BOARD.deviceId}00`);
		assert.equal(read(9), "210000");
		for (const id of [5, 10, 0xfffd, 0x4000]) assert.equal(read(id), "");
		bed.answer = serve(FILE, VERSION, 0xffffffff);
		bed.join();
		bed.send(frames.notify());
		bed.time.advance(1000);
		assert.equal(read(6), "3001");
		assert.equal(attribute(bed, 1).readUInt32LE(1), bed.updater.received);
		bed.until(() => bed.count(END) > 0);
		bed.time.advance(1000);
		assert.equal(read(4), "2303000000");
		assert.equal(read(6), "3003");
	});
});
