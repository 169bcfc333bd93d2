import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseOptions, startTime } from "../../../hosts/node/options.js";
import { WAKE_NONE, WAKE_TIMER } from "../../../modules/io/flash.js";

describe("The options of the simulator", () => {
	it("have defaults", () => {
		assert.deepEqual(parseOptions([]), {
			engine: "xs",
			httpsPort: 8443,
			httpPort: 8080,
			mode: "client",
			state: ".state",
			meter: undefined,
			console: undefined,
			cable: false,
			zigbee: undefined,
			hubDemo: false,
			password: undefined,
			timeMs: undefined,
			speed: 1,
			ntp: "",
			reportKey: undefined,
			settingsKeys: "",
			updateKeys: undefined,
			power: "",
			wakeReason: WAKE_NONE,
			quiet: false,
			help: false,
		});
	});

	it("are accepted together", () => {
		const line =
			"--engine node --https-port 0 --http-port=65535 --mode ap --state s --meter /dev/ttyUSB0 --quiet --hub-demo --cable --help";
		const options = parseOptions([
			...line.split(" "),
			"--zigbee",
			"tcp://coordinator.local:6638",
			"--password",
			"P",
			"--time",
			"2026-01-31T12:00:00Z",
			"--ntp",
			"a.example,192.0.2.1:1123",
			"--supply",
			"battery:3.9",
			"--wake",
			"timer",
		]);
		assert.deepEqual(options, {
			engine: "node",
			httpsPort: 0,
			httpPort: 65_535,
			mode: "ap",
			state: "s",
			meter: "/dev/ttyUSB0",
			console: undefined,
			cable: true,
			zigbee: "tcp://coordinator.local:6638",
			hubDemo: true,
			password: "P",
			timeMs: Date.UTC(2026, 0, 31, 12),
			speed: 1,
			ntp: "a.example,192.0.2.1:1123",
			reportKey: undefined,
			settingsKeys: "",
			updateKeys: undefined,
			power: "cells 3\nbattery 3.9\nusb 0\n",
			wakeReason: WAKE_TIMER,
			quiet: true,
			help: true,
		});
		assert.equal(parseOptions(["--zigbee", "/dev/ttyACM0"]).zigbee, "/dev/ttyACM0");
		assert.equal(parseOptions(["--zigbee", "none"]).zigbee, "none");
		assert.equal(parseOptions(["--speed", "2"]).zigbee, "none");
		assert.equal(parseOptions(["--password", "x".repeat(64)]).password?.length, 64);
	});

	it("include two public keys for firmware, as PEM", () => {
		const folder = mkdtempSync(join(tmpdir(), "options-"));
		try {
			const args: string[] = [];
			const points = ["a", "b"].map((name) => {
				const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
				const path = join(folder, name);
				writeFileSync(path, publicKey.export({ format: "pem", type: "spki" }));
				args.push("--update-key", path);
				// The end of SPKI is the uncompressed point.
				return publicKey.export({ format: "der", type: "spki" }).subarray(-65).toString("hex");
			});
			assert.deepEqual(parseOptions(args).updateKeys, points);
			assert.throws(() => parseOptions([...args, ...args]), /--update-key is given 2 times at most/);
			assert.equal(parseOptions(["--report-key", join(folder, "a")]).reportKey, points[0]);
			const two = parseOptions(["--settings-key", join(folder, "a"), "--settings-key", join(folder, "b")]);
			assert.equal(two.settingsKeys, `${points[0]} ${points[1]}`);
			const { updateKeys, reportKey } = parseOptions(["--update-key", "none", "--report-key", "none"]);
			assert.deepEqual([updateKeys, reportKey], [[], ""]);
			assert.throws(() => parseOptions(["--report-key", `${folder}/none`]), /--report-key is a .*none/);
			writeFileSync(join(folder, "c"), "no key");
			for (const path of [join(folder, "c"), join(folder, "nothing")])
				assert.throws(() => parseOptions(["--update-key", path]), /--update-key is a file with a public key on P-256/);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it("include a speed", () => {
		for (const speed of [1, 600, 100_000]) assert.equal(parseOptions(["--speed", String(speed)]).speed, speed);
	});

	it("include up to four time servers, with names as long as DNS allows", () => {
		for (const ntp of ["a,b,c,d", "a:1", "a:65535", `${"a".repeat(63)}.example`, `${"a.".repeat(126)}a`]) {
			assert.equal(parseOptions(["--ntp", ntp]).ntp, ntp);
		}
	});

	it("include a clock that is not set, is set to a given time, or has the computer's time", () => {
		assert.equal(startTime(parseOptions(["--time", "none"])), undefined);
		assert.equal(startTime(parseOptions(["--time", "2026-01-31T12:00:00Z"])), Date.UTC(2026, 0, 31, 12));
		assert.ok(Math.abs(startTime(parseOptions([]))! - Date.now()) < 5000);
	});

	const refused: [args: string[], message: RegExp][] = [
		[["--frobnicate"], /frobnicate/],
		[["--supply", "mains"], /--supply is usb, battery, or battery:VOLTS up to 6, not "mains"/],
		[["--supply", "battery:7"], /--supply/],
		[["--supply", "battery:"], /--supply/],
		[["--wake", "none"], /--wake is timer or button or usb, not "none"/],
		[["something"], /something/],
		[["--engine", "v8"], /--engine is xs or node, not "v8"/],
		[["--engine"], /engine/],
		[["--mode", "station"], /--mode is client or ap/],
		[["--https-port", "65536"], /--https-port is a number from 0 to 65535, not "65536"/],
		[["--http-port", "-1"], /http-port/],
		[["--http-port", "9000", "--https-port", "9000"], /^--https-port and --http-port must differ$/],
		[["--http-port", "80a"], /--http-port is a number/],
		[["--http-port", ""], /--http-port is a number/],
		[["--state", ""], /--state needs a path/],
		[["--meter", ""], /--meter needs a path/],
		[["--zigbee", ""], /--zigbee needs a path/],
		[["--zigbee", "tcp://host"], /--zigbee is a path, tcp:/],
		[["--zigbee", "tcp://host:0"], /--zigbee is a path, tcp:/],
		[["--zigbee", "tcp://host:65536"], /--zigbee is a path, tcp:/],
		[["--zigbee", "http://host:80"], /--zigbee is a path, tcp:/],
		[["--password", ""], /--password is 1 to 64/],
		[["--password", "x".repeat(65)], /--password is 1 to 64/],
		[["--password", "schlüssel"], /--password is 1 to 64/],
		[["--time", "yesterday"], /--time is a date and time/],
		[["--time", "2026-13-01T00:00:00Z"], /--time is a date and time/],
		[["--time", "2026-01-31"], /--time is a date and time/],
		[["--time", "None"], /--time is a date and time .*, or none, not "None"/],
		[["--speed", "0"], /--speed is a number from 1 to 100000, not "0"/],
		[["--speed", "100001"], /--speed is a number/],
		[["--speed", "1.5"], /--speed is a number/],
		[
			["--speed", "60", "--ntp", "a.example"],
			/^--speed and --ntp exclude each other: time servers run at normal speed$/,
		],
		[["--ntp", ","], /--ntp is names or IPv4 addresses, each with or without :PORT, not ""/],
		[["--ntp", "a,"], /not ""/],
		[["--ntp", "a b"], /not "a b"/],
		[["--ntp", "a:0"], /not "a:0"/],
		[["--ntp", "a:65536"], /not "a:65536"/],
		[["--ntp", "a:"], /not "a:"/],
		[["--ntp", ":123"], /not ":123"/],
		[["--ntp", "256.1.1.1"], /not "256\.1\.1\.1"/],
		[["--ntp", "1.2.3"], /not "1\.2\.3"/],
		[["--ntp", "::1"], /not "::1"/],
		[["--ntp", "a.-b.example"], /not "a\.-b\.example"/],
		[["--ntp", "a..example"], /not "a\.\.example"/],
		[["--ntp", `${"a".repeat(64)}.example`], /--ntp is names/],
		[["--ntp", `${"a.".repeat(126)}aa`], /--ntp is names/],
		[["--ntp", "a,b,c,d,e"], /--ntp takes at most 4 servers/],
		[["--quiet=yes"], /quiet/],
	];
	for (const [args, message] of refused) {
		it(`reject "${args.join(" ").slice(0, 40)}" with a message`, () => {
			assert.throws(() => parseOptions(args), { message });
		});
	}
});
