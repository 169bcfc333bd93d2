/**
 * The Python reader `iec62056-21` of Henrik Palmlund Wahlgren (pwitab) on pyserial, from PyPI: mode C, repetition of a
 * block after NAK, programming mode. It changes its speed 0.75 s after the acknowledgement, so the simulated meter
 * waits 1 s.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorPath } from "../../tools/meter/vectors.js";
import { pypi } from "../../tools/release/peers.js";
import { installPython, PEER_SOURCES, plainSets, run, withMeter } from "./peer.js";

const PACKAGES = [pypi("iec62056-21"), "pyserial==3.5", "attrs==25.3.0"];
const LK13 = vectorPath("iec62056-21", "logarex-lk13-history");

export const preparePwitab = () => installPython("pwitab", PACKAGES);

async function read(folder: string, what: string, meter: string[]): Promise<string> {
	const script = join(PEER_SOURCES, "python", "read_meter.py");
	return withMeter(["--telegram", LK13, "--reaction", "1000", ...meter], (path) =>
		run("python3", [script, path, what], { PYTHONPATH: folder }),
	);
}

async function readAll(folder: string, meter: string[]): Promise<void> {
	const [ident, ...sets] = (await read(folder, "readout", meter)).trimEnd().split("\n");
	// Its parser drops the character after Z as part of an enhanced identification.
	assert.equal(ident, "LOG\tK13BE803049");
	assert.deepEqual(
		sets,
		plainSets(readTelegram(LK13)).map(({ address, value, unit }) => `${address}\t${value}\t${unit || "None"}`),
	);
}

export const pwitabCases = [
	{
		name: "mode C, 9600 Bd, on a paced line",
		run: (folder: string) => readAll(folder, ["--baud-pace"]),
	},
	{
		name: "the block is repeated after NAK",
		run: (folder: string) => readAll(folder, ["--wrong-bcc", "2"]),
	},
	{
		name: "programming mode opens with P0",
		async run(folder: string) {
			assert.equal(await read(folder, "programming", []), "P\t0\t01234567\n");
		},
	},
];
