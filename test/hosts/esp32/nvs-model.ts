/**
 * A model of the space that values take in ESP-IDF's NVS: its pages and entries, without the values. API guide "NVS",
 * "Internals", and components/nvs_flash of v6.0: a page of 4096 bytes has 126 entries of 32. A value of variable size
 * has an index of one entry and chunks; each chunk has a header of one entry and stays within its page. A new value is
 * written before the old one is erased. One page is always free, so that the valid entries of another page can be moved
 * there.
 */

const PAGE_BYTES = 4096;
const PAGE_PLACES = 126;
const PLACE_BYTES = 32;

/** A chunk of a value, within one page. */
interface Piece {
	readonly places: number;
	living: boolean;
}

export class NVSModel {
	readonly #pages: Piece[][] = [];
	readonly #pageCount: number;
	readonly #values = new Map<string, Piece[]>();

	constructor(partitionBytes: number) {
		this.#pageCount = partitionBytes / PAGE_BYTES;
	}

	/** Share of entries that present values take. */
	get used(): number {
		const all = this.#pages.flat().filter(({ living }) => living);
		return all.reduce((sum, { places }) => sum + places, 0) / (this.#pageCount * PAGE_PLACES);
	}

	/** Throws an Error if there is no room. */
	set(key: string, bytes: number): void {
		const pieces: Piece[] = [];
		let left = Math.ceil(bytes / PLACE_BYTES);
		do {
			if (this.#room() < 2) this.#turnPage();
			const places = Math.min(left, this.#room() - 1);
			pieces.push(this.#write(places + 1));
			left -= places;
		} while (left > 0);
		if (this.#room() < 1) this.#turnPage();
		pieces.push(this.#write(1));
		this.delete(key);
		this.#values.set(key, pieces);
	}

	delete(key: string): void {
		for (const piece of this.#values.get(key) ?? []) piece.living = false;
		this.#values.delete(key);
	}

	#room(): number {
		const page = this.#pages.at(-1);
		return page === undefined ? 0 : PAGE_PLACES - taken(page);
	}

	#write(places: number): Piece {
		const piece = { places, living: true };
		this.#pages.at(-1)!.push(piece);
		return piece;
	}

	/**
	 * Begins a new page. If only the free page is left, it first gets the valid entries of the page with the most
	 * erased entries, which becomes the free one.
	 */
	#turnPage(): void {
		if (this.#pages.length < this.#pageCount - 1) {
			this.#pages.push([]);
			return;
		}
		const dead = (page: Piece[]) => taken(page.filter(({ living }) => !living));
		const worst = this.#pages.reduce((most, page) => (dead(page) > dead(most) ? page : most));
		if (dead(worst) < 2) throw new Error("NVS is full");
		this.#pages.splice(this.#pages.indexOf(worst), 1);
		this.#pages.push(worst.filter(({ living }) => living));
	}
}

function taken(page: readonly Piece[]): number {
	return page.reduce((sum, { places }) => sum + places, 0);
}
