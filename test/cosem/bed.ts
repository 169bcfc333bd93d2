/** A reader with a DLMS meter on a modelled line in virtual time; the line can flip bits. */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import type { VirtualOptions } from "../../hosts/node/virtual.js";
import { OPENING_AUTO, OPENING_DIRECT, OPENING_MODE_E } from "../../modules/cosem/settings.js";
import { STATUS_OK } from "../../modules/readout/readout.js";
import { packedReadings } from "../meter/packed.js";
import {
	dlmsSettings,
	type Outcome,
	ReaderBed,
	type Settings,
	type WritableDLMSSettings,
} from "../meter/reader-bed.js";
import { AK, dlmsMeter, GUEK } from "./meters.js";

/** Registers of the default list. */
export const REGISTERS = 14;
/** Settings of a ciphered client with the simulated meter's keys. */
export const GMAC = { auth: 2, ciphered: true, client: 1, encryptionKey: GUEK, authenticationKey: AK };

export class Bed {
	readonly readerBed: ReaderBed;

	constructor(dlms: Partial<WritableDLMSSettings>, settings: Partial<Settings> = {}, world: VirtualOptions = {}) {
		const all = dlmsSettings({ physical: 17, opening: OPENING_DIRECT, ...dlms });
		this.readerBed = new ReaderBed({ protocol: "dlms", dlms: all, ...settings }, world);
	}

	meter(line: string): this {
		this.readerBed.world.serial.meter.connect(dlmsMeter(line));
		return this;
	}

	read(): Outcome {
		return this.readerBed.read();
	}

	/** Number of the meter's events `code` since the last `clear`. */
	count(code: number): number {
		return this.readerBed.world.serial.meter.meterEvents.filter((event) => event === code).length;
	}

	clear(): this {
		this.readerBed.world.serial.meter.meterEvents.length = 0;
		return this;
	}

	/** Reads the meter; all registers must be in the readout. */
	succeed(): Outcome {
		const outcome = this.read();
		assert.equal(outcome.failure, undefined);
		assert.equal(packedReadings(outcome.readout?.records).length, REGISTERS);
		return outcome;
	}
}

function values({ readout }: Pick<Outcome, "readout">): string[] {
	return packedReadings(readout?.records).map((reading) => JSON.stringify(reading));
}

/**
 * Runs `count` sessions on lines that flip bits; each value must be the meter's. Returns the number of complete
 * readouts.
 */
export function runSessions(count: number, seed: number): number {
	const random = new SeededRandom(seed);
	const expected = values(new Bed({}).meter("").succeed());
	let whole = 0;
	for (let i = 0; i < count; i++) {
		const opening = [OPENING_AUTO, OPENING_MODE_E, OPENING_DIRECT][random.below(3)];
		const world = { noise: [200, 1000, 3000, 10_000][random.below(4)], seed: random.below(1_000_000) };
		const bed = new Bed({ ...(random.below(2) === 0 ? {} : GMAC), opening }, {}, world);
		bed.meter(random.below(2) === 0 ? "" : "--mode-e --inactivity 5");
		const { readout } = bed.read();
		for (const value of values({ readout })) {
			assert.ok(expected.includes(value), `SEED=${seed}, session ${i}: ${value}`);
		}
		if (readout?.status === STATUS_OK) whole++;
	}
	return whole;
}
