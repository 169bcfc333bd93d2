/** A reader with simulated slaves of M-Bus, for the tests in this folder. */
import type { Slaves } from "../../modules/mbus/session.js";
import { heatReading } from "../../tools/meter/heat.js";
import { MBusMeter, type MBusMeterOptions, type Slave, slaveTelegrams } from "../../tools/meter/mbus-meter.js";
import { ReaderBench } from "../meter/bench.js";

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

export function mbusBench(
	options: Partial<MBusMeterOptions> = {},
	slaves: Partial<Slaves> = {},
	protocol = "mbus",
): { bench: ReaderBench; meter: MBusMeter } {
	const bench = new ReaderBench({ protocol, mbus: { baud: 2400, address: 254, count: 1, secondary: [], ...slaves } });
	const meter = new MBusMeter({ slaves: [slave(1)], ...options });
	bench.world.serial.meter.connect(meter);
	return { bench, meter };
}
