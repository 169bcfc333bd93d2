/** The pseudo-terminal of the simulated meter, if nobody reads it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

/** Writes far more than the kernel keeps, then lets a reader have the last telegram, and ends. */
const PROGRAM = `
import { createReadStream } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const { openPseudoTerminal } = await import(process.env.TERMINAL);
const port = await openPseudoTerminal();
for (let i = 0; i < 60; i++) {
	port.write(new Uint8Array(4000).fill(65));
	await sleep(10);
}
await sleep(1100);
port.write(Buffer.from("telegram"));
let text = "";
const reader = createReadStream(port.path, { encoding: "ascii" });
reader.on("data", (piece) => { text += piece; });
while (!text.endsWith("telegram")) await sleep(10);
await port.close();
console.log("ended");
process.exit();
`;

describe("The simulated meter's pseudo-terminal", function () {
	this.timeout(60_000);

	it("does not stop the program if nobody reads it, and has room again for a reader that comes later", () => {
		const TERMINAL = new URL("../../tools/meter/pseudo-terminal.js", import.meta.url).href;
		const env = { ...process.env, TERMINAL };
		const options = { env, encoding: "utf8", timeout: 30_000, killSignal: "SIGKILL" } as const;
		const { stdout, stderr, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", PROGRAM], options);
		assert.deepEqual([stdout, signal], ["ended\n", null], stderr);
	});
});
