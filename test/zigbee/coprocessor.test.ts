/** The driver on a correct chip: its requests, its states, and their times. */
import assert from "node:assert/strict";
import { RADIO_JOINED, ROLE_END_DEVICE } from "../../modules/zigbee/radio.js";
import { Bed, FakeChip, SHORT } from "./chip.js";
import { trace, traceIncoming } from "./trace.js";

const REGISTER = "24000104015300010004000003000207040b020a001900";
const BOOT = ["2102", "2104", "2108870000", REGISTER];
const RESTORE = "2f0500";
const INFO = "2550";
const KEY = "00".repeat(17);
const WIPE = [
	`21093a000011${KEY}`,
	`21093b000011${KEY}`,
	`210902010010${"00".repeat(16)}`,
	"211282001800",
	"211282001500",
	"211221007400",
	"211221006e00",
	"2107030001000103",
	"21090300000103",
];
const PAIR = [
	"2107870001000101",
	"21098700000101",
	"21078f0001000101",
	"21098f00000101",
	"21078300020002ffff",
	"210983000002ffff",
	"2107840004000400f8ff07",
	"21098400000400f8ff07",
	"2107320001000100",
	"21093200000100",
];
const STEER = ["2f080100f8ff07", "2f080000000000", "2f0502"];
const RESET = "410001";
const LEAVE = "2534114a000000000000000000";
const MINUTE_MS = 60_000;

const codes = (bed: Bed) => bed.states.splice(0).map((line) => line.split(" ")[1]);

describe("The coprocessor's driver", () => {
	it("sends nothing before it is started", () => {
		const bed = new Bed();
		bed.call(() => {}).after(MINUTE_MS);
		assert.deepEqual([bed.requestLog, bed.state, bed.driver.deadlineMs], [[], "off", Infinity]);
	});

	it("restores the network of a chip that has one, and opens it for no other node", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		assert.deepEqual(bed.requests(), [RESET, ...BOOT, RESTORE, INFO]);
		assert.deepEqual(codes(bed), ["starting", "joined"]);
		assert.equal(bed.driver.firmware, "Z-Stack 3.x.0, 2025-03-21");
		assert.deepEqual(bed.driver.ieeeAddress, Uint8Array.from([1, 0x0a, 0, 0, 0, 0x4b, 0x12, 0]));
		assert.deepEqual(bed.driver.network, {
			channel: 15,
			panId: 0x1a62,
			shortAddress: SHORT,
			extendedPanId: Uint8Array.from([0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xdd]),
		});
	});

	it("is not joined if the chip has no network, and does not start a chip with another role", () => {
		const bed = new Bed({ chip: new FakeChip() }).start();
		assert.deepEqual(bed.requests(), [RESET, ...BOOT, INFO]);
		assert.deepEqual(codes(bed), ["starting", "not_joined"]);
		assert.equal(bed.driver.network, undefined);

		const router = new FakeChip();
		router.nv.set(0x87, "01");
		const other = new Bed({ chip: router }).start();
		assert.deepEqual(other.requests(), [RESET, ...BOOT, RESTORE, INFO]);
		assert.deepEqual(codes(other), ["starting", "not_joined"]);
	});

	it("joins on request: erases the old network, writes the settings of a pairing, then searches for a network", () => {
		const bed = new Bed().start();
		bed.requests();
		codes(bed);
		bed.chip.isOpen = true;
		bed.call((nowMs) => bed.driver.join(nowMs));
		assert.deepEqual(bed.requests(), [INFO, ...WIPE, RESET, ...PAIR, RESET, ...BOOT, ...STEER, INFO]);
		assert.deepEqual(codes(bed), ["joining", "joined"]);
		assert.deepEqual([bed.driver.owesLeave, bed.driver.joiningUntilMs], [false, 0]);
		assert.equal(bed.chip.nv.get(0x03), "00");
		assert.equal(bed.chip.nv.get(0x3a), KEY);
	});

	it("sends the same requests as the host in the trace", () => {
		const traced = new Set(
			trace()
				.filter(({ fromChip }) => !fromChip)
				.map(({ body }) => body),
		);
		for (const request of ["2102", ...STEER, RESTORE, INFO, LEAVE, REGISTER, RESET, ...PAIR.slice(0, 8)])
			assert.ok(traced.has(request), request);
	});

	it("leaves the network before it joins another", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		bed.requests();
		codes(bed);
		bed.call((nowMs) => bed.driver.join(nowMs));
		assert.deepEqual(bed.requests(), [INFO, LEAVE]);
		assert.deepEqual([codes(bed), bed.driver.owesLeave], [["leaving"], true]);
		bed.after(2999);
		assert.deepEqual(bed.requests(), [], "the frame has not been sent yet");
		bed.chip.isOpen = true;
		bed.after(1);
		assert.deepEqual(bed.requests(), [...WIPE, RESET, ...PAIR, RESET, ...BOOT, ...STEER, INFO]);
		assert.deepEqual(codes(bed), ["joining", "joined"]);
	});

	it("continues at once if the chip restarts after a leave", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		bed.call((nowMs) => bed.driver.leave(nowMs));
		bed.requests();
		bed.receive("4180000201020701");
		assert.deepEqual(bed.requests(), [...WIPE, RESET, ...BOOT, RESTORE, INFO]);
		assert.equal(bed.state, "not_joined");
	});

	it("searches for an open network at intervals of 5, 10, 20 … 60 s for 5 minutes, then stops", () => {
		const bed = new Bed().start();
		bed.requestLog.length = 0;
		codes(bed);
		const sinceMs = bed.nowMs;
		bed.call((nowMs) => bed.driver.join(nowMs));
		assert.equal(bed.driver.joiningUntilMs, sinceMs + 5 * MINUTE_MS);
		bed.after(10 * MINUTE_MS);
		const tries = bed.requestLog
			.filter((line) => line.endsWith(" 2f0502"))
			.map((line) => Number(line.split(" ")[0]) - sinceMs);
		assert.deepEqual(tries, [0, 5000, 15_000, 35_000, 75_000, 135_000, 195_000, 255_000]);
		assert.deepEqual(bed.states, [`${sinceMs} joining`, `${sinceMs + 5 * MINUTE_MS} not_joined`]);
		assert.equal(bed.driver.joiningUntilMs, 0);
	});

	it("joins if the network is opened in the meantime", () => {
		const bed = new Bed().start();
		bed.call((nowMs) => bed.driver.join(nowMs)).after(20_000);
		assert.equal(bed.state, "joining");
		bed.chip.isOpen = true;
		bed.after(20_000);
		assert.equal(bed.state, "joined");
	});

	it("reports a join only when it is complete; a failed key exchange does not count", () => {
		const bed = new Bed().start();
		bed.chip.answer = (request) =>
			request === "2f0502" ? ["6f0500", "45c002", "45c003", "45c005", "45c007"] : undefined;
		bed.call((nowMs) => bed.driver.join(nowMs)).after(3000);
		assert.equal(bed.state, "joining");
		bed.receive("4481000000000000010100c8000000000002071001000500040000001d");
		assert.deepEqual(bed.receivedFrames, [], "no frame is accepted from a network before the join");
		bed.receive("4f80070100", "45c000").after(1000);
		assert.equal(bed.state, "joining");
	});

	it("begins to join as soon as the chip answers", () => {
		const bed = new Bed();
		bed.chip.isSilent = true;
		bed
			.start()
			.call((nowMs) => bed.driver.join(nowMs))
			.after(2 * MINUTE_MS);
		assert.equal(bed.state, "silent");
		bed.chip.isSilent = false;
		bed.chip.isOpen = true;
		bed.after(MINUTE_MS);
		assert.equal(bed.state, "joined");
	});

	it("leaves once the chip is back if that was requested while it was silent or off", () => {
		for (const isOff of [false, true]) {
			const bed = new Bed({ chip: new FakeChip().join() });
			if (isOff) bed.call((nowMs) => bed.driver.leave(nowMs));
			bed.chip.isSilent = true;
			bed.start().after(2 * MINUTE_MS);
			if (!isOff) bed.call((nowMs) => bed.driver.leave(nowMs));
			assert.deepEqual([bed.state, bed.driver.owesLeave], ["silent", true]);
			bed.chip.isSilent = false;
			bed.requestLog.length = 0;
			bed.after(2 * MINUTE_MS);
			const requests = bed.requests();
			assert.deepEqual(requests.slice(requests.indexOf(RESTORE), requests.indexOf(RESTORE) + 3 + WIPE.length), [
				RESTORE,
				INFO,
				LEAVE,
				...WIPE,
			]);
			assert.deepEqual([bed.state, bed.driver.owesLeave, bed.chip.isJoined], ["not_joined", false, false]);
			assert.equal(requests.includes("2f0502"), false, "joined");
		}
	});

	it("is silent after three attempts, keeps trying, and recovers when the chip is back", () => {
		const bed = new Bed({ chip: new FakeChip().join() });
		bed.chip.isSilent = true;
		bed.start().after(10 * MINUTE_MS);
		assert.deepEqual(bed.states, ["1000 starting", "36000 silent"]);
		const resets = bed.requestLog.map((line) => Number(line.split(" ")[0]) - 1000);
		assert.deepEqual(resets.slice(0, 7), [0, 5000, 15_000, 35_000, 75_000, 135_000, 195_000]);
		bed.chip.isSilent = false;
		bed.receive("4180000201020701");
		assert.equal(bed.state, "joined");
	});

	it("notices that the chip no longer answers, and resets it", () => {
		for (const hasLine of [false, true]) {
			const bed = new Bed({ chip: new FakeChip().join(), hasLine }).start().after(1000);
			assert.equal(bed.state, "joined");
			bed.requestLog.length = 0;
			bed.states.length = 0;
			bed.chip.isSilent = true;
			bed.after(29_000 + 3 * 6000 + (hasLine ? 10 : 0));
			assert.deepEqual(codes(bed), ["starting"]);
			assert.deepEqual(bed.requests(), [INFO, INFO, INFO, ...(hasLine ? ["line down"] : [RESET])]);
			bed.after(MINUTE_MS);
			assert.deepEqual(codes(bed), ["silent"]);
			bed.chip.isSilent = false;
			bed.after(MINUTE_MS);
			assert.deepEqual(codes(bed), ["joined"]);
		}
	});

	it("starts a chip again after it has restarted by itself", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start().after(40_000);
		bed.requests();
		codes(bed);
		bed.chip.reset();
		bed.receive("4180000201020701");
		assert.deepEqual(bed.requests(), [...BOOT, RESTORE, INFO]);
		assert.deepEqual(codes(bed), ["starting", "joined"]);
	});

	it("uses the reset line if it is wired, and never the boot loader", () => {
		const bed = new Bed({ chip: new FakeChip().join(), hasLine: true }).start().after(9);
		assert.deepEqual(bed.requests(), ["line down"]);
		bed.after(1);
		assert.deepEqual(bed.requests(), ["line up", ...BOOT, RESTORE, INFO]);
		bed.call((nowMs) => bed.driver.stop(nowMs)).after(MINUTE_MS);
		assert.deepEqual(bed.requests(), ["line down"]);
		assert.deepEqual([bed.state, bed.isHeld, bed.driver.deadlineMs], ["off", true, Infinity]);
	});

	it("resets a chip without that line when it is turned off, and does not start it", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		bed.requests();
		bed.call((nowMs) => bed.driver.stop(nowMs)).after(MINUTE_MS);
		assert.deepEqual([bed.requests(), bed.state, bed.driver.deadlineMs], [[RESET], "off", Infinity]);
		bed.start();
		assert.equal(bed.state, "joined");

		const deaf = new Bed();
		deaf.chip.isSilent = true;
		deaf.call((nowMs) => deaf.driver.stop(nowMs)).after(MINUTE_MS);
		assert.ok(deaf.requests().length > 2, "the chip must receive the reset");
		deaf.chip.isSilent = false;
		deaf.after(2 * MINUTE_MS);
		assert.deepEqual([deaf.state, deaf.driver.deadlineMs], ["off", Infinity]);
	});

	it("rejects a Z-Stack that is too old, shows its version, and accepts a newer one later", () => {
		const bed = new Bed();
		bed.chip.version = "0200020603";
		bed.start();
		assert.deepEqual([bed.state, bed.driver.firmware], ["foreign", "Z-Stack 2.6.3"]);
		assert.deepEqual(bed.requests(), [RESET, "2102"]);
		bed.chip.version = "0200020701";
		bed.after(2 * MINUTE_MS);
		assert.deepEqual([bed.state, bed.driver.firmware], ["not_joined", "Z-Stack 2.7.1"]);
	});

	it("rejects a chip that is not a ZNP", () => {
		const bed = new Bed();
		const hello = Buffer.from("1ac1020b0a527e", "hex");
		bed.chip.isSilent = true;
		bed.start();
		for (let i = 0; i < 4; i++) bed.after(4000).receive(hello).after(11_000).receive(hello);
		assert.equal(bed.state, "foreign");
	});

	it("shows a Z-Stack without a build date, with its revision if it has one", () => {
		const bed = new Bed();
		bed.chip.version = "0202020702";
		bed.start();
		assert.deepEqual([bed.state, bed.driver.firmware], ["not_joined", "Z-Stack 3.0.x"]);
		bed.chip.version = "020102070107000000";
		bed.start();
		assert.equal(bed.driver.firmware, "Z-Stack 3.x.0, revision 7");
	});

	it("leaves when the coordinator removes it, and erases the keys", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		bed.requests();
		codes(bed);
		bed.receive("45c9 0000 010a0000004b1200 01 00 00");
		assert.deepEqual(codes(bed), ["leaving"]);
		bed.chip.isJoined = false;
		bed.chip.device = 0;
		bed.after(4000);
		assert.deepEqual(bed.requests(), [...WIPE, RESET, ...BOOT, RESTORE, INFO]);
		assert.deepEqual(codes(bed), ["not_joined"]);
	});

	it("stays if another node leaves, or if the coordinator asks it to leave and rejoin", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		codes(bed);
		bed
			.receive("45c9 3412 020b0000004b1200 00 00 00", "45c9 0000 010a0000004b1200 01 00 01", "45c9 0000")
			.after(10_000);
		assert.deepEqual([codes(bed), bed.state], [[], "joined"]);
	});

	it("reports that the network has moved to another channel", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		codes(bed);
		bed.after(MINUTE_MS);
		assert.deepEqual(codes(bed), [], "nothing has changed");
		bed.chip.channel = 20;
		bed.after(31_000);
		assert.deepEqual([codes(bed), bed.driver.network?.channel], [["joined"], 20]);
	});

	it("starts a chip again if it reports that it is no longer in a network", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		codes(bed);
		bed.chip.isJoined = false;
		bed.chip.device = 0;
		bed.receive("45c000").after(1000);
		assert.deepEqual(codes(bed), ["starting", "not_joined"]);
	});

	it("registers the endpoint again when its clusters change", () => {
		const bed = new Bed({ chip: new FakeChip().join() }).start();
		bed.requests();
		bed.servers = [0, 3, 0x0702];
		bed.call((nowMs) => bed.driver.clustersChanged(nowMs));
		const register = "24000104015300010003000003000207020a001900";
		assert.deepEqual(bed.requests(), [RESET, ...BOOT.slice(0, 3), register, RESTORE, INFO]);
		assert.equal(bed.state, "joined");
	});
});

describe("The coprocessor's driver as an end device", () => {
	const joined = () => new Bed({ role: ROLE_END_DEVICE, chip: new FakeChip().join(ROLE_END_DEVICE) }).start();

	it("sets how often it polls its parent, and how long it may be away", () => {
		assert.deepEqual(joined().requests(), [
			RESET,
			...BOOT.slice(0, 3),
			"2f020d",
			"2f0c0100b80b0000",
			REGISTER,
			RESTORE,
			INFO,
		]);
	});

	it("joins as an end device", () => {
		const bed = new Bed({ role: ROLE_END_DEVICE }).start();
		bed.chip.isOpen = true;
		bed.call((nowMs) => bed.driver.join(nowMs));
		assert.deepEqual([bed.state, bed.chip.nv.get(0x87)], ["joined", "02"]);
	});

	it("searches for a lost parent at intervals of 30 s to 15 minutes, and keeps its network meanwhile", () => {
		const bed = joined();
		const sinceMs = bed.nowMs;
		bed.requestLog.length = 0;
		codes(bed);
		bed.chip.device = 3;
		bed.receive("4f80020500");
		assert.deepEqual([codes(bed), bed.driver.network?.panId], [["parent_lost"], 0x1a62]);
		bed.after(60 * MINUTE_MS);
		const tries = bed.requestLog
			.filter((line) => line.endsWith(" 2f0a"))
			.map((line) => (Number(line.split(" ")[0]) - sinceMs) / 30_000);
		assert.deepEqual(tries, [1, 3, 7, 15, 31, 61, 91]);
		assert.equal(bed.driver.canSend, false);
		bed.chip.device = 6;
		bed.receive("45c006");
		assert.deepEqual(codes(bed), ["joined"]);
	});

	it("reports its parent as lost until it is found or a search has ended, whatever state the chip reports", () => {
		const bed = joined();
		bed.receive("4f80020500").after(20_000);
		assert.equal(bed.state, "parent_lost");
		bed.receive("4f80000500");
		assert.equal(bed.state, "joined");
		bed.receive("4f80020500");
		bed.chip.answer = (request) => (request === "2f0a" ? ["6f0a00", "4f80020500"] : undefined);
		bed.after(10 * MINUTE_MS);
		assert.equal(bed.state, "parent_lost");
		bed.chip.answer = () => undefined;
		bed.after(10 * MINUTE_MS);
		assert.equal(bed.state, "joined");
	});

	it("restores its network although the parent is missing, and then searches for the parent", () => {
		const bed = new Bed({ role: ROLE_END_DEVICE, chip: new FakeChip().join(ROLE_END_DEVICE) });
		bed.chip.answer = (request) => {
			if (request !== RESTORE) return undefined;
			bed.chip.device = 3;
			return ["6f0500", "45c003", "4f80020500"];
		};
		bed.start();
		assert.deepEqual(codes(bed), ["starting", "parent_lost"]);
	});
});

describe("Frames through the coprocessor's driver", () => {
	const joined = () => new Bed({ chip: new FakeChip().join() }).start();

	it("go to the coordinator with an acknowledgement, and their arrival is reported", () => {
		const bed = joined();
		bed.requests();
		bed.send("18010a0000");
		assert.deepEqual(bed.requests(), ["2401000001010207 01 10 1e 05 18010a0000".replaceAll(" ", "")]);
		assert.deepEqual([bed.sents, bed.driver.canSend], [[0], true]);
	});

	it("are numbered from 1 to 255", () => {
		const bed = joined();
		for (let i = 0; i < 300; i++) bed.send("00");
		const numbers = bed
			.requests()
			.filter((request) => request.startsWith("2401"))
			.map((request) => Number.parseInt(request.slice(16, 18), 16));
		assert.deepEqual([numbers[0], numbers[254], numbers[255], Math.min(...numbers)], [1, 255, 1, 1]);
	});

	it("may be sent as soon as the last frame has arrived, or the network is joined", () => {
		const bed = new Bed({ chip: new FakeChip().join() });
		let left = 3;
		const next = () => {
			if (left-- > 0 && bed.driver.canSend) bed.send("0a0b");
		};
		bed.onSent = next;
		bed.onChanged = () => {
			if (bed.driver.state === RADIO_JOINED) next();
		};
		bed.start();
		assert.deepEqual([bed.sents, bed.driver.canSend], [[0, 0, 0], true]);
	});

	it("fail with the status of the confirmation or of the rejection", () => {
		const bed = joined();
		bed.chip.answer = (request) =>
			request.startsWith("2401") ? ["640100", `4480e901${request.slice(16, 18)}`] : undefined;
		bed.send("00");
		bed.chip.answer = (request) => (request.startsWith("2401") ? ["640110"] : undefined);
		bed.send("00");
		bed.chip.answer = (request) => (request.startsWith("2401") ? ["6000022401"] : undefined);
		bed.send("00");
		assert.deepEqual([bed.sents, bed.state], [[0xe9, 0x10, 0xff], "joined"]);
	});

	it("fail without a confirmation within 20 s; a late confirmation, or that of another frame, is ignored", () => {
		const bed = joined();
		bed.chip.answer = (request) => (request.startsWith("2401") ? ["640100"] : undefined);
		bed.send("00").receive("44800001ff", "448000").after(19_999);
		assert.deepEqual([bed.sents, bed.driver.canSend], [[], false]);
		bed.after(1);
		assert.deepEqual([bed.sents, bed.driver.canSend], [[0xf0], true]);
		bed.receive("4480000101");
		assert.deepEqual(bed.sents, [0xf0]);
		bed.send("00").receive("4480000101");
		assert.deepEqual(bed.sents, [0xf0], "the number is that of the frame before");
	});

	it("fail if the chip does not answer, restarts or is turned off", () => {
		const bed = joined();
		bed.chip.isSilent = true;
		bed.send("00").after(6000);
		assert.deepEqual([bed.sents.splice(0), bed.state], [[0xf0], "joined"]);
		bed.chip.isSilent = false;
		bed.after(1000).receive("4180000201020701");
		bed.chip.answer = (request) => (request.startsWith("2401") ? [] : undefined);
		bed.send("00").receive("4180000201020701");
		assert.deepEqual([bed.sents.splice(0), bed.state], [[0xf0], "joined"]);
		bed.send("00").call((nowMs) => bed.driver.stop(nowMs));
		assert.deepEqual([bed.sents, bed.state], [[0xf0], "off"]);
	});

	it("wait for the answer to the previous request", () => {
		const bed = joined();
		bed.chip.answer = (request) => (request === INFO ? [] : undefined);
		bed.after(30_000);
		bed.requests();
		bed.send("00");
		assert.deepEqual([bed.requests(), bed.driver.canSend], [[], false], "one request at a time");
		bed.chip.answer = () => undefined;
		bed.receive(`6550${bed.chip.info()}`);
		assert.equal(bed.sents.length, 1);
	});

	it("can't be sent without a network, while another is pending, or if they are too long", () => {
		assert.throws(() => new Bed().start().send("00"), /can be sent/);
		const bed = joined();
		assert.throws(() => bed.send("00".repeat(81)), /can be sent/);
		bed.send("00".repeat(80));
		bed.chip.isSilent = true;
		bed.send("00");
		assert.throws(() => bed.send("00"), /can be sent/);
	});

	it("are received as in the trace", () => {
		for (const piece of [1, 5, 64]) {
			const bed = new Bed({ chip: new FakeChip().join(), piece }).start();
			for (const { fromChip, body } of trace()) if (fromChip && body.startsWith("4481")) bed.receive(body);
			const expected = traceIncoming().map(
				({ cluster, source, endpoint, zcl }) => `${cluster} ${source}/${endpoint} ${zcl}`,
			);
			assert.deepEqual(bed.receivedFrames, expected);
		}
	});

	it("are received as broadcasts if they were sent to all nodes or to a group", () => {
		const bed = joined();
		bed.receive("44810000030000000101 01 c80000000000 02 03 010200 0000 1d".replaceAll(" ", ""));
		bed.receive("44810100030000000101 00 c80000000000 02 03 010200 0000 1d".replaceAll(" ", ""));
		assert.deepEqual(bed.receivedFrames, ["0003 0/1 010200 broadcast", "0003 0/1 010200 broadcast"]);
	});

	it("are ignored if the chip marks them as coming from another network (AF_INCOMING_MSG_EXT)", () => {
		const bed = joined();
		// AF_INCOMING_MSG_EXT: group, cluster, IEEE address of the sender, its endpoint and PAN, our endpoint, …, length
		// (2), frame.
		bed.receive(
			"4482 0000 0000 03 0102030405060708 01 6666 01 00 c8 00 00000000 00 0500 1001000500".replaceAll(" ", ""),
		);
		bed.after(1000);
		assert.deepEqual([bed.receivedFrames, bed.driver.state], [[], RADIO_JOINED]);
	});

	it("are dropped if they are cut, for another endpoint, or received without a network", () => {
		const bed = joined();
		const whole = "4481000000000000010100c8000000000002071001000500040000001d";
		for (let length = 4; length < whole.length - 6; length += 2) bed.receive(whole.slice(0, length));
		bed.receive("4481000000000000010200c8000000000002071001000500040000001d");
		bed.call((nowMs) => bed.driver.leave(nowMs)).receive(whole);
		assert.deepEqual(bed.receivedFrames, []);
	});
});
