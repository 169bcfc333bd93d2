import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { findSnapshot, takeSnapshot } from "../../../hosts/node/snapshot.js";
import { findXSWorker, XSWorker } from "../../../hosts/node/xs-worker.js";

describe("A snapshot of XS", () => {
	const program = findXSWorker()!;
	let folder = "";
	let script = "";

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "snapshot-"));
		script = join(folder, "script.js");
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	/** Returns the message that the script leaves behind; it runs before the snapshot. */
	async function answer(snapshot: string): Promise<string> {
		let told = "";
		const onCommand = (message: Uint8Array) => {
			told = Buffer.from(message).toString("latin1");
			return new Uint8Array(0);
		};
		const worker = new XSWorker({ program, snapshot, onCommand, onCrash: (text) => assert.fail(text) });
		await worker.deliver(new Uint8Array(1));
		await worker.end();
		return told;
	}

	const counting = (start: number) =>
		`let count = ${start}; globalThis.handleCommand = () => issueCommand(new Uint8Array([65 + count++]).buffer);`;

	it("continues after its script", async () => {
		writeFileSync(script, counting(1));
		assert.equal(findSnapshot(script, program), undefined);
		await takeSnapshot(script);
		const snapshot = findSnapshot(script, program)!;
		assert.equal(await answer(snapshot), "B");
		assert.equal(await answer(snapshot), "B");
	});
	it("is made again if the script changes, and replaces the earlier one", async () => {
		writeFileSync(script, counting(1));
		await takeSnapshot(script);
		writeFileSync(script, counting(2));
		assert.equal(findSnapshot(script, program), undefined);
		await takeSnapshot(script);
		const snapshot = findSnapshot(script, program)!;
		assert.equal(await answer(snapshot), "C");
		assert.deepEqual(readdirSync(folder).sort(), [basename(script), basename(snapshot)]);
	});
	it("is not made of a script that throws", async () => {
		writeFileSync(script, "throw new Error();");
		await takeSnapshot(script);
		assert.deepEqual(readdirSync(folder), [basename(script)]);
	});
});
