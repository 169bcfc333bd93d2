/**
 * The Zigbee coprocessor's UART (serial.ts), with the lines to its reset and boot loader as the board has them wired
 * (boards.ts), as the CoprocessorPort of the host contract.
 */
import type { CoprocessorPort, Timers } from "../../modules/io/host.js";
import type { RadioPins } from "./boards.js";
import { Output } from "./output.js";
import { createSerialPort } from "./serial.js";

export interface CoprocessorSettings {
	readonly pins: RadioPins;
	readonly timers: Timers;
	trace(message: string): void;
}

/** The coprocessor runs from now on, and its port is ours. */
export function createCoprocessorPort(settings: CoprocessorSettings): CoprocessorPort {
	const { reset, boot, select } = settings.pins;
	if (select !== undefined) Output.set(select, true);
	const port = createSerialPort(settings);
	if (reset === undefined) return port;
	// Both are low when they are wanted. What the boot loader's line says counts at the end of reset.
	const setLines = (isReset: boolean, bootLoader: boolean) => {
		if (boot !== undefined) Output.set(boot, !bootLoader);
		Output.set(reset, !isReset);
	};
	setLines(false, false);
	return { ...port, setLines };
}
