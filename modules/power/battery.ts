/** Remaining charge of alkaline cells (IEC 60086, LR6), estimated from their voltage under a light load at room temperature. */

/** Pairs of cell voltage and remaining charge in per cent. Values in between are interpolated linearly. */
const CURVE = Object.freeze([1.55, 100, 1.45, 90, 1.35, 70, 1.25, 45, 1.15, 22, 1.05, 8, 0.9, 0]);

/** Returns the remaining charge in per cent; 0 without cells. `voltage`: of all cells in series. */
export function batteryPercent(voltage: number, cells: number): number {
	if (cells <= 0 || !(voltage > 0)) return 0;
	const volts = voltage / cells;
	if (volts >= CURVE[0]) return 100;
	for (let i = 2; i < CURVE.length; i += 2) {
		if (volts < CURVE[i]) continue;
		const part = (volts - CURVE[i]) / (CURVE[i - 2] - CURVE[i]);
		return Math.round(CURVE[i + 1] + part * (CURVE[i - 1] - CURVE[i + 1]));
	}
	return 0;
}
