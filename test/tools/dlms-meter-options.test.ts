import assert from "node:assert/strict";
import { DLMS_HELP } from "../../tools/meter/dlms-help.js";
import { parseDLMSOptions, wantsDLMS } from "../../tools/meter/dlms-options.js";
import { UsageError } from "../../tools/meter/words.js";

const parse = (line: string) => parseDLMSOptions(line === "" ? [] : line.split(" "));

describe("The options of the DLMS meter simulator", () => {
	it("depend on the protocol", () => {
		assert.ok(wantsDLMS(["--quiet", "--protocol", "dlms"]) && wantsDLMS(["--protocol=dlms"]));
		assert.ok(!wantsDLMS(["--protocol", "iec"]) && !wantsDLMS(["dlms"]));
	});

	it("have defaults", () => {
		const { server, station, faults, ...line } = parse("")!;
		assert.deepEqual(line, {
			...{ baud: 9600, lingerMs: 0, inactivityMs: 120_000, pace: false, echo: false, seed: 1, quiet: false },
		});
		assert.deepEqual(faults, {});
		assert.deepEqual(
			[station.logical, station.physical, station.clients, station.transmit, station.receive, station.window],
			[1, 17, [16, 32, 1], 128, 128, 1],
		);
		assert.deepEqual([server.counter, server.pdu, server.conformance, server.security], [0, 1024, 0x001215, 0x30]);
	});

	it("include lists of frames, codes, and pairs", () => {
		const { faults, server, station } = parse(
			"--drop 3,5-7,9- --deny 1.8.0,0-0:96.1.0/2 --missing 96.1.1 --hdlc-info 200:100 --exception 1:2:3",
		)!;
		assert.deepEqual(faults.drop, [
			[3, 3],
			[5, 7],
			[9, Number.POSITIVE_INFINITY],
		]);
		assert.deepEqual(
			[...server.results],
			[
				["0.0.96.1.1.255", 4],
				["1.0.1.8.0.255", 3],
				["0.0.96.1.0.255/2", 3],
			],
		);
		assert.deepEqual([station.transmit, station.receive], [200, 100]);
		assert.deepEqual([server.faults.exception, server.faults.exceptionAfter], [[1, 2], 3]);
		const wants = parse("--hls sha256 --hls-reply hide --suite 2 --short-names accept")!.server.faults;
		assert.deepEqual(wants, {
			hls: { mechanism: 6, accepts: false, isNamed: false },
			suite: 2,
			shortNames: "accept",
		});
	});

	it("give the load profile counters", () => {
		assert.deepEqual(parse("--counter-rows 35040")!.server.stored, { rows: 35_040 });
		assert.equal(parse("")!.server.stored, undefined);
	});

	it("include all that the help lists, such as echo, seed and notify", () => {
		assert.equal(parse("--help"), undefined);
		const explained = new Set([...DLMS_HELP.matchAll(/--([a-z][a-z-]*)/g)].map(([, name]) => name));
		// This option is taken from the command line first, for every protocol.
		assert.ok(explained.delete("socket"));
		for (const name of explained) assert.throws(() => parse(`--${name} --unknown`), /--unknown|argument/, name);
		for (const name of "echo seed notify zone-sign wrong-f-ctos on-low-counter general-glo at".split(" "))
			assert.ok(explained.has(name), name);
	});

	for (const line of [
		"--unknown",
		"--hls gmac",
		"--hls-reply hide",
		"--suite 0",
		"--short-names",
		"word",
		"--baud 9601",
		"--mode C",
		"--port /dev/ttyS0 --baud-pace",
		"--ident LGZ5\\2A",
		"--linger 5",
		"--mode-e --ident LGZ5ZMD",
		"--mode-e --ident LGZ5\\2A/B",
		"--at noon",
		"--password hex:0",
		"--guek 00",
		"--system-title 4757530000BC61",
		"--security none",
		"--pdu 63",
		"--hdlc-info 31",
		"--hdlc-info 128:2031",
		"--window 0",
		"--window 8",
		"--address-length 3",
		"--logical 0",
		"--physical 16383",
		"--public-client 127",
		"--zone 841",
		"--deny 1.8",
		"--deny 256.8.0",
		"--result 1.8.0=0",
		"--result 1.8.0",
		"--refuse 1:1",
		"--exception 1",
		"--drop 1-2-3",
		"--drop a",
		"--on-wrong-key never",
	]) {
		it(`reject "${line}" with a message`, () => {
			assert.throws(
				() => parse(line),
				(error) => error instanceof UsageError && error.message.length > 10,
			);
		});
	}
});
