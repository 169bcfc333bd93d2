import assert from "node:assert/strict";
import { HELP, parseOptions } from "../../tools/meter/options.js";
import { UsageError } from "../../tools/meter/words.js";

const parse = (line: string) => parseOptions(line === "" ? [] : line.split(" "));

/** Every option but --port, --socket, --time and --help, with a value. */
const EVERY =
	"--telegram t.hex --mode D --baud 9600 --push-seconds 1 --parity-bits on --address 0aZ --battery --reaction 30 " +
	"--baud-pace --protocol iec --echo --noise 3 --wrong-bcc 2 --silence 1 --late 40 --cut 9 --lie 300 --no-stx " +
	"--no-bcc --ack-line --damage 50 --seed 7 --quiet --profile programming --profile-period 60 --profile-rows 5 " +
	"--profile-season none --profile-lines 3 --profile-password abc --profile-tries 2 --profile-wrong-bcc 1 --profile-fault r6-only --profile-form bare-heads";

describe("The options of the meter simulator", () => {
	it("have defaults", () => {
		assert.deepEqual(parse(""), {
			pushMs: 3000,
			parityBits: false,
			battery: false,
			pace: false,
			echo: false,
			profile: {},
			faults: { noSTX: false, noBCC: false, ackLine: false },
			seed: 1,
			quiet: false,
		});
	});

	it("give the profile counters, with the rows and the season that they name", () => {
		const { stored, seasonAt } = parse("--profile programming --profile-counters")!.profile;
		assert.deepEqual(
			[stored, seasonAt?.(0)],
			[
				{ rows: 400, periodS: 900 },
				{ minutes: 0, digit: "2" },
			],
		);
		const hours = "--profile-counters --profile-rows 35040 --profile-period 60 --profile-season none";
		const other = parse(hours)!.profile;
		assert.deepEqual([other.stored, other.seasonAt?.(0).digit], [{ rows: 35_040, periodS: 3600 }, ""]);
	});

	it("are accepted together", () => {
		assert.deepEqual(parse(EVERY), {
			telegram: "t.hex",
			mode: "D",
			baud: 9600,
			pushMs: 1000,
			parityBits: true,
			address: "0aZ",
			battery: true,
			reactionMs: 30,
			pace: true,
			echo: true,
			profile: {
				place: "programming",
				period: 60,
				rows: 5,
				season: "",
				lines: 3,
				password: "abc",
				tries: 2,
				wrongBCC: 1,
				fault: "r6-only",
				form: "bare-heads",
			},
			faults: {
				noise: 3,
				wrongBCC: 2,
				silence: 1,
				lateMs: 40,
				cut: 9,
				lieBaud: 300,
				noSTX: true,
				noBCC: true,
				damage: 50,
				ackLine: true,
			},
			seed: 7,
			quiet: true,
		});
	});

	it("set the time that the meter's clock shows", () => {
		assert.equal(parse("--time 2026-01-31T12:00:00Z")?.utcMs, Date.UTC(2026, 0, 31, 12));
		assert.throws(() => parse("--time 2026-01-31"), UsageError);
		assert.throws(() => parse("--time noon"), UsageError);
	});

	it("are all explained in the help", () => {
		assert.equal(parse("--help"), undefined);
		for (const [name] of `${EVERY} --port --time`.matchAll(/--\S+/g)) assert.ok(HELP.includes(name), name);
	});

	for (const line of [
		"--unknown",
		"word",
		"--mode E",
		"--mode c",
		"--baud 9601",
		"--lie 57600",
		"--noise -1",
		"--noise 1001",
		"--cut x",
		"--late 60001",
		"--reaction 1.5",
		"--parity-bits yes",
		"--protocol kmp",
		"--address a-b",
		`--address ${"1".repeat(33)}`,
		"--port /dev/ttyS0 --baud-pace",
		"--telegram t --mode C --baud 300",
		"--push-seconds 0",
	]) {
		it(`reject "${line}" with a message`, () => {
			assert.throws(
				() => parse(line),
				(error) => error instanceof UsageError && error.message.length > 10,
			);
		});
	}
});
