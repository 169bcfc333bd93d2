/** The command line of `npm run linux`, without a Moddable SDK. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../tools/linux.js", import.meta.url));

describe("npm run linux", function () {
	this.timeout(120_000);
	let folder = "";

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "linux-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function run(args: string[], sdk?: string): { status: number | null; stdout: string; stderr: string } {
		const { MODDABLE: _, ...others } = process.env;
		const env = sdk === undefined ? others : { ...others, MODDABLE: sdk };
		return spawnSync(process.execPath, [PROGRAM, "--state", join(folder, "state"), ...args], { env, encoding: "utf8" });
	}

	it("lists what is needed if there is no SDK", () => {
		const { status, stdout, stderr } = run(["--quiet"]);
		assert.equal(status, 1);
		assert.equal(stdout, "");
		assert.match(stderr, /^The Moddable SDK is needed: \$MODDABLE is not set\. npm run doctor says how to get it\.\n$/);
	});

	it("reports a $MODDABLE that points to something else, or to an SDK that was not built", () => {
		assert.match(run(["--quiet"], folder).stderr, /^There is no Moddable SDK in /);
		const header = join(folder, "xs", "includes", "xs.h");
		mkdirSync(dirname(header), { recursive: true });
		writeFileSync(header, "");
		const { status, stderr } = run(["--quiet"], folder);
		assert.equal(status, 1);
		assert.match(stderr, /^The tools of the Moddable SDK in .* are not built\. npm run doctor says how to get it\.\n$/);
	});

	for (const [args, message] of [
		[["--bits", "16"], /^--bits is 32 or 64, not "16"\n/],
		[["--bits"], /^--bits is 32 or 64, not ""\n/],
		[["--engine", "node"], /^npm run linux has the engine xs only/],
		[["--frobnicate"], /frobnicate/],
		[["--time", "never"], /^--time is a date and time/],
		[["--ntp", "a b"], /^--ntp is names or IPv4 addresses/],
	] as [string[], RegExp][]) {
		it(`exits with 2 for ${args.join(" ")}`, () => {
			const { status, stderr } = run(args);
			assert.equal(status, 2);
			assert.match(stderr, message);
			assert.match(stderr, /\nnpm run linux -- --help lists the options\.\n$/);
		});
	}

	it("lists its options", () => {
		const { status, stdout } = run(["--help"]);
		assert.equal(status, 0);
		assert.match(stdout, /^Usage: npm run linux -- \[options\]\n/);
		assert.match(stdout, /--bits 32\|64/);
		assert.match(stdout, /--announce/);
		assert.match(stdout, /--https-port N/);
		assert.match(stdout, /--ntp SERVER/);
		assert.doesNotMatch(stdout, /--engine/);
	});
});
