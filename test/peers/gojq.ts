/**
 * gojq, evcc's library for `jq`, evaluates the expressions of docs/integrations.md over our gateway's replies and
 * messages. The rest of evcc is tested by hand (the page says how).
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { pinOf } from "../../tools/release/peers.js";
import type { JSONObject } from "../api/gateway.js";
import { installPython, PEER_SOURCES, PEERS_FOLDER, PeerMissing, run } from "./peer.js";
import { type BrokerBed, brokerBed, numbersOf } from "./reading-bed.js";
import { template } from "./templates.js";

const MODULE = `github.com/itchyny/gojq/cmd/gojq@v${pinOf("github.com/itchyny/gojq").version}`;
const INSTALL_LIMIT_MS = 120_000;
const DAY_S = 86_400;

/** Programs that evaluate the expressions. */
export interface Evaluator {
	readonly program: string;
	readonly packages: string;
	/** For its files. */
	readonly folder: string;
}

type Bed = BrokerBed & Evaluator;

/** Throws PeerMissing if it can't be built. */
async function installGojq(): Promise<string> {
	const folder = join(PEERS_FOLDER, MODULE.slice(MODULE.lastIndexOf("/") + 1));
	const program = join(folder, "gojq");
	if (existsSync(program)) return program;
	try {
		const env = { ...process.env, GOBIN: folder };
		await promisify(execFile)("go", ["install", MODULE], { env, timeout: INSTALL_LIMIT_MS });
	} catch (error) {
		const { code, stderr } = error as NodeJS.ErrnoException & { stderr: string };
		throw new PeerMissing(code === "ENOENT" ? "go is not installed" : `go could not install it: ${stderr.trim()}`);
	}
	return program;
}

/** Its files are in this folder. Throws PeerMissing. */
export async function installEvaluator(folder: string): Promise<Evaluator> {
	return { program: await installGojq(), packages: await installPython("yaml", ["pyyaml==6.0.2"]), folder };
}

export async function prepareGojq(): Promise<Bed> {
	const bed = await brokerBed();
	// The expressions refuse a readout older than three minutes, and the readout may have been made long before.
	const last = { ...bed.last, timestamp: Math.floor(Date.now() / 1000) };
	return { ...bed, ...(await installEvaluator(bed.folder)), last };
}

/** The meter that a configuration file of docs/integrations.md describes, with these words replaced. */
export async function meterOf(
	{ folder, packages }: Evaluator,
	name: string,
	words: Readonly<Record<string, string>> = {},
): Promise<JSONObject> {
	const path = join(folder, name);
	writeFileSync(path, template(name, words));
	const script = join(PEER_SOURCES, "python", "read_yaml.py");
	const config = JSON.parse(await run("sh", ["-c", `python3 '${script}' < '${path}'`], { PYTHONPATH: packages }));
	assert.equal(config.meters.length, 1);
	return config.meters[0];
}

/** The expression's number for this value. Throws gojq's message, or an Error for a result that is not a number. */
export async function evaluate({ folder, program }: Evaluator, { jq }: JSONObject, value: unknown): Promise<number> {
	const path = join(folder, "value.json");
	writeFileSync(path, JSON.stringify(value));
	const text = (await run(program, ["-r", jq, path])).trim();
	assert.match(text, /^-?[\d.]+$/);
	return Number(Number(text).toFixed(3));
}

/** Kilowatts to watts, with the meter's precision. */
const watts = (kilowatts: number) => Number((kilowatts * 1000).toFixed(3));

const PHASES = [0, 20, 40];

export const gojqCases = [
	{
		name: "evcc's expressions find power in W, energy and currents in the last readout",
		async run(bed: Bed) {
			const { last } = bed;
			const meter = await meterOf(bed, "evcc-http.yaml");
			const numbers = numbersOf(last);
			assert.equal(await evaluate(bed, meter.power, last), watts(numbers["16.7.0"]));
			assert.equal(await evaluate(bed, meter.energy, last), numbers["1.8.0"]);
			assert.equal(await evaluate(bed, meter.returnenergy, last), numbers["2.8.0"]);
			for (const [index, phase] of PHASES.entries())
				assert.equal(await evaluate(bed, meter.currents[index], last), numbers[`${31 + phase}.7.0`]);
		},
	},
	{
		name: "evcc's power is import minus export if there is no sum, for values in W and in kW",
		async run(bed: Bed) {
			const { last } = bed;
			const meter = await meterOf(bed, "evcc-http.yaml");
			const power = (...readings: JSONObject[]) => evaluate(bed, meter.power, { ...last, readings });
			const reading = (obis: string, value1_number: number, value1_unit: string) => ({
				...{ obis, value1_number, value1_unit },
				billing_period: null,
			});
			assert.equal(await power(reading("1.7.0", 0, "kW"), reading("2.7.0", 1.25, "kW")), -1250);
			assert.equal(await power(reading("1.7.0", 480, "W")), 480);
		},
	},
	{
		name: "evcc's energies are in kWh even for a meter that sends Wh, and do not add tariffs to a total",
		async run(bed: Bed) {
			const meter = await meterOf(bed, "evcc-http.yaml");
			const reading = (obis: string) => ({ obis, value1_number: 1_234_567, value1_unit: "Wh", billing_period: null });
			const last = { readings: ["1.8.0", "1.8.1", "2.8.0", "2.8.1"].map(reading) };
			for (const expression of [meter.energy, meter.returnenergy])
				assert.equal(await evaluate(bed, expression, last), 1234.567);
		},
	},
	{
		name: "evcc's expression fails for an old power",
		async run(bed: Bed) {
			const { last } = bed;
			const meter = await meterOf(bed, "evcc-http.yaml");
			const old = { ...last, timestamp: last.timestamp - DAY_S };
			await assert.rejects(evaluate(bed, meter.power, old), /the last readout is old/);
		},
	},
	{
		name: "evcc's expressions find all values that it needs in the published messages",
		async run(bed: Bed) {
			const { last } = bed;
			const meter = await meterOf(bed, "evcc-mqtt.yaml");
			const numbers = numbersOf(last);
			const present: BrokerBed["state"] = { ...bed.state, time: textOf(Date.now()) };
			for (const state of [present, withLongNames(present)]) {
				assert.equal(await evaluate(bed, meter.power, state), watts(numbers["16.7.0"]));
				assert.equal(await evaluate(bed, meter.energy, state), numbers["1.8.0"]);
				assert.equal(await evaluate(bed, meter.returnenergy, state), numbers["2.8.0"]);
				for (const [index, phase] of PHASES.entries()) {
					assert.equal(await evaluate(bed, meter.currents[index], state), numbers[`${31 + phase}.7.0`]);
					assert.equal(await evaluate(bed, meter.voltages[index], state), numbers[`${32 + phase}.7.0`]);
					assert.equal(await evaluate(bed, meter.powers[index], state), watts(numbers[`${36 + phase}.7.0`]));
				}
				const { "16_7_0": _, "1_0_16_7_0": __, ...rest } = state;
				assert.equal(await evaluate(bed, meter.power, rest), watts(numbers["1.7.0"] - numbers["2.7.0"]));
			}
			// P1 meters send no sums, and without feed-in no export.
			const tariffs = { "1_0_1_8_1": 1000.5, "1_0_1_8_2": 200.25, "1_0_2_8_1": 3, "1_0_2_8_2": 4.5 };
			assert.equal(await evaluate(bed, meter.energy, tariffs), 1200.75);
			assert.equal(await evaluate(bed, meter.returnenergy, tariffs), 7.5);
			assert.equal(await evaluate(bed, meter.powers[1], { "1_0_41_7_0": 20, "1_0_42_7_0": 500 }), -480);
			assert.equal(await evaluate(bed, meter.power, { "1_0_1_7_0": 0, "1_0_2_7_0": 1250 }), -1250);
			assert.equal(await evaluate(bed, meter.power, { "1_0_1_7_0": 480 }), 480);
			// Zero is a valid sum.
			assert.equal(await evaluate(bed, meter.power, { "1_0_16_7_0": 0, "1_0_1_7_0": 480 }), 0);
		},
	},
	{
		name: "evcc's expressions fail for a message of a gateway that is gone, and for a silent meter",
		async run(bed: Bed) {
			const meter = await meterOf(bed, "evcc-mqtt.yaml");
			const old = { ...bed.state, time: textOf(Date.now() - DAY_S * 1000) };
			await assert.rejects(evaluate(bed, meter.power, old), /the last readout is old/);
			const silent = { time: textOf(Date.now()), "1_0_1_7_0": null, "1_0_2_7_0": null };
			await assert.rejects(evaluate(bed, meter.power, silent), /null/);
		},
	},
];

/** The time in the form of the state's `time`. */
function textOf(utcMs: number): string {
	return `${new Date(utcMs).toISOString().slice(0, 19)}Z`;
}

/** The state of meters with OBIS codes that begin with 1-0: P1, SML, DLMS. */
function withLongNames(state: BrokerBed["state"]): BrokerBed["state"] {
	return Object.fromEntries(Object.entries(state).map(([key, value]) => [key === "time" ? key : `1_0_${key}`, value]));
}
