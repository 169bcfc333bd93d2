/**
 * Explanations for patterns of fields. They are needed because a failed match alone does not tell the user what is
 * wrong.
 */
import type { TextKey } from "../text/all.js";

export interface Form {
	readonly says: TextKey;
	/** Pattern of an allowed character. The error message names the first character that does not match. */
	readonly characters?: RegExp;
	/** Characters that may be typed or pasted between the allowed ones. They are removed. */
	readonly ignores?: RegExp;
}

/** Explanations by pattern, as it appears in bodies.ts. */
const FORMS: Readonly<Record<string, Form>> = {
	"^[ -~]*$": { says: "form.signs", characters: /[ -~]/ },
	"^[ -'*-~]*$": { says: "form.signs", characters: /[ -'*-~]/ },
	"^[!-~]*$": { says: "form.solid", characters: /[!-~]/ },
	'^[!-"$-*,-~]*$': { says: "form.topic", characters: /[!-"$-*,-~]/ },
	"^[0-9A-Za-z #/]*$": { says: "form.plain", characters: /[0-9A-Za-z #/]/ },
	"^[.0-9]*$": { says: "form.address", characters: /[.0-9]/ },
	"^[0-9]*$": { says: "form.digits", characters: /[0-9]/ },
	"^[^\\u0000-\\u001f]*$": { says: "form.line" },
	"^([^\\u0000-\\u001f]{8,})?$": { says: "form.line" },
	"^[ 0-9A-Fa-f]*$": { says: "mbus.secondary.help", characters: /[ 0-9A-Fa-f]/ },
	"^([0-9A-Fa-f]{32})?$": { says: "form.key", characters: /[0-9A-Fa-f]/, ignores: /[\s:-]/g },
	"^[0-9A-Za-z\\-._~]*$": { says: "form.name", characters: /[0-9A-Za-z\-._~]/ },
	"^[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?$": { says: "form.host", characters: /[0-9A-Za-z-]/ },
};

export function formOf(pattern: RegExp): Form | undefined {
	return FORMS[pattern.source];
}
