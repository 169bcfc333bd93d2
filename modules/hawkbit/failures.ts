/** Failure of polls beyond those of visits (publish/visit-failures.ts). */
import { codeOnly } from "../publish/visit-failures.js";

/** A document is not the JSON that the DDI specifies, or too long. */
export const BAD_DOCUMENT = codeOnly("bad_document");
