/**
 * Settings of the hub. Token, certificate and address are in one entry, so one write stores all three, and the token is
 * never used with another address.
 */

import { blobReferenceLimit } from "../../config/blob.js";
import { ENTRY_HUB } from "../../config/entries.js";
import { BOOLEAN, BYTES, CHOICE, entry, field, TEXT } from "../../config/schema.js";

const GRAPHIC = "!~";

export const HUB_CERTIFICATE_LIMIT = 10239;

export const HUB_ENABLED = field<boolean>({
	entry: ENTRY_HUB,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: false,
});
export const HUB_URL = field<string>({
	entry: ENTRY_HUB,
	id: 2,
	name: "url",
	kind: TEXT,
	maximum: 255,
	characters: GRAPHIC,
	initial: "",
});
export const HUB_TOKEN = field<string>({
	entry: ENTRY_HUB,
	id: 3,
	name: "token",
	kind: TEXT,
	maximum: 512,
	characters: GRAPHIC,
	initial: "",
	secret: true,
});
/** Language of the published descriptions. */
export const HUB_LANG = field<string>({
	entry: ENTRY_HUB,
	id: 4,
	name: "lang",
	kind: CHOICE,
	choices: Object.freeze(["en", "de", "pl"]),
	initial: "en",
});
/** Reference to the certificate (config/blob.ts); empty if there is none. */
export const HUB_CERTIFICATE = field<Uint8Array>({
	entry: ENTRY_HUB,
	id: 5,
	name: "cert",
	kind: BYTES,
	maximum: blobReferenceLimit(HUB_CERTIFICATE_LIMIT),
});
/** True to send the hours of the history to the hub as statistics, for its energy dashboard. */
export const HUB_STATISTICS = field<boolean>({
	entry: ENTRY_HUB,
	id: 6,
	name: "statistics",
	kind: BOOLEAN,
	initial: false,
});
export const HUB = entry("hub", 2, [
	...[HUB_ENABLED, HUB_URL, HUB_TOKEN, HUB_LANG],
	...[HUB_CERTIFICATE, HUB_STATISTICS],
]);
