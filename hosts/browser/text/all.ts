/** All texts of the page. They are put into the documents, one language each (tools/page.ts); scripts carry none. */
import { COMMON } from "./common.js";
import { DASHBOARD } from "./dashboard.js";
import { FAILURES } from "./failures.js";
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

export const TEXTS = {
	...COMMON,
	...DASHBOARD,
	...FAILURES,
	...HUB,
	...LIVE,
	...LOGIN,
	...METER,
	...NETWORK,
	...READINGS,
	...SECURITY,
	...SYSTEM,
	...WIZARD,
	...ZIGBEE,
} as const;

export type TextKey = keyof typeof TEXTS;
