/**
 * Simulated power supply and sensors. Each line of a text describes one of them:
 *
 *   cells 3
 *   battery 4.1
 *   usb 0
 *   temperature 21.5
 *
 * If a name appears twice, the first line is used. Defaults: no cells, 5 V at the USB socket, 25 °C. "none" marks a
 * value that the board cannot measure.
 */
import type { Power } from "../../modules/io/host.js";

export class SimulatedPower implements Power {
	readonly #read: () => string;

	/** `read` returns the current text, which may be empty. It is called at each use. */
	constructor(read: () => string) {
		this.#read = read;
	}

	get cells(): number {
		return this.value("cells", 0) ?? 0;
	}

	batteryVoltage(): number | undefined {
		return this.value("battery", 0);
	}

	usbVoltage(): number | undefined {
		return this.value("usb", 5);
	}

	temperatureC(): number | undefined {
		return this.value("temperature", 25);
	}

	private value(name: string, initial: number): number | undefined {
		for (const line of this.#read().split("\n")) {
			const [word, number] = line.split(" ");
			if (word === name) return Number.isFinite(Number(number)) ? Number(number) : undefined;
		}
		return initial;
	}
}
