/**
 * Makes every call and every input in every state, even impossible ones: nothing throws, and each session still ends.
 */
import assert from "node:assert/strict";
import { DLMSReadSession } from "../../modules/cosem/read-session.js";
import { OPENING_AUTO, OPENING_DIRECT, OPENING_MODE_E } from "../../modules/cosem/settings.js";
import { Attempts } from "../../modules/iec62056-21/attempts.js";
import { MeterListener } from "../../modules/iec62056-21/listener.js";
import { IECReadSession } from "../../modules/iec62056-21/protocol.js";
import { HAND_OVER_ALWAYS } from "../../modules/iec62056-21/session.js";
import type { MeterSettings } from "../../modules/meter/settings.js";
import {
	EVENT_END,
	EVENT_POOR,
	EVENT_READOUT,
	type ReadSession,
	type SessionContext,
} from "../../modules/readout/protocol.js";
import { STATUS_OK } from "../../modules/readout/readout.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { frame } from "../../tools/meter/telegram.js";
import { Bed } from "../cosem/bed.js";
import { fromMeter } from "../hdlc/connection-driver.js";
import { UA } from "../hdlc/frames.js";
import { Driver } from "../iec62056-21/driver.js";
import { bytesOf } from "../latin1.js";
import { iecVectors } from "../vectors.js";
import { dlmsSettings, ReaderBed } from "./reader-bed.js";

const IDENT = "/LGZ5\\2ZMD310\r\n";
const BLOCK = frame(bytesOf("1.8.0(000123.4*kWh)\r\n2.8.0(000005.6*kWh)\r\n!\r\n"));
const WRONG = Uint8Array.from([...BLOCK.subarray(0, BLOCK.length - 1), 0x7e]);
const TELEGRAM = "/EBZ5DD3\r\n\r\n1.8.0(000123.4*kWh)\r\n!\r\n";
const UA_FRAME = Uint8Array.from([0x7e, ...fromMeter(UA), 0x7e]);
const SOON_MS = 400_000;

/** Inputs that may arrive at any time. */
const INPUTS: Record<string, (driver: Driver) => unknown> = {
	nothing: (driver) => driver.receive(""),
	noise: (driver) => driver.receive("~\x80\xff(*"),
	"a damaged character": (driver) => driver.receive("\xc1"),
	"an identification": (driver) => driver.receive(IDENT),
	"a block": (driver) => driver.receive(BLOCK),
	"a block with a wrong check": (driver) => driver.receive(WRONG),
	"a telegram": (driver) => driver.receive(TELEGRAM),
	"a UA": (driver) => driver.receive(UA_FRAME),
	"a call that is too early": ({ machine, nowMs }) => machine.advance(nowMs),
	"a call from the past": ({ machine }) => machine.advance(-1),
	"a second poll": ({ machine }) => machine.poll(),
};

/** Calls that the session's user may make. */
const CALLS: Record<string, (driver: Driver, session: ReadSession) => unknown> = {
	...INPUTS,
	abort: (driver, session) => {
		session.abort(driver.nowMs);
		driver.receive("");
	},
	"abort twice": (driver, session) => {
		session.abort(driver.nowMs);
		session.abort(driver.nowMs);
		driver.receive("");
	},
	"a request for the readout": (_, session) => {
		session.readout(EVENT_POOR, 1);
		session.readout(EVENT_END, 1);
	},
};

function openingOf(settings: Partial<MeterSettings> = {}): SessionContext<MeterSettings> {
	const readerBed = new ReaderBed(settings);
	const { storage, crypto } = readerBed.world;
	const records = new RecordWriter();
	const memory = { kept: undefined, speed: undefined };
	return { settings: readerBed.settings, records, memory, storage, crypto, quietMs: 0, nowMs: 0, trace: () => {} };
}

interface DrivenSession {
	readonly driver: Driver;
	readonly session: ReadSession;
}

function drivenSession(session: ReadSession): DrivenSession {
	return { driver: new Driver(session), session };
}

/** Checks that the session ends exactly once after each call, and is then silent. */
function checkEndsOnce(enter: () => DrivenSession, name: string): void {
	for (const [what, call] of Object.entries(CALLS)) {
		const { driver, session } = enter();
		call(driver, session);
		driver.to(driver.nowMs + SOON_MS);
		const events = driver.take().filter((line) => line.endsWith(` event ${EVENT_END}`));
		assert.equal(events.length, 1, `${name}, ${what}`);
		assert.equal(session.deadlineMs, Number.POSITIVE_INFINITY, `${name}, ${what}`);
		for (const late of Object.values(CALLS)) late(driver, session);
		driver.to(driver.nowMs + SOON_MS);
		assert.deepEqual(driver.take(), [], `${name}, ${what}: after its end`);
	}
}

describe("every call in every state of a session", () => {
	const signOn = (options: Partial<MeterSettings> = {}, quietMs = 0, handOver = 0): DrivenSession => {
		const opening = { ...openingOf(options), quietMs };
		return drivenSession(new IECReadSession(opening, new Attempts(opening), handOver));
	};
	const at = (one: DrivenSession, ms: number, text: string | Uint8Array = ""): DrivenSession => {
		one.driver.to(ms).receive(text);
		return one;
	};
	const signOns: Record<string, () => DrivenSession> = {
		"waiting for silence": () => signOn({}, 2000),
		"waking the meter up": () => at(signOn({ battery: true }), 100),
		"waiting for an identification": () => at(signOn(), 170),
		"in an identification": () => at(signOn(), 400, "/LGZ5\\2Z"),
		"before the acknowledgement": () => at(signOn(), 400, IDENT),
		"waiting for a block": () => at(at(signOn(), 400, IDENT), 900),
		"in a block": () => at(at(signOn(), 400, IDENT), 900, BLOCK.subarray(0, 20)),
		"before a repetition": () => at(at(signOn(), 400, IDENT), 900, WRONG),
	};
	for (const [name, enter] of Object.entries(signOns))
		it(`ends a sign-on once after any call: ${name}`, () => checkEndsOnce(enter, name));
	it("changes nothing in a sign-on that has been handed over to DLMS/COSEM", () => {
		for (const call of Object.values(CALLS)) {
			const { driver, session } = at(at(signOn({}, 0, HAND_OVER_ALWAYS), 400, IDENT), 900);
			driver.take();
			call(driver, session);
			assert.deepEqual(driver.to(SOON_MS).take(), []);
		}
	});

	const dlmsSession = (opening: number, attempts = false): DrivenSession => {
		const all = openingOf({ dlms: dlmsSettings({ opening, physical: 17 }) });
		return drivenSession(new DLMSReadSession(all, attempts ? new Attempts(all) : undefined));
	};
	const dlmsSessions: Record<string, () => DrivenSession> = {
		"before it begins": () => dlmsSession(OPENING_AUTO),
		"in its sign-on": () => at(dlmsSession(OPENING_MODE_E), 170),
		"in a sign-on that offers DLMS/COSEM": () => at(dlmsSession(OPENING_MODE_E, true), 170),
		"identified, with DLMS/COSEM only offered": () => at(at(dlmsSession(OPENING_MODE_E, true), 170), 400, IDENT),
		"after the hand-over": () => at(at(at(dlmsSession(OPENING_MODE_E), 170), 400, IDENT), 900),
		"in SNRM after a sign-on": () => at(at(at(dlmsSession(OPENING_MODE_E), 170), 400, IDENT), 2900),
		"in SNRM at a fixed speed": () => at(dlmsSession(OPENING_DIRECT), 100),
		"connected, in its association": () => at(at(dlmsSession(OPENING_DIRECT), 100), 300, UA_FRAME),
		"in a pause": () => at(at(at(dlmsSession(OPENING_DIRECT), 100), 300, UA_FRAME), 8700),
	};
	for (const [name, enter] of Object.entries(dlmsSessions))
		it(`ends a DLMS/COSEM session once after any call: ${name}`, () => checkEndsOnce(enter, name));

	it("repeats DISC of an aborted session after its timeout", () => {
		const { driver, session: talking } = at(at(dlmsSession(OPENING_DIRECT), 100), 300, UA_FRAME);
		driver.to(1000).take();
		talking.abort(1000);
		driver.receive("");
		const sentMs = driver
			.to(20_000)
			.take()
			.filter((line) => line.includes(" sent "))
			.map((line) => Number(line.split(" ")[0]));
		const [first, second, ...more] = [...new Set(sentMs)];
		assert.deepEqual([first, more], [1000, []]);
		assert.ok(second >= 2000 && second <= 2100, `repeated after ${second - first} ms`);
	});

	const listener = (text: string) => {
		const driver = new Driver(new MeterListener(new RecordWriter()));
		driver.receive(text).take();
		return driver;
	};
	for (const [name, text] of Object.entries({
		"that waits for a telegram": "",
		"in an identification": "/EBZ5",
		"in a telegram": TELEGRAM.slice(0, 25),
		"before the line end": TELEGRAM.slice(0, -2),
	})) {
		it(`makes a listener ${name} lose one telegram at most`, () => {
			for (const [what, call] of Object.entries(INPUTS)) {
				const driver = listener(text);
				call(driver);
				driver.to(driver.nowMs + 10_000).take();
				assert.equal(driver.machine.deadlineMs, Number.POSITIVE_INFINITY, what);
				assert.equal(driver.receive(TELEGRAM).to(20_000).take().at(-1), `10000 event ${EVENT_READOUT}`, what);
			}
		});
		it(`changes nothing in a listener ${name} after its end`, () => {
			for (const [what, call] of Object.entries(INPUTS)) {
				const driver = listener(text);
				const machine = driver.machine as MeterListener;
				machine.abort(0);
				machine.abort(0);
				assert.deepEqual(driver.receive("").take(), [`0 event ${EVENT_END}`]);
				call(driver);
				assert.deepEqual(driver.to(10_000).take(), [], what);
			}
		});
	}
});

describe("every call in every state of the reader", () => {
	const logarex = iecVectors().find(({ name }) => name === "logarex-lk13-history")!;
	const modeD = { modeD: true, modeDBaud: 9600 };
	const never = { finished: () => assert.fail("notified without a request") };

	const asking = (protocol: string) => {
		const readerBed = new ReaderBed({ protocol });
		readerBed.reader.read({ finished: () => {} });
		readerBed.world.advance(300);
		return readerBed;
	};
	const states: Record<string, () => ReaderBed> = {
		idle: () => new ReaderBed(),
		reading: () => {
			const readerBed = new ReaderBed().connect(logarex.telegram);
			readerBed.reader.read({ finished: () => {} });
			readerBed.world.advance(700);
			return readerBed;
		},
		"reading in DLMS/COSEM": () => {
			const { readerBed } = new Bed({}).meter("");
			readerBed.reader.read({ finished: () => {} });
			readerBed.world.advance(400);
			return readerBed;
		},
		"ending a session that took too long": () => {
			const { readerBed } = new Bed({ receiveTimeoutMs: 30_000 }).meter("--late 29000 --conformance 001010");
			readerBed.reader.read({ finished: () => {} });
			readerBed.world.advance(600_500);
			assert.equal(readerBed.reader.running, true);
			return readerBed;
		},
		listening: () => new ReaderBed(modeD),
		"listening to SML": () => new ReaderBed({ protocol: "sml" }),
		"listening to TIC": () => new ReaderBed({ protocol: "tic" }),
		"listening to AMIS": () => new ReaderBed({ protocol: "amis" }),
		"asking by KMP": () => asking("kmp"),
		"asking by M-Bus": () => asking("mbus"),
		unplugged: () => {
			const readerBed = new ReaderBed(modeD);
			readerBed.world.serial.meter.unplug();
			readerBed.world.advance(10);
			return readerBed;
		},
		probing: () => {
			const readerBed = new ReaderBed();
			assert.equal(readerBed.reader.probe({ finished: () => {} }), true);
			return readerBed;
		},
		"probing in mode D": () => {
			const readerBed = new ReaderBed(modeD);
			assert.equal(readerBed.reader.probe({ finished: () => {} }), true);
			return readerBed;
		},
	};
	const changed = (settings: Partial<MeterSettings>) => (readerBed: ReaderBed) => {
		Object.assign(readerBed.settings, settings);
		readerBed.reader.reconfigure();
	};
	const calls: Record<string, (readerBed: ReaderBed) => unknown> = {
		cancel: ({ reader }) => reader.cancel(never),
		probe: ({ reader }) => reader.probe({ finished: () => {} }),
		reconfigure: ({ reader }) => reader.reconfigure(),
		"mode D": changed({ ...modeD, simulator: false }),
		"mode D at another speed": changed({ modeD: true, modeDBaud: 300 }),
		"no mode D": changed({ modeD: false }),
		simulator: changed({ simulator: true }),
		"another protocol": changed({ protocol: "dlms", modeD: false }),
		TIC: changed({ protocol: "tic", modeD: false, simulator: false }),
		AMIS: changed({ protocol: "amis", modeD: false, simulator: false }),
		KMP: changed({ protocol: "kmp", modeD: false, simulator: false }),
		"M-Bus": changed({ protocol: "mbus", modeD: false, simulator: false }),
		SML: changed({ protocol: "sml", modeD: false, simulator: false }),
		forget: ({ reader }) => reader.forget(),
		stop: ({ reader }) => reader.stop(),
		"a port that is unplugged": ({ world }) => world.serial.meter.unplug(),
		"a port that is unplugged and plugged in again": ({ world }) => {
			world.serial.meter.unplug();
			world.serial.meter.plugIn();
		},
		"a call that is too early": ({ reader }) => reader.advance(0),
	};
	for (const [name, enter] of Object.entries(states)) {
		it(`${name}: notifies a caller once, unless it is stopped, and can then read the meter`, () => {
			for (const [what, call] of Object.entries(calls)) {
				const readerBed = enter();
				const where = `${name}, ${what}`;
				let notifications = 0;
				readerBed.reader.read({ finished: () => notifications++ });
				call(readerBed);
				readerBed.world.advance(700_000);
				assert.equal(notifications, what === "stop" ? 0 : 1, where);
				assert.equal(readerBed.reader.running, false, where);
				readerBed.world.serial.meter.plugIn();
				readerBed.connect(logarex.telegram);
				changed({ modeD: false, simulator: false, protocol: "iec62056" })(readerBed);
				readerBed.world.advance(3000);
				const { readout, failure } = readerBed.read();
				assert.deepEqual([readout?.status, failure], [STATUS_OK, undefined], where);
			}
		});
	}
	it("switches the light on for a readout, and off after it", () => {
		let isOn = false;
		const light = {
			reading: (on: boolean) => {
				isOn = on;
			},
			flash: () => {},
		};
		const readerBed = new ReaderBed({}, {}, light).connect(logarex.telegram);
		readerBed.reader.read({ finished: () => {} });
		assert.equal(isOn, true);
		readerBed.world.advance(20_000);
		assert.equal(isOn, false);
	});
});
