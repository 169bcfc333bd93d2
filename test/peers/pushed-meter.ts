/** A simulated meter that pushes one telegram each second, in place of the one before. */
import assert from "node:assert/strict";
import type { JSONObject } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";

/**
 * The gateway opens a lost port again after 10 s, or after 20 s if the new meter was not ready. Other peers need the
 * processors, too.
 */
const FRESH_MS = 60_000;
const LOOK_MS = 500;

/** Value of a reading, NaN if it is missing. */
type Reading = (code: string) => number;

/**
 * Connects a P1 meter with this telegram. Returns the gateway's readings after a readout of this meter that has the
 * values of `shown`, by OBIS code.
 */
export async function pushTelegram(
	gateway: ProcessGateway,
	telegram: Uint8Array,
	shown: Readonly<Record<string, string>>,
): Promise<Reading> {
	// The readout of the meter before may have the same values, and its live values soon are too old.
	await gateway.connectMeter(undefined);
	const { timestamp } = await gateway.read("iec62056/last");
	await gateway.connectMeter({ telegram, mode: "D", pushBaud: 9600, pushMs: 1000 });
	let readout: JSONObject = {};
	const reading: Reading = (code) =>
		Number(readout.readings?.find(({ obis }: JSONObject) => obis === code)?.value1 ?? Number.NaN);
	const isShown = () =>
		readout.timestamp !== timestamp && Object.entries(shown).every(([code, value]) => reading(code) === Number(value));
	for (let waitedMs = 0; !isShown(); waitedMs += LOOK_MS) {
		assert.ok(waitedMs < FRESH_MS, gateway.diagnosis);
		await gateway.pass(LOOK_MS);
		readout = await gateway.read("iec62056/last");
	}
	return reading;
}
