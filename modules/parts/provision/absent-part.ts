/**
 * Replaces part.ts in a firmware that is built without the provisioning by signed files. The part's entry in flash is
 * kept until a factory reset.
 */
import { Absent, absentPart } from "../../part/absent.js";

const NAME = "provision";

export const PROVISION = absentPart(
	{ name: NAME, entries: Object.freeze([]), open: (core) => new Absent(NAME, core, "prov_cert", NAME) },
	// The route for files does not exist then, which saves flash.
	[NAME],
);
