/** `npm start` on simulated cells: each sleep ends the engine, and the timer or the button starts it again. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleGateway } from "../../hosts/node/bundle.js";
import { type EngineName, MAIN, Program } from "../api/process-gateway.js";

const PASSWORD = "label-password";
const LIMIT_MS = 60_000;
/** Speed of the simulated time: a quarter of an hour of sleep takes 3 s. */
const SPEED = "300";

interface Answer {
	readonly status: number | undefined;
	// biome-ignore lint/suspicious/noExplicitAny: JSON of any request
	readonly body: any;
}

function sendRequest(
	port: string,
	method: string,
	path: string,
	headers: Record<string, string>,
	body = "",
): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const options = { port, method, path: `/api/v1/${path}`, headers, rejectUnauthorized: false };
		const sent = request(options, (response) => {
			let text = "";
			response.on("data", (bytes) => {
				text += bytes;
			});
			response.on("end", () => resolve({ status: response.statusCode, body: text === "" ? "" : JSON.parse(text) }));
		});
		sent.on("error", reject);
		sent.end(body);
	});
}

for (const engine of ["node", "xs"] satisfies EngineName[]) {
	describe(`npm start -- --supply battery --engine ${engine}`, function () {
		this.timeout(3 * LIMIT_MS);
		let folder = "";
		let program: Program;

		before(async () => {
			await bundleGateway();
			folder = mkdtempSync(join(tmpdir(), "sleep-"));
			const args = ["--engine", engine, "--state", join(folder, "state"), "--password", PASSWORD];
			args.push("--https-port", "0", "--http-port", "0", "--time", "2026-11-22T12:14:30Z");
			args.push("--supply", "battery:4.2", "--wake", "timer", "--speed", SPEED);
			program = new Program("the gateway", MAIN, args);
			assert.equal(await program.firstLine(), "ready", "awake only to read the meter, it serves no clients");
		});
		after(async () => {
			await program.end();
			rmSync(folder, { recursive: true, force: true });
		});

		/** Waits until the program has printed the words that many times. */
		async function untilPrinted(words: string, times = 1): Promise<void> {
			for (const endMs = Date.now() + LIMIT_MS; program.errors.split(words).length <= times; await sleep(20))
				assert.ok(Date.now() < endMs, `the program has not printed "${words}" ${times} times:\n${program.errors}`);
		}

		it("reads as scheduled and sleeps in between, and serves clients after a press of the button", async () => {
			await untilPrinted("The gateway wakes, by its timer.", 3);
			const sleeps = program.errors.split("The gateway sleeps for").length;
			await untilPrinted("The gateway sleeps for", sleeps);
			program.child.kill("SIGUSR1");
			await untilPrinted("It serves https://");
			assert.match(program.errors, /wakes, by its button/);
			const port = /It serves https:\/\/localhost:(\d+)/.exec(program.errors)![1];
			const login = JSON.stringify({ username: "admin", password: PASSWORD });
			const { token } = (await sendRequest(port, "POST", "system/login", { "Content-Type": "application/json" }, login))
				.body;
			const headers = { Authorization: `Bearer ${token}` };
			const { body } = await sendRequest(port, "GET", "system/status", headers);
			assert.equal(body.battery_powered, true);
			assert.ok(body.awake_secs > 500, `${body.awake_secs} s`);
			assert.equal(body.schedule_next % 900, 0);
			assert.ok(body.timestamp > Date.UTC(2026, 10, 22, 12, 45) / 1000, "the clock went on during the sleep");
			const history = await sendRequest(port, "GET", "meter/history?period=quarters", headers);
			const whole = history.body.periods.filter(({ partial }: { partial: boolean }) => !partial);
			assert.ok(whole.length >= 2, JSON.stringify(history.body.periods));
			const network = await sendRequest(port, "GET", "network/status", headers);
			assert.equal(network.body.wifi_temporary, true);
		});

		it("ends during a sleep as it does while awake", async () => {
			const other = new Program("a gateway that sleeps", MAIN, [
				...["--engine", engine, "--state", join(folder, "other"), "--https-port", "0", "--http-port", "0"],
				...["--supply", "battery", "--wake", "timer"],
			]);
			try {
				for (const endMs = Date.now() + LIMIT_MS; !/sleeps for \d+ s/.test(other.errors); await sleep(20))
					assert.ok(Date.now() < endMs, other.errors);
			} finally {
				await other.end();
			}
		});
	});
}
