/** Runs the simulated meter (tools/meter.ts) on a pseudo-terminal. */
import type { FastTime } from "./fast-time.js";
import { startTool } from "./tool-program.js";

export interface SimulatedMeter {
	readonly path: string;
	end(): Promise<void>;
}

export interface SimulatedMeterOptions {
	readonly isQuiet: boolean;
	/** Accelerated time, or undefined if the computer's time is used. */
	readonly time?: FastTime | undefined;
	/** Time of the gateway's clock at the start. */
	readonly utcMs?: number | undefined;
	onEnded(message: string): void;
}

export async function startSimulatedMeter({
	isQuiet,
	time,
	utcMs = Date.now(),
	onEnded,
}: SimulatedMeterOptions): Promise<SimulatedMeter> {
	// In accelerated time the line has no speed. Otherwise readouts would take most of the accelerated day.
	const pace = time === undefined ? ["--baud-pace"] : ["--time", new Date(utcMs).toISOString()];
	const startedMs = time?.monotonicMs() ?? 0;
	const { child, printed, end } = await startTool({
		name: "meter",
		words: "The simulated meter",
		// Users' programs rely on the rows of the load profile, so the meter always has one.
		args: [...pace, "--protocol", "iec", "--profile", "programming", ...(isQuiet ? ["--quiet"] : [])],
		ready: /^meter (\S+)$/,
		onEnded,
	});
	if (time !== undefined) {
		time.onPace = (nowMs, speed) => child.connected && child.send({ utcMs: utcMs + nowMs - startedMs, speed });
	}
	return { path: printed[0], end };
}
