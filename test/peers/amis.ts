/**
 * PyCryptodome and pyMeterBus from PyPI, as an independent reader of our simulated AMIS meter, and as an independent
 * meter. They and our session read the same values.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pypi } from "../../tools/release/peers.js";
import { Bed } from "../amis/bed.js";
import { installPython, PEER_SOURCES, run, withMeter } from "./peer.js";

const KEY = "00112233445566778899aabbccddeeff";
const COUNT = 200;
/** Codes in the order of the values. */
const CODES = ["1.8.0", "2.8.0", "3.8.1", "4.8.1", "1.7.0", "2.7.0", "3.7.0", "4.7.0", "1.128.0"];
const UNITS = ["Wh", "Wh", "varh", "varh", "W", "W", "var", "var", "Wh"];

export const prepareAMIS = () =>
	installPython("amis", [pypi("pycryptodome"), pypi("pyMeterBus"), "pyserial==3.5", "simplejson==3.19.3"]);

async function python(folder: string, ...args: string[]): Promise<unknown> {
	const program = join(PEER_SOURCES, "python", "amis_reader.py");
	return JSON.parse(await run("python3", [program, ...args], { PYTHONPATH: folder }));
}

const shown = (values: readonly number[]) => values.map((value, i) => `1-0:${CODES[i]}*255: ${value}*${UNITS[i]}`);

/** Compares what our session reads from these frames with the values; the first frame alone is not a readout. */
function compare(frames: readonly string[], values: readonly (readonly number[])[]): void {
	const bed = new Bed(Buffer.from(KEY, "hex"));
	const events = bed.receive(...frames.map((frame) => new Uint8Array(Buffer.from(frame, "hex"))));
	assert.equal(events.length, frames.length - 1);
	for (const [i, { records }] of events.entries()) assert.deepEqual(records.slice(-CODES.length), shown(values[i + 1]));
}

export const amisCases = [
	{
		name: "read the simulated meter as our session does",
		run: (folder: string) =>
			withMeter(["--protocol", "amis", "--call-seconds", "1"], async (path) => {
				const telegrams = (await python(folder, "read", path, KEY, "4")) as [string, number[]][];
				compare(
					telegrams.map(([frame]) => frame),
					telegrams.map(([, values]) => values),
				);
			}),
	},
	{
		name: `make ${COUNT} telegrams that our session reads with the same values`,
		async run(folder: string) {
			let state = 1;
			const random = () => {
				state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
				return state >> (state & 15);
			};
			const lists = Array.from({ length: COUNT }, () => CODES.map(random));
			const scratch = mkdtempSync(join(tmpdir(), "amis-"));
			try {
				const file = join(scratch, "values.json");
				writeFileSync(file, JSON.stringify(lists));
				compare((await python(folder, "make", KEY, file)) as string[], lists);
			} finally {
				rmSync(scratch, { recursive: true });
			}
		},
	},
];
