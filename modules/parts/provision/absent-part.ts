/**
 * Replaces part.ts in a firmware that is built without the provisioning by signed files.
 */
import { ENTRY_PROVISION } from "../../config/entries.js";
import { Absent, absentPart, keptEntry } from "../../part/absent.js";

const NAME = "provision";

export const PROVISION = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry(NAME, ENTRY_PROVISION)]),
		open: (core) => new Absent(NAME, core, "prov_cert"),
	},
	// The route for files does not exist then, which saves flash.
	[NAME],
);
