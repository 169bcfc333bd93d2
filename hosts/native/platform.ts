/** Parts of the host contract that the Moddable SDK provides. */
import Resource from "Resource";
import TextDecoder from "text/decoder";
import TextEncoder from "text/encoder";
import Timer from "timer";
import type { Resources, TextCodec, Timers } from "../../modules/io/host.js";

/** A timer of the SDK. Its callback is a member, because a closure would take three times the slots. */
interface HeldTimer extends Timer {
	id: number;
	callback: () => void;
}

export class SDKTimers implements Timers {
	readonly #timers = new Map<number, HeldTimer>();
	readonly #fire = (timer: Timer): void => {
		const { id, callback } = timer as HeldTimer;
		this.#timers.delete(id);
		callback();
	};
	#lastId = 0;

	set(callback: () => void, delayMs: number): number {
		const id = ++this.#lastId;
		const timer = Timer.set(this.#fire, Math.max(0, Math.ceil(delayMs))) as HeldTimer;
		timer.id = id;
		timer.callback = callback;
		this.#timers.set(id, timer);
		return id;
	}

	clear(id: number): void {
		const timer = this.#timers.get(id);
		if (timer === undefined) return;
		this.#timers.delete(id);
		Timer.clear(timer);
	}
}

export class SDKText implements TextCodec {
	readonly #encoder = new TextEncoder();
	readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

	encode(text: string): Uint8Array {
		return this.#encoder.encode(text);
	}

	decode(bytes: Uint8Array, start = 0, end = bytes.length): string {
		return this.#decoder.decode(bytes.subarray(start, end));
	}
}

/** Resources. XS reads them directly from flash, without a copy. */
export class SDKResources implements Resources {
	readonly #files = new Map<string, Uint8Array>();

	get(name: string): Uint8Array | undefined {
		let file = this.#files.get(name);
		if (file === undefined && Resource.exists(name)) {
			file = new Uint8Array(new Resource(name) as unknown as ArrayBuffer);
			this.#files.set(name, file);
		}
		return file;
	}
}
