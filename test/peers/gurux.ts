/**
 * Gurux' `gurux-dlms` for Python, from PyPI, as the client of our simulated DLMS meter. Two functions fail in its
 * version and are left out: windows of several frames (UnboundLocalError; the client for Java expects the F bit in each
 * frame), and replies with list over several frames (it reads the last value before it has arrived).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { STATUS_OK, STATUS_UNCHECKED } from "../../modules/readout/readout.js";
import { Household, SERIAL } from "../../tools/meter/household.js";
import { pypi } from "../../tools/release/peers.js";
import { PushBed } from "../cosem/push-bed.js";
import { hex } from "../dlms/crypto.js";
import { recordsOf } from "../meter/records.js";
import { installPython, PEER_SOURCES, run, withMeter } from "./peer.js";

const PACKAGES = [pypi("gurux-dlms")];
/** A fixed time, so that values are known. */
const MOMENT = "2026-06-21T18:30:00Z";
const AT = ["--protocol", "dlms", "--at", MOMENT];
const WANTED = [
	"8:0.0.1.0.0.255",
	"1:0.0.96.1.0.255",
	"3:1.0.1.8.0.255",
	"3:1.0.32.7.0.255",
	"3:1.0.16.7.0.255",
	"4:1.0.1.6.0.255/5",
];
const standing = new Household({ utcMs: Date.parse(MOMENT), mode: "C", baud: 9600 }).reading(0);
const VALUES = [
	"0.0.1.0.0.255 06/21/26 18:30:00",
	`0.0.96.1.0.255 ${SERIAL}`,
	`1.0.1.8.0.255 ${Math.round((standing.dayImport + standing.nightImport) * 1000)} 1.0 30`,
	`1.0.32.7.0.255 ${standing.phases[0].volts.toFixed(1)} 0.1 35`,
	`1.0.16.7.0.255 ${Math.round(standing.power)} 1.0 27`,
	"1.0.1.6.0.255 06/21/26 18:30:00",
];
const OBJECTS = 35;
const GMAC = ["--auth", "gmac", "--client", "1"];
const LOW = ["--auth", "low", "--client", "32"];

export const prepareGurux = () => installPython("gurux", PACKAGES);

async function read(folder: string, meter: string[], client: string[]): Promise<string[]> {
	const script = join(PEER_SOURCES, "python", "read_dlms.py");
	const output = await withMeter([...AT, ...meter], (path) =>
		run("python3", [script, path, ...client], { PYTHONPATH: folder, TZ: "UTC" }),
	);
	return output.split("\n").filter((line) => line.includes("\t"));
}

/** Reads the values and compares them. */
async function readValues(
	folder: string,
	meter: string[],
	client: string[],
	expectedValues = WANTED,
): Promise<string[]> {
	const lines = await read(folder, meter, [...client, ...expectedValues]);
	const values = lines.filter((line) => line.startsWith("value")).map((line) => line.split("\t"));
	const expected = VALUES.slice(0, expectedValues.length);
	// Only registers have a scaler to compare.
	const shown = values.map(([, code, , value, scaler, unit]) =>
		Number(unit) > 0 ? `${code} ${value} ${scaler} ${unit}` : `${code} ${value}`,
	);
	assert.deepEqual(shown, expected, lines.join("\n"));
	return lines;
}

async function browse(folder: string, meter: string[], client: string[]): Promise<void> {
	const lines = await read(folder, meter, [...client, "--browse"]);
	assert.equal(lines.filter((line) => line.startsWith("object\t")).length, OBJECTS, lines.join("\n"));
}

/** Our listener accepts pushes made by Gurux: plain, encrypted, and authenticated. */
async function takePushes(folder: string): Promise<void> {
	const script = join(PEER_SOURCES, "python", "push_dlms.py");
	const lines = (await run("python3", [script], { PYTHONPATH: folder, TZ: "UTC" })).trim().split("\n");
	const encryptionKey = hex("000102030405060708090a0b0c0d0e0f");
	const authenticationKey = hex("d0d1d2d3d4d5d6d7d8d9dadbdcdddedf");
	const expected = [
		["0", {}, STATUS_OK],
		["32", { encryptionKey }, STATUS_UNCHECKED],
		["48", { encryptionKey, authenticationKey }, STATUS_OK],
	] as const;
	assert.equal(lines.length, expected.length, lines.join("\n"));
	for (const [i, [security, keys, status]] of expected.entries()) {
		const [controlByte, frames] = lines[i].split("\t");
		assert.equal(controlByte, security);
		const [readout] = new PushBed(keys).take(hex(frames));
		assert.ok(typeof readout === "object", `security ${security}: ${readout}`);
		assert.equal(readout.status, status);
		const records = ["0-0:1.0.0*255: 2026-06-21T18:30:00+00:00", "1-0:1.8.0*255: 12345.6*Wh", "1-0:1.7.0*255: 987*W"];
		assert.deepEqual(recordsOf(readout.records), records);
	}
}

const reads = (name: string, meter: string[], client: string[], expectedValues?: string[]) => ({
	name,
	run: async (folder: string) => void (await readValues(folder, meter, client, expectedValues)),
});

const browses = (name: string, meter: string[], client: string[]) => ({
	name,
	run: (folder: string) => browse(folder, meter, client),
});

/**
 * Consecutive rows of tools/meter/dlms-profiles.ts: the first is `from` places before the profile's last row, and the
 * last is `to` places before it. The scaler of the first column is -1.
 */
function profileRows(from: number, to: number): string[] {
	return Array.from({ length: from - to + 1 }, (_, i) => {
		const k = from - i;
		const time = new Date(Date.parse(MOMENT) - k * 900_000);
		const [day, month] = [time.getUTCDate(), time.getUTCMonth() + 1].map((part) => String(part).padStart(2, "0"));
		const clock = time.toISOString().slice(11, 19);
		return [`${month}/${day}/26 ${clock}`, k === 2 ? 8 : 0, 123_456_789_010 - 1250 * k, 3000 - k].join(" ");
	});
}

/** Reads a profile of 400 rows, and expects the rows from `from` to `to` places before the last. */
const readsRows = (name: string, meter: string[], client: string[], from: number, to: number) => ({
	name: `a load profile ${name}`,
	async run(folder: string) {
		const lines = await read(folder, meter, [...client, "--profile", "1.0.99.1.0.255"]);
		const rows = lines.filter((line) => line.startsWith("row\t")).map((line) => line.split("\t").slice(1).join(" "));
		assert.deepEqual(rows, profileRows(from, to), lines.join("\n"));
	},
});

/** Expects a failure with this message. */
const fails = (name: string, meter: string[], client: string[], message: RegExp) => ({
	name,
	async run(folder: string) {
		const lines = await read(folder, meter, [...client, ...WANTED]);
		assert.match(lines.at(-1) ?? "", message);
	},
});

export const guruxCases = [
	{ name: "our listener accepts its pushes, plain and ciphered", run: takePushes },
	reads("no security", [], []),
	reads("no security, on a paced line", ["--baud-pace"], []),
	reads("a password", [], [...LOW, "--physical", "17"]),
	reads("a password, ciphered", ["--encryption", "required"], [...LOW, "--security", "both"]),
	reads(
		"HLS-GMAC, encrypted and authenticated, four bytes of address",
		[],
		[...[...GMAC, "--security", "both"], ...["--physical", "17", "--address-length", "4"]],
	),
	reads("HLS-GMAC, authenticated only", ["--security", "auth"], [...GMAC, "--security", "auth"]),
	reads("HLS-GMAC, encrypted only", ["--security", "encrypt"], [...GMAC, "--security", "encrypt"]),
	reads(
		"HLS-GMAC with a dedicated key",
		[],
		[...GMAC, "--security", "both", "--dedicated", "00112233445566778899aabbccddeeff"],
	),
	reads("HLS-GMAC, general-glo-ciphering", ["--general-glo"], [...GMAC, "--security", "both"]),
	reads("GET with list", [], ["--list"], WANTED.slice(0, 4)),
	reads("GET with list, ciphered", ["--hdlc-info", "512"], [...GMAC, "--security", "both", "--list", "--info", "512"]),
	browses("its objects, in segments", ["--pdu", "65535", "--hdlc-info", "64"], ["--info", "64"]),
	browses("its objects, in blocks", ["--pdu", "100"], []),
	browses(
		"its objects, in blocks and segments, ciphered",
		["--pdu", "300", "--hdlc-info", "100"],
		[...[...GMAC, "--security", "both", "--info", "100"]],
	),
	browses("its objects, UA without parameters", ["--bare-ua"], []),
	reads("mode E, 9600 Bd, on a paced line", ["--mode-e", "--baud-pace"], ["--mode-e"]),
	reads("mode E, HLS-GMAC, two sign-ons", ["--mode-e-only"], ["--mode-e", ...GMAC, "--security", "both"]),
	readsRows("by entries", [], ["--entries", "391:10"], 9, 0),
	readsRows(
		"by entries, in blocks, ciphered",
		["--pdu", "300"],
		[...GMAC, "--security", "both", "--entries", "1:40"],
		399,
		360,
	),
	readsRows("by range", [], ["--range", "2026-06-21T12:00:00/2026-06-21T18:00:00"], 26, 2),
	readsRows(
		"by range, in segments",
		["--hdlc-info", "64"],
		["--info", "64", "--range", "2026-06-21T12:00:00/2026-06-21T18:00:00"],
		26,
		2,
	),
	reads("data notifications in between", ["--notify", "3-"], []),
	fails("a wrong password", [], [...LOW, "--password", "12345679"], /Authentication failure/),
	fails(
		"a wrong authentication key",
		[],
		[...GMAC, "--security", "both", "--ak", "00".repeat(16)],
		/Authentication failure/,
	),
	fails(
		"a wrong encryption key",
		["--on-wrong-key", "exception"],
		[...[...GMAC, "--security", "both", "--guek", "00".repeat(16)]],
		/Ciphering failed/,
	),
	fails(
		"a counter that was already used",
		["--invocation-counter", "7"],
		[...GMAC, "--security", "both", "--counter", "6"],
		/nvocation/,
	),
	fails(
		"a meter that doesn't know the key either",
		["--wrong-f-ctos"],
		[...GMAC, "--security", "both"],
		/do not match/,
	),
	{
		name: "refused and missing objects",
		async run(folder: string) {
			const meter = ["--deny", "0-0:96.1.0", "--missing", "1.8.0", "--result", "16.7.0=11"];
			const lines = await read(folder, meter, ["1:0.0.96.1.0.255", "3:1.0.1.8.0.255", "3:1.0.16.7.0.255"]);
			assert.deepEqual(
				lines.filter((line) => line.startsWith("error")).map((line) => line.split("\t").at(-1)),
				["3", "4", "11"],
			);
		},
	},
];
