/** Changes the fields of an entry to these values, in order. */
import { type Entry, type Put, put, type Setting } from "../../modules/config/schema.js";
import type { ConfigStore } from "../../modules/config/store.js";

export function putsOf(entry: Entry, values: readonly (Setting | undefined)[]): Put[] {
	return values.map((value, index) => put(entry.fields[index], value));
}

export function putValues(store: ConfigStore, entry: Entry, values: readonly (Setting | undefined)[]): boolean {
	return store.change(putsOf(entry, values));
}
