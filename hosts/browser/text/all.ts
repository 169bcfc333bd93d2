/** All texts of the page. The build (tools/page/archive.ts) makes a file for each language, mostly in this order. */
import { BATTERIES } from "./batteries.js";
import { COMMON } from "./common.js";
import { DASHBOARD } from "./dashboard.js";
import { EVENTS } from "./events.js";
import { FAILURES } from "./failures.js";
import { FORMS } from "./forms.js";
import { HUB } from "./hub.js";
import { LIVE } from "./live.js";
import { LOGIN } from "./login.js";
import { METER } from "./meter.js";
import { NETWORK } from "./network.js";
import { PROTOCOLS } from "./protocols.js";
import { READINGS } from "./readings.js";
import { SECURITY } from "./security.js";
import { SYSTEM } from "./system.js";
import { UPKEEP } from "./upkeep.js";
import { USE } from "./use.js";
import { WIZARD } from "./wizard.js";
import { ZIGBEE } from "./zigbee.js";

export const TEXTS = {
	...COMMON,
	...LOGIN,
	...LIVE,
	...DASHBOARD,
	...FAILURES,
	...PROTOCOLS,
	...USE,
	...READINGS,
	...METER,
	...FORMS,
	...NETWORK,
	...ZIGBEE,
	...HUB,
	...BATTERIES,
	...SECURITY,
	...SYSTEM,
	...UPKEEP,
	...EVENTS,
	...WIZARD,
} as const;

export type TextKey = keyof typeof TEXTS;
