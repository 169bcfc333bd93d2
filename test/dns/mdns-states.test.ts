import assert from "node:assert/strict";
import { NodeText } from "../../hosts/node/platform.js";
import { DNSReader } from "../../modules/dns/dns.js";
import {
	MDNS_ANNOUNCING,
	MDNS_OFF,
	MDNS_PROBING,
	MDNS_RUNNING,
	MDNS_WAITING,
	MDNSResponder,
} from "../../modules/dns/mdns.js";
import { DATAGRAM_LIMIT } from "../../modules/io/host.js";
import { seededCrypto } from "./bed.js";
import { ADDRESS, CLIENT, SETTINGS } from "./mdns-bed.js";
import { A, ANY, address, message, type Parts, parse } from "./messages.js";

const HOST = "gateway.local";
const RESPONSE = 0x8400;

/** A responder without driver and port: the test sets the time and reads its output. */
class Bed {
	nowMs = 1000;
	readonly buffer = new Uint8Array(DATAGRAM_LIMIT);
	/** The messages sent, each as "probe", "answers" or "goodbye". */
	readonly sent: string[] = [];
	readonly named: string[] = [];
	readonly responder = new MDNSResponder({
		buffer: this.buffer,
		reader: new DNSReader(this.buffer),
		crypto: seededCrypto(3),
		text: new NodeText(),
		trace: (text) => this.named.push(text),
	});
	readonly #sender = {
		send: (length: number) => {
			const { flags, answers } = parse(this.buffer.slice(0, length));
			const isGoodbye = answers.some((record) => / 0 /.test(record));
			this.sent.push(flags === 0 ? "probe" : isGoodbye ? "goodbye" : "answers");
		},
	};

	open(): void {
		this.responder.opened(this.#sender, this.nowMs);
	}

	receive(parts: Parts): void {
		const bytes = message(parts);
		this.buffer.set(bytes);
		this.responder.received(bytes.length, { remoteAddress: CLIENT, remotePort: 5353 }, this.nowMs);
	}

	/** Advances time by `ms`, and the responder at each of its deadlines. */
	pass(ms: number): void {
		const untilMs = this.nowMs + ms;
		while (this.responder.deadlineMs <= untilMs) {
			this.nowMs = Math.max(this.nowMs, this.responder.deadlineMs);
			this.responder.advance(this.nowMs);
		}
		this.nowMs = untilMs;
	}
}

const STATES = [MDNS_OFF, MDNS_WAITING, MDNS_PROBING, MDNS_ANNOUNCING, MDNS_RUNNING] as const;
const NAMES = ["OFF", "WAITING", "PROBING", "ANNOUNCING", "RUNNING"];

function bedIn(state: number): Bed {
	const bed = new Bed();
	if (state >= MDNS_WAITING) bed.responder.start(SETTINGS, bed.nowMs);
	if (state >= MDNS_PROBING) bed.open();
	while (bed.responder.state < state) {
		bed.nowMs = bed.responder.deadlineMs;
		bed.responder.advance(bed.nowMs);
	}
	assert.equal(bed.responder.state, state);
	bed.sent.length = 0;
	// This pause permits another multicast of a record, and is too short for a change of state.
	if (state === MDNS_RUNNING) bed.pass(5000);
	return bed;
}

const from = (...expected: readonly number[]) => expected;
const [OFF, WAITING, PROBING, ANNOUNCING, RUNNING] = STATES;
const PARTING = [[], [], [], ["goodbye"], ["goodbye"]];

interface Row {
	readonly what: string;
	change(bed: Bed): void;
	/** Next states of OFF, WAITING, PROBING, ANNOUNCING and RUNNING. */
	readonly expected: readonly number[];
	/** Messages sent at once; none by default. */
	readonly sent?: readonly string[][];
}

const ROWS: readonly Row[] = [
	{
		what: "the same start",
		change: ({ responder, nowMs }) => responder.start(SETTINGS, nowMs),
		expected: from(WAITING, WAITING, PROBING, PROBING, PROBING),
		sent: PARTING,
	},
	{
		what: "a start in another kind of network",
		change: ({ responder, nowMs }) => responder.start({ ...SETTINGS, accessPoint: true }, nowMs),
		expected: from(WAITING, WAITING, WAITING, WAITING, WAITING),
		sent: PARTING,
	},
	{
		what: "names that are too long",
		change: ({ responder, nowMs }) => {
			const services = [{ type: `_${"t".repeat(1000)}`, port: 1, txt: [] }];
			assert.throws(() => responder.start({ ...SETTINGS, services }, nowMs), RangeError);
		},
		expected: from(OFF, OFF, OFF, OFF, OFF),
		sent: PARTING,
	},
	{
		what: "other names",
		change: ({ responder, nowMs }) => responder.update({ ...SETTINGS, hostname: "cellar" }, nowMs),
		expected: from(WAITING, WAITING, PROBING, PROBING, PROBING),
		sent: PARTING,
	},
	{
		what: "another address",
		change: ({ responder, nowMs }) => responder.update({ ...SETTINGS, address: "192.168.1.77" }, nowMs),
		expected: from(WAITING, WAITING, PROBING, ANNOUNCING, ANNOUNCING),
	},
	{
		what: "the same settings",
		change: ({ responder, nowMs }) => responder.update(SETTINGS, nowMs),
		expected: from(WAITING, WAITING, PROBING, ANNOUNCING, RUNNING),
	},
	{ what: "a port", change: (bed) => bed.open(), expected: from(OFF, PROBING, PROBING, PROBING, PROBING) },
	{
		what: "the loss of its port",
		change: ({ responder }) => responder.lost(),
		expected: from(OFF, WAITING, WAITING, WAITING, WAITING),
	},
	{
		what: "a question",
		change: (bed) => bed.receive({ questions: [{ name: HOST, type: A }] }),
		expected: STATES,
		sent: [[], [], [], [], ["answers"]],
	},
	{
		what: "another's proposal that wins",
		change: (bed) =>
			bed.receive({
				questions: [{ name: HOST, type: ANY }],
				authorities: [{ name: HOST, type: A, data: address("192.168.1.51") }],
			}),
		expected: STATES,
		sent: [[], [], [], [], ["answers"]],
	},
	{
		what: "another's answer for its name",
		change: (bed) =>
			bed.receive({ flags: RESPONSE, answers: [{ name: HOST, type: A, class: 0x8001, data: address("192.168.1.9") }] }),
		expected: from(OFF, WAITING, PROBING, PROBING, PROBING),
	},
	{ what: "its own answer, received again", change: ownAnswer, expected: STATES },
	{ what: "a message with an unknown opcode", change: (bed) => bed.receive({ flags: 0x7800 }), expected: STATES },
	{
		what: "a call before its deadline",
		change: ({ responder, nowMs }) => responder.advance(nowMs),
		expected: STATES,
	},
	{
		what: "a minute",
		change: (bed) => bed.pass(60_000),
		expected: from(OFF, WAITING, RUNNING, RUNNING, RUNNING),
		sent: [[], [], [...Array(3).fill("probe"), ...Array(3).fill("answers")], Array(2).fill("answers"), []],
	},
	{
		what: "the end",
		change: ({ responder }) => responder.stop(),
		expected: from(OFF, OFF, OFF, OFF, OFF),
		sent: PARTING,
	},
];

function ownAnswer(bed: Bed): void {
	bed.receive({ flags: RESPONSE, answers: [{ name: HOST, type: A, class: 0x8001, data: address(ADDRESS) }] });
}

describe("dns/mdns: states", () => {
	for (const { what, change, expected, sent } of ROWS) {
		it(`handles ${what} in every state`, () => {
			for (const state of STATES) {
				const bed = bedIn(state);
				const { responder } = bed;
				change(bed);
				const where = `from ${NAMES[state]}`;
				assert.equal(NAMES[responder.state], NAMES[expected[state]], where);
				assert.deepEqual(bed.sent, sent?.[state] ?? [], where);
				// These relations hold in every state.
				assert.equal(responder.port === undefined, responder.state === OFF, where);
				assert.equal(responder.hostname !== "", responder.state >= ANNOUNCING, where);
				if (responder.state <= WAITING) assert.equal(responder.deadlineMs, Number.POSITIVE_INFINITY, where);
				if (responder.state === PROBING) assert.ok(responder.deadlineMs < bed.nowMs + 6000, where);
				// In any case the responder works afterwards.
				responder.update(SETTINGS, bed.nowMs);
				if (responder.state === WAITING) bed.open();
				bed.pass(60_000);
				assert.equal(responder.state, RUNNING, where);
			}
		});
	}

	it("sends nothing while it has no port", () => {
		for (const state of [OFF, WAITING]) {
			const bed = bedIn(state);
			ownAnswer(bed);
			bed.responder.advance(bed.nowMs + 1000);
			bed.responder.stop();
			bed.responder.update({ ...SETTINGS, hostname: "cellar" }, bed.nowMs);
			bed.pass(60_000);
			assert.deepEqual([bed.sent, bed.named, bed.responder.state], [[], [], WAITING]);
		}
	});
});
