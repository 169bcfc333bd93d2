/** Fields of the account and the long-lived tokens. */
import { ENTRY_ACCESS, ENTRY_TOKENS } from "../../config/entries.js";
import { BOOLEAN, BYTES, entry, field, HEX, INTERNAL, TEXT } from "../../config/schema.js";

/** Salt of the account; public, because it is sent with every challenge. */
export const ACCESS_SALT = field<string>({
	entry: ENTRY_ACCESS,
	id: 1,
	name: "salt",
	kind: TEXT,
	maximum: 64,
	characters: HEX,
	initial: "",
});
/** SHA-256 of salt and password. It must stay secret, because it is sufficient for a login. */
export const ACCESS_DIGEST = field<Uint8Array>({
	entry: ENTRY_ACCESS,
	id: 2,
	name: "digest",
	kind: BYTES,
	maximum: 32,
	secret: true,
});
export const ACCESS_IS_DEFAULT = field<boolean>({
	entry: ENTRY_ACCESS,
	id: 3,
	name: "password_default",
	kind: BOOLEAN,
	initial: true,
});
export const ACCESS = entry("access", 1, [ACCESS_SALT, ACCESS_DIGEST, ACCESS_IS_DEFAULT], INTERNAL);

/** Long-lived tokens, in the layout of auth/tokens.ts. */
export const TOKENS_RECORDS = field<Uint8Array>({
	entry: ENTRY_TOKENS,
	id: 1,
	name: "records",
	kind: BYTES,
	maximum: 207,
	secret: true,
});
export const TOKENS = entry("tokens", 2, [TOKENS_RECORDS], INTERNAL);
