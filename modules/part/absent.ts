/**
 * Stand-in of a part in a firmware that was built without it. Each part that can be left out has its stand-in in
 * `absent-part.ts` of its folder. The build replaces `part.ts` with that file (tools/sdk/omissions.ts).
 *
 * The stand-in keeps the part's stored settings for a firmware that has the part, and erases them at a factory reset.
 * It answers the part's routes with an error, and writes the members that `system/status` always has.
 */
import { NOT_FOUND, UNSUPPORTED } from "../api/errors.js";
import type { Exchange } from "../api/exchange.js";
import { route } from "../api/route.js";
import { BlobStore } from "../config/blob.js";
import { BYTES, type Entry, entry, field, INTERNAL } from "../config/schema.js";
import type { Core, Running } from "../core/core.js";
import { METHOD_GET, METHOD_POST } from "../http/request.js";
import type { Storage } from "../io/host.js";
import { type Part, part } from "./part.js";

/** Maximum length of a part's certificates (config/trusted-certificates.ts), bytes. */
const CERTIFICATES_LIMIT = 10_239;

export class Absent implements Running {
	readonly name: string;
	readonly #storage: Storage;
	readonly #certificates: string;
	readonly #key: string;

	/**
	 * `certificates`: key prefix of the part's certificates in flash, or "" if it has none. `key`: key of the part's other
	 * data, or "" if it has none.
	 */
	constructor(name: string, { storage }: Core, certificates = "", key = "") {
		this.name = name;
		this.#storage = storage;
		this.#certificates = certificates;
		this.#key = key;
	}

	whenErasing(): void {
		if (this.#key !== "") this.#storage.delete(this.#key);
		if (this.#certificates === "") return;
		new BlobStore(this.#storage, { name: this.#certificates, limit: CERTIFICATES_LIMIT, slots: 2 }).sweep([], true);
	}
}

/** Entry that preserves stored settings without knowing their fields. `index`: position among all entries. */
export function keptEntry(key: string, index: number): Entry {
	// No stored value has the id 0, so every stored value counts as unknown and is kept.
	return entry(key, 1, [field<Uint8Array>({ entry: index, id: 0, name: "kept", kind: BYTES })], INTERNAL);
}

/** `paths`: the part's routes. */
export function absentPart(
	own: Pick<Part<Absent>, "name" | "entries" | "open"> & Partial<Pick<Part<Absent>, "state" | "status">>,
	paths: readonly string[],
): Part<Absent> {
	return part<Absent>({
		routes: Object.freeze([
			...paths.map((path) => route(METHOD_GET, path, refuseToShow)),
			...paths.map((path) => route(METHOD_POST, path, refuseToChange, { body: undefined })),
		]),
		...own,
	});
}

function refuseToShow(exchange: Exchange<Absent>): void {
	exchange.fail(404, NOT_FOUND, describe(exchange));
}

function refuseToChange(exchange: Exchange<Absent>): void {
	exchange.fail(501, UNSUPPORTED, describe(exchange));
}

function describe({ part: { name } }: Exchange<Absent>): string {
	return `This firmware was built without ${name}.`;
}
