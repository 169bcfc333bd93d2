/** A simulated heating circuit, from which a heat meter gets changing values. */

const HOUR_MS = 3_600_000;
const CYCLE_MS = 20 * 60_000;
/** Heat in J that warms a cubic metre of water by a kelvin. */
const HEAT_CAPACITY = 4.16e6;

export interface HeatReading {
	readonly utcMs: number;
	readonly energyWh: number;
	readonly lastYearWh: number;
	/** Volume in litres; the flow is in litres per hour. */
	readonly volumeL: number;
	readonly flowLPH: number;
	readonly powerW: number;
	/** Temperatures in hundredths of a degree Celsius. */
	readonly flowCC: number;
	readonly returnCC: number;
	readonly hours: number;
}

const START_WH = 37_351_000;
const LAST_YEAR_WH = 31_204_000;
const START_L = 561_080;
const START_HOURS = 9850;
const MEAN_W = 6200;
const SWING_W = 2600;
const FLOW_LPH = 240;

export function heatReading(startUtcMs: number, ms: number): HeatReading {
	const phase = (2 * Math.PI * ms) / CYCLE_MS;
	const powerW = Math.round(MEAN_W + SWING_W * Math.sin(phase));
	const swingWh = ((SWING_W * CYCLE_MS) / (2 * Math.PI) / HOUR_MS) * (1 - Math.cos(phase));
	const flowCC = 6800 + Math.round(120 * Math.sin(phase));
	const differenceCC = Math.round(((powerW * 3600) / (FLOW_LPH / 1000) / HEAT_CAPACITY) * 100);
	return {
		utcMs: startUtcMs + ms,
		energyWh: Math.floor(START_WH + (MEAN_W * ms) / HOUR_MS + swingWh),
		lastYearWh: LAST_YEAR_WH,
		volumeL: Math.floor(START_L + (FLOW_LPH * ms) / HOUR_MS),
		flowLPH: FLOW_LPH,
		powerW,
		flowCC,
		returnCC: flowCC - differenceCC,
		hours: Math.floor(START_HOURS + ms / HOUR_MS),
	};
}
