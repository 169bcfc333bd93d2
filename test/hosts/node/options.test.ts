import assert from "node:assert/strict";
import { parseOptions } from "../../../hosts/node/options.js";

describe("The options of the bench", () => {
	it("have defaults", () => {
		assert.deepEqual(parseOptions([]), {
			engine: "xs",
			httpsPort: 8443,
			httpPort: 8080,
			mode: "client",
			state: ".state",
			meter: undefined,
			zigbee: undefined,
			password: undefined,
			timeMs: undefined,
			quiet: false,
			help: false,
		});
	});

	it("are all taken", () => {
		const line =
			"--engine node --https-port 0 --http-port=65535 --mode ap --state s --meter /dev/ttyUSB0 --quiet --help";
		const options = parseOptions([
			...line.split(" "),
			"--zigbee",
			"tcp://coordinator.local:6638",
			"--password",
			"P",
			"--time",
			"2026-01-31T12:00:00Z",
		]);
		assert.deepEqual(options, {
			engine: "node",
			httpsPort: 0,
			httpPort: 65_535,
			mode: "ap",
			state: "s",
			meter: "/dev/ttyUSB0",
			zigbee: "tcp://coordinator.local:6638",
			password: "P",
			timeMs: Date.UTC(2026, 0, 31, 12),
			quiet: true,
			help: true,
		});
		assert.equal(parseOptions(["--zigbee", "/dev/ttyACM0"]).zigbee, "/dev/ttyACM0");
		assert.equal(parseOptions(["--password", "x".repeat(64)]).password?.length, 64);
	});

	const refused: [args: string[], message: RegExp][] = [
		[["--frobnicate"], /frobnicate/],
		[["something"], /something/],
		[["--engine", "v8"], /--engine is xs or node, not "v8"/],
		[["--engine"], /engine/],
		[["--mode", "station"], /--mode is client or ap/],
		[["--https-port", "65536"], /--https-port is a number from 0 to 65535, not "65536"/],
		[["--http-port", "-1"], /http-port/],
		[["--http-port", "80a"], /--http-port is a number/],
		[["--http-port", ""], /--http-port is a number/],
		[["--state", ""], /--state needs a path/],
		[["--meter", ""], /--meter needs a path/],
		[["--zigbee", ""], /--zigbee needs a path/],
		[["--zigbee", "tcp://host"], /--zigbee is a path or tcp/],
		[["--zigbee", "tcp://host:0"], /--zigbee is a path or tcp/],
		[["--zigbee", "tcp://host:65536"], /--zigbee is a path or tcp/],
		[["--zigbee", "http://host:80"], /--zigbee is a path or tcp/],
		[["--password", ""], /--password is 1 to 64/],
		[["--password", "x".repeat(65)], /--password is 1 to 64/],
		[["--password", "schlüssel"], /--password is 1 to 64/],
		[["--time", "yesterday"], /--time is a date and time/],
		[["--time", "2026-13-01T00:00:00Z"], /--time is a date and time/],
		[["--time", "2026-01-31"], /--time is a date and time/],
		[["--quiet=yes"], /quiet/],
	];
	for (const [args, message] of refused) {
		it(`refuse "${args.join(" ").slice(0, 40)}" with a sentence`, () => {
			assert.throws(() => parseOptions(args), { message });
		});
	}
});
