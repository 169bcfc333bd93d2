/** `npm run linux`: start and end of the program. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ProcessGateway } from "../../api/process-gateway.js";
import { ANY_PORT, crashOften, programChecks } from "../program-checks.js";

describe("npm run linux, with the SDK", function () {
	this.timeout(120_000);
	const path = fileURLToPath(new URL("../../../tools/linux.js", import.meta.url));
	const start = programChecks({ path, ways: [{ args: [], children: 2 }] });

	it("prints the memory in use on SIGUSR2", async () => {
		const program = start("--quiet", ...ANY_PORT);
		await program.printed();
		program.process.kill("SIGUSR2");
		await program.printed(
			/^memory slots \d+ of 4095, chunks \d+ of 65536 bytes, stack \d+ of 544, names \d+, slot \d+ bytes\n/m,
		);
		assert.equal(await program.end("SIGTERM"), 0);
	});

	it("survives signals at every moment of its own restart", async () => {
		const gateway = await ProcessGateway.start("linux");
		const storm = setInterval(() => gateway.requestMemory(), 1);
		try {
			await gateway.login();
			assert.equal((await gateway.post("system/reboot")).status, 200);
			await gateway.loginAfterReboot();
		} finally {
			clearInterval(storm);
			await gateway.stop();
		}
	});

	it("enters safe mode after three crashes soon after the start, but not after being killed", async () => {
		await crashOften(start, "mc.so");
		const program = start(...ANY_PORT);
		await program.printed();
		assert.match(program.errors, /safe mode: signal SIGSEGV; signal SIGSEGV; signal SIGSEGV/);
		assert.equal(await program.end("SIGTERM"), 0);
	});

	it("reports the end of the firmware's process", async () => {
		const program = start("--quiet", ...ANY_PORT);
		await program.printed();
		process.kill(program.child("mc.so"), "SIGKILL");
		assert.equal(await program.exited, 1);
		assert.equal(program.errors, "The firmware has ended: signal SIGKILL\n");
	});
});
