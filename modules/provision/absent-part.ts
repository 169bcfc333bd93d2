/** Replaces part.ts in a firmware that is built without the provisioning by signed files. */
import { Absent, absentPart, keptEntry } from "../absent.js";

const NAME = "provision";

export const PROVISION = absentPart(
	{
		name: NAME,
		entries: Object.freeze([keptEntry("provision", 29)]),
		open: (core) => new Absent(NAME, core),
	},
	// The route of files is unknown then, which saves flash.
	[NAME],
);
