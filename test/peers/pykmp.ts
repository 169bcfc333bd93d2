/**
 * PyKMP 0.0.2 of Gert van Dijk from PyPI, a client for Kamstrup's KMP. As a client it reads our simulated meter; as a
 * codec it and our decoder read the same registers from answers.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeRegisters } from "../../modules/kmp/registers.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { kmpFrame } from "../../tools/meter/kmp-meter.js";
import { pypi } from "../../tools/release/peers.js";
import { recordsOf } from "../meter/records.js";
import { installPython, PEER_SOURCES, run, withMeter } from "./peer.js";

type Register = [number: number, unit: number, value: string];

export const preparePyKMP = () =>
	installPython(
		"pykmp",
		[pypi("pykmp"), "attrs==23.2.0", "crc==6.1.2", "pyserial==3.5", "typing-extensions==4.12.2"],
		["--ignore-requires-python"],
	);

/** Units of the registers below. */
const UNITS: Readonly<Record<number, string>> = { 8: "GJ", 22: "kW", 37: "\u00b0C", 40: "m3", 2: "kWh" };
/** Codes of the registers below. */
const CODES: Readonly<Record<number, string>> = { 60: "6-0:1.0.0", 68: "6-0:2.0.0", 80: "6-0:8.0.0", 86: "6-0:10.0.0" };

async function python(folder: string, name: string, argument: string): Promise<unknown> {
	return JSON.parse(await run("python3", [join(PEER_SOURCES, "python", name), argument], { PYTHONPATH: folder }));
}

export const pyKMPCases = [
	{
		name: "reads the simulated meter",
		run: (folder: string) =>
			withMeter(["--protocol", "kmp"], async (path) => {
				const [serial, revision, registers] = (await python(folder, "kmp_client.py", path)) as [
					string,
					string,
					Register[],
				];
				assert.deepEqual([serial, revision], ["6855817", "F1"]);
				assert.deepEqual(
					registers.map(([number]) => number),
					[60, 68, 74, 80, 86, 87, 89, 1004, 1003, 1002, 99],
				);
				const values = new Map(registers.map(([number, unit, value]) => [number, [unit, Number(value)]]));
				assert.deepEqual(values.get(68), [40, 561.08]);
				assert.ok(Math.abs(Number(values.get(60)?.[1]) - 134.463) < 0.01);
			}),
	},
	{
		name: "decodes the registers of 200 answers as our decoder does",
		async run(folder: string) {
			let state = 1;
			const random = (limit: number) => {
				state = Math.imul(state, 1_103_515_245) + 12_345;
				return (state >>> 8) % limit;
			};
			const answers = Array.from({ length: 200 }, () =>
				Object.keys(CODES).flatMap((id) => {
					const length = 1 + random(4);
					const unit = Number(Object.keys(UNITS)[random(5)]);
					const number = Array.from({ length }, () => random(256));
					return [0, Number(id), unit, length, random(256) & 0xc7, ...number];
				}),
			);
			const temporary = mkdtempSync(join(tmpdir(), "pykmp-"));
			try {
				const file = join(temporary, "frames.json");
				const frames = answers.map((answer) => Buffer.from(kmpFrame(0x40, [0x3f, 0x10, ...answer])).toString("hex"));
				writeFileSync(file, JSON.stringify(frames));
				const theirs = (await python(folder, "kmp_codec.py", file)) as Register[][];
				answers.forEach((answer, i) => {
					const writer = new RecordWriter();
					writer.begin();
					writeRegisters(Uint8Array.from(answer), 0, writer);
					writer.endBlock(true);
					const ours = recordsOf(writer.kept).map((record) => {
						const [, code, value, unit] = /^(.*): (.*)\*(.*)$/.exec(record) ?? [];
						return [code, Number(value), unit];
					});
					assert.deepEqual(
						ours,
						theirs[i].map(([number, unit, value]) => [CODES[number], Number(value), UNITS[unit]]),
					);
				});
			} finally {
				rmSync(temporary, { recursive: true });
			}
		},
	},
];
