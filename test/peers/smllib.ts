/**
 * smllib 1.7 of spacemanspiff2007 from PyPI, an SML parser, and our decoder read the same values from the captures and
 * from all makes of our simulated meter. smllib does not correct the wrong signs of some meters.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cosemUnitText } from "../../modules/obis/units.js";
import { EVENT_READOUT } from "../../modules/readout/protocol.js";
import { SML_MAKES } from "../../tools/meter/sml-telegram.js";
import { readTelegram } from "../../tools/meter/telegram.js";
import { vectorNames, vectorPath } from "../../tools/meter/vectors.js";
import { pypi } from "../../tools/release/peers.js";
import { Bed, telegramOf } from "../sml/bed.js";
import { installPython, PEER_SOURCES, run } from "./peer.js";

type Entry = [code: string, value: string | number | boolean | null, unit: number | null];

export const prepareSmllib = () => installPython("smllib", [pypi("smllib")]);

interface Sent {
	readonly name: string;
	readonly bytes: Uint8Array;
	readonly check: "x25" | "kermit";
}

async function readAll(folder: string, sent: readonly Sent[]): Promise<Entry[][][]> {
	const temporary = mkdtempSync(join(tmpdir(), "smllib-"));
	try {
		const file = join(temporary, "telegrams.json");
		writeFileSync(file, JSON.stringify(sent.map(({ bytes, check }) => [Buffer.from(bytes).toString("hex"), check])));
		const script = join(PEER_SOURCES, "python", "read_sml.py");
		return JSON.parse(await run("python3", [script, file], { PYTHONPATH: folder }));
	} finally {
		rmSync(temporary, { recursive: true });
	}
}

/** A number with its unit, or octets as text, in the form of our readings. */
function shown([code, value, unit]: Entry): string {
	if (typeof value !== "string") return `${code}: ${Number(value)} ${unit === null ? "" : cosemUnitText(unit)}`;
	// smllib returns the maker's name as text, and other octets as hex.
	const bytes = Buffer.from(value, /^([0-9a-f]{2})+$/.test(value) ? "hex" : "latin1");
	const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
	return `${code}: ${isText ? bytes.toString("latin1") : value.toUpperCase()} `;
}

function ours(bytes: Uint8Array): string[][] {
	const readouts = new Bed().receive(bytes, 0, 64).filter(({ event }) => event === EVENT_READOUT);
	return readouts.map(({ records }) =>
		records.map((record) => {
			const [, code, value, unit = ""] = /^(\S+): (.*?)(?:\*(.*))?$/.exec(record)!;
			return unit === "" && !/^-?\d{1,3}$/.test(value) ? `${code}: ${value} ` : `${code}: ${Number(value)} ${unit}`;
		}),
	);
}

/** Powers that these two makes send with a wrong sign, or without one. */
const OTHER_SIGN = /^1-0:(15|16|36)\.7\.0\*255: /;

async function compare(folder: string, sent: readonly Sent[], hasOtherSign: (one: Sent) => boolean): Promise<void> {
	const theirs = await readAll(folder, sent);
	sent.forEach((one, i) => {
		const expected = theirs[i].map((entries) => entries.filter(([, value]) => value !== null).map(shown));
		assert.ok(expected.flat().length > 1, one.name);
		const drop = (list: string[][]) =>
			hasOtherSign(one) ? list.map((values) => values.filter((value) => !OTHER_SIGN.test(value))) : list;
		assert.deepEqual(drop(ours(one.bytes)), drop(expected), one.name);
		if (hasOtherSign(one)) assert.notDeepEqual(ours(one.bytes), expected, one.name);
	});
}

export const smllibCases = [
	{
		name: "all makes of the simulated meter at many powers",
		async run(folder: string) {
			const powers = [-70_000, -299.12, -1, 0, 127, 128, 356.24, 655.35, 70_000];
			const sent = SML_MAKES.flatMap((make) =>
				powers.map((power): Sent & { isOdd: boolean } => ({
					name: `${make} at ${power} W`,
					bytes: telegramOf(make, power),
					check: make === "holley-kermit" ? "kermit" : "x25",
					isOdd: (make === "emh-ed300l" && power < 0) || (make === "dzg-dvs" && power > 327.67 && power < 655.36),
				})),
			);
			await compare(folder, sent, (one) => (one as Sent & { isOdd: boolean }).isOdd);
		},
	},
	{
		name: "captures",
		async run(folder: string) {
			const names = vectorNames("sml").filter((name) => !/damaged|anonymised/.test(name));
			const sent = names.map((name): Sent => ({ name, bytes: readTelegram(vectorPath("sml", name)), check: "x25" }));
			await compare(folder, sent, ({ name }) => name === "dzg-dvs74-signbug");
		},
	},
];
