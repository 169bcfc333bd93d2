/**
 * pyteleinfo 0.4.0 of Emmanuel Sciara from PyPI, a parser of TIC. It and our decoder read the same values from the
 * frames of our simulated meter and from the captures.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LabelFinder } from "../../modules/tic/labels.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { pypi } from "../../tools/release/peers.js";
import { Bed, frameOf } from "../tic/bed.js";
import { installPython, PEER_SOURCES, run } from "./peer.js";

/** Installs pyteleinfo although it requires Python 3.12, because its decoder needs only 3.9. */
export const preparePyteleinfo = () =>
	installPython("pyteleinfo", [pypi("pyteleinfo"), "pyserial==3.5"], ["--ignore-requires-python"]);

async function readAll(folder: string, groups: readonly string[]): Promise<(readonly [string, string] | null)[]> {
	const temporary = mkdtempSync(join(tmpdir(), "pyteleinfo-"));
	try {
		const file = join(temporary, "groups.json");
		writeFileSync(file, JSON.stringify(groups.map((group) => Buffer.from(group, "latin1").toString("hex"))));
		const script = join(PEER_SOURCES, "python", "read_tic.py");
		return JSON.parse(await run("python3", [script, file], { PYTHONPATH: folder }));
	} finally {
		rmSync(temporary, { recursive: true });
	}
}

const finder = new LabelFinder();
const hasCode = (label: string) => finder.find(Buffer.from(label), 0, label.length);

/** Values of a record without their units: the data, then the time. */
function valuesOf(record: string): string[] {
	const [first, ...rest] = record.slice(record.indexOf(": ") + 2).split(", ");
	return [first.replace(/\*\w+$/, ""), ...rest];
}

/** The values in the form of our records: the data, then the time, with the season as S or W at its end. */
function expectedOf(data: string): string[] {
	const [, stamp, value = data] = /^([EH]\d{12})\t(.*)$/.exec(data) ?? [];
	if (stamp === undefined) return [value];
	const time = `${stamp.slice(1)}${stamp.startsWith("E") ? "S" : "W"}`;
	return value === "" ? [time] : [value, time];
}

async function compare(folder: string, frame: string): Promise<void> {
	const groups = frame.match(/\n[^\n\r]*\r/g) ?? [];
	assert.ok(groups.length > 5);
	const bytes = Buffer.from(frame, "latin1");
	const bed = new Bed();
	const [readout] = [bytes, bytes].flatMap((one) => bed.receive(one));
	const theirs = (await readAll(folder, groups)).filter((group) => group !== null);
	assert.equal(readout.isCut, theirs.length < groups.length);
	// Readings without a code come last, and only from undamaged frames.
	// Only the number of a PME-PMI meter has a code.
	const isPMEPMI = theirs[0]?.[0] === "ADS";
	const isCoded = (label: string) => (isPMEPMI ? label === "ADS" : hasCode(label));
	const [coded, others] = [true, false].map((has) => theirs.filter(([label]) => isCoded(label) === has));
	const kept = readout.isCut ? [] : others;
	assert.deepEqual(
		readout.records.map(valuesOf),
		[...coded, ...kept].map(([, data]) => expectedOf(data)),
	);
	const labels = readout.records.slice(coded.length).map((record) => record.split(": ")[0]);
	assert.deepEqual(
		labels,
		kept.map(([label]) => label),
	);
	for (const record of readout.records.slice(0, coded.length)) assert.match(record, /^[01]-0:/);
}

export const pyteleinfoCases = [
	{
		name: "frames of the simulated meter",
		async run(folder: string) {
			for (const mode of ["standard", "historic"] as const)
				await compare(folder, Buffer.from(frameOf(mode)).toString("latin1"));
		},
	},
	{
		name: "captures",
		async run(folder: string) {
			for (const name of vectorNames("tic")) {
				const text = Buffer.from(readTelegram(vectorPath("tic", name))).toString("latin1");
				// Some of the noise is STX.
				for (const frame of text.match(/\x02\n[A-Z][^\x03]*\x03/g) ?? []) await compare(folder, frame);
			}
		},
	},
];
