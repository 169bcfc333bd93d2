/** Parts of the Moddable SDK that hosts in XS use; the compiler does not see the SDK. */
/** A class that extends `Native` must not have fields, because XS would not initialise them. */
declare function Native(destructor: string): new (...args: unknown[]) => object;
/** XS recognises a call of C by exactly this form: `native("name").call(this, …)`. */
// biome-ignore lint/suspicious/noExplicitAny: the C function decides what it takes and returns
declare function native(name: string): (this: unknown, ...args: any[]) => any;

declare module "timer" {
	class Timer {
		static set(callback: (timer: Timer) => void, delayMs: number): Timer;
		static clear(timer: Timer): void;
		private constructor();
	}
	export default Timer;
}

declare module "Resource" {
	class Resource {
		constructor(path: string);
		static exists(path: string): boolean;
		readonly byteLength: number;
	}
	export default Resource;
}

declare module "text/encoder" {
	export default class TextEncoder {
		encode(text: string): Uint8Array;
	}
}

declare module "text/decoder" {
	export default class TextDecoder {
		constructor(label: string, options: { fatal: boolean; ignoreBOM: boolean });
		decode(bytes: Uint8Array): string;
	}
}
