import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSerialPort } from "../../../hosts/node/serial.js";
import {
	FORMAT_7E1,
	FORMAT_8E1,
	FORMAT_8N1,
	FORMAT_8N2,
	SERIAL_ERROR_GONE,
	type Serial,
} from "../../../modules/io/host.js";
import { openPseudoTerminal } from "../../../tools/meter/pseudo-terminal.js";

/** Opens the port; `first` settles with "writable" or the error code, whichever comes first. */
function open(path: string, traces: string[]) {
	const port = createSerialPort(path, (message) => traces.push(message));
	let report: (code: number) => void;
	let serial: Serial | undefined;
	const error = new Promise<number>((resolve) => {
		report = resolve;
	});
	const first = new Promise<number | string>((resolve) => {
		serial = new port.io(
			{
				baud: 300,
				format: FORMAT_7E1,
				onWritable: () => resolve("writable"),
				onError: (code) => {
					report(code);
					resolve(code);
				},
			},
			port.pins,
		);
	});
	return { port, serial: serial!, first, error };
}

describe("A serial port of the PC", () => {
	it("leaves parity to software on a pseudo-terminal, and on a path that is not a terminal", async () => {
		const line = await openPseudoTerminal();
		assert.equal(createSerialPort(line.path, () => {}).hardwareParity, false);
		await line.close();
		assert.equal(createSerialPort("/dev/null", () => {}).hardwareParity, false);
		assert.equal(createSerialPort("/dev/no-such-port", () => {}).hardwareParity, false);
	});

	it("reports a missing device with a message", async () => {
		const traces: string[] = [];
		const { serial, first } = open("/dev/no-such-port", traces);
		assert.equal(await first, SERIAL_ERROR_GONE);
		assert.deepEqual(traces, ["The serial port /dev/no-such-port can't be opened: No such file or directory"]);
		assert.throws(() => serial.write(Uint8Array.of(1)), RangeError);
		serial.close();
	});

	it("reports a device in use by another program with a message", async () => {
		const line = await openPseudoTerminal();
		const traces: string[] = [];
		const holder = open(line.path, traces);
		assert.equal(await holder.first, "writable");
		const second = open(line.path, traces);
		assert.equal(await second.first, SERIAL_ERROR_GONE);
		assert.deepEqual(traces, [`The serial port ${line.path} can't be opened: another program uses it`]);
		second.serial.close();
		holder.serial.close();
		await line.close();
	});

	it("sets each line format with stty", async () => {
		const folder = mkdtempSync(join(tmpdir(), "stty-"));
		const log = join(folder, "log");
		const path = process.env["PATH"];
		// A pseudo-terminal rejects parity, so this stand-in accepts everything.
		writeFileSync(join(folder, "stty"), `#!/bin/sh\necho "$@" >> ${log}\n`, { mode: 0o755 });
		process.env["PATH"] = `${folder}:${path}`;
		const line = await openPseudoTerminal();
		try {
			const { serial, first } = open(line.path, []);
			assert.equal(await first, "writable");
			serial.configure({ baud: 2400, format: FORMAT_8E1 });
			serial.configure({ baud: 9600, format: FORMAT_8N1 });
			serial.configure({ baud: 1200, format: FORMAT_8N2 });
			serial.close();
			const [, ...settings] = readFileSync(log, "utf8").trimEnd().split("\n");
			assert.deepEqual(
				settings.map((one) => one.slice(`-F ${line.path} `.length)),
				[
					"300 cs7 -cstopb parenb -parodd inpck parmrk -ignpar",
					"2400 cs8 -cstopb parenb -parodd -inpck -parmrk",
					"9600 cs8 -cstopb -parenb -inpck -parmrk",
					"1200 cs8 cstopb -parenb -inpck -parmrk",
				],
			);
		} finally {
			process.env["PATH"] = path;
			await line.close();
			rmSync(folder, { recursive: true });
		}
	});

	it("reports once that it was unplugged", async () => {
		const line = await openPseudoTerminal();
		const traces: string[] = [];
		const { serial, first, error } = open(line.path, traces);
		assert.equal(await first, "writable");
		await line.close();
		assert.equal(await error, SERIAL_ERROR_GONE);
		assert.equal(traces.length, 1);
		assert.match(traces[0], /^The serial port \S+ is gone: /);
		assert.throws(() => serial.write(Uint8Array.of(1)), RangeError);
		serial.configure({ baud: 9600, format: FORMAT_7E1 });
		serial.close();
		assert.equal(traces.length, 1);
	});
});
