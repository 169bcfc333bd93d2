/** All pages except the first one. The key of a page is the hash of its address. */
import type { ComponentType } from "preact";
import { addStyle } from "../kit/style.js";
import style from "../pages.css?inline";
import { Batteries } from "./batteries.js";
import { Events } from "./events.js";
import { Hub } from "./hub.js";
import { Meter } from "./meter.js";
import { Network } from "./network.js";
import { Readings } from "./readings.js";
import { Security } from "./security.js";
import { System } from "./system.js";
import { Upkeep } from "./upkeep.js";
import { Wizard } from "./wizard.js";
import { Zigbee } from "./zigbee.js";

addStyle(style);

export const PAGES: Readonly<Record<string, ComponentType>> = {
	meter: Meter,
	setup: Wizard,
	readings: Readings,
	network: Network,
	zigbee: Zigbee,
	hub: Hub,
	batteries: Batteries,
	security: Security,
	events: Events,
	system: System,
	upkeep: Upkeep,
};
