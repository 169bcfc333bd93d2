/**
 * Situations of a meter and a gateway. In each of them programs may show the present power or none, never the last one
 * as present.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HouseholdReading } from "../../tools/meter/household.js";
import { p1Telegram } from "../../tools/meter/p1-telegram.js";
import { dlmsTelegram } from "../../tools/meter/push-telegrams.js";
import { smlTelegram } from "../../tools/meter/sml-telegram.js";
import type { JSONObject } from "../api/gateway.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import type { Mosquitto } from "./mosquitto.js";

/** Longest time until a recipe shows a change, ms: the silence of a meter, then the period of a program. */
const CHANGE_LIMIT_MS = 120_000;
const LOOK_MS = 1000;
/** Allowed difference of two numbers, by the rounding of programs. */
const TOLERANCE = 0.01;

/** Values that a program shows. Undefined: unknown, unavailable, or an error. */
export interface Shown {
	/** Import minus export, W. */
	readonly power: number | undefined;
	/** Imported energy, kWh; only compared if the recipe has it. */
	readonly imported?: number | undefined;
}

export interface Program {
	shown(): Promise<Shown> | Shown;
	/** Forgets the values of the last meter. */
	forget?(): Promise<void>;
	end?(): Promise<void>;
}

export interface Recipe<B extends MeterBed> {
	/** File of the documents, or what else the owner sets up. */
	readonly name: string;
	/** Starts its program. Throws PeerMissing. */
	start(bed: B): Promise<Program>;
}

export interface MeterBed {
	readonly gateway: ProcessGateway;
	readonly broker: Mosquitto;
	/** For files. */
	readonly folder: string;
	/** Programs that run, by the name of their recipe. */
	readonly programs: Map<string, Program>;
}

export interface Meter {
	readonly name: string;
	/** Settings of the gateway, by route. */
	readonly settings: Readonly<Record<string, object>>;
	/** Arguments of the simulator, whose values do not change. `file` makes a file of a telegram. */
	arguments(file: (telegram: Uint8Array) => string): string[];
	/** The gateway asks this meter, so its silence takes minutes to be noticed. Default: the meter sends each second. */
	readonly isAsked?: true;
	/** The power that this meter sends by itself, W, so that no value of the last meter is taken for its own. */
	readonly power?: number;
	/** Time until the gateway knows the meter's interval, ms. Default: 0. */
	readonly settleMs?: number;
}

const READING: HouseholdReading = {
	...{ utcMs: Date.UTC(2026, 10, 22, 10), dayImport: 8421.337, nightImport: 4150.902, export: 3276.124 },
	...{ reactive: 0, maximum: 3.1, maximumMs: Date.UTC(2026, 10, 20, 18), power: -421, frequency: 50 },
	phases: [-141, -140, -140].map((watts) => ({ volts: 232.1, amperes: 1, watts })),
};
/** A telegram with the names that meters without P1, SML and DLMS use. */
function iecTelegram(): Uint8Array {
	const { dayImport, nightImport, export: given, power } = READING;
	const lines = [
		`1.8.0(${(dayImport + nightImport).toFixed(3)}*kWh)`,
		`1.8.1(${dayImport.toFixed(3)}*kWh)`,
		`1.8.2(${nightImport.toFixed(3)}*kWh)`,
		`2.8.0(${given.toFixed(3)}*kWh)`,
		// Not the power of the other meters.
		`16.7.0(${(-power / 1000).toFixed(3)}*kW)`,
	];
	const block = Buffer.from(`${lines.join("\r\n")}\r\n!\r\n\x03`);
	const check = block.reduce((sum, byte) => sum ^ byte);
	return Buffer.concat([Buffer.from("/GWS5RECIPES\r\n\x02"), block, Buffer.of(check)]);
}

const PUSHING = ["--push-seconds", "1", "--baud", "9600"];
/** On a loaded computer the simulator pauses longer than a meter does. */
const PUBLIC_CLIENT = {
	...{ auth: "none", client_address: 16, use_encryption: false },
	...{ opening: "direct", receive_timeout_ms: 10_000 },
};

export const METERS: readonly Meter[] = [
	{
		name: "IEC 62056-21",
		settings: { "meter/protocol": { protocol: "iec62056" } },
		arguments: (file) => ["--telegram", file(iecTelegram())],
		isAsked: true,
	},
	{
		name: "DLMS/COSEM",
		settings: { "meter/protocol": { protocol: "dlms" }, "dlms/config": PUBLIC_CLIENT },
		arguments: () => ["--protocol", "dlms", "--at", new Date(READING.utcMs).toISOString()],
		isAsked: true,
	},
	{
		name: "DLMS/COSEM push",
		power: -421,
		// The gateway counts on an hour, an eighth less after each telegram (docs/behaviour.md).
		settleMs: 60_000,
		settings: { "meter/protocol": { protocol: "dlms" }, "dlms/config": { push_baudrate: 9600 } },
		arguments: (file) => [
			"--protocol",
			"dlms-push",
			...PUSHING,
			"--telegram",
			file(dlmsTelegram({ ...READING, power: -421 }, { framing: "hdlc" }, 0, false)),
		],
	},
	{
		name: "SML",
		power: -422,
		settings: { "meter/protocol": { protocol: "sml" } },
		arguments: (file) => [
			"--protocol",
			"sml",
			...PUSHING,
			"--telegram",
			file(smlTelegram({ ...READING, power: -422 })),
		],
	},
	{
		name: "P1",
		power: -423,
		settings: {
			"meter/protocol": { protocol: "iec62056" },
			"iec62056/config": { mode_d_enabled: true, mode_d_baudrate: 9600 },
		},
		arguments: (file) => ["--protocol", "p1", ...PUSHING, "--telegram", file(p1Telegram({ ...READING, power: -423 }))],
	},
];

/** Import minus export in W and imported energy in kWh, from numbers by code and their units. */
export function shownBy(readings: readonly JSONObject[]): Shown {
	const of = (code: string): number | undefined => {
		const found = readings.find(({ obis, billing_period }) => obis === code && !billing_period);
		if (found === undefined || (found.value1_number ?? null) === null) return undefined;
		const factor = { kW: 1000, Wh: 0.001 }[found.value1_unit as string] ?? 1;
		return found.value1_number * factor;
	};
	const sum = (first: number | undefined, sign: 1 | -1, second: number | undefined) =>
		first === undefined ? undefined : first + sign * (second ?? 0);
	return {
		power: of("16.7.0") ?? sum(of("1.7.0"), -1, of("2.7.0")),
		imported: of("1.8.0") ?? sum(of("1.8.1"), 1, of("1.8.2")),
	};
}

/** Waits until each program shows what `now` returns: this power, and this energy if it shows one. */
async function untilShown({ programs }: MeterBed, now: () => Promise<Shown>): Promise<void> {
	const limit = Date.now() + CHANGE_LIMIT_MS;
	const same = (one: number | undefined, other: number | undefined) =>
		one === other || (one !== undefined && other !== undefined && Math.abs(one - other) < TOLERANCE);
	for (const [name, program] of programs) {
		for (;;) {
			const expected = await now();
			const { power, imported } = await program.shown();
			const hasEnergy = imported !== undefined && expected.power !== undefined;
			if (same(power, expected.power) && (!hasEnergy || same(imported, expected.imported))) break;
			assert.ok(
				Date.now() < limit,
				`${name} shows ${power} W, ${imported} kWh; not ${expected.power} W, ${expected.imported} kWh`,
			);
			await sleep(LOOK_MS);
		}
	}
}

const unknown = async (): Promise<Shown> => ({ power: undefined });

/** Values of the gateway's last readout, once it is of this meter. */
async function readNow({ gateway }: MeterBed, { isAsked, power }: Meter): Promise<Shown> {
	const limit = Date.now() + CHANGE_LIMIT_MS;
	for (;;) {
		// A meter may refuse a readout soon after another one.
		const { status, text } = await gateway.get(isAsked ? "iec62056/read" : "iec62056/last");
		const { readings = [], momentary_valid } = JSON.parse(text);
		const shown = shownBy(readings);
		if (status === 200 && (isAsked || (shown.power === power && momentary_valid))) return shown;
		assert.ok(Date.now() < limit, gateway.diagnosis);
		await sleep(LOOK_MS);
	}
}

async function connect({ folder, gateway }: MeterBed, meter: Meter): Promise<void> {
	const file = (telegram: Uint8Array): string => {
		const path = join(folder, "telegram.bin");
		writeFileSync(path, telegram);
		return path;
	};
	await gateway.connectProgram(meter.arguments(file));
	// The gateway opens the new port when its settings change.
	for (const [route, settings] of Object.entries(meter.settings)) await gateway.write(route, settings);
}

/** Reports a program that can't run as skipped, and runs it otherwise. */
export const startOf = <B extends MeterBed>({ name, start }: Recipe<B>) => ({
	name: `${name} starts`,
	async run(bed: B) {
		bed.programs.set(name, await start(bed));
	},
});

export async function endPrograms({ programs }: MeterBed): Promise<void> {
	for (const { end } of programs.values()) await end?.();
}

/** Cases of a meter, in this order. */
export function casesOf(meter: Meter) {
	const value = {
		name: `${meter.name}: each recipe shows the value`,
		async run(bed: MeterBed) {
			await connect(bed, meter);
			await readNow(bed, meter);
			for (const { forget } of bed.programs.values()) await forget?.();
			await untilShown(bed, () => readNow(bed, meter));
		},
	};
	if (meter.isAsked) return [value];
	return [
		value,
		{
			name: `${meter.name}: no recipe shows a power of a silent meter`,
			async run(bed: MeterBed) {
				await sleep(meter.settleMs ?? 0);
				bed.gateway.silenceMeter(true);
				await untilShown(bed, unknown);
			},
		},
		{
			name: `${meter.name}: each recipe shows the value again when the meter sends`,
			async run(bed: MeterBed) {
				bed.gateway.silenceMeter(false);
				await untilShown(bed, () => readNow(bed, meter));
			},
		},
		{
			name: `${meter.name}: no recipe shows a power of a gateway that is gone, and the broker retains none`,
			async run(bed: MeterBed) {
				await bed.gateway.cutPower();
				await untilShown(bed, unknown);
				const retained = (await bed.broker.retained("smgw/#")).map(({ topic }) => topic.split("/")[2]);
				assert.ok(retained.includes("status"), retained.join());
				assert.deepEqual(
					retained.filter((name) => name === "state" || /_7_0$|^power/.test(name)),
					[],
				);
			},
		},
		{
			name: `${meter.name}: each recipe shows the value again when the gateway is back`,
			async run(bed: MeterBed) {
				await bed.gateway.restorePower();
				await bed.gateway.login();
				await untilShown(bed, () => readNow(bed, meter));
			},
		},
	];
}
