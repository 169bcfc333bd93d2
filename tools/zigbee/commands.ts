/** Commands of TI's Monitor and Test API, keyed by subsystem and number. */
import type { Command } from "./chip.js";
import { AF_COMMANDS } from "./commands-af.js";
import { SYSTEM_COMMANDS } from "./commands-system.js";
import { ZDO_COMMANDS } from "./commands-zdo.js";

export const COMMANDS: ReadonlyMap<number, Command> = new Map(
	[...Object.entries(SYSTEM_COMMANDS), ...Object.entries(AF_COMMANDS), ...Object.entries(ZDO_COMMANDS)].map(
		([code, command]) => [Number(code), command],
	),
);
