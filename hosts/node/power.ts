/**
 * Supply and sensors of the bench: what the file says, a line each, read anew every time, so that a tester can set them:
 *
 *   cells 3
 *   battery 4.1
 *   usb 0
 *   temperature 21.5
 *
 * What is not there: no cells, 5 V at the socket, 25 °C. "none" stands for what the board can't measure.
 */
import { readFileSync } from "node:fs";
import type { Power } from "../../modules/io/host.js";

export class FilePower implements Power {
	readonly #path: string;

	constructor(path: string) {
		this.#path = path;
	}

	get cells(): number {
		return this.#value("cells", 0) ?? 0;
	}

	batteryVoltage(): number | undefined {
		return this.#value("battery", 0);
	}

	usbVoltage(): number | undefined {
		return this.#value("usb", 5);
	}

	temperatureC(): number | undefined {
		return this.#value("temperature", 25);
	}

	#value(name: string, initial: number): number | undefined {
		let text = "";
		try {
			text = readFileSync(this.#path, "utf8");
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		}
		const word = new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1];
		if (word === undefined) return initial;
		return Number.isFinite(Number(word)) ? Number(word) : undefined;
	}
}
