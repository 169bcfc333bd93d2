/** The button of the host contract. */
import { removeAt } from "../../modules/bytes/list.js";
import type { ButtonOptions, ButtonPort } from "../../modules/io/host.js";

class PressSource {
	readonly opened: NativeButton[] = [];

	onButton(pressed: boolean): void {
		for (const button of this.opened.slice()) button.report(pressed);
	}
}

/** Call once. `watch` gives the native code an object whose method `onButton(pressed)` it must call. */
export function createButtonPort(watch: (target: object) => void): ButtonPort {
	const source = new PressSource();
	watch(source);
	return { io: NativeButton, pins: { source } };
}

class NativeButton {
	readonly #options: ButtonOptions;
	readonly #opened: NativeButton[];

	constructor(options: ButtonOptions) {
		this.#options = options;
		this.#opened = (options as ButtonOptions & { source: PressSource }).source.opened;
		this.#opened.push(this);
	}

	report(pressed: boolean): void {
		if (this.#opened.includes(this)) this.#options.onChanged(pressed);
	}

	close(): void {
		removeAt(this.#opened, this.#opened.indexOf(this));
	}
}
