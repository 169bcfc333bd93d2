/** Every kind of frame in every connection state. */
import assert from "node:assert/strict";
import { ConnectionDriver } from "./connection-driver.js";
import { DISC, DM, FRMR, info, rej, rnr, rr, SNRM, UA, UI } from "./frames.js";

const REQUEST = new Uint8Array(50).fill(0x11);
const LLC = [0xe6, 0xe7, 0];
const DATA = [...LLC, 1, 2, 3];
/** The meter accepts 40 bytes at a time, so that REQUEST has two segments. */
const SMALL = "818003060128";

type Frame = readonly [control: number, information?: readonly number[], segmented?: boolean];

/**
 * Frames of the meter. Their sequence numbers are those that it has after the first segment of REQUEST, or after a
 * request in a single frame.
 */
const FRAMES: Record<string, Frame> = {
	SNRM: [SNRM],
	DISC: [DISC],
	UA: [UA],
	"UA with parameters": [UA, [0x81, 0x80, 3, 6, 1, 64]],
	DM: [DM],
	"DM without F": [DM & ~0x10],
	FRMR: [FRMR, [0, 0, 0]],
	UI: [UI, DATA],
	XID: [0xbf],
	TEST: [0xf3, [1]],
	"RR for the next": [rr(1)],
	"RR for the same": [rr(0)],
	"RR for another": [rr(5)],
	"RNR for the next": [rnr(1)],
	"RNR for the same": [rnr(0)],
	"REJ for the next": [rej(1)],
	"REJ for the same": [rej(0)],
	"I expected": [info(0, 1), DATA],
	"I expected, N(R) behind": [info(0, 0), DATA],
	"I expected, segmented": [info(0, 1), DATA, true],
	"I expected, no information": [info(0, 1)],
	"I expected, no LLC": [info(0, 1), [0xc4, 1, 2, 3]],
	"I expected, an echo by its LLC": [info(0, 1), [0xe6, 0xe6, 0, 1]],
	"I expected, too long": [info(0, 1), [...LLC, ...new Uint8Array(700)]],
	"I before": [info(7, 1), DATA],
	"I after": [info(1, 1), DATA],
};

interface State {
	enter(): ConnectionDriver;
	/** Reactions within half the pause for a busy meter, by the frame's name; frames that are not named cause none. */
	readonly does: Record<string, string>;
}

const CONNECTED = "event 1";
const ANSWER = "event 2";
const END = "event 3";
const AGAIN = "I0,0";

const afterSegment = () => ConnectionDriver.connected(SMALL).send(REQUEST);
const afterRequest = () => ConnectionDriver.connected().send(REQUEST);
const ending = { DM: END, "DM without F": END, FRMR: "DISC" };
const busy = { "RR for the next": "pause", "RNR for the next": "pause", "REJ for the next": "pause" };
const answers = {
	"I expected": ANSWER,
	"I expected, N(R) behind": ANSWER,
	"I expected, segmented": "RR1",
	"I expected, no information": "DISC",
	"I expected, no LLC": "DISC",
	"I expected, an echo by its LLC": "DISC",
	"I expected, too long": "DISC",
};
const agreed = { UA: CONNECTED, "UA with parameters": CONNECTED };
const released = { UA: "SNRM", "UA with parameters": "SNRM", DM: "SNRM", "DM without F": "SNRM" };

const STATES: Record<string, State> = {
	"before it begins": { enter: () => new ConnectionDriver(), does: {} },
	"after a first DISC": { enter: () => new ConnectionDriver({ releaseFirst: true }).connect(), does: released },
	"after SNRM with parameters": {
		enter: () => new ConnectionDriver().connect().pass(200),
		does: { ...agreed, DM: "SNRM", "DM without F": "SNRM", FRMR: "SNRM" },
	},
	"after a plain SNRM": {
		enter: () => new ConnectionDriver().connect().pass(200).meter(DM).pass(200),
		does: { ...agreed, DM: END, "DM without F": END, FRMR: END },
	},
	connected: { enter: () => ConnectionDriver.connected(), does: ending },
	"after a segment of a request": {
		enter: afterSegment,
		does: {
			...ending,
			...answers,
			"RR for the next": "I1,0",
			"REJ for the next": "I1,0",
			"RNR for the next": "pause",
			"RR for the same": AGAIN,
			"REJ for the same": AGAIN,
			"RNR for the same": "pause",
		},
	},
	"after a whole request": {
		enter: afterRequest,
		does: {
			...ending,
			...answers,
			...busy,
			"RR for the same": AGAIN,
			"REJ for the same": AGAIN,
			"RNR for the same": "pause",
		},
	},
	"in the pause before a busy meter is polled again": {
		enter: () => afterRequest().meter(rnr(1)).pass(10),
		does: { ...ending, ...answers, ...busy },
	},
	"after a busy meter was polled again": {
		enter: () => afterRequest().meter(rnr(1)).pass(200),
		does: { ...ending, ...answers, ...busy },
	},
	"after a segment of an answer": {
		enter: () => afterRequest().meter(info(0, 1), DATA, true),
		does: {
			...ending,
			...busy,
			"I after": ANSWER,
		},
	},
	"after an answer": { enter: () => afterRequest().meter(info(0, 1), DATA), does: ending },
	"after DISC": {
		enter: () => ConnectionDriver.connected().disconnect(),
		does: { UA: END, "UA with parameters": END, DM: END, "DM without F": END },
	},
	"after its end": { enter: () => ConnectionDriver.connected().disconnect().meter(UA), does: {} },
};

function doing(driver: ConnectionDriver, [control, information, segmented]: Frame): string {
	driver.take();
	driver.meter(control, information, segmented);
	return driver
		.pass(90)
		.take()
		.map((line) => (line.startsWith("event") ? line : line.split(" ")[0].replace("+", "")))
		.join(", ");
}

/** Whether the connection pauses: it sends RR at the end of the pause, not earlier. */
function isPausing(driver: ConnectionDriver): boolean {
	const soon = driver.pass(105).take();
	const late = driver.pass(10).take();
	return soon.length === 0 && /^RR[01]$/.test(late.join());
}

/**
 * Calls of the connection's methods. `send` and `waitOn` in a wrong state and a second `connect` are misuse; all others
 * are always allowed.
 */
const CALLS: Record<string, (driver: ConnectionDriver) => unknown> = {
	connect: (driver) => driver.connect(),
	send: (driver) => driver.send(REQUEST),
	waitOn: (driver) => driver.waitOn(),
	disconnect: (driver) => driver.disconnect(),
	"disconnect twice": (driver) => driver.disconnect().disconnect(),
	advance: ({ connection, nowMs }) => connection.advance(nowMs),
	"advance into the past": ({ connection }) => connection.advance(0),
	"receive nothing": (driver) => driver.receive(new Uint8Array(0)),
	"receive noise": (driver) => driver.receive(new Uint8Array(40).fill(0x55)),
	poll: ({ connection }) => connection.poll(),
};
const ITS_TURN = ["connected", "after an answer"];
const PAST_TURNS = ["after DISC", "after its end"];

function isMisuse(name: string, call: string): boolean {
	if (call === "connect") return name !== "before it begins";
	return (call === "send" || call === "waitOn") && ![...ITS_TURN, ...PAST_TURNS].includes(name);
}

describe("an HDLC connection", () => {
	for (const [name, { enter }] of Object.entries(STATES)) {
		it(`${name} accepts each permitted call, refuses misuse, and ends`, () => {
			for (const [call, run] of Object.entries(CALLS)) {
				const driver = enter();
				if (isMisuse(name, call)) assert.throws(() => run(driver), /used once|before its turn|already/, call);
				else run(driver);
				driver.pass(100_000).disconnect().pass(100_000);
				assert.ok(driver.connection.ended, call);
				assert.equal(driver.connection.deadlineMs, Number.POSITIVE_INFINITY, call);
				assert.equal(driver.take().filter((line) => line === "event 3").length <= 1, true, call);
			}
		});
	}
	for (const [name, { enter, does }] of Object.entries(STATES)) {
		it(`${name} reacts as expected to each kind of frame`, () => {
			for (const [kind, frame] of Object.entries(FRAMES)) {
				const driver = enter();
				const expected = does[kind] ?? "";
				if (expected !== "pause") assert.equal(doing(driver, frame), expected, kind);
				else {
					assert.equal(doing(driver, frame), "", kind);
					assert.ok(isPausing(driver), kind);
				}
			}
		});
		it(`${name} ends whatever frame it receives`, () => {
			for (const [kind, frame] of Object.entries(FRAMES)) {
				const driver = enter();
				doing(driver, frame);
				driver.pass(100_000).disconnect().pass(100_000);
				assert.ok(driver.connection.ended, kind);
				assert.equal(driver.connection.deadlineMs, Number.POSITIVE_INFINITY, kind);
			}
		});
	}
	it("has an expected reaction only for frames of the table", () => {
		for (const { does } of Object.values(STATES))
			for (const kind of Object.keys(does)) assert.ok(kind in FRAMES, `${kind} is not in the table of frames`);
	});
});
