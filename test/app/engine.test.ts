/** The console in XS: its memory when idle, and `npm start` with the browsers' client. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { VirtualAir } from "../../hosts/node/virtual-air.js";
import { BENCH_PASSWORD, BENCH_SSID } from "../../hosts/simulated/air.js";
import { FILE_COST } from "../../modules/provision/file.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { openPseudoTerminal } from "../../tools/meter/pseudo-terminal.js";
import { ANY_PORT, Program } from "../hosts/program-checks.js";
import { openClient, statesOf, WebPort } from "./client.js";
import { VirtualConsole } from "./console.js";
import { packet } from "./packets.js";

const MAIN = fileURLToPath(new URL("../../hosts/node/main.js", import.meta.url));

/** Limit of slots while the console is idle; half of them are the simulator's port. */
const AT_REST = 28;
/** Limit of slots while the console is in use. */
const AT_WORK = 75;
/** A field without an initial value takes its slot when it is first assigned, and keeps it. */
const FIRST_USE = 1;

describe("The console in XS", function () {
	this.timeout(60_000);

	it("takes few slots while idle, and releases those that it takes while in use", async function () {
		const counts: number[] = [];
		for (const hasConsole of [false, true]) {
			const xs = await XSWorld.start({
				wifi: (timers) => new VirtualAir(timers, { home: { password: "secret-of-home" } }).port,
				...(hasConsole ? { console: (time) => new VirtualConsole(time) } : {}),
			});
			try {
				await xs.advance(61_000);
				counts.push(await xs.slots());
				if (!hasConsole) continue;
				const { console } = xs.world.serial;
				assert.ok(console instanceof VirtualConsole);
				let answers = 0;
				console.onWritten = () => answers++;
				console.send(packet(3, [3, 0]));
				await xs.advance(1000);
				assert.equal(answers, 1);
				counts.push(await xs.slots());
				// The first piece of the longest settings file.
				console.send(packet(3, [240, 104, 0x94, 0x11, 0, 0, ...Array(100).fill(7)]));
				await xs.advance(1000);
				assert.equal(answers, 2);
				counts.push(await xs.slots());
				await xs.advance(31_000);
				counts.push(await xs.slots());
			} finally {
				await xs.stop();
			}
		}
		const [without, atRest, atWork, transfer, after] = counts;
		this.test!.title +=
			` (${atRest - without} at rest, ${atWork - without} at work, ${transfer - atWork} more for a file)`;
		assert.ok(atRest - without <= AT_REST, `${atRest - without} slots at rest`);
		assert.ok(atWork - without <= AT_WORK, `${atWork - without} slots at work`);
		assert.ok(transfer - atWork <= FILE_COST.slots, `${transfer - atWork} slots more for a file`);
		assert.ok(after <= atRest + FIRST_USE, `${after - atRest} slots stay`);
	});

	it("lets a browser set up Wi-Fi through `npm start -- --console PATH`", async () => {
		const folder = mkdtempSync(join(tmpdir(), "improv-"));
		const terminal = await openPseudoTerminal();
		const args = ["--engine", "xs", ...ANY_PORT, "--state", join(folder, "state"), "--quiet"];
		const program = new Program(MAIN, ["--zigbee", "none", ...args, "--console", terminal.path]);
		try {
			const port = /https:\/\/localhost:(\d+)/.exec(await program.printed())![1];
			const web = new WebPort((bytes) => terminal.write(bytes));
			terminal.onData((bytes) => web.deliver(bytes));
			const problems: unknown[] = [];
			const client = openClient(web, problems);
			const states = statesOf(client);
			assert.equal((await client.initialize(20_000))?.firmware, "Smart-Meter Gateway");
			const networks = await client.scan(20_000);
			assert.deepEqual(
				networks.map(({ name, secured }) => [name, secured]),
				[
					[BENCH_SSID, true],
					["cafe", false],
				],
			);
			await client.provision(BENCH_SSID, BENCH_PASSWORD, 30_000);
			assert.match(client.nextUrl!, new RegExp(`^https://[0-9.]+:${port}$`));
			assert.deepEqual(states.slice(-2), [3, 4]);
			assert.deepEqual(problems, []);
		} finally {
			assert.equal(await program.end("SIGTERM"), 0);
			await terminal.close();
			rmSync(folder, { recursive: true });
		}
	});
});
