/** The account and the long-lived tokens. No route reads or writes them as settings; auth/ does. */
import { BOOLEAN, BYTES, entry, field, HEX, INTERNAL, TEXT } from "../config/schema.js";

/** Positions of the entries among all (parts.ts): unique, and never used for something else. */
const IN_ACCESS = 3;
const IN_TOKENS = 6;

/** Given out with every challenge. */
export const ACCESS_SALT = field<string>({
	entry: IN_ACCESS,
	id: 1,
	name: "salt",
	kind: TEXT,
	maximum: 64,
	characters: HEX,
	initial: "",
});
/** SHA-256 of salt and password; whoever knows it can log in. */
export const ACCESS_DIGEST = field<Uint8Array>({
	entry: IN_ACCESS,
	id: 2,
	name: "digest",
	kind: BYTES,
	maximum: 32,
	secret: true,
});
/** The password is still the one on the label. */
export const ACCESS_IS_DEFAULT = field<boolean>({
	entry: IN_ACCESS,
	id: 3,
	name: "password_default",
	kind: BOOLEAN,
	initial: true,
});
export const ACCESS = entry("access", 1, [ACCESS_SALT, ACCESS_DIGEST, ACCESS_IS_DEFAULT], INTERNAL);

/** Ids, names, SHA-256 and scopes of the long-lived tokens, as auth/tokens.ts lays them out. */
export const TOKENS_RECORDS = field<Uint8Array>({
	entry: IN_TOKENS,
	id: 1,
	name: "records",
	kind: BYTES,
	maximum: 207,
	secret: true,
});
export const TOKENS = entry("tokens", 2, [TOKENS_RECORDS], INTERNAL);
