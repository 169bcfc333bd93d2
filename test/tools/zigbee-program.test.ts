/** `npm run zigbee` and `npm run coordinator` as processes. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { SerialPort } from "serialport";
import { encodeFrame, FrameReader, SREQ } from "../../tools/zigbee/frames.js";
import { NVMemory } from "../../tools/zigbee/nvram.js";
import { parseOptions } from "../../tools/zigbee/options.js";

const tool = (name: string) => join(import.meta.dirname, "..", "..", "tools", `${name}.js`);
const SYS = 1;
const LIMIT_MS = 10_000;

describe("npm run zigbee", function () {
	this.timeout(120_000);
	const started: ChildProcess[] = [];
	let folder = "";

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "zigbee-"));
	});
	afterEach(() => {
		for (const child of started.splice(0)) child.kill("SIGKILL");
		rmSync(folder, { recursive: true, force: true });
	});

	const run = (name: string, ...args: string[]) => {
		const child = spawn(process.execPath, [tool(name), ...args], { stdio: ["ignore", "pipe", "pipe"] });
		started.push(child);
		return { child, lines: createInterface(child.stdout!) };
	};
	const lineOf = async (lines: Interface): Promise<string> => {
		const [line] = await once(lines, "line", { signal: AbortSignal.timeout(LIMIT_MS) });
		return line;
	};
	const start = async (...args: string[]) => {
		const { child, lines } = run("zigbee", "--coordinator", "0", ...args);
		const [, path, coordinator] = /^zigbee (\S+) (tcp:\S+)$/.exec(await lineOf(lines)) ?? [];
		return { child, path, coordinator };
	};
	/** The coprocessor's reply to a SYS request. */
	const sendRequest = (url: string, command: number, data: readonly number[] = []): Promise<Buffer> =>
		new Promise((resolve, reject) => {
			const { hostname, port } = new URL(url);
			const reader = new FrameReader();
			const request = encodeFrame({ type: SREQ, subsystem: SYS, command, data: Buffer.from(data) });
			const socket = connect(Number(port), hostname);
			const limit = setTimeout(() => reject(new Error("no answer")), LIMIT_MS);
			socket.on("error", reject);
			socket.on("data", (bytes) => {
				const frames = reader.push(bytes);
				const frame = frames.find((each) => each.command === command);
				// A chip that has just announced its start has not received earlier requests.
				if (frame === undefined && frames.length > 0) socket.write(request);
				if (frame === undefined) return;
				clearTimeout(limit);
				socket.destroy();
				resolve(frame.data);
			});
			socket.write(request);
		});

	it("offers one coprocessor on a pseudo-terminal, and one for a coordinator on TCP", async () => {
		const { path, coordinator, child } = await start();
		assert.match(path, /^\/dev\/pts\/\d+$/);
		assert.equal((await sendRequest(coordinator, 0x04)).toString("hex"), "010a0000004b1200");
		const port = new SerialPort({ path, baudRate: 115_200, lock: false, hupcl: false });
		try {
			const answered = once(port, "data", { signal: AbortSignal.timeout(LIMIT_MS) });
			port.write(encodeFrame({ type: SREQ, subsystem: SYS, command: 0x01, data: Buffer.alloc(0) }));
			assert.equal((await answered)[0].toString("hex"), "fe02610179051e");
		} finally {
			await new Promise<void>((closed) => port.close(() => closed()));
		}
		child.kill("SIGTERM");
		assert.deepEqual(await once(child, "exit"), [0, null]);
	});

	it("stores the coprocessors' memory in files, and reports one that it can't read", async () => {
		const nv = join(folder, "nv.json");
		const first = await start("--device", "0", "--nv", nv);
		// NV item 0x0087: a router.
		await sendRequest(first.path, 0x09, [0x87, 0, 0, 1, 1]);
		first.child.kill("SIGTERM");
		await once(first.child, "exit");
		assert.deepEqual(new NVMemory(JSON.parse(readFileSync(nv, "utf8")).device).item(0x87), Buffer.of(1));
		const second = await start("--device", "0", "--nv", nv);
		assert.equal((await sendRequest(second.path, 0x08, [0x87, 0, 0])).toString("hex"), "000101");
		second.child.kill("SIGKILL");

		writeFileSync(nv, "{");
		const { child } = run("zigbee", "--nv", nv);
		let errors = "";
		child.stderr!.on("data", (text) => (errors += text));
		assert.deepEqual(await once(child, "close"), [1, null]);
		assert.match(errors, /^\S+nv\.json can't be read \(.*\): delete it, or name another with --nv\.\n$/);
	});

	it("is found by npm run coordinator, which reports each event in a line", async () => {
		const { coordinator } = await start("--device", "0");
		const { child, lines } = run(
			"coordinator",
			"--port",
			coordinator,
			"--folder",
			folder,
			"--permit-join",
			"30",
			"--json",
		);
		assert.deepEqual(JSON.parse(await lineOf(lines)), { event: "started", network: "resumed" });
		assert.deepEqual(JSON.parse(await lineOf(lines)), { event: "permit_join", seconds: 30 });
		child.kill("SIGTERM");
		assert.deepEqual(await once(child, "exit"), [0, null]);
		assert.ok(existsSync(join(folder, "database.db")));
	});

	it("takes its faults from the command line, and rejects invalid ones", () => {
		const words = "--silent --lost 3 --garbage 9 --confirm e9,CD,0 --build 1.2 --bindings 4x2 --crash 5 --quiet";
		const options = parseOptions(words.split(" "));
		assert.deepEqual(options?.faults, { silent: true, lostAnswers: 3, garbage: 9, confirms: [0xe9, 0xcd, 0] });
		assert.deepEqual(options?.chip, { build: "1.2", bindings: 4, boundClusters: 2 });
		assert.equal(options?.crashMs, 5000);
		assert.equal(parseOptions(["--help"]), undefined);
		for (const [wrong, sentence] of [
			[["--build", "9"], /: --build takes 3\.x\.0, /],
			[["--bindings", "4"], /: --bindings takes ROWSxCLUSTERS/],
			[["--confirm", "x"], /: --confirm takes statuses in hex/],
			[["--coordinator", "65536"], /: --coordinator takes 0 to 65535/],
			[["--none"], /--none/],
		] as const) {
			assert.throws(() => parseOptions([...wrong]), sentence);
		}
	});
});
