/** Meters of each protocol at the emulated UART, at the speed of the line. */
import assert from "node:assert/strict";
import { DLMS } from "../system/memory-limits.js";
import type { EmulatedBoard } from "./board.js";

interface Kind {
	readonly options: readonly string[];
	/** Paths and bodies of the settings, in order. */
	readonly settings: readonly (readonly [path: string, body: object])[];
	readonly protocol: string;
	/** A code that the meter's readout must have. */
	readonly code: string;
}

const IEC = ["meter/protocol", { protocol: "iec62056" }] as const;
const ASKED = ["iec62056/config", { mode_d_enabled: false, baudrate_max: 9600 }] as const;

/** Settings with which the meter's port is open only during a readout. */
export const NO_LISTENING = [IEC, ASKED] as const;

export const P1: Kind = {
	options: ["--protocol", "p1"],
	settings: [IEC, ["iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115_200 }]],
	protocol: "IEC62056-21",
	code: "1-0:1.7.0",
};

const KINDS: Readonly<Record<string, Kind>> = {
	"IEC 62056-21 in mode C, from 300 to 9600 Bd": {
		options: ["--protocol", "iec", "--mode", "C"],
		settings: [IEC, ASKED],
		protocol: "IEC62056-21",
		code: "1.8.0",
	},
	"SML at 9600 Bd": {
		options: ["--protocol", "sml"],
		settings: [["meter/protocol", { protocol: "sml" }]],
		protocol: "SML",
		code: "1-0:1.8.0",
	},
	"DLMS/COSEM with keys": {
		options: ["--protocol", "dlms"],
		settings: [
			["dlms/config", { ...DLMS, opening: "direct" }],
			["meter/protocol", { protocol: "dlms" }],
		],
		protocol: "DLMS/COSEM",
		code: "1-0:1.8.0",
	},
	"a P1 port at 115 200 Bd": P1,
};

export async function readMeter(emulated: EmulatedBoard, { options, settings, protocol, code }: Kind): Promise<void> {
	// The meter's line closes with the meter, so the gateway must not be listening then.
	for (const [path, body] of NO_LISTENING) await emulated.client.post(path, body);
	await emulated.connectMeter(options);
	for (const [path, body] of settings) await emulated.client.post(path, body);
	const readout = await emulated.client.get("iec62056/read");
	assert.deepEqual([readout["protocol"], readout["status"]], [protocol, 0], JSON.stringify(readout));
	const codes = readout["readings"].map((reading: { obis_long: string }) => reading.obis_long.split("*")[0]);
	assert.ok(codes.includes(code), `${code} is not among ${codes.join(" ")}`);
}

export function readouts(emulated: EmulatedBoard): void {
	for (const [name, kind] of Object.entries(KINDS)) it(`reads ${name}`, () => readMeter(emulated, kind));
}
