/**
 * All texts of the page. Scripts carry none: those of the first page are put into the documents, one language each, those
 * of the other pages into a file for each language, which comes with their script (tools/page.ts).
 */
import { COMMON } from "./common.js";
import { DASHBOARD } from "./dashboard.js";
import { FAILURES } from "./failures.js";
import { FORMS } from "./forms.js";
import { HUB } from "./hub.js";
import { LIVE } from "./live.js";
import { LOGIN } from "./login.js";
import { METER } from "./meter.js";
import { NETWORK } from "./network.js";
import { READINGS } from "./readings.js";
import { SECURITY } from "./security.js";
import { SYSTEM } from "./system.js";
import { WIZARD } from "./wizard.js";
import { ZIGBEE } from "./zigbee.js";

/** What the first script shows: the frame, the login, the overview. */
export const FIRST_TEXTS = { ...COMMON, ...DASHBOARD, ...FAILURES, ...LIVE, ...LOGIN } as const;

/** What the script of the other pages shows besides. */
export const LATER_TEXTS = {
	...FORMS,
	...HUB,
	...METER,
	...NETWORK,
	...READINGS,
	...SECURITY,
	...SYSTEM,
	...WIZARD,
	...ZIGBEE,
} as const;

export const TEXTS = { ...FIRST_TEXTS, ...LATER_TEXTS } as const;

export type TextKey = keyof typeof TEXTS;
