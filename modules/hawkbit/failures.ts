/** Failure that a poll may have in addition to those of all visits (publish/visit-failures.ts). */
import { codeOnly } from "../publish/visit-failures.js";

/** A document is too long, or is not the JSON that the Direct Device Integration API specifies. */
export const BAD_DOCUMENT = codeOnly("bad_document");
