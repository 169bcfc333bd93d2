/** A reader with simulated slaves of M-Bus, for the tests in this folder. */
import assert from "node:assert/strict";
import { Link } from "../../modules/io/link.js";
import { SlaveSearch } from "../../modules/mbus/search.js";
import { addressText } from "../../modules/mbus/secondary.js";
import type { Slaves } from "../../modules/mbus/session.js";
import { heatReading } from "../../tools/meter/heat.js";
import { MBusMeter, type MBusMeterOptions, type Slave, slaveTelegrams } from "../../tools/meter/mbus-meter.js";
import { textOf } from "../latin1.js";
import { ReaderBed } from "../meter/reader-bed.js";

export const SLAVES_LIMIT = 16;
const START_UTC_MS = Date.UTC(2026, 10, 20, 6);

export function slave(address: number, medium = 4, isLong = false): Slave {
	const telegrams = (nowMs: number) =>
		slaveTelegrams(heatReading(START_UTC_MS, nowMs), 10_000_000 + address, medium, isLong);
	return { address, telegrams };
}

/** A slave that always sends these telegrams, from CI to the data. */
export function fixedSlave(...telegrams: (readonly number[])[]): Slave {
	return { address: 1, telegrams: () => telegrams };
}

export function mbusBed(
	options: Partial<MBusMeterOptions> = {},
	slaves: Partial<Slaves> = {},
	protocol = "mbus",
): { bed: ReaderBed; meter: MBusMeter } {
	const bed = new ReaderBed({ protocol, mbus: { baud: 2400, address: 254, count: 1, secondary: [], ...slaves } });
	const meter = new MBusMeter({ slaves: [slave(1)], ...options });
	bed.world.serial.meter.connect(meter);
	return { bed, meter };
}

export interface SearchResult {
	readonly found: readonly string[];
	readonly isComplete: boolean;
	readonly seconds: number;
}

/** Searches for the slaves by secondary addresses. */
export function search(options: Partial<MBusMeterOptions>, baud = 2400): SearchResult {
	const { bed } = mbusBed({ baud, ...options });
	let machine: SlaveSearch | undefined;
	let isOver = false;
	const startMs = bed.world.clock.monotonicMs();
	bed.reader.lend((driver, port, { nowMs }, giveBack) => {
		machine = new SlaveSearch(baud, SLAVES_LIMIT, nowMs);
		const end = () => {
			isOver = true;
			link.close();
			giveBack();
		};
		const link = new Link(driver, { port, machine, listener: { linkEvent: end, linkClosed: end } });
		return { stop: end };
	});
	bed.world.time.runWhile(() => !isOver, startMs + 600_000);
	assert.ok(machine !== undefined && isOver);
	const seconds = (bed.world.clock.monotonicMs() - startMs) / 1000;
	return {
		found: machine.found.map((address) => textOf(addressText(address))),
		isComplete: machine.isComplete,
		seconds,
	};
}
