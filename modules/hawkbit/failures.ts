/** Failure of polls, in addition to those of visits (publish/visit-failures.ts). */
import { codeOnly } from "../publish/visit-failures.js";

/** A document is too long, or is not the JSON that the DDI specifies. */
export const BAD_DOCUMENT = codeOnly("bad_document");
