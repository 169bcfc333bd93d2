/** Every setting as text, for reports: of a secret only whether it is set. */
import { encodeHex } from "../bytes/hex.js";
import type { TextCodec } from "../io/host.js";
import { ENTRIES } from "./entries.js";
import type { Field, Setting } from "./schema.js";
import type { ConfigStore } from "./store.js";

/** Tells `line` of each. */
export function reportSettings(
	store: ConfigStore,
	text: TextCodec,
	line: (entryKey: string, name: string, value: string) => void,
): void {
	for (const entry of ENTRIES)
		for (const field of entry.fields) line(entry.key, field.name, show(field, store.get(field), text));
}

function show(field: Field, value: Setting, text: TextCodec): string {
	if (field.secret) return isInitial(field, value) ? "" : "***";
	return value instanceof Uint8Array ? text.decode(encodeHex(value)) : String(value);
}

/** Bytes start as none. */
function isInitial(field: Field, value: Setting): boolean {
	return value instanceof Uint8Array ? value.length === 0 : value === field.initial;
}
