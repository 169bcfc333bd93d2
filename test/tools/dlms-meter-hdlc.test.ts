import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeFrame, readFrame } from "../../tools/meter/hdlc-frame.js";
import { LINK_LOST } from "../../tools/meter/hdlc-station.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { contents, DrivenDLMSMeter, frame } from "./driven-dlms-meter.js";

const trace = readTelegram(vectorPath("hdlc", "jdlms-trace-clock"));
/** SNRM and AARQ to logical device 1 and physical device 17 with a four-byte address, from a trace of jDLMS. */
const SNRM_TRACE = "7ea00a00020023219318717e";
const AARQ_TRACE = "7ea02e0002002321107ecbe6e600601da109060760857405080101be10040e01000000065f1f040000301dffffd4c57e";
const AARE_TRACE =
	"7ea03a2100020023309941e6e7006129a109060760857405080101a203020100a305a103020100be10040e0800065f1f040000301d190000070c527e";

const AARQ = "601da109060760857405080101be10040e01000000065f1f0400001211ffff";
const ADDRESSES = "0321";
/** Group 81 80: transmit and receive size 128, then both windows 1. */
const DEFAULTS = "73 818012050180060180070400000001080400000001";
const GET_LIST = "c001c1000f0000280000ff0200";
const GET_NAME = "c001c1000100002a0000ff0200";
const NAME = `c401c1000910${Buffer.from("GWS0000048151623").toString("hex")}`;

describe("The simulated DLMS meter, HDLC", () => {
	it("reads and makes the frames of a captured session", () => {
		const expected = JSON.parse(readFileSync(vectorPath("hdlc", "jdlms-trace-clock", "json"), "utf8")).frames;
		const bytes = Buffer.from(trace);
		let at = 0;
		for (const { destination, source, control, segmented, information } of expected) {
			const length = (bytes.readUInt16BE(at + 1) & 0x07ff) + 2;
			const whole = bytes.subarray(at, at + length);
			const read = readFrame(whole.subarray(1, -1))!;
			assert.deepEqual(
				[read.destination, read.source, Buffer.of(read.control), read.information].map((part) => part.toString("hex")),
				[destination, source, control, information],
			);
			assert.equal(read.isSegmented, segmented);
			assert.deepEqual(makeFrame(read), whole);
			at += length;
		}
		assert.equal(at, bytes.length);
	});

	it("sends the same bytes to a captured client as the captured meter", () => {
		const meter = new DrivenDLMSMeter("--conformance 00301d --pdu 6400");
		assert.match(meter.send(SNRM_TRACE).pass(50).take()[0], /^20 7ea0212100020023734df2818012/);
		assert.deepEqual(meter.send(AARQ_TRACE).pass(50).take(), [`70 ${AARE_TRACE}`]);
	});

	it("accepts its address in 1, 2 and 4 bytes and the all-station address, but no other", () => {
		const answers = (addresses: string, line = "") =>
			new DrivenDLMSMeter(line).send(frame(addresses, "93")).pass(50).take();
		for (const to of ["03", "0223", "00020023", "02ff", "ff", "0002feff"])
			assert.equal(answers(`${to}21`).length, 1, to);
		for (const to of ["05", "0225", "00020025", "0423", "020023"]) assert.deepEqual(answers(`${to}21`), [], to);
		assert.equal(answers("002221", "--address-length 4").length, 0);
		assert.deepEqual(answers("0321", "--address-length 2"), []);
		// Physical address 5481 is 54 D3 in the lower half.
		assert.equal(answers("000254d321", "--physical 5481").length, 1);
		assert.match(answers("0002002321")[0], /7ea0212100020023/);
	});

	it("negotiates parameters that both sides support", () => {
		const wants = "818014050200c80602012c070400000005080400000002";
		const meter = new DrivenDLMSMeter("--hdlc-info 250:220 --window 3");
		assert.deepEqual(meter.control("93", wants), ["73 8180120501fa0601c8070400000002080400000003"]);
		assert.deepEqual(meter.control("93"), [DEFAULTS]);
		assert.deepEqual(new DrivenDLMSMeter("--hdlc-info 2030").control("93", "8180080502040006020400"), [
			"73 8180140502040006020400070400000001080400000001",
		]);
		assert.deepEqual(new DrivenDLMSMeter("--bare-ua").control("93", wants), ["73"]);
	});

	it("sends DM to a client without a link, to an unknown client and to a second one", () => {
		const meter = new DrivenDLMSMeter();
		assert.deepEqual(meter.control("10", `e6e600${AARQ}`), ["1f"]);
		assert.deepEqual(meter.control("53"), ["1f"]);
		assert.deepEqual(meter.exchange(frame("0343", "93")), ["1f"]);
		assert.deepEqual(meter.control("93"), [DEFAULTS]);
		assert.deepEqual(meter.exchange(frame("0341", "93")), ["1f"]);
		assert.deepEqual(meter.control("53"), ["73"]);
		assert.equal(meter.exchange(frame("0341", "93"))[0].slice(0, 2), "73");
	});

	it("divides a long reply into segments of the negotiated length and window", () => {
		const meter = new DrivenDLMSMeter("--hdlc-info 64 --window 3 --pdu 65535");
		meter.control("93", "818012050140060140070400000003080400000003");
		assert.equal(meter.control("10", `e6e600${AARQ}`).length, 1);
		const isSegmented = (entry: string) => entry.includes(" 7ea8");
		const first = meter
			.send(frame(ADDRESSES, "32", `e6e600${GET_LIST}`))
			.pass(50)
			.take();
		assert.ok(first.every(isSegmented));
		assert.deepEqual(
			first.map((entry) => contents(entry.split(" ")[1]).slice(0, 2)),
			["42", "44", "56"],
		);
		// RR acknowledges all three segments; the next one acknowledges only two, so that the third is repeated.
		const second = meter.control("91");
		assert.deepEqual(
			second.map((text) => text.slice(0, 2)),
			["48", "4a", "5c"],
		);
		assert.deepEqual(
			meter.control("d1").map((text) => text.slice(0, 2)),
			["4c", "4e", "50"],
		);
		assert.ok([...second].every((text) => text.length === 3 + 128));
	});

	it("joins the segments of a request", () => {
		const meter = new DrivenDLMSMeter().open();
		const whole = `e6e600${AARQ}`;
		assert.deepEqual(meter.exchange(frame(ADDRESSES, "10", whole.slice(0, 20), true)), ["31"]);
		// Without the P bit there is no reply.
		assert.deepEqual(meter.exchange(frame(ADDRESSES, "02", whole.slice(20, 40), true)), []);
		const [answer] = meter.exchange(frame(ADDRESSES, "14", whole.slice(40)));
		assert.match(answer, /^70 e6e7006129/);
	});

	it("repeats a reply to a repeated request, and requests a missing frame", () => {
		const meter = new DrivenDLMSMeter().open();
		const first = meter.control("10", `e6e600${AARQ}`);
		assert.deepEqual(meter.control("10", `e6e600${AARQ}`), first);
		assert.deepEqual(meter.control("11"), first, "polled");
		assert.deepEqual(meter.control("19"), first, "REJ");
		assert.deepEqual(meter.control("31"), ["31"], "nothing is missing");
		assert.deepEqual(meter.control("36", `e6e600${GET_NAME}`), ["39"], "N(S) 3 in place of 1");
		assert.deepEqual(meter.control("32", `e6e600${GET_NAME}`), [`52 e6e700${NAME}`]);
	});

	it("rejects impossible numbers, lengths and commands with FRMR", () => {
		const opened = () => new DrivenDLMSMeter("--hdlc-info 64").open();
		assert.deepEqual(opened().control("b0", `e6e600${AARQ}`), ["97 b00008"], "N(R) of a frame that was never sent");
		assert.deepEqual(opened().control("10", "00".repeat(65)), ["97 100004"]);
		assert.deepEqual(opened().control("1d"), ["97 1d0001"]);
		const meter = opened();
		meter.control("b0", `e6e600${AARQ}`);
		assert.deepEqual(meter.control("11"), [], "until the link is opened again");
		assert.equal(meter.control("93").length, 1);
	});

	it("ignores a damaged frame, and accepts the next one after any bytes", () => {
		const meter = new DrivenDLMSMeter();
		const snrm = frame(ADDRESSES, "93");
		for (let at = 1; at < snrm.length - 2; at += 2) {
			const broken = `${snrm.slice(0, at)}${(Number.parseInt(snrm[at], 16) ^ 1).toString(16)}${snrm.slice(at + 1)}`;
			assert.deepEqual(meter.send(broken).pass(600).take(), [], broken);
		}
		for (const rubbish of ["7e7e7e", "ff00", "7ea0", "7ea00703", "a0a0a0"])
			assert.equal(meter.send(rubbish).pass(600).send(snrm).pass(50).take().length, 1, rubbish);
		// A closing flag is also the next opening flag.
		assert.equal(
			meter
				.send(snrm + snrm.slice(2))
				.pass(50)
				.take().length,
			2,
		);
		// The frame arrives in pieces, with pauses under half a second.
		meter.send(snrm.slice(0, 6)).pass(400).send(snrm.slice(6));
		assert.equal(meter.pass(50).take().length, 1);
	});

	it("makes the frame faults of its options", () => {
		const answers = (line: string) => new DrivenDLMSMeter(line).control("93");
		assert.deepEqual(answers("--wrong-fcs 1"), ["? frame check"]);
		assert.deepEqual(answers("--wrong-hcs 1"), ["? header check"]);
		assert.deepEqual(answers("--drop 1"), []);
		assert.deepEqual(answers("--duplicate 1-"), [DEFAULTS, DEFAULTS]);
		assert.deepEqual(answers("--garbage 2"), [DEFAULTS]);
		assert.equal(new DrivenDLMSMeter("--garbage 1").send(frame(ADDRESSES, "93")).pass(50).take().length, 2);
		assert.equal(new DrivenDLMSMeter("--cut 1").send(frame(ADDRESSES, "93")).pass(50).take()[0].length, 3 + 32);
		assert.deepEqual(new DrivenDLMSMeter("--late 500").send(frame(ADDRESSES, "93")).pass(519).take(), []);
		const [notification, aare] = new DrivenDLMSMeter("--notify 2").open().control("10", `e6e600${AARQ}`);
		assert.match(notification, /^03 e6e7000f000000010005[0-9a-f]{8}$/);
		assert.match(aare, /^30 e6e70061/);
		const spoilt = new DrivenDLMSMeter("--damage 3").send(frame(ADDRESSES, "93")).pass(50).take();
		assert.notEqual(spoilt[0], new DrivenDLMSMeter().send(frame(ADDRESSES, "93")).pass(50).take()[0]);
	});

	it("makes the link faults of its options", () => {
		const silent = new DrivenDLMSMeter("--silence 2");
		assert.deepEqual([silent.control("93"), silent.control("93"), silent.control("93")], [[], [], [DEFAULTS]]);
		const refusing = new DrivenDLMSMeter("--dm 1");
		assert.deepEqual([refusing.control("93"), refusing.control("93")], [["1f"], [DEFAULTS]]);
		const left = new DrivenDLMSMeter("--dm-until-disc");
		const answers = ["93", "93", "53", "93"].map((control) => left.control(control)[0]);
		assert.deepEqual(answers, ["1f", "1f", "1f", DEFAULTS]);
		const busy = new DrivenDLMSMeter("--rnr 2").open();
		assert.deepEqual(busy.control("10", `e6e600${AARQ}`), ["35"]);
		assert.deepEqual(busy.control("11"), ["35"]);
		assert.match(busy.control("11")[0], /^30 e6e70061/);
		const rejecting = new DrivenDLMSMeter("--rej 1").open();
		assert.deepEqual(rejecting.control("10", `e6e600${AARQ}`), ["19"]);
		assert.match(rejecting.control("10", `e6e600${AARQ}`)[0], /^30 e6e70061/);
		const frmr = new DrivenDLMSMeter("--frmr 2").open();
		frmr.apdu(AARQ);
		assert.match(frmr.apdu(GET_NAME), /^97 /);
		const lost = new DrivenDLMSMeter("--lose-after 1").open();
		assert.match(lost.apdu(AARQ), /^61/);
		assert.deepEqual([lost.apdu(GET_NAME), lost.events.includes(LINK_LOST)], ["1f", true]);
	});

	it("closes an idle link", () => {
		const meter = new DrivenDLMSMeter("--inactivity 30").open();
		meter.pass(29_000);
		assert.deepEqual(meter.control("11"), ["11"]);
		meter.pass(30_000);
		assert.deepEqual(meter.control("11"), ["1f"]);
	});
});

describe("The simulated DLMS meter, mode E", () => {
	const SIGN_ON = Buffer.from("/?!\r\n").toString("hex");
	const IDENT = Buffer.from("/LGZ5\\2ZMD3104\r\n").toString("hex");
	const HAND_OVER = Buffer.from("\x06252\r\n").toString("hex");

	it("signs on, receives the acknowledgement, confirms it at the new rate, and uses HDLC until DISC", () => {
		const meter = new DrivenDLMSMeter("--mode-e");
		assert.deepEqual(meter.send(SIGN_ON).pass(50).take(), [`20 ${IDENT}`]);
		assert.deepEqual(meter.send(HAND_OVER).pass(50).take(), [
			"50 line 9600 7E1",
			`70 ${HAND_OVER}`,
			"70 line 9600 8N1",
		]);
		assert.deepEqual(meter.control("93"), [DEFAULTS]);
		const log = meter.send(frame(ADDRESSES, "53")).pass(50).take();
		assert.deepEqual([log.length, log[1], log[2]], [3, "220 line 300 7E1", "220 line 300 7E1"]);
		assert.equal(meter.send(SIGN_ON).pass(50).take().length, 1);
	});

	it("returns to 300 Bd after inactivity; its options set a delay after DISC and omit the confirmation", () => {
		const meter = new DrivenDLMSMeter("--mode-e --linger 2000 --inactivity 10 --no-confirm");
		meter.send(SIGN_ON).pass(50).send(HAND_OVER).pass(50);
		assert.deepEqual(meter.take().slice(1), ["50 line 9600 7E1", "70 line 9600 8N1"]);
		meter.open();
		assert.deepEqual(meter.close(), ["73"]);
		meter.pass(1000);
		assert.deepEqual(meter.control("93"), [DEFAULTS]);
		meter.take();
		assert.match(meter.pass(10_000).take()[0], / line 300 7E1$/);
		assert.equal(meter.send(SIGN_ON).pass(50).take().length, 1);
	});

	it("reads out in mode C too, unless its option allows HDLC only", () => {
		const answers = (line: string) => {
			const meter = new DrivenDLMSMeter(line).send(SIGN_ON).pass(50);
			meter.take();
			return meter.send(Buffer.from("\x06050\r\n").toString("hex")).pass(100).take();
		};
		assert.match(answers("--mode-e")[1], / 02462e46/);
		assert.deepEqual(answers("--mode-e-only"), []);
	});

	it("does not answer at a rate that it has promised falsely, nor a sign-on with another address than its own", () => {
		const answers = (line: string, signOn: string) => {
			const meter = new DrivenDLMSMeter(line).send(Buffer.from(signOn).toString("hex")).pass(50);
			return [meter.take().length, meter.send(HAND_OVER).pass(100).take().length];
		};
		assert.deepEqual(answers("--mode-e --lie 4800", "/?!\r\n"), [1, 0]);
		assert.deepEqual(answers("--mode-e --lie 9600", "/?!\r\n"), [1, 3]);
		assert.deepEqual(answers("--mode-e --address 17", "/?0017!\r\n"), [1, 3]);
		assert.deepEqual(answers("--mode-e --address 17", "/?18!\r\n"), [0, 0]);
	});

	it("does not switch to HDLC at a rate above the promised one", () => {
		const meter = new DrivenDLMSMeter("--mode-e --baud 2400").send(SIGN_ON).pass(50);
		meter.take();
		assert.ok(
			!meter
				.send(HAND_OVER)
				.pass(100)
				.take()
				.some((entry) => entry.includes("8N1")),
		);
	});
});
