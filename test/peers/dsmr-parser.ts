/**
 * dsmr_parser 1.11.2 from PyPI, a reader of P1 ports, deciphers the P1 telegrams of our simulated meter. Our listener
 * reads the same telegram ciphered by dlms_cosem, which dsmr_parser uses.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { STATUS_OK } from "../../modules/readout/readout.js";
import { pypi } from "../../tools/release/peers.js";
import { PushBed } from "../cosem/push-bed.js";
import { recordsOf } from "../meter/records.js";
import { cipheredP1, P1_KEYS } from "../meter/telegrams.js";
import { installPython, PEER_SOURCES, run } from "./peer.js";

const PACKAGES = [
	...[pypi("dsmr_parser"), "dlms_cosem==21.3.2", "serialx==1.15.1", "attrs==26.1.0", "structlog==26.1.0"],
	...["asn1crypto==1.5.1", "python-dateutil==2.9.0.post0", "six==1.17.0", "typing-extensions==4.16.0"],
	...["cryptography==46.0.5", "cffi==2.1.1", "pycparser==3.12"],
];

export const prepareDsmrParser = () => installPython("dsmr-parser", PACKAGES);

/** OBIS codes of the values, by dsmr_parser's names. */
const CODES: Readonly<Record<string, string>> = {
	ELECTRICITY_USED_TARIFF_1: "1-0:1.8.1",
	ELECTRICITY_USED_TARIFF_2: "1-0:1.8.2",
	ELECTRICITY_DELIVERED_TARIFF_2: "1-0:2.8.2",
	CURRENT_ELECTRICITY_USAGE: "1-0:1.7.0",
};

export const dsmrParserCases = [
	{
		name: "each side deciphers the other side's P1 telegram",
		async run(folder: string) {
			const script = join(PEER_SOURCES, "python", "read_ciphered_p1.py");
			const { encryption, authentication } = P1_KEYS;
			const ours = cipheredP1();
			const args = [ours, encryption, authentication].map((bytes) => Buffer.from(bytes).toString("hex"));
			const lines = (await run("python3", [script, ...args], { PYTHONPATH: folder })).trim().split("\n");
			const values = lines.map((line) => line.split("\t")).filter(([kind]) => kind === "value");
			const bed = new PushBed({ encryptionKey: encryption, authenticationKey: authentication });
			const theirs = Buffer.from(lines.at(-1)!.split("\t")[1], "hex");
			for (const bytes of [ours, theirs]) {
				const [readout] = bed.take(bytes);
				assert.ok(typeof readout === "object", `${readout}`);
				assert.equal(readout.status, STATUS_OK);
				const records = recordsOf(readout.records);
				for (const [name, code] of Object.entries(CODES)) {
					const [, , value, unit] = values.find(([, one]) => one === name)!;
					const [shown, shownUnit] = records
						.find((record) => record.startsWith(code))!
						.split(": ")[1]
						.split("*");
					assert.deepEqual([Number(shown), shownUnit], [Number(value), unit], name);
				}
			}
		},
	},
];
