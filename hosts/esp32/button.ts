/** The button of a board as the host contract has it (power-button.c). */
import type { ButtonOptions, ButtonPort } from "../../modules/io/host.js";

class Natives {
	static watch(target: object, pin: number): void {
		native("xs_power_button").call(this, target, pin);
	}
}

/** Tells all who have opened the button. */
class Pressed {
	readonly opened: ChipButton[] = [];

	/** Called by the native part. */
	onButton(pressed: boolean): void {
		for (const button of this.opened.slice()) button.tell(pressed);
	}
}

/** To be called once. The GPIO `pin` is low while the button is held down. Throws when it can't be watched. */
export function createButtonPort(pin: number): ButtonPort {
	const source = new Pressed();
	Natives.watch(source, pin);
	return { io: ChipButton, pins: { source } };
}

class ChipButton {
	readonly #options: ButtonOptions;
	readonly #opened: ChipButton[];

	constructor(options: ButtonOptions) {
		this.#options = options;
		this.#opened = (options as ButtonOptions & { source: Pressed }).source.opened;
		this.#opened.push(this);
	}

	tell(pressed: boolean): void {
		if (this.#opened.includes(this)) this.#options.onChanged(pressed);
	}

	close(): void {
		const index = this.#opened.indexOf(this);
		if (index >= 0) this.#opened.splice(index, 1);
	}
}
