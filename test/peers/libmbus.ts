/**
 * libmbus of Raditex Control AB, as node-mbus from npm contains it, compiled here. It and our decoder read the
 * same values from the telegrams of our simulated slaves, and find the same slaves by secondary addresses.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { SlaveTelegram } from "../../modules/mbus/telegram.js";
import { RecordWriter } from "../../modules/readout/record-writer.js";
import { heatReading } from "../../tools/meter/heat.js";
import { longFrame, slaveTelegrams } from "../../tools/meter/mbus-meter.js";
import { npm } from "../../tools/release/peers.js";
import { search } from "../mbus/bed.js";
import { checkRecord, type LibRecord, reasonToSkip } from "../mbus/libmbus.js";
import { recordsOf } from "../meter/records.js";
import { installNode, PEER_SOURCES, run, withMeter } from "./peer.js";

/** Programs of libmbus that ask slaves at a serial port. */
const SCAN = "mbus-serial-scan-secondary";
const REQUEST = "mbus-serial-request-data-multi-reply";
const SPEED = ["-b", "2400"];

/**
 * Installs the sources, compiles a program that prints a frame as normalised XML, and those of libmbus. Returns the
 * folder of the programs.
 */
export async function prepareLibmbus(): Promise<string> {
	const folder = await installNode("libmbus", [npm("node-mbus")]);
	const sources = join(folder, "node_modules", "node-mbus", "libmbus");
	const parts = ["mbus", "mbus-protocol", "mbus-protocol-aux", "mbus-serial", "mbus-tcp"].map((name) =>
		join(sources, "mbus", `${name}.c`),
	);
	const mains = [
		join(PEER_SOURCES, "normalise-mbus.c"),
		...[SCAN, REQUEST].map((name) => join(sources, "bin", `${name}.c`)),
	];
	for (const main of mains) {
		const program = join(folder, basename(main, ".c"));
		if (existsSync(program)) continue;
		const object = `${program}.o`;
		await run("cc", ["-c", join(PEER_SOURCES, "mbus-no-parity.c"), "-o", object]);
		const flags = ["-w", "-Dtcsetattr=set_without_parity", "-I", sources, "-I", join(sources, "mbus"), "-o", program];
		await run("cc", [...flags, main, ...parts, object, "-lm"]);
	}
	return folder;
}

function textOf(xml: string, tag: string): string | undefined {
	const [, text] = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml) ?? [];
	return text ?? (xml.includes(`<${tag}/>`) ? "" : undefined);
}

async function readBy(folder: string, frame: Uint8Array): Promise<LibRecord[]> {
	const xml = await run(join(folder, "normalise-mbus"), [Buffer.from(frame).toString("hex")]);
	return [...xml.matchAll(/<DataRecord[^>]*>([\s\S]*?)<\/DataRecord>/g)].map(([, record]) => ({
		function: textOf(record, "Function") ?? "",
		unit: textOf(record, "Unit") ?? "",
		...(textOf(record, "Value") === undefined ? {} : { value: textOf(record, "Value")! }),
	}));
}

export const libmbusCases = [
	{
		name: "reads the simulated slaves as our decoder does",
		async run(folder: string) {
			for (const medium of [4, 7]) {
				for (let hour = 0; hour < 20; hour++) {
					const [telegram] = slaveTelegrams(
						heatReading(Date.UTC(2026, 10, 20, 6), hour * 3_456_789),
						12_345_678,
						medium,
						false,
					);
					const body = [0x08, 1, ...telegram];
					const expected = (await readBy(folder, longFrame(body))).filter(
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
	{
		name: "finds and reads the simulated slaves by secondary addresses, and our search finds the same",
		async run(folder: string) {
			const idents = [12_345_678, 70_000_000];
			const slaves = idents.map((ident) => ({
				address: 1,
				telegrams: () => slaveTelegrams(heatReading(0, 0), ident, 4, false),
			}));
			const ours = search({ slaves }).found.map((address) => address.toUpperCase());
			await withMeter(["--protocol", "mbus", "--idents", idents.join()], async (path) => {
				const text = await run(join(folder, SCAN), [...SPEED, path]);
				assert.deepEqual(
					[...text.matchAll(/secondary address ([\dA-F]{16})/g)].map(([, address]) => address),
					ours,
				);
				for (const [i, address] of ours.entries()) {
					const xml = await run(join(folder, REQUEST), [...SPEED, path, address]);
					assert.equal(textOf(xml, "Id"), String(idents[i]));
					assert.match(xml, /<Manufacturer>LUG</);
				}
			});
		},
	},
];
