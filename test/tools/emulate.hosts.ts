/** `npm run emulate` as a program, with a stand-in for QEMU and a folder that resembles ESP-IDF's output. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Board, findBoard } from "../../hosts/esp32/boards.js";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { emulatedVariant } from "../../tools/emulate/firmware.js";
import { placesOf } from "../../tools/sdk/esp32.js";

const PROGRAM = fileURLToPath(new URL("../../tools/emulate.js", import.meta.url));
const FAKE = fileURLToPath(new URL("fake-qemu.js", import.meta.url));
const BOARD = findBoard("esp32c3-devkitm");
const LIMIT_MS = 60_000;
const DAY_MS = 86_400_000;
const RUN_LIMIT_MS = 50_000;

describe("npm run emulate", function () {
	this.timeout(60_000);
	// In a run of all tests the program once hung, for an unknown reason.
	this.retries(1);
	let folder = "";
	let children: ChildProcess[] = [];

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "emulate-"));
		mkdirSync(join(folder, "bin"));
		for (const name of ["qemu-system-riscv32", "qemu-system-xtensa"])
			writeFileSync(join(folder, "bin", name), `#!/bin/sh\nexec "${process.execPath}" "${FAKE}" "$@"\n`, {
				mode: 0o755,
			});
		writeBuild(BOARD);
	});
	afterEach(() => {
		for (const child of children) child.kill("SIGKILL");
		children = [];
		rmSync(folder, { recursive: true });
	});

	function writeBuild(board: Board): void {
		const build = join(placesOf(emulatedVariant(board, join(folder, "out"))).project, "build");
		mkdirSync(build, { recursive: true });
		for (const name of ["bootloader.bin", "xs_esp32.bin"]) writeFileSync(join(build, name), Buffer.alloc(9000, 1));
		writeFileSync(join(build, "flash_args"), "--flash-mode dio\n0x0 bootloader.bin\n0x30000 xs_esp32.bin\n");
	}
	const environment = (more: NodeJS.ProcessEnv = {}) => ({
		...process.env,
		PATH: [join(folder, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
		FAKE_QEMU_LOG: join(folder, "log"),
		FAKE_QEMU_KEY: join(folder, "key.pem"),
		FAKE_QEMU_CERT: join(folder, "cert.pem"),
		...more,
	});
	const common = () => ["--board", BOARD.name, "--out", join(folder, "out"), "--https-port", "0", "--http-port", "0"];
	const run = (args: string[], more: NodeJS.ProcessEnv = {}) =>
		spawnSync(process.execPath, [PROGRAM, ...common(), ...args], {
			env: environment(more),
			encoding: "utf8",
			timeout: RUN_LIMIT_MS,
			killSignal: "SIGKILL",
		});
	const logged = () => (existsSync(join(folder, "log")) ? readFileSync(join(folder, "log"), "utf8") : "");

	async function until(condition: () => boolean, what: string): Promise<void> {
		const endMs = performance.now() + LIMIT_MS;
		while (!condition()) {
			assert.ok(performance.now() < endMs, `${what}:\n${logged()}`);
			await sleep(20);
		}
	}

	/** Returns the ready line and the output before it. */
	async function start(args: string[]): Promise<{ child: ChildProcess; ready: string; errors: () => string }> {
		const now = Date.now();
		const pair = makeCertificate({ names: ["smgw"], validFromMs: now - DAY_MS, validToMs: now + DAY_MS });
		writeFileSync(join(folder, "cert.pem"), pair.certificate);
		writeFileSync(join(folder, "key.pem"), pair.key);
		const child = spawn(process.execPath, [PROGRAM, ...common(), ...args], { env: environment() });
		children.push(child);
		let errors = "";
		child.stderr.on("data", (bytes: Buffer) => {
			errors += bytes.toString();
		});
		const ended = once(child, "exit").then(([code]) => assert.fail(`ended with ${code}:\n${errors}`));
		ended.catch(() => {});
		const [ready] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
		return { child, ready, errors: () => errors };
	}

	it("starts QEMU with a new unit's flash and a meter at its UART, posts settings, and shows its addresses", async () => {
		const settings = join(folder, "settings.json");
		writeFileSync(settings, '{"meter/protocol": {"protocol": "sml"}}');
		const state = join(folder, "state");
		const { child, ready, errors } = await start(["--no-build", "--state", state, "--settings", settings]);
		const [, https, http] = /^ready https:\/\/localhost:(\d+) http:\/\/localhost:(\d+)$/.exec(ready)!;
		const [, args] = /^args (.*)$/m.exec(logged())!;
		assert.ok(args.includes(`hostfwd=tcp:127.0.0.1:${https}-:443,hostfwd=tcp:127.0.0.1:${http}-:80`));
		assert.ok(args.includes(`file=${join(state, "flash.bin")},if=mtd`));
		assert.equal(readFileSync(join(state, "flash.bin")).length, 8 * 1024 * 1024);
		const { labelPassword } = JSON.parse(readFileSync(join(state, "unit.json"), "utf8"));
		assert.match(errors(), new RegExp(`^User admin, label password ${labelPassword}$`, "m"));
		assert.match(errors(), /^ {2}E \(12\) boot: colours$/m);
		assert.match(errors(), /^Simulated meter at UART 1: --baud-pace --protocol iec --profile programming$/m);
		assert.match(errors(), /^Set: meter\/protocol$/m);
		assert.match(logged(), /^POST \/api\/v1\/meter\/protocol \{"protocol":"sml"\}$/m);
		// The meter receives the sign-on, and answers at the line's speed.
		await until(() => /^meter "\//m.test(logged()), "no meter answers");
		child.kill("SIGTERM");
		assert.deepEqual(await once(child, "exit"), [0, null]);
		assert.ok(!existsSync(join(state, "lock")));
	});

	it("connects a simulated coprocessor to the radio's UART, and names the port for a coordinator", async () => {
		const board = findBoard("slzb-06");
		writeBuild(board);
		const { child, errors } = await start(["--no-build", "--meter", "none", "--board", board.name]);
		assert.match(errors(), /^Simulated Zigbee coprocessor at UART 2$/m);
		assert.match(errors(), /^Simulated Zigbee network; a coordinator connects to tcp:\/\/127\.0\.0\.1:\d+:/m);
		// SYS_RESET_IND, in reply to the stand-in's request.
		await until(() => /^radio fe06418000/m.test(logged()), "no coprocessor answers");
		child.kill("SIGTERM");
		assert.deepEqual(await once(child, "exit"), [0, null]);
	});

	it("exits with 0 on SIGINT, and leaves no socket behind", async () => {
		const { child, errors } = await start(["--no-build", "--meter", "none"]);
		assert.match(errors(), /^Nothing is connected to UART 1$/m);
		const [, socket] = /unix:([^,]+)\/meter,/.exec(logged())!;
		assert.ok(existsSync(socket));
		child.kill("SIGINT");
		assert.deepEqual(await once(child, "exit"), [0, null]);
		await until(() => !existsSync(socket), "the folder of its socket is left behind");
	});

	it("gives the reason why QEMU has ended", () => {
		const { status, stderr, stdout } = run(["--no-build", "--meter", "none"], { FAKE_QEMU_FAILS: "1" });
		assert.equal(status, 1);
		assert.equal(stdout, "");
		assert.match(stderr, /^QEMU has ended: exit code 1\.\nqemu: it does not like this$/m);
	});

	it("shows the command that installs QEMU if QEMU or its support of the chip is missing", () => {
		const without = run([], { PATH: dirname(process.execPath) });
		assert.equal(without.status, 1);
		assert.match(without.stderr, /^qemu-system-riscv32 is not on the PATH\.\n.*idf_tools\.py" install qemu-xtensa/);
		const foreign = run([], { FAKE_QEMU_MACHINES: "virt x\n" });
		assert.equal(foreign.status, 1);
		assert.match(foreign.stderr, /is not Espressif's: it has no machine esp32c3/);
	});

	it("uses the last build only if there is one", () => {
		rmSync(join(folder, "out"), { recursive: true });
		const { status, stderr } = run(["--no-build"]);
		assert.equal(status, 1);
		assert.match(stderr, /^Nothing is built for the emulated esp32c3-devkitm in .*: leave out --no-build\.\n$/);
	});

	it("reports what is missing to build", () => {
		const { status, stderr } = run(["--rebuild"], { IDF_PATH: "" });
		assert.equal(status, 1);
		assert.match(stderr, /^ESP-IDF is needed: \$IDF_PATH is not set\. npm run doctor says how to get it\.\n$/);
	});

	it("exits with 2 for a bad command line, and lists its options", () => {
		const bad = spawnSync(process.execPath, [PROGRAM], { encoding: "utf8" });
		assert.equal(bad.status, 2);
		assert.match(bad.stderr, /^--board is missing.*\nnpm run emulate -- --help lists the options\.\n$/);
		const help = spawnSync(process.execPath, [PROGRAM, "--help"], { encoding: "utf8" });
		assert.equal(help.status, 0);
		assert.match(help.stdout, /^Usage: npm run emulate -- --board NAME/);
	});
});
