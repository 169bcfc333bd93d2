/**
 * libmbus of Raditex Control AB, as node-mbus 2.2.6 from npm contains it, compiled here. It and our decoder read the
 * same values from the telegrams of our simulated slaves.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SlaveTelegram } from "../../modules/mbus/telegram.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { heatReading } from "../../tools/meter/heat.js";
import { longFrame, slaveTelegrams } from "../../tools/meter/mbus-meter.js";
import { checkRecord, type LibRecord, reasonToSkip } from "../mbus/libmbus.js";
import { recordsOf } from "../meter/records.js";
import { installNode, PEER_SOURCES, run } from "./peer.js";

/** Installs the sources, compiles a program that prints a frame as normalised XML, and returns its path. */
export async function prepareLibmbus(): Promise<string> {
	const folder = await installNode("libmbus", ["node-mbus@2.2.6"]);
	const program = join(folder, "normalise");
	if (existsSync(program)) return program;
	const sources = join(folder, "node_modules", "node-mbus", "libmbus");
	const parts = ["mbus", "mbus-protocol", "mbus-protocol-aux", "mbus-serial", "mbus-tcp"].map((name) =>
		join(sources, "mbus", `${name}.c`),
	);
	const flags = ["-w", "-I", sources, "-I", join(sources, "mbus"), "-o", program];
	await run("cc", [...flags, join(PEER_SOURCES, "normalise-mbus.c"), ...parts, "-lm"]);
	return program;
}

function textOf(xml: string, tag: string): string | undefined {
	const [, text] = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml) ?? [];
	return text ?? (xml.includes(`<${tag}/>`) ? "" : undefined);
}

async function readBy(program: string, frame: Uint8Array): Promise<LibRecord[]> {
	const xml = await run(program, [Buffer.from(frame).toString("hex")]);
	return [...xml.matchAll(/<DataRecord[^>]*>([\s\S]*?)<\/DataRecord>/g)].map(([, record]) => ({
		function: textOf(record, "Function") ?? "",
		unit: textOf(record, "Unit") ?? "",
		...(textOf(record, "Value") === undefined ? {} : { value: textOf(record, "Value")! }),
	}));
}

export const libmbusCases = [
	{
		name: "reads the simulated slaves as our decoder does",
		async run(program: string) {
			for (const medium of [4, 7]) {
				for (let hour = 0; hour < 20; hour++) {
					const [telegram] = slaveTelegrams(
						heatReading(Date.UTC(2026, 10, 20, 6), hour * 3_456_789),
						12_345_678,
						medium,
						false,
					);
					const body = [0x08, 1, ...telegram];
					const expected = (await readBy(program, longFrame(body))).filter(
						(record) => reasonToSkip(record) === undefined,
					);
					const writer = new RecordWriter();
					const decoder = new SlaveTelegram(writer);
					writer.begin();
					decoder.begin(0);
					decoder.write(Uint8Array.from(body), Uint8Array.from(body), true);
					writer.endBlock(true);
					const [, , ...readings] = recordsOf(writer.kept);
					assert.equal(readings.length, expected.length);
					for (const [i, record] of expected.entries()) checkRecord(readings[i], record);
				}
			}
		},
	},
];
