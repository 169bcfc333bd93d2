import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bundleGateway } from "../../../hosts/node/bundle.js";
import { ANY_PORT, crashOften, programChecks } from "../program-checks.js";

describe("npm start", function () {
	this.timeout(120_000);
	before(bundleGateway);
	const start = programChecks({
		path: fileURLToPath(new URL("../../../hosts/node/main.js", import.meta.url)),
		ways: [
			{ args: ["--engine", "xs"], children: 2 },
			{ args: ["--engine", "node"], children: 1 },
		],
	});

	it("reports the end of the XS engine", async () => {
		const program = start("--quiet", ...ANY_PORT);
		await program.printed();
		process.kill(program.child("xsnap"), "SIGKILL");
		assert.equal(await program.exited, 1);
		assert.equal(program.errors, "The XS engine has ended: signal SIGKILL\n");
	});

	it("enters safe mode after three crashes of the engine soon after its start, but not after being killed", async function () {
		this.timeout(240_000);
		await crashOften(start, "xsnap");
		const program = start(...ANY_PORT);
		await program.printed();
		assert.match(program.errors, /safe mode: The XS engine has ended: signal SIGSEGV; The XS/);
		assert.equal(await program.end("SIGTERM"), 0);
		const next = start(...ANY_PORT);
		await next.printed();
		assert.equal(await next.end("SIGTERM"), 0);
		assert.doesNotMatch(next.errors, /safe mode/);
	});

	it("exits with 2 for a bad command line", async () => {
		const program = start("--frobnicate");
		assert.equal(await program.exited, 2);
		assert.match(program.errors, /frobnicate.*\nnpm start -- --help lists the options\.\n$/s);
	});

	it("lists its options", async () => {
		const program = start("--help");
		assert.equal(await program.exited, 0);
		assert.match(program.out, /^Usage: npm start/);
		assert.equal(program.errors, "");
	});
});
