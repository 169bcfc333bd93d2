/** The button of the Linux host as the host contract has it: a signal to the runner presses it (runner.c, button.c). */
import type { ButtonOptions, ButtonPort } from "../../modules/io/host.js";

class Natives {
	static watch(target: object): void {
		native("xs_button_watch").call(this, target);
	}
}

/** Tells all who have opened the button. */
class Pressed {
	readonly opened: LinuxButton[] = [];

	/** Called by the runner. */
	onButton(pressed: boolean): void {
		for (const button of this.opened.slice()) button.tell(pressed);
	}
}

export function createButtonPort(): ButtonPort {
	const source = new Pressed();
	Natives.watch(source);
	return { io: LinuxButton, pins: { source } };
}

class LinuxButton {
	readonly #options: ButtonOptions;
	readonly #opened: LinuxButton[];

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
