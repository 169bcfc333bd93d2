/** The `memory` of the host contract, for every host that runs in XS by the Moddable SDK. */
import type { Memory } from "../../modules/io/memory.js";

/** The C function, in the form that XS calls without a detour. */
class Bindings {
	static suffices(slots: number, chunkBytes: number): boolean {
		return native("xs_memory_suffices").call(this, slots, chunkBytes);
	}
}

export const MEMORY: Memory = Object.freeze({
	suffices: (slots: number, chunkBytes: number) => Bindings.suffices(slots, chunkBytes),
});
