/** The Zigbee coprocessor: its UART, and the two GPIOs that reset it and select its boot loader (boards.ts). */
import type { CoprocessorPort, Timers } from "../../modules/io/host.js";
import type { RadioPins } from "./boards.js";
import { OutputPin } from "./output-pin.js";
import { UARTPort } from "./serial.js";

export interface CoprocessorSettings {
	readonly pins: RadioPins;
	readonly timers: Timers;
	trace(message: string): void;
}

export function createCoprocessorPort(settings: CoprocessorSettings): CoprocessorPort {
	const { reset, select } = settings.pins;
	if (select !== undefined) OutputPin.set(select, true);
	if (reset === undefined) return new UARTPort(settings);
	const port = new WiredPort(settings);
	port.setLines(false, false);
	return port;
}

class WiredPort extends UARTPort<CoprocessorSettings> {
	/** Both lines are active low. The coprocessor samples the boot loader's line at the end of reset. */
	setLines(isReset: boolean, bootLoader: boolean): void {
		const { reset, boot } = this.settings.pins;
		if (boot !== undefined) OutputPin.set(boot, !bootLoader);
		OutputPin.set(reset!, !isReset);
	}
}
