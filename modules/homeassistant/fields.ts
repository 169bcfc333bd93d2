/**
 * The hub's settings (API text, "Hub settings"; decisions 41, 44). Token and certificate stand in one entry with the
 * rest, so that a change is one write: the hub's token never meets another hub's address.
 */
import { blobReferenceLimit } from "../config/blob.js";
import { BOOLEAN, BYTES, CHOICE, entry, field, TEXT } from "../config/schema.js";

/** Position of the entry among all (parts.ts): unique. */
const IN_HUB = 13;

/** Printable characters without the blank. */
const GRAPHIC = "!~";

/** Bytes of the longest certificate. */
export const HUB_CERTIFICATE_LIMIT = 10239;

export const HUB_ENABLED = field<boolean>({
	entry: IN_HUB,
	id: 1,
	name: "enabled",
	kind: BOOLEAN,
	initial: false,
});
export const HUB_URL = field<string>({
	entry: IN_HUB,
	id: 2,
	name: "url",
	kind: TEXT,
	maximum: 255,
	characters: GRAPHIC,
	initial: "",
});
export const HUB_TOKEN = field<string>({
	entry: IN_HUB,
	id: 3,
	name: "token",
	kind: TEXT,
	maximum: 512,
	characters: GRAPHIC,
	initial: "",
	secret: true,
});
/** Language of the descriptions that are published. */
export const HUB_LANG = field<string>({
	entry: IN_HUB,
	id: 4,
	name: "lang",
	kind: CHOICE,
	choices: Object.freeze(["en", "de", "pl"]),
	initial: "en",
});
/** Refers to the certificate (config/blob.ts); no bytes: none. */
export const HUB_CERTIFICATE = field<Uint8Array>({
	entry: IN_HUB,
	id: 5,
	name: "cert",
	kind: BYTES,
	maximum: blobReferenceLimit(HUB_CERTIFICATE_LIMIT),
});
export const HUB = entry("hub", 1, [HUB_ENABLED, HUB_URL, HUB_TOKEN, HUB_LANG, HUB_CERTIFICATE]);
