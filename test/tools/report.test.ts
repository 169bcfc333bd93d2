import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pointOf } from "../../hosts/node/p256.js";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { Sealer } from "../../modules/hpke/sealer.js";
import { keyIdOf } from "../../tools/ota/keys.js";
import { main } from "../../tools/report/program.js";
import { textCodec } from "../config/memory-storage.js";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../tools/report.js");
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

describe("npm run report", () => {
	let folder = "";
	let keyId = "";
	const place = (name: string) => join(folder, name);

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "report-"));
		const { status, stdout } = await run("keygen", place("key"));
		assert.equal(status, 0);
		keyId = /^Key id (\w{16})$/m.exec(stdout)![1];
		writeFileSync(place("file.report"), reportOf(["first\n", "second\n"]));
	});
	after(() => rmSync(folder, { recursive: true }));

	async function run(...args: string[]) {
		const output = { stdout: "", stderr: "" };
		const status = await main(args, {
			log(text) {
				output.stdout += `${text}\n`;
			},
			error(text) {
				output.stderr += `${text}\n`;
			},
		});
		return { status, ...output };
	}

	/** Built after the table in docs/diagnostic-report.md. */
	function reportOf(blocks: readonly string[], timeS = 1_795_154_400): Buffer {
		const point = pointOf(readFileSync(place("key.pub")))!;
		const time = Buffer.alloc(4);
		time.writeUInt32LE(timeS);
		const info = Buffer.concat([Buffer.from("SMGWDIAG\x01"), keyIdOf(point), time, Buffer.from("\x06SERIAL")]);
		const sealer = new Sealer({ crypto: new NodeCrypto(), text: textCodec }, point, info);
		const sealed = blocks.map((text, index) => {
			const head = Buffer.of(Number(index === blocks.length - 1), text.length + 16, 0);
			return Buffer.concat([head, sealer.seal(head, Buffer.from(text))]);
		});
		return Buffer.concat([info, sealer.encapsulated, ...sealed]);
	}

	it("is a program with these exit codes", () => {
		const start = (...args: string[]) => spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
		const help = start("--help");
		assert.deepEqual([help.status, help.stderr], [0, ""]);
		assert.match(help.stdout, /npm run report -- open REPORT --key FILE/);
		assert.equal(start("inspect", PROGRAM).status, 1);
		assert.equal(start().status, 2);
	}).timeout(120_000);

	it("makes a key that only its owner can read, but not in the repository, nor over another key", async () => {
		assert.equal(statSync(place("key")).mode & 0o777, 0o600);
		assert.match(readFileSync(place("key.pub"), "utf8"), /^-----BEGIN PUBLIC KEY-----/);
		assert.equal(Buffer.from(keyIdOf(pointOf(readFileSync(place("key.pub")))!)).toString("hex"), keyId);
		const again = await run("keygen", place("key"));
		assert.deepEqual([again.status, again.stdout], [1, ""]);
		assert.match(again.stderr, /exists already/);
		const inside = join(ROOT, "report-key.pem");
		assert.match((await run("keygen", inside)).stderr, /is in the repository/);
		assert.ok(!existsSync(inside));
	});

	it("prints an opened report, and only serial number, time and key of a report that it does not open", async () => {
		const opened = await run("open", place("file.report"), "--key", place("key"));
		assert.deepEqual([opened.status, opened.stderr], [0, ""]);
		const head = `Gateway  SERIAL\nTime     2026-11-20T06:00:00.000Z\nKey      ${keyId}\n`;
		assert.equal(opened.stdout, `${head}\nfirst\nsecond\n`);
		assert.deepEqual(await run("inspect", place("file.report")), { status: 0, stdout: head, stderr: "" });
		writeFileSync(place("early.report"), reportOf(["x"], 0));
		assert.match((await run("inspect", place("early.report"))).stdout, /^Time {5}not known, its clock was not set$/m);
	});

	it("names the missing key, and prints what it can of an incomplete report", async () => {
		const other = /Key id (\w+)/.exec((await run("keygen", place("other"))).stdout)![1];
		const wrong = await run("open", place("file.report"), "--key", place("other"));
		assert.deepEqual(wrong, {
			status: 1,
			stdout: "",
			stderr: `The report was sealed for the key ${keyId}; this one is ${other}.\n`,
		});
		const whole = readFileSync(place("file.report"));
		writeFileSync(place("cut.report"), whole.subarray(0, -1));
		const cut = await run("open", place("cut.report"), "--key", place("key"));
		assert.equal(cut.status, 1);
		assert.match(cut.stdout, /\nfirst\n$/);
		assert.equal(cut.stderr, "The report is cut off: its end is missing.\n");
		writeFileSync(place("empty.report"), whole.subarray(0, 40));
		assert.match((await run("open", place("empty.report"), "--key", place("key"))).stderr, /cut off in its header/);
		assert.match((await run("open", place("file.report"), "--key", place("key.pub"))).stderr, /no readable key/);
	});

	it("exits with a message for a bad command line", async () => {
		const refusals: [string[], RegExp][] = [
			[[], /keygen, inspect or open/],
			[["seal", "x"], /keygen, inspect or open/],
			[["open"], /open takes one file/],
			[["inspect", "a", "b"], /inspect takes one file/],
			[["open", "a"], /--key FILE is missing/],
			[["keygen", "a", "--key", "b"], /--key does not belong to keygen/],
			[["open", "a", "--kee", "b"], /--kee/],
		];
		for (const [args, sentence] of refusals) {
			const { status, stdout, stderr } = await run(...args);
			assert.deepEqual([status, stdout], [2, ""], args.join(" "));
			assert.match(stderr, sentence);
			assert.match(stderr, /npm run report -- --help lists the commands\.\n$/);
		}
	});
});
