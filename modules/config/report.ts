/**
 * Settings in the diagnostic report. Numbers, booleans, choices and public texts are shown with their value. Other
 * texts are shown with their length only. Secrets are shown as `***`.
 */
import { encodeHex } from "../bytes/hex.js";
import type { TextCodec } from "../io/host.js";
import { type Field, type Setting, TEXT } from "./schema.js";
import type { ConfigStore } from "./store.js";

/** End of the scheme in a URL. The report shows the scheme, because it is not confidential. */
const SCHEME_END = "://";
const SCHEME_LIMIT = 8;

/**
 * Returns the line `<entry>.<name>: <value>` of the setting number `index`, counted over all entries; undefined after
 * the last setting.
 */
export function settingLine(store: ConfigStore, text: TextCodec, index: number): string | undefined {
	let at = index;
	for (const { key, fields } of store.entries) {
		if (at < fields.length) return `${key}.${fields[at].name}: ${show(fields[at], store.get(fields[at]), text)}`;
		at -= fields.length;
	}
	return undefined;
}

function show(field: Field, value: Setting, text: TextCodec): string {
	if (isInitial(field, value)) return value instanceof Uint8Array ? "" : String(value);
	if (field.secret) return "***";
	if (value instanceof Uint8Array) {
		return field.isPublic ? text.decode(encodeHex(value)) : `*** (${value.length} bytes)`;
	}
	const shown = String(value);
	if (field.isPublic || field.kind !== TEXT) return shown;
	const end = shown.indexOf(SCHEME_END);
	const scheme = end > 0 && end < SCHEME_LIMIT ? shown.slice(0, end + SCHEME_END.length) : "";
	return `${scheme}*** (${shown.length} characters)`;
}

function isInitial(field: Field, value: Setting): boolean {
	return value instanceof Uint8Array ? value.length === 0 : value === field.initial;
}
