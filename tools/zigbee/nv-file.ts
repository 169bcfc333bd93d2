/** File with the non-volatile memories of a simulated network. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { type NVContents, NVMemory } from "./nvram.js";

const DELAY_MS = 50;

export class NVFile {
	readonly #path: string | undefined;
	readonly #known: Readonly<Record<string, NVContents>>;
	readonly #memories = new Map<string, NVMemory>();
	#timer: NodeJS.Timeout | undefined;

	/** If no path is given, nothing is stored. */
	constructor(path: string | undefined) {
		this.#path = path;
		try {
			this.#known = path !== undefined && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
		} catch (error) {
			throw new Error(`${path} can't be read (${(error as Error).message}): delete it, or name another with --nv.`);
		}
	}

	memory(name: string, make: () => NVMemory): NVMemory {
		const known = this.#known[name];
		const memory = known === undefined ? make() : new NVMemory(known);
		memory.onChanged = () => {
			this.#timer ??= setTimeout(() => this.save(), DELAY_MS);
		};
		this.#memories.set(name, memory);
		return memory;
	}

	save(): void {
		if (this.#timer === undefined || this.#path === undefined) return;
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const contents = Object.fromEntries([...this.#memories].map(([name, memory]) => [name, memory.contents]));
		writeFileSync(`${this.#path}.new`, JSON.stringify(contents, null, "\t"));
		renameSync(`${this.#path}.new`, this.#path);
	}
}
