import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { METER_DEAD, METER_DEFAULT, METER_REFUSED } from "../../tools/meter/iec-meter.js";
import { DrivenMeter } from "./driven-meter.js";

// Written by hand from IEC 62056-21, 6.3. The check is the exclusive or of all characters from after STX to ETX:
// "0.0.0(1)\r !\r " ETX: 30^2E^30^2E^30^28^31^29 = 00, the two CR LF cancel, 21^03 = 22.
const IDENT = "/XYZ5TEST\r\n";
const BLOCK = "\x020.0.0(1)\r\n!\r\n\x03\x22";
const MODE_C = IDENT + BLOCK;
const SIGN_ON = "/?!\r\n";
/** Duration of n characters at 300 Bd, ms. */
const slow = (characters: number) => (characters * 10_000) / 300;

describe("The simulated meter, sign-on", () => {
	it("answers the general sign-on after 200 ms", () => {
		assert.deepEqual(new DrivenMeter(MODE_C).send(SIGN_ON).pass(300).take(), [`200 ${IDENT}`]);
	});

	it("answers after 20 ms if the third letter of the manufacturer is lower case", () => {
		assert.deepEqual(new DrivenMeter(`/XYz5TEST\r\n${BLOCK}`).send(SIGN_ON).pass(300).take(), ["20 /XYz5TEST\r\n"]);
	});

	it("answers with the delay of its options", () => {
		const meter = new DrivenMeter(MODE_C, { reactionMs: 100, faults: { lateMs: 1000 } });
		assert.deepEqual(meter.send(SIGN_ON).pass(1200).take(), [`1100 ${IDENT}`]);
	});

	it("accepts a sign-on in pieces and after other characters", () => {
		const meter = new DrivenMeter(MODE_C).send("\0\x7f!\r\n/?xx").send("/").send("?").send("!\r").pass(40).send("\n");
		assert.deepEqual(meter.pass(250).take(), [`240 ${IDENT}`]);
	});

	for (const text of [
		"/?!\r",
		"/!\r\n",
		"?!\r\n",
		"/?!\n",
		"/?1!1\r\n",
		"/?-1!\r\n",
		"/2!\r\n",
		`/?${"1".repeat(33)}!\r\n`,
	]) {
		it(`does not accept ${JSON.stringify(text)} as its sign-on`, () => {
			assert.deepEqual(new DrivenMeter(MODE_C).send(text).pass(5000).take(), []);
		});
	}

	it("does not accept a sign-on with a damaged character", () => {
		assert.deepEqual(new DrivenMeter(MODE_C).send("/\xbf!\r\n").pass(5000).take(), []);
	});

	it("answers its own address and the general sign-on only; leading zeros don't count", () => {
		for (const [sent, own, isAnswered] of [
			["", "0012aB", true],
			["12aB", "0012aB", true],
			["00012aB", "0012aB", true],
			["12ab", "0012aB", false],
			["12aB0", "0012aB", false],
			["1", "", false],
			["000", "0", true],
			["1".repeat(32), "1".repeat(32), true],
		] as const) {
			const meter = new DrivenMeter(MODE_C, { address: own }).send(`/?${sent}!\r\n`).pass(200);
			assert.equal(meter.take().length, isAnswered ? 1 : 0, `${sent} to ${own}`);
		}
	});

	it("does not listen while it sends", () => {
		const meter = new DrivenMeter(MODE_C).send(SIGN_ON).pass(200).send("\x06050\r\n").pass(slow(IDENT.length)).take();
		assert.deepEqual(meter, [`200 ${IDENT}`]);
	});

	it("ignores as many sign-ons as its options say", () => {
		const meter = new DrivenMeter(MODE_C, { faults: { silence: 2 } });
		for (let i = 0; i < 2; i++) assert.deepEqual(meter.send(SIGN_ON).pass(5000).take(), []);
		assert.equal(meter.send(SIGN_ON).pass(200).take().length, 1);
		assert.deepEqual(meter.events.slice(0, 2), [METER_REFUSED, METER_REFUSED]);
	});
});

describe("The simulated meter, mode C", () => {
	/** At the end of the identification: 200 + 11 × 33.3 ms. */
	const identified = (options = {}) => {
		const meter = new DrivenMeter(MODE_C, options).send(SIGN_ON).pass(200 + slow(IDENT.length));
		meter.take();
		return meter;
	};
	const identMs = 200 + slow(IDENT.length);

	it("sends the block 200 ms after the acknowledgement at the requested rate, and returns to 300 Bd", () => {
		const blockMs = (BLOCK.length * 10_000) / 9600;
		assert.deepEqual(identified().pass(300).send("\x06050\r\n").pass(5000).take(), [
			`${identMs + 300} line 9600`,
			`${identMs + 500} ${BLOCK}`,
			`${identMs + 500 + blockMs + 1500} line 300`,
		]);
	});

	it("accepts a rate below the promised one", () => {
		const meter = identified().pass(300).send("\x06020\r\n").pass(201);
		assert.deepEqual(meter.take(), [`${identMs + 300} line 1200`, `${identMs + 500} ${BLOCK}`]);
	});

	it("sends the block at 300 Bd 1.5 s after an identification without acknowledgement", () => {
		assert.deepEqual(identified().pass(1499).take(), []);
		assert.deepEqual(identified().pass(1500).take(), [`${identMs + 1500} ${BLOCK}`]);
	});

	it("waits for the end of an acknowledgement that began in time", () => {
		const meter = identified().pass(1400).send("\x060").pass(150).send("50\r\n").pass(200);
		assert.equal(meter.take()[0], `${identMs + 1550} line 9600`);
	});

	for (const acknowledge of [
		"\x06060\r\n",
		"\x06250\r\n",
		"\x06052\r\n",
		"\x060X0\r\n",
		"\x06050\n",
		"\x06\xb050\r\n",
	]) {
		it(`stays at 300 Bd after ${JSON.stringify(acknowledge)}`, () => {
			const meter = identified().send(acknowledge).pass(300);
			assert.deepEqual(meter.take(), [`${identMs + 200} ${BLOCK}`]);
			assert.ok(meter.events.includes(METER_DEFAULT));
		});
	}

	it("starts over after a sign-on in place of the acknowledgement", () => {
		assert.deepEqual(identified().pass(100).send(SIGN_ON).pass(200).take(), [`${identMs + 300} ${IDENT}`]);
	});

	it("repeats the block for each NAK within 1.5 s, but not later", () => {
		const meter = identified()
			.send("\x06050\r\n")
			.pass(200 + (BLOCK.length * 10_000) / 9600);
		meter.take();
		for (let i = 0; i < 3; i++) {
			const requestedMs = meter.pass(1299).nowMs;
			meter.send("\x15").pass(200 + (BLOCK.length * 10_000) / 9600);
			assert.deepEqual(meter.take(), [`${requestedMs + 200} ${BLOCK}`]);
		}
		meter.pass(1500).take();
		assert.deepEqual(meter.send("\x15").pass(5000).take(), []);
	});

	it("is done at once after ACK", () => {
		const meter = identified()
			.send("\x06050\r\n")
			.pass(200 + (BLOCK.length * 10_000) / 9600);
		meter.take();
		assert.deepEqual(meter.send("\x06").take(), [`${meter.nowMs} line 300`]);
	});

	it("opens programming mode with P0 and ends it at the break, or after 60 s of silence", () => {
		// 50^30^02 = 62, brackets 28^29 = 01, the digits 0 to 7 cancel, ^03: 60.
		const operand = "\x01P0\x02(01234567)\x03\x60";
		const open = () => {
			const meter = identified().send("\x06051\r\n").pass(500);
			assert.deepEqual(meter.take(), [`${identMs} line 9600`, `${identMs + 200} ${operand}`]);
			return meter;
		};
		let meter = open().send("\x01B0\x03");
		assert.deepEqual(meter.take(), []);
		assert.deepEqual(meter.send("q").take(), [`${meter.nowMs} line 300`]);
		meter = open();
		assert.deepEqual(meter.send(SIGN_ON).pass(59_999).take(), []);
		assert.deepEqual(meter.pass(1).take(), [`${meter.nowMs} line 300`]);
	});

	it("answers at its only rate if it has falsely promised another one, and not at the promised one", () => {
		const meter = identified({ faults: { lieBaud: 300 } })
			.send("\x06050\r\n")
			.pass(60_000);
		assert.deepEqual(meter.take(), []);
		assert.ok(meter.events.includes(METER_DEAD));
		meter
			.send(SIGN_ON)
			.pass(200 + slow(IDENT.length))
			.send("\x06000\r\n")
			.pass(200);
		assert.equal(meter.take().at(-1), `${meter.nowMs} ${BLOCK}`);
	});
});

describe("The simulated meter, modes A, B and D", () => {
	it("sends the block in mode A right after the identification, at 300 Bd", () => {
		const ident = "/XYZTEST\r\n";
		const meter = new DrivenMeter(ident + BLOCK).send(SIGN_ON).pass(5000);
		assert.equal(meter.meter.mode, "A");
		assert.deepEqual(meter.take(), [`200 ${ident}`, `200 ${BLOCK}`]);
	});

	it("changes in mode B to the rate of Z by itself and sends after 200 ms", () => {
		const ident = "/XYZCTEST\r\n";
		const meter = new DrivenMeter(ident + BLOCK).send(SIGN_ON).pass(200 + slow(ident.length) + 300);
		assert.equal(meter.meter.mode, "B");
		const startMs = 200 + slow(ident.length) + 200;
		assert.deepEqual(meter.take(), [`200 ${ident}`, "200 line 2400", `${startMs} ${BLOCK}`]);
	});

	it("listens in mode B for NAK at the rate of the block", () => {
		const meter = new DrivenMeter(`/XYZETEST\r\n${BLOCK}`).send(SIGN_ON).pass(1000);
		meter.take();
		assert.deepEqual(meter.send("\x15").pass(200).take(), [`1200 ${BLOCK}`]);
	});

	it("sends in mode D at its own rate, one telegram after another, and receives nothing", () => {
		const push = "/XYZ5TEST\r\n\r\n0.0.0(1)\r\n!\r\n";
		const meter = new DrivenMeter(push, { pushBaud: 9600, pushMs: 2000 });
		assert.equal(meter.meter.mode, "D");
		assert.deepEqual(meter.send(SIGN_ON).pass(4000).take(), [`0 ${push}`, `2000 ${push}`, `4000 ${push}`]);
	});

	it("leaves no gap in mode D if a telegram lasts longer than the interval", () => {
		const push = "/XYZ5TEST\r\n\r\n!\r\n";
		const meter = new DrivenMeter(push, { pushBaud: 2400, pushMs: 0 });
		assert.deepEqual(meter.pass(100).take(), [`0 ${push}`, `${(push.length * 10_000) / 2400} ${push}`]);
	});

	it("uses the mode of its options, whatever the telegram shows", () => {
		const meter = new DrivenMeter(MODE_C, { mode: "A" }).send(SIGN_ON).pass(200);
		assert.deepEqual(meter.take(), [`200 ${IDENT}`, `200 ${BLOCK}`]);
	});
});

describe("The simulated battery meter", () => {
	/** `count` NULs without gaps, then a pause, then the sign-on. */
	const wake = (count: number, pauseMs: number) => {
		const meter = new DrivenMeter(MODE_C, { battery: true });
		for (let i = 0; i < count; i++) meter.pass(slow(1)).send("\0");
		meter.pass(pauseMs).send(SIGN_ON).pass(200);
		return meter.take().length > 0;
	};

	it("ignores a sign-on without NULs before it", () => assert.equal(wake(0, 0), false));
	it("ignores a sign-on after 62 NULs, which last less than 2.1 s", () => assert.equal(wake(62, 1600), false));
	it("wakes up after 63 NULs", () => assert.equal(wake(63, 1600), true));
	it("wakes up after more", () => assert.equal(wake(84, 1600), true));
	it("is not ready 1499 ms after the last NUL", () => assert.equal(wake(66, 1499), false));
	it("is ready after 1500 ms", () => assert.equal(wake(66, 1500), true));
	it("is awake for 5 s", () => assert.equal(wake(66, 5000), true));
	it("is asleep again after that", () => assert.equal(wake(66, 5001), false));

	it("does not add NULs before and after a pause", () => {
		const meter = new DrivenMeter(MODE_C, { battery: true });
		for (let i = 0; i < 40; i++) meter.pass(slow(1)).send("\0");
		meter.pass(200);
		for (let i = 0; i < 40; i++) meter.pass(slow(1)).send("\0");
		assert.deepEqual(meter.pass(1600).send(SIGN_ON).pass(300).take(), []);
	});
});

describe("The simulated meter, faulty blocks", () => {
	/** The reply in mode A, the shortest way to a block. */
	const block = (faults: object, telegram = MODE_C) => {
		const meter = new DrivenMeter(telegram, { mode: "A", faults }).send(SIGN_ON).pass(200);
		return meter.take().map((line) => line.slice(4));
	};

	it("sends noise before the identification and after the check", () => {
		assert.deepEqual(block({ noise: 4 }), [`\x7f\0\xff\x7f${IDENT}`, `${BLOCK}\x7f\0\xff\x7f`]);
	});

	it("omits STX, or ETX and check, or all of them", () => {
		assert.deepEqual(block({ noSTX: true })[1], BLOCK.slice(1));
		assert.deepEqual(block({ noBCC: true })[1], "\x020.0.0(1)\r\n!\r\n");
		assert.deepEqual(block({ noSTX: true, noBCC: true })[1], "0.0.0(1)\r\n!\r\n");
	});

	it("sends ACK CR LF before STX", () => assert.deepEqual(block({ ackLine: true })[1], `\x06\r\n${BLOCK}`));

	it("breaks off the block without noise after it", () => {
		assert.deepEqual(block({ cut: 3, noise: 2 })[1], "\x020.");
		assert.deepEqual(block({ cut: 0 })[1], "");
	});

	it("sends wrong checks in the first blocks only; a repeated block is sent without the characters that preceded it", () => {
		const meter = new DrivenMeter(`${IDENT}\x06050\r\n${BLOCK}`, { mode: "A", faults: { wrongBCC: 2, ackLine: true } });
		meter.send(SIGN_ON).pass(1500);
		const wrong = `${BLOCK.slice(0, -1)}\x77`;
		assert.equal(meter.take()[1], `200 \x06050\r\n\x06\r\n${wrong}`);
		const next = () =>
			meter
				.send("\x15")
				.pass(1500)
				.take()[0]
				.replace(/^\d+(\.\d+)? /, "");
		assert.equal(next(), wrong);
		assert.equal(next(), BLOCK);
	});

	it("damages and marks about one in the given number of characters, always the same ones with the same seed", () => {
		const long = `${IDENT}\x02${"1.8.0(000123.4*kWh)\r\n".repeat(500)}!\r\n\x03\x22`;
		const damaged = block({ damage: 100 }, long).join("");
		const marked = [...damaged].filter((character) => character >= "\x80").length;
		assert.equal(damaged.length, long.length);
		assert.ok(marked > 70 && marked < 140, `${marked} damaged`);
		assert.equal(block({ damage: 100 }, long).join(""), damaged);
	});
});

describe("The simulated meter, random input", () => {
	it("never throws, and answers the next sign-on as soon as it is ready", () => {
		const random = new SeededRandom(7);
		const words = [
			SIGN_ON,
			"/?12!\r\n",
			"\x06050\r\n",
			"\x06051\r\n",
			"\x15",
			"\x01B0\x03q",
			"\x01",
			"\x03",
			"\0",
			"/",
		];
		for (let round = 0; round < 300; round++) {
			const meter = new DrivenMeter(MODE_C, { seed: round, clocked: round % 2 === 0 });
			for (let i = 0; i < 40; i++) {
				const isWord = random.oneIn(2);
				meter.send(isWord ? words[random.below(words.length)] : String.fromCharCode(random.below(256)));
				meter.pass(random.below(4) === 0 ? random.below(3000) : random.below(50));
			}
			meter.pass(70_000).take();
			assert.deepEqual(meter.send(SIGN_ON).pass(200).take(), [`${meter.nowMs} ${IDENT}`], `round ${round}`);
		}
	});
});
