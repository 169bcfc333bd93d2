/**
 * wiener-netze-smartmeter-serial of Tobias Perschon from PyPI, a reader of Wiener Netze's meters, whose pushed
 * lists have no codes. It and our decoder read the same values from the captures and from random lists.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SeededRandom } from "../../hosts/node/random.js";
import { hdlcPush } from "../../tools/meter/push-frames.js";
import { pypi } from "../../tools/release/peers.js";
import { PushBed } from "../cosem/push-bed.js";
import { notification, sealedList } from "../dlms/lists.js";
import { captures } from "../dlms/vectors.js";
import { recordsOf } from "../meter/records.js";
import { installPython, PEER_SOURCES, run } from "./peer.js";

const PACKAGES = [
	pypi("wiener-netze-smartmeter-serial"),
	"aioserial==1.3.1",
	"pyserial==3.5",
	pypi("pycryptodome"),
	"typing-extensions==4.15.0",
];
const CODES = ["1.8.0", "2.8.0", "3.8.0", "4.8.0", "1.7.0", "2.7.0", "3.7.0", "4.7.0"];

export const prepareWienerNetze = () => installPython("wiener-netze", PACKAGES, ["--ignore-requires-python"]);

interface Push {
	readonly key: Uint8Array;
	readonly apdu: Uint8Array;
}

/** Time of the meter, then values in the order of CODES. */
function ourValues({ key, apdu }: Push): (string | number)[] {
	const [readout] = new PushBed({ encryptionKey: key }).take(hdlcPush(apdu));
	assert.ok(typeof readout === "object", `${readout}`);
	const values = new Map(recordsOf(readout.records).map((record) => record.split("*255: ") as [string, string]));
	const time = values.get("0-0:1.0.0")?.slice(0, 19) ?? "";
	return [time, ...CODES.map((code) => Number.parseInt(values.get(`1-0:${code}`) ?? "", 10))];
}

async function compare(folder: string, pushes: readonly Push[]): Promise<void> {
	assert.ok(pushes.length > 0);
	const file = join(folder, "pushes.json");
	// The program expects this frame header, and does not verify the checksums.
	const frames = pushes.map(({ key, apdu }) => [
		Buffer.from(key).toString("hex"),
		`7ea067cf022313fbf1e6e700${Buffer.from(apdu).toString("hex")}00007e`,
	]);
	writeFileSync(file, JSON.stringify(frames));
	const script = join(PEER_SOURCES, "python", "read_vienna.py");
	const theirs = JSON.parse(await run("python3", [script, file], { PYTHONPATH: folder }));
	assert.deepEqual(pushes.map(ourValues), theirs);
}

function randomPush(random: SeededRandom): Push {
	const key = random.bytes(16);
	const clock = Buffer.from("090c07e9020207080910ffffc400", "hex");
	const values = CODES.map(() => Buffer.concat([Buffer.of(6), random.bytes(4)]));
	const plain = notification([clock, ...values].map((bytes) => ({ bytes })));
	// The program reads at fixed offsets, those of a list with a time in its head and a length of one byte.
	const timed = Buffer.concat([plain.subarray(0, 5), Buffer.of(12), clock.subarray(2), plain.subarray(6)]);
	const sealed = Buffer.from(sealedList(timed, key, "LGZ"));
	return { key, apdu: Buffer.concat([sealed.subarray(0, 10), sealed.subarray(12)]) };
}

export const wienerNetzeCases = [
	{
		name: "captures of Iskraemeco and Landis+Gyr",
		async run(folder: string): Promise<void> {
			const pushes = captures()
				.filter(({ name }) => name.includes("vienna") && !name.startsWith("siemens"))
				.map(({ key = "", apdu }) => ({ key: Buffer.from(key, "hex"), apdu }));
			await compare(folder, pushes);
		},
	},
	{
		name: "200 random lists",
		async run(folder: string): Promise<void> {
			const random = new SeededRandom(1);
			await compare(
				folder,
				Array.from({ length: 200 }, () => randomPush(random)),
			);
		},
	},
];
