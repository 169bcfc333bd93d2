/**
 * A part: one capability of the gateway, with all that it adds to the others' lists. parts.ts names the parts; the core and
 * the API loop over them and know none by name. A part stands in a folder of its own:
 *
 *   fields.ts       its settings
 *   log-events.ts   kinds of events that it notes in the log
 *   routes.ts       its routes, or routes/ with several files
 *   part.ts         this table, and how what runs is made
 *
 * It is a frozen table, which stands in flash. What it does not name is as in PLAIN.
 */
import type { BackupGroup } from "./api/backup-group.js";
import type { Operation } from "./api/route.js";
import type { Entry, Field } from "./config/schema.js";
import type { Core, Opened, Running } from "./core/core.js";
import type { Facts } from "./core/facts.js";
import type { EventKind } from "./diagnostics/events.js";

/** What follows from a change of settings. */
export interface Reaction<Instance> {
	/** Any of these. */
	readonly fields: readonly Field[];
	/** Called when a request wants them to take effect at once, changed or not; else when they have changed. */
	readonly isWish: boolean;
	readonly react: (instance: Instance, core: Core) => void;
}

/** Calls `react` once after any of these fields has changed. */
export function changed<Instance>(fields: readonly Field[], react: Reaction<Instance>["react"]): Reaction<Instance> {
	return Object.freeze({ fields: Object.freeze(fields), isWish: false, react });
}

/** Calls `react` once after each request that sets any of these fields and wants it to take effect at once. */
export function applied<Instance>(fields: readonly Field[], react: Reaction<Instance>["react"]): Reaction<Instance> {
	return Object.freeze({ fields: Object.freeze(fields), isWish: true, react });
}

export interface Part<Instance extends Running | undefined = Running | undefined> extends Opened<Instance> {
	/** For the developer's log, when something of it throws. */
	readonly name: string;
	/** Its settings in flash. */
	readonly entries: readonly Entry[];
	/** Kinds of events that it notes in the log. */
	readonly events: readonly EventKind[];
	readonly routes: readonly Operation[];
	/** What a backup has of it. */
	readonly backup: readonly BackupGroup[];
	readonly reactions: readonly Reaction<never>[];
	/** `parts` are all of them, for the part that shows the whole. */
	readonly open: (core: Core, parts: readonly Part[]) => Instance;
	/** What `system/status` and the stream of events show of it. Taken down at once: a reply may be made in pieces. */
	state(instance: Instance, core: Core): Facts;
	/** What `system/status` alone shows of it. */
	status(instance: Instance, core: Core): Facts;
	/** Its metrics as text (core/metrics-text.ts). */
	metrics(instance: Instance, core: Core): string;
	/** Its lines in this section of the diagnostic report, without the last line end; "" for none. */
	report(instance: Instance, core: Core, section: string): string;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** Prototype of all parts, so that it takes flash once. */
const PLAIN: Omit<Part, "name"> = Object.freeze({
	entries: NOTHING,
	events: NOTHING,
	routes: NOTHING,
	backup: NOTHING,
	reactions: NOTHING,
	open: () => undefined,
	state: () => NOTHING,
	status: () => NOTHING,
	metrics: () => "",
	report: () => "",
});

/** A row of parts.ts. */
export function part<Instance extends Running | undefined = undefined>(
	own: { readonly reactions?: readonly Reaction<Instance>[] } & Pick<Part<Instance>, "name"> &
		Partial<Omit<Part<Instance>, "reactions">>,
): Part<Instance> {
	return Object.freeze(Object.setPrototypeOf(own, PLAIN));
}

/** What some boards alone have of a part; a host names it, and others have none of its code in their flash. */
export interface Extra {
	readonly part: Part;
	/** In place of the part's own. */
	readonly open: Part["open"];
}

/**
 * Calls the reactions of all parts, each once, in their order. `running` is what runs of each; the two lists of fields are
 * those of ConfigListener (config/store.ts).
 */
export function react(
	parts: readonly Part[],
	running: readonly unknown[],
	core: Core,
	changes: readonly Field[],
	wishes: readonly Field[],
): void {
	for (let i = 0; i < parts.length; i++) {
		for (const { fields, isWish, react: tell } of parts[i].reactions) {
			const told = isWish ? wishes : changes;
			if (told.some((field) => fields.includes(field))) tell(running[i] as never, core);
		}
	}
}
