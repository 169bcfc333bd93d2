import assert from "node:assert/strict";
import { type ConnectionOptions, HDLCConnection } from "../../modules/hdlc/connection.js";
import { ROOM } from "../../modules/hdlc/decoder.js";
import * as failures from "../../modules/hdlc/failures.js";
import { BYTE_MS, CLIENT, ConnectionDriver, DEFAULTS, fromMeter, SERVER, TIMEOUT_MS } from "./connection-driver.js";
import { DISC, DM, FRMR, hex, info, makeFrame, rej, rnr, rr, SNRM, UA, UI, unhex } from "./frames.js";

const PROPOSAL = "8180140502020006020200070400000001080400000001";
/** Bytes of a frame without information: flags, format, two addresses, control, check. */
const BARE = 10;
const BARE_MS = BARE * BYTE_MS;
const SNRM_MS = (BARE + 2 + 23) * BYTE_MS;
const REQUEST = unhex("c001c100080000010000ff0200");
const REQUEST_MS = (BARE + 2 + 3 + REQUEST.length) * BYTE_MS;
const ASKED = `e6e600${hex(REQUEST)}`;
const ANSWER = "c401c10009060000010000ff";
const ANSWERED = unhex(`e6e700${ANSWER}`);
const PAUSE_MS = 200;

/** A connection that has sent REQUEST as its first request, at 10 000 ms. */
function afterRequest(parameters = "", options: Partial<ConnectionOptions> = {}): ConnectionDriver {
	const driver = ConnectionDriver.connected(parameters, options).send(REQUEST);
	assert.deepEqual(driver.take(), [`I0,0 ${ASKED}`]);
	return driver;
}

function bytes(length: number, first = 0): Uint8Array {
	return Uint8Array.from({ length }, (_, i) => first + i * 3);
}

describe("the beginning of an HDLC connection", () => {
	it("sends SNRM with parameters, and is connected by UA", () => {
		const driver = new ConnectionDriver().connect();
		assert.deepEqual(driver.take(), [`SNRM ${PROPOSAL}`]);
		driver.to(300).meter(UA, unhex(PROPOSAL));
		assert.deepEqual(driver.take(0), ["300 event 1"]);
		assert.equal(driver.connection.deadlineMs, Number.POSITIVE_INFINITY);
		assert.equal(driver.connection.failure, undefined);
	});
	it("proposes parameters that fit the caller's buffer", () => {
		const proposed = (size: number, wished: number) =>
			new ConnectionDriver({ apdu: new Uint8Array(size), info: wished, window: 3 }).connect().take()[0].slice(11, 19);
		assert.equal(proposed(ROOM + 256, 2030), "05020100");
		assert.equal(proposed(ROOM + 256, 255), "050200ff");
		assert.equal(proposed(4096, 4096), "050207ee");
		assert.equal(proposed(100, 1), "05020020");
	});
	it("sends SNRM twice with and twice without parameters, each after a time-out, and fails if there is no answer", () => {
		const driver = new ConnectionDriver().connect().to(20_000);
		const plain = 2 * (SNRM_MS + TIMEOUT_MS);
		assert.deepEqual(driver.take(0), [
			`0 SNRM ${PROPOSAL}`,
			`${SNRM_MS + TIMEOUT_MS} SNRM ${PROPOSAL}`,
			`${plain} SNRM`,
			`${plain + BARE_MS + TIMEOUT_MS} SNRM`,
			`${plain + 2 * (BARE_MS + TIMEOUT_MS)} event 3`,
		]);
		assert.equal(driver.connection.failure, failures.HDLC_SILENCE);
		assert.equal(driver.connection.repeated, 3);
	});
	it("sends SNRM without parameters if SNRM with parameters is answered by DM or FRMR", () => {
		for (const control of [DM, FRMR]) {
			const driver = new ConnectionDriver().connect();
			driver.take();
			driver.to(200).meter(control);
			assert.deepEqual(driver.take(0), ["200 SNRM"]);
			driver.to(300).meter(UA);
			assert.deepEqual(driver.take(0), ["300 event 1"]);
		}
	});
	it("fails after a second DM or FRMR", () => {
		for (const [control, failure] of [
			[DM, failures.HDLC_REFUSED],
			[FRMR, failures.HDLC_FRAME_REJECTED],
		] as const) {
			const driver = new ConnectionDriver().connect().pass(200).meter(control).pass(200).meter(control);
			driver.ended(failure);
		}
		new ConnectionDriver().connect().pass(200).meter(DM).pass(20_000).ended(failures.HDLC_REFUSED);
	});
	it("ignores a DM that came before SNRM was sent completely", () => {
		const driver = new ConnectionDriver({ releaseFirst: true })
			.connect()
			.to(BARE_MS + TIMEOUT_MS)
			.meter(DM);
		assert.deepEqual(driver.take(), ["DISC", `SNRM ${PROPOSAL}`]);
		assert.deepEqual(driver.pass(SNRM_MS).meter(DM).meter(DM).take(), ["SNRM"]);
	});
	it("ignores a late UA to DISC that came before SNRM was sent completely", () => {
		const driver = new ConnectionDriver({ releaseFirst: true }).connect().to(BARE_MS + TIMEOUT_MS);
		driver.pass(SNRM_MS - 1).meter(UA);
		assert.deepEqual(driver.take(), ["DISC", `SNRM ${PROPOSAL}`]);
		assert.deepEqual(driver.pass(1).meter(UA).take(), ["event 1"]);
	});
	it("takes no late answer to DISC for the answer to SNRM, however late it is", () => {
		for (const late of [DM, UA]) {
			for (const lateMs of [1, 500, 1500, 2500, 3500]) {
				const driver = new ConnectionDriver({ releaseFirst: true }).connect().to(BARE_MS + TIMEOUT_MS);
				driver.pass(SNRM_MS + lateMs).take();
				assert.deepEqual(driver.meter(late).take(), [], `${lateMs} ms`);
				driver.meter(UA, unhex(PROPOSAL)).meter(UA, unhex(PROPOSAL));
				assert.deepEqual(driver.take(), ["event 1"], `${lateMs} ms`);
			}
		}
	});
	it("takes a UA with parameters for the answer to SNRM, although DISC was never answered", () => {
		const driver = new ConnectionDriver({ releaseFirst: true }).connect().to(BARE_MS + TIMEOUT_MS);
		driver.pass(SNRM_MS).take();
		assert.deepEqual(driver.meter(UA, unhex(PROPOSAL)).take(), ["event 1"]);
	});
	it("says that the meter is late if only the late answer to DISC came", () => {
		const driver = new ConnectionDriver({ releaseFirst: true }).connect().to(BARE_MS + TIMEOUT_MS);
		driver.pass(SNRM_MS).meter(DM).pass(20_000).ended(failures.HDLC_LATE);
	});
	it("sends DISC first if a former connection may be open, whether the answer is UA, DM or missing", () => {
		for (const control of [UA, DM]) {
			const driver = new ConnectionDriver({ releaseFirst: true }).connect().to(70).meter(control);
			assert.deepEqual(driver.take(0), ["0 DISC", `70 SNRM ${PROPOSAL}`]);
		}
		const driver = new ConnectionDriver({ releaseFirst: true }).connect().to(BARE_MS + TIMEOUT_MS);
		assert.deepEqual(driver.take(0), ["0 DISC", `${BARE_MS + TIMEOUT_MS} SNRM ${PROPOSAL}`]);
		assert.deepEqual(driver.pass(SNRM_MS).meter(UA).meter(UA).take(), ["event 1"]);
	});
	it("fails with an address that HDLC does not have", () => {
		for (const address of [
			{ client: 128, logical: 1, physical: 0, length: 0 },
			{ client: 16, logical: 1, physical: 17, length: 1 },
			{ client: 16, logical: 16384, physical: 0, length: 0 },
		]) {
			const driver = new ConnectionDriver({ address }).connect();
			assert.deepEqual(driver.take(), ["event 3"]);
			assert.equal(driver.connection.failure, failures.HDLC_NO_ADDRESS);
		}
	});
	it("refuses a second call of connect", () => {
		const driver = new ConnectionDriver().connect();
		assert.throws(() => driver.connect());
	});
	it("accepts the address that answers SNRM to all stations", () => {
		const driver = new ConnectionDriver({ address: { client: 16, logical: 1, physical: 127, length: 0 } });
		driver.connection.connect(0);
		driver.connection.poll();
		driver.connection.receive(fromMeter(UA), 0, fromMeter(UA).length, 10);
		assert.equal(driver.connection.frames, 1);
	});
});

describe("the failure of an HDLC connection to begin", () => {
	const failed = (during: (driver: ConnectionDriver) => void) => {
		const driver = new ConnectionDriver().connect().pass(10);
		during(driver);
		return driver.to(30_000);
	};
	const echo = makeFrame({ to: SERVER, from: CLIENT, control: SNRM, information: unhex(PROPOSAL) });
	it("names an echo", () => {
		const driver = failed((one) => one.receive(echo));
		driver.ended(failures.HDLC_ECHO_ONLY);
		assert.equal(driver.connection.echoes, 1);
	});
	it("names an echo although both sides have the same address", () => {
		const address = { client: 1, logical: 1, physical: 0, length: 0 };
		const same = makeFrame({ to: [3], from: [3], control: SNRM, information: unhex(PROPOSAL) });
		const connection = new HDLCConnection({ ...DEFAULTS, address, apdu: new Uint8Array(600) });
		connection.connect(0);
		while (connection.poll().kind !== 0);
		connection.receive(same, 0, same.length, 10);
		assert.deepEqual([connection.echoes, connection.frames], [1, 0]);
		const ua = makeFrame({ to: [3], from: [3], control: UA });
		connection.receive(ua, 0, ua.length, 10);
		assert.deepEqual([connection.echoes, connection.frames], [1, 1]);
	});
	it("names noise, even after an echo", () => {
		failed((one) => one.receive(unhex("2f3f210d0a"))).ended(failures.HDLC_GARBAGE);
		failed((one) => one.receive(echo).receive(unhex("7ea00703"))).ended(failures.HDLC_GARBAGE);
	});
	it("names an answer from another address", () => {
		const other = makeFrame({ to: CLIENT, from: [0x02, 0x25], control: UA });
		const driver = failed((one) => one.receive(echo).receive(other));
		driver.ended(failures.HDLC_OTHER_ADDRESS);
		assert.equal(driver.connection.foreign, 1);
		failed((one) => one.receive(makeFrame({ to: [0x41], from: SERVER, control: UA }))).ended(
			failures.HDLC_OTHER_ADDRESS,
		);
		failed((one) => one.receive(makeFrame({ to: CLIENT, from: [3], control: UA }))).ended(failures.HDLC_OTHER_ADDRESS);
	});
});

describe("transfer over an HDLC connection", () => {
	it("carries more than eight requests and answers, with sequence numbers modulo 8", () => {
		const driver = ConnectionDriver.connected();
		for (let i = 0; i < 20; i++) {
			const [own, next] = [i & 7, (i + 1) & 7];
			driver.send(REQUEST);
			assert.deepEqual(driver.take(), [`I${own},${own} ${ASKED}`]);
			assert.deepEqual(driver.pass(100).meter(info(own, next), ANSWERED).take(), ["event 2"]);
			assert.equal(driver.answer, ANSWER);
		}
		assert.equal(driver.connection.repeated, 0);
	});
	it("sends a request in segments of the meter's size, each after the RR for the previous one", () => {
		const request = bytes(100);
		// The meter accepts 40 bytes, including the LLC header.
		const driver = ConnectionDriver.connected("818003060128").send(request);
		assert.deepEqual(driver.take(), [`I0,0+ e6e600${hex(request.subarray(0, 37))}`]);
		assert.deepEqual(driver.meter(rr(1)).take(), [`I1,0+ ${hex(request.subarray(37, 77))}`]);
		assert.deepEqual(driver.meter(rr(2)).take(), [`I2,0 ${hex(request.subarray(77))}`]);
		assert.deepEqual(driver.meter(info(0, 3), ANSWERED).take(), ["event 2"]);
		assert.equal(driver.answer, ANSWER);
	});
	it("sends frames as long as meter and proposal allow, and of 128 bytes if no parameters were exchanged", () => {
		const longest = (parameters: string, plain = false) => {
			const driver = new ConnectionDriver({ info: 300 }).connect();
			if (plain) driver.pass(200).meter(DM);
			driver.meter(UA, unhex(parameters)).take();
			return driver.send(bytes(500)).take()[0].slice("I0,0+ ".length).length / 2;
		};
		assert.equal(longest(""), 128);
		assert.equal(longest("81800406020100"), 256);
		assert.equal(longest("818004060207ee"), 300);
		assert.equal(longest("818004060207ee", true), 128);
		assert.equal(longest("818003060101"), 32);
		assert.equal(longest("81800406020000"), 128);
		assert.equal(longest("8180140502"), 128);
	});
	it("receives an answer in segments, with RR for each", () => {
		const driver = afterRequest();
		assert.deepEqual(driver.meter(info(0, 1), [...ANSWERED, 1], true).take(), ["RR1"]);
		assert.deepEqual(driver.meter(info(1, 1), bytes(128), true).take(), ["RR2"]);
		assert.deepEqual(driver.meter(info(2, 1), [9]).take(), ["event 2"]);
		assert.equal(driver.answer, `${ANSWER}01${hex(bytes(128))}09`);
		driver.send(REQUEST);
		assert.deepEqual(driver.take(), [`I1,3 ${ASKED}`]);
	});
	it("receives an answer in a window of three, and sends one RR after three frames or after a final bit", () => {
		const driver = afterRequest("818006070400000003", { window: 7 });
		const open = (number: number) => info(number, 1) & ~0x10;
		assert.deepEqual(driver.meter(open(0), ANSWERED, true).meter(open(1), [1], true).take(), []);
		assert.deepEqual(driver.meter(open(2), [2], true).take(), ["RR3"]);
		assert.deepEqual(driver.meter(open(3), [3], true).meter(info(4, 1), [4], true).take(), ["RR5"]);
		driver.receive(Uint8Array.from([...fromMeter(open(5), [5], true), ...fromMeter(open(6), [6])]));
		assert.deepEqual(driver.take(), ["event 2"]);
		assert.equal(driver.answer, `${ANSWER}010203040506`);
	});
	it("uses no larger window than proposed, and a window of 1 if no parameters were exchanged", () => {
		const open = info(0, 1) & ~0x10;
		for (const parameters of ["818006070400000007", ""]) {
			const driver = afterRequest(parameters).meter(open, ANSWERED, true);
			assert.deepEqual(driver.take(), ["RR1"]);
		}
		const plain = new ConnectionDriver({ window: 7 })
			.connect()
			.pass(200)
			.meter(DM)
			.meter(UA, unhex("818006070400000007"));
		plain.send(REQUEST).take();
		assert.deepEqual(plain.meter(open, ANSWERED, true).take(), ["RR1"]);
	});
	it("receives an answer of a server that never increments N(R)", () => {
		const driver = afterRequest().meter(info(0, 0) & ~0x10, ANSWERED, true);
		assert.deepEqual(driver.take(), ["RR1"]);
		driver.meter(info(1, 0) & ~0x10, [7]);
		assert.equal(driver.answer, `${ANSWER}07`);
		assert.deepEqual(driver.send(REQUEST).take(), ["event 2", `I1,2 ${ASKED}`]);
	});
	it("receives an empty answer", () => {
		const driver = afterRequest().meter(info(0, 1), unhex("e6e700"));
		assert.deepEqual(driver.take(), ["event 2"]);
		assert.equal(driver.answer, "");
	});
	it("receives the answer to a request before all segments of the request are sent", () => {
		const driver = ConnectionDriver.connected("818003060128").send(bytes(100));
		driver.take();
		assert.deepEqual(driver.meter(info(0, 1), ANSWERED).take(), ["event 2"]);
		assert.equal(driver.answer, ANSWER);
	});
	it("polls with RR for the answer after an APDU that was not the answer", () => {
		const driver = afterRequest().meter(info(0, 1), unhex("e6e7000f00")).waitOn();
		assert.deepEqual(driver.take(), ["event 2", "RR1"]);
		assert.deepEqual(driver.meter(rr(1)).pass(PAUSE_MS).take(), ["RR1"]);
		assert.deepEqual(driver.meter(info(1, 1), ANSWERED).take(), ["event 2"]);
		assert.equal(driver.answer, ANSWER);
		assert.deepEqual(driver.send(REQUEST).take(), [`I1,2 ${ASKED}`]);
		assert.throws(() => driver.waitOn());
		assert.deepEqual(driver.meter(DM).waitOn().take(), ["event 3"]);
	});
	it("sends the rest of a request after an APDU that came in its middle", () => {
		const driver = ConnectionDriver.connected("818003060128").send(bytes(50));
		driver.take();
		driver.meter(info(0, 1), unhex("e6e7000f00")).waitOn();
		assert.deepEqual(driver.take(), ["event 2", `I1,1 ${hex(bytes(50).subarray(37))}`]);
		driver.meter(info(1, 2), ANSWERED);
		assert.equal(driver.answer, ANSWER);
	});
	it("accepts no answer from a UI frame, an echo or another connection", () => {
		const driver = afterRequest()
			.meter(UI, ANSWERED)
			.meter(UA)
			.receive(makeFrame({ to: [0x41], from: SERVER, control: DM }));
		driver.receive(makeFrame({ to: SERVER, from: CLIENT, control: info(0, 0), information: ANSWERED }));
		assert.deepEqual(driver.take(), []);
		const { frames, foreign, echoes } = driver.connection;
		// The first frame was the UA of the connection.
		assert.deepEqual([frames, foreign, echoes], [3, 1, 1]);
		assert.deepEqual(driver.meter(info(0, 1), ANSWERED).take(), ["event 2"]);
	});
	it("receives answers up to the buffer's length less ROOM, and ends if an answer is one byte longer", () => {
		const size = 3 * 128;
		for (const over of [0, 1]) {
			const driver = afterRequest("", { apdu: new Uint8Array(size + ROOM - over) });
			driver.meter(info(0, 1), [0xe6, 0xe7, 0, ...bytes(125)], true).meter(info(1, 1), bytes(128), true);
			driver.meter(info(2, 1), bytes(131));
			if (over === 0) {
				assert.deepEqual(driver.take(), ["RR1", "RR2", "event 2"]);
				assert.equal(driver.connection.apduLength, size);
			} else {
				assert.deepEqual(driver.take(), ["RR1", "RR2", "DISC"]);
				driver.meter(UA).ended(failures.HDLC_TOO_LONG);
			}
		}
		const driver = afterRequest("", { apdu: new Uint8Array(100) }).meter(info(0, 1), [0xe6, 0xe7, 0, ...bytes(125)]);
		assert.deepEqual(driver.take(), ["DISC"]);
		driver.meter(UA).ended(failures.HDLC_TOO_LONG);
	});
	it("refuses to send an APDU before the last answer, and drops one after a disconnection", () => {
		assert.throws(() => afterRequest().send(REQUEST));
		assert.throws(() => new ConnectionDriver().connect().send(REQUEST));
		const driver = afterRequest().meter(info(0, 1), ANSWERED).meter(DM);
		driver.take();
		assert.deepEqual(driver.send(REQUEST).take(), []);
	});
});

describe("recovery of an HDLC connection", () => {
	it("repeats an unanswered frame three times", () => {
		const driver = afterRequest().pass(20_000);
		const step = REQUEST_MS + TIMEOUT_MS;
		const again = [1, 2, 3].map((i) => `${i * step} I0,0 ${ASKED}`);
		assert.deepEqual(driver.take(10_000), [
			...again,
			`${4 * step} DISC`,
			`${4 * step + BARE_MS + TIMEOUT_MS} DISC`,
			`${4 * step + 2 * (BARE_MS + TIMEOUT_MS)} event 3`,
		]);
		assert.equal(driver.connection.failure, failures.HDLC_LOST);
	});
	it("accepts the answer to a repeated frame once", () => {
		const driver = afterRequest()
			.pass(REQUEST_MS + TIMEOUT_MS)
			.meter(info(0, 1), ANSWERED)
			.meter(info(0, 1), ANSWERED);
		assert.deepEqual(driver.take(), [`I0,0 ${ASKED}`, "event 2"]);
		driver.send(REQUEST).meter(info(0, 1), ANSWERED);
		assert.deepEqual(driver.take(), [`I1,1 ${ASKED}`]);
		driver.meter(info(1, 2), unhex("e6e70055"));
		assert.equal(driver.answer, "55");
	});
	it("repeats the frame after a damaged answer, and distinguishes that from silence in its failure", () => {
		const damaged = fromMeter(info(0, 1), ANSWERED);
		damaged[20] ^= 4;
		const driver = afterRequest();
		for (let i = 0; i < 4; i++)
			driver
				.pass(100)
				.receive(damaged)
				.pass(REQUEST_MS + TIMEOUT_MS - 100);
		assert.deepEqual(
			driver.take().map((line) => line.split(" ")[0]),
			["I0,0", "I0,0", "I0,0", "DISC"],
		);
		driver.meter(UA).ended(failures.HDLC_DAMAGED);
	});
	it("requests a lost segment of the answer with an RR that has the expected number", () => {
		const driver = afterRequest().pass(REQUEST_MS).meter(info(0, 1), ANSWERED, true);
		driver.take();
		assert.deepEqual(driver.pass(BARE_MS + TIMEOUT_MS).take(), ["RR1"]);
		assert.deepEqual(driver.meter(info(0, 1), ANSWERED, true).meter(info(2, 1), [2]).take(), []);
		assert.deepEqual(driver.pass(20_000).take(), ["RR1", "RR1", "DISC", "DISC", "event 3"]);
	});
	it("repeats a frame that the meter reports as missing with REJ or RR", () => {
		for (const control of [rej(0), rr(0)]) {
			const driver = afterRequest().meter(control).meter(control).meter(control).meter(control);
			assert.deepEqual(driver.take(), [`I0,0 ${ASKED}`, `I0,0 ${ASKED}`, `I0,0 ${ASKED}`, "DISC"]);
			driver.meter(DM).ended(failures.HDLC_LOST);
		}
	});
	it("ignores acknowledgements of numbers that were never sent, and continues to wait", () => {
		const driver = afterRequest().meter(rr(3)).meter(rnr(7)).meter(rej(2));
		assert.deepEqual(driver.take(), []);
		assert.deepEqual(driver.meter(info(0, 1), ANSWERED).take(), ["event 2"]);
	});
	it("polls with RR, after a pause, if the meter has no answer yet", () => {
		for (const control of [rr(1), rnr(1), rej(1)]) {
			const driver = afterRequest().pass(50).meter(control).pass(PAUSE_MS);
			assert.deepEqual(driver.take(10_000), [`${50 + PAUSE_MS} RR0`]);
			assert.deepEqual(driver.meter(info(0, 1), ANSWERED).take(), ["event 2"]);
		}
	});
	it("polls a meter that is not ready for a segment, and then continues", () => {
		const driver = ConnectionDriver.connected("818003060128").send(bytes(50));
		driver.take();
		driver.meter(rnr(1)).pass(PAUSE_MS).meter(rr(1));
		assert.deepEqual(driver.take(), ["RR0", `I1,0 ${hex(bytes(50).subarray(37))}`]);
		driver.meter(rnr(1)).pass(PAUSE_MS).meter(rr(1));
		assert.deepEqual(driver.take(), ["RR0", `I1,0 ${hex(bytes(50).subarray(37))}`]);
	});
	it("gives up a meter that is never ready", () => {
		const driver = afterRequest();
		for (let i = 0; i < 50; i++) driver.meter(rnr(1)).pass(PAUSE_MS);
		assert.deepEqual(driver.take(), Array(50).fill("RR0"));
		assert.deepEqual(driver.meter(rnr(1)).take(), ["DISC"]);
		driver.meter(UA).ended(failures.HDLC_BUSY);
	});
	it("gives up after an answer without LLC header", () => {
		for (const text of ["", "e6", "e6e7", "e6e600c4", "c401c1"]) {
			const driver = afterRequest().meter(info(0, 1), unhex(text));
			driver.meter(UA).ended(failures.HDLC_BAD_ANSWER);
		}
	});
	it("gives up after FRMR or DM", () => {
		afterRequest().meter(FRMR, [1, 2, 3]).meter(UA).ended(failures.HDLC_FRAME_REJECTED);
		afterRequest().meter(DM).ended(failures.HDLC_DISCONNECTED);
		afterRequest().meter(info(0, 1), ANSWERED).meter(DM).ended(failures.HDLC_DISCONNECTED);
	});
	it("gives up a meter that sends endless empty segments", () => {
		const driver = afterRequest().meter(info(0, 1), unhex("e6e700"), true);
		driver.take();
		for (let i = 0; i < 2000 && driver.connection.failure === undefined; i++)
			driver.pass(50).meter(info((1 + i) & 7, 1), [], true);
		driver.pass(5000).ended(failures.HDLC_LOST);
	});
	it("gives up on a line that is full of frames for other stations", () => {
		const driver = afterRequest();
		const other = makeFrame({ to: [0x41], from: SERVER, control: UI, information: bytes(60) });
		for (let ms = 0; ms < 120_000 && driver.connection.failure === undefined; ms += 20)
			for (let at = 0; at < other.length; at += 4) driver.pass(20).receive(other.subarray(at, at + 4));
		driver.to(200_000).ended(failures.HDLC_DAMAGED);
	});
});

describe("time-outs of an HDLC connection", () => {
	it("count from the last bit sent to the first byte received, and then only between bytes", () => {
		const driver = afterRequest();
		const frame = fromMeter(info(0, 1), ANSWERED);
		driver.to(10_000 + REQUEST_MS + TIMEOUT_MS - 1);
		for (const byte of frame) driver.receive(Uint8Array.of(byte)).pass(250);
		assert.deepEqual(driver.take(), ["event 2"]);
	});
	it("begin when all queued frames have been sent", () => {
		const driver = afterRequest().meter(rej(0)).meter(rej(0));
		driver.take();
		driver.to(10_000 + 3 * REQUEST_MS + TIMEOUT_MS);
		assert.deepEqual(driver.take(10_000), [`${3 * REQUEST_MS + TIMEOUT_MS} I0,0 ${ASKED}`]);
	});
	it("limit a frame that does not end to the duration of the longest frame", () => {
		const driver = afterRequest();
		const longestMs = 2049 * BYTE_MS;
		const frame = fromMeter(info(0, 1), bytes(400));
		for (let i = 0; i < frame.length && driver.nowMs < 11_000 + REQUEST_MS + longestMs; i++)
			driver.receive(frame.subarray(i, i + 1)).pass(100);
		assert.deepEqual(driver.take(11_000 + REQUEST_MS), [`${longestMs} I0,0 ${ASKED}`]);
	});
	it("limit the wait for the next byte of a frame to 500 ms", () => {
		const driver = afterRequest().to(10_000 + REQUEST_MS + TIMEOUT_MS - 100);
		driver.receive(fromMeter(info(0, 1), ANSWERED).subarray(0, 12));
		assert.deepEqual(driver.pass(499).take(), []);
		assert.deepEqual(driver.pass(1).take(), [`I0,0 ${ASKED}`]);
	});
	it("run to their full length after a frame that broke off early", () => {
		const driver = afterRequest()
			.pass(10)
			.receive(fromMeter(info(0, 1), ANSWERED).subarray(0, 12))
			.pass(600);
		assert.ok(!Number.isNaN(driver.connection.bad) && driver.connection.bad > 0);
		driver.to(10_000 + REQUEST_MS + TIMEOUT_MS - 1);
		assert.deepEqual(driver.take(), []);
		assert.deepEqual(driver.pass(1).take(), [`I0,0 ${ASKED}`]);
	});
	it("end the wait for a lost closing flag after 500 ms", () => {
		const driver = afterRequest()
			.pass(10)
			.receive(fromMeter(info(0, 1), ANSWERED).slice(0, -1))
			.pass(500);
		assert.deepEqual(driver.take(10_000), ["510 event 2"]);
	});
	it("do not run between APDUs, whatever noise comes", () => {
		const driver = afterRequest().meter(info(0, 1), ANSWERED).receive(unhex("7ea0a0ff007e7e")).pass(600_000);
		assert.deepEqual(driver.take(), ["event 2"]);
		assert.equal(driver.answer, ANSWER);
		assert.deepEqual(driver.send(REQUEST).take(), [`I1,1 ${ASKED}`]);
	});
});

describe("the end of an HDLC connection", () => {
	it("comes after UA or DM to DISC, or after two unanswered DISC", () => {
		for (const control of [UA, DM]) {
			const driver = ConnectionDriver.connected().disconnect();
			assert.deepEqual(driver.take(), ["DISC"]);
			driver.meter(control).ended();
		}
		const driver = ConnectionDriver.connected().disconnect().pass(20_000);
		assert.deepEqual(driver.take(10_000), [
			"0 DISC",
			`${BARE_MS + TIMEOUT_MS} DISC`,
			`${2 * (BARE_MS + TIMEOUT_MS)} event 3`,
		]);
		assert.equal(driver.connection.failure, undefined);
	});
	it("comes after disconnect in any state", () => {
		new ConnectionDriver().disconnect().ended();
		new ConnectionDriver().connect().disconnect().meter(UA).ended();
		new ConnectionDriver({ releaseFirst: true }).connect().disconnect().meter(UA).ended();
		afterRequest().disconnect().meter(info(0, 1), ANSWERED).meter(UA).ended();
		const driver = afterRequest().meter(DM);
		driver.take();
		assert.deepEqual(driver.disconnect().take(), []);
		assert.equal(driver.connection.failure, failures.HDLC_DISCONNECTED);
	});
	it("waits for the rest of a frame that is half sent", () => {
		const { connection } = ConnectionDriver.connected();
		const apdu = bytes(100);
		connection.send(apdu, 0, apdu.length, 10_000);
		const sent: number[] = [];
		const piece = () => {
			const { bytes: from, start, end, kind } = connection.poll();
			if (kind === 1) sent.push(...from.subarray(start, end));
			return kind;
		};
		assert.equal(piece(), 1);
		connection.disconnect(10_010);
		while (piece() === 1);
		const information = [0xe6, 0xe6, 0, ...apdu];
		assert.equal(
			hex(Uint8Array.from(sent)),
			hex(makeFrame({ to: SERVER, from: CLIENT, control: info(0, 0), information })) +
				hex(makeFrame({ to: SERVER, from: CLIENT, control: DISC })),
		);
	});
});
