import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { SerialPort } from "serialport";
import { vectorPath } from "../../tools/meter/vectors.js";
import { textOf } from "../latin1.js";

const program = join(import.meta.dirname, "..", "..", "tools", "meter.js");
const telegram = (name: string) => vectorPath("iec62056-21", name);
const withParity = (text: string) => Buffer.from(text, "latin1").map((byte) => byte | (odd(byte) ? 0x80 : 0));
const odd = (byte: number) => byte.toString(2).replaceAll("0", "").length % 2 === 1;

/** A terminal reader that is independent of the project's. */
class Reader {
	received = Buffer.alloc(0);
	readonly port: SerialPort;

	constructor(path: string, baudRate = 300) {
		this.port = new SerialPort({ path, baudRate, lock: false, hupcl: false });
		this.port.on("data", (bytes: Buffer) => {
			this.received = Buffer.concat([this.received, bytes]);
		});
	}

	async until(end: RegExp, limitMs = 20_000): Promise<string> {
		const deadline = performance.now() + limitMs;
		while (!end.test(this.text)) {
			if (performance.now() > deadline) throw new Error(`never received: ${end}; ${JSON.stringify(this.text)}`);
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
		const text = this.text;
		this.received = Buffer.alloc(0);
		return text;
	}

	get text(): string {
		return textOf(this.received);
	}

	async close(): Promise<void> {
		await new Promise<void>((resolve) => this.port.close(() => resolve()));
	}
}

describe("npm run meter", function () {
	this.timeout(60_000);
	const started: ChildProcess[] = [];
	const start = async (...args: string[]) => {
		const child = spawn(process.execPath, [program, "--quiet", ...args], { stdio: ["ignore", "pipe", "inherit"] });
		started.push(child);
		const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`ended with exit code ${code}`)));
		ended.catch(() => {});
		const [line] = await Promise.race([once(createInterface(child.stdout!), "line"), ended]);
		assert.match(line, /^meter \/dev\/pts\/\d+$/);
		return { child, path: line.slice("meter ".length) };
	};
	afterEach(() => {
		for (const child of started.splice(0)) child.kill("SIGKILL");
	});

	it("is read on its pseudo-terminal by one reader after another, in the form that each requests", async () => {
		const { path } = await start("--telegram", telegram("logarex-lk13-history"));
		for (const form of [(text: string) => Buffer.from(text), withParity]) {
			const reader = new Reader(path);
			reader.port.write(form("/?!\r\n"));
			assert.equal(await reader.until(/\n$/), textOf(form("/LOG5LK13BE803049\r\n")));
			reader.port.write(form("\x06050\r\n"));
			const block = await reader.until(/\x03.$/s);
			assert.ok(block.startsWith(textOf(form("\x021-0:96.1.0"))));
			await reader.close();
		}
	});

	it("with --baud-pace takes the time of a real line, and sends garbage to a reader at another speed", async () => {
		const { path } = await start("--baud-pace", "--reaction", "100", "--mode", "C", "--baud", "9600");
		const reader = new Reader(path);
		await once(reader.port, "open");
		const startMs = performance.now();
		reader.port.write("/?!\r\n");
		const ident = await reader.until(/\r\n$/);
		// Five characters, the pause, and fifteen characters, all at 300 Bd.
		const wireMs = (5 * 10_000) / 300 + 100 + (ident.length * 10_000) / 300;
		const tookMs = performance.now() - startMs;
		assert.ok(tookMs > wireMs - 2 && tookMs < wireMs + 2000, `${tookMs} ms for ${wireMs}`);
		// A wrong speed instead of an acknowledgement: the default readout follows after 1.5 s at 300 Bd.
		await new Promise<void>((resolve) => reader.port.update({ baudRate: 9600 }, () => resolve()));
		await new Promise((resolve) => setTimeout(resolve, 2000));
		assert.ok(reader.received.length > 0 && !reader.text.includes("F.F"), JSON.stringify(reader.text));
		await reader.close();
	});

	describe("npm run meter with --baud-pace, at a change of speed", function () {
		// On a busy computer, this process can itself be late for the meter's wait of 1.5 s.
		this.retries(1);
		const ACKNOWLEDGEMENT = "\x06050\r\n";
		/** An address that takes more than a second at 300 Bd. */
		const ADDRESS = "1".repeat(32);
		/** Longer than six characters at 300 Bd, ms. */
		const SENT_MS = 210;
		const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

		async function signOn() {
			const { child, path } = await start("--baud-pace", "--reaction", "100", "--mode", "C", "--baud", "9600");
			const reader = new Reader(path);
			await once(reader.port, "open");
			reader.port.write("/?!\r\n");
			await reader.until(/\r\n$/);
			const change = () => new Promise<void>((resolve) => reader.port.update({ baudRate: 9600 }, () => resolve()));
			return { child, reader, change };
		}

		for (const [name, keptMs] of [
			["switches correctly if its process is paused during the acknowledgement", 500],
			["switches correctly if its process is paused for longer than it waits", 2500],
		] as const) {
			it(name, async () => {
				const { child, reader, change } = await signOn();
				child.kill("SIGSTOP");
				reader.port.write(ACKNOWLEDGEMENT);
				await pass(SENT_MS);
				await change();
				await pass(keptMs - SENT_MS);
				child.kill("SIGCONT");
				assert.match(await reader.until(/\x03.$/s), /^\x02F\.F\(/);
				await reader.close();
			});
		}

		it("waits at most a second for a reader that changes its speed late", async () => {
			const { reader, change } = await signOn();
			reader.port.write(ACKNOWLEDGEMENT);
			await pass(SENT_MS + 500);
			assert.equal(reader.text, "");
			await change();
			assert.match(await reader.until(/\x03.$/s), /^\x02F\.F\(/);
			await reader.close();
			const other = await signOn();
			other.reader.port.write(ACKNOWLEDGEMENT);
			assert.doesNotMatch(await other.reader.until(/.{8}/s), /F\.F/);
			await other.reader.close();
		});

		it("does not accept a request whose sender changes the speed before its end", async () => {
			const { path } = await start("--baud-pace", "--reaction", "100", "--address", ADDRESS);
			const reader = new Reader(path);
			await once(reader.port, "open");
			reader.port.write(`/?${ADDRESS}!\r\n`);
			await pass(SENT_MS);
			await new Promise<void>((resolve) => reader.port.update({ baudRate: 9600 }, () => resolve()));
			await pass(2000);
			assert.equal(reader.text, "");
			await new Promise<void>((resolve) => reader.port.update({ baudRate: 300 }, () => resolve()));
			reader.port.write(`/?${ADDRESS}!\r\n`);
			await reader.until(/\r\n$/);
			await reader.close();
		});
	});

	it("sends in mode D, with parity bits if requested, whether or not it is read", async () => {
		const { path } = await start("--mode", "D", "--push-seconds", "1", "--parity-bits", "on");
		await new Promise((resolve) => setTimeout(resolve, 300));
		const reader = new Reader(path, 2400);
		const push = await reader.until(/\xaf.*!\x8d\n/s);
		const clear = textOf(Uint8Array.from(Buffer.from(push, "latin1"), (byte) => byte & 0x7f));
		assert.match(clear, /\/GWSXHOUSE-3P\r\n\r\nF\.F\(00000000\)\r\n/);
		await reader.close();
	});

	it("sends back what it receives with --echo", async () => {
		const { path } = await start("--echo", "--silence", "1");
		const reader = new Reader(path);
		reader.port.write("/?!\r\n");
		assert.equal(await reader.until(/\n$/), "/?!\r\n");
		await reader.close();
	});

	it("speaks DLMS in eight bits, at once or after a sign-on in seven", async () => {
		const snrm = Buffer.from("7ea0070321930f017e", "hex");
		const direct = await start("--protocol", "dlms");
		const reader = new Reader(direct.path, 9600);
		reader.port.write(snrm);
		assert.match(await reader.until(/~.+~$/s), /^~\xa0\x1e!\x03s\xc3z/);
		await reader.close();
		for (const form of [(text: string) => Buffer.from(text), withParity]) {
			const { path } = await start("--protocol", "dlms", "--mode-e", "--baud", "300");
			const signing = new Reader(path);
			signing.port.write(form("/?!\r\n"));
			assert.equal(await signing.until(/\n$/), textOf(form("/LGZ0\\2ZMD3104\r\n")));
			signing.port.write(form("\x06202\r\n"));
			assert.equal(await signing.until(/\n$/), textOf(form("\x06202\r\n")));
			signing.port.write(snrm);
			assert.match(await signing.until(/~.+~$/s), /^~\xa0\x1e!\x03s\xc3z/);
			signing.port.write(Buffer.from("7ea00703215303c77e", "hex"));
			await signing.until(/~.+~$/s);
			signing.port.write(form("/?!\r\n"));
			assert.equal(await signing.until(/\n$/), textOf(form("/LGZ0\\2ZMD3104\r\n")));
			await signing.close();
		}
	});

	it("ends on SIGTERM with exit code 0", async () => {
		const { child } = await start();
		child.kill("SIGTERM");
		assert.deepEqual(await once(child, "exit"), [0, null]);
	});

	it("reports that another meter uses its port", async () => {
		const { path } = await start();
		await start("--port", path);
		const second = spawn(process.execPath, [program, "--port", path], { stdio: ["ignore", "ignore", "pipe"] });
		started.push(second);
		const [text] = await once(second.stderr, "data");
		const expected = `The serial port ${path} can't be opened: another program uses it. Choose another with --port.\n`;
		assert.equal(String(text), expected);
		assert.deepEqual(await once(second, "exit"), [1, null]);
	});

	it("exits with 2 for a bad command line and 1 for other errors, with a message", async () => {
		for (const [args, code, message] of [
			[["--protocol", "dlms", "--window", "9"], 2, /--window takes 1 to 7/],
			[["--port", "/dev/no-such-port"], 1, /^The serial port \S+no-such-port can't be opened: No such .*--port\.\n$/],
			[["--telegram", "no-such-file"], 1, /no-such-file/],
		] as const) {
			const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
			let text = "";
			child.stderr.on("data", (bytes) => {
				text += bytes;
			});
			assert.deepEqual(await once(child, "close"), [code, null]);
			assert.match(text, message);
		}
	});

	it("answers at the socket of an emulator, even if that starts later or again", async () => {
		const folder = mkdtempSync(join(tmpdir(), "meter-"));
		const path = join(folder, "uart");
		const child = spawn(process.execPath, [program, "--quiet", "--socket", path], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		started.push(child);
		const [line] = await once(createInterface(child.stdout), "line");
		assert.equal(line, `meter ${path}`);
		for (let round = 0; round < 2; round++) {
			const emulator = createServer().listen(path);
			const [socket] = (await once(emulator, "connection")) as [Socket];
			socket.write("/?!\r\n");
			let answer = "";
			while (!answer.endsWith("\r\n")) answer += textOf((await once(socket, "data"))[0]);
			assert.match(answer, /^\/[A-Z]{3}5/);
			socket.destroy();
			await new Promise((resolve) => emulator.close(resolve));
		}
		rmSync(folder, { recursive: true });
	});

	for (const [args, message] of [
		[["--socket"], "--socket needs a path."],
		[["--socket", "a", "--port", "b"], "--port and --socket exclude each other."],
	] as const) {
		it(`rejects ${args.join(" ")}`, async () => {
			const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
			const [bytes] = await once(child.stderr, "data");
			assert.equal(bytes.toString(), `${message}\n`);
			assert.deepEqual(await once(child, "exit"), [2, null]);
		});
	}
});
