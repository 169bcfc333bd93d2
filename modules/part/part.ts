/**
 * A part: one capability of the gateway. The core and the API mention no part by name; app/parts.ts has the list. Each
 * part has its own folder in modules/parts/:
 *
 *   fields.ts       settings
 *   routes.ts       routes, or routes/ with several files
 *   part.ts         the part's table, and the code that creates its instance
 *
 * The table is frozen and stored in flash. PLAIN supplies the members that a part omits.
 */
import type { BackupGroup } from "../api/backup-group.js";
import type { Operation } from "../api/route.js";
import type { Entry, Field } from "../config/schema.js";
import type { Core, Opened, Running } from "../core/core.js";
import type { Facts } from "../core/facts.js";
import type { EventKind } from "../diagnostics/events.js";

export interface Reaction<Instance> {
	/** A change of any of these fields triggers the reaction. */
	readonly fields: readonly Field[];
	/** True: runs after every request that sets one of the fields at once. False: only after a change. */
	readonly onEveryPost: boolean;
	readonly react: (instance: Instance, core: Core) => void;
}

/** Returns a reaction that is called once after one or more of these fields have changed. */
export function changed<Instance>(fields: readonly Field[], react: Reaction<Instance>["react"]): Reaction<Instance> {
	return Object.freeze({ fields: Object.freeze(fields), onEveryPost: false, react });
}

/** Returns a reaction that is called once after each request that applies one or more of these fields immediately. */
export function applied<Instance>(fields: readonly Field[], react: Reaction<Instance>["react"]): Reaction<Instance> {
	return Object.freeze({ fields: Object.freeze(fields), onEveryPost: true, react });
}

export interface Part<Instance extends Running | undefined = Running | undefined> extends Opened<Instance> {
	/** Name in the developer's log. */
	readonly name: string;
	readonly entries: readonly Entry[];
	readonly events: readonly EventKind[];
	readonly routes: readonly Operation[];
	readonly backup: readonly BackupGroup[];
	readonly reactions: readonly Reaction<never>[];
	/** Creates the part's instance. `parts` is the list of all parts. */
	readonly open: (core: Core, parts: readonly Part[]) => Instance;
	/**
	 * Members of both `system/status` and the event stream. It returns a snapshot, because a reply is written in several
	 * steps.
	 */
	state(instance: Instance, core: Core): Facts;
	/** Members of `system/status` only. */
	status(instance: Instance, core: Core): Facts;
	/** Metrics as text (core/metrics-text.ts). */
	metrics(instance: Instance, core: Core): string;
	/** Returns the lines for a section of the diagnostic report, without the last newline, or "". */
	report(instance: Instance, core: Core, section: string): string;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** Members that a part may omit. This object is the prototype of all parts, so that it takes flash only once. */
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

export function part<Instance extends Running | undefined = undefined>(
	own: { readonly reactions?: readonly Reaction<Instance>[] } & Pick<Part<Instance>, "name"> &
		Partial<Omit<Part<Instance>, "reactions">>,
): Part<Instance> {
	return Object.freeze(Object.setPrototypeOf(own, PLAIN));
}

/** Board-specific implementation of a part; only hosts that name it have its code in flash. */
export interface Extra {
	readonly part: Part;
	readonly open: Part["open"];
}

/**
 * Calls the matching reactions of all parts, each once, in the order of the parts. `running` holds the instance of each
 * part; the fields are those of ConfigListener (config/store.ts).
 */
export function react(
	parts: readonly Part[],
	running: readonly unknown[],
	core: Core,
	changedFields: readonly Field[],
	appliedFields: readonly Field[],
): void {
	for (let i = 0; i < parts.length; i++) {
		for (const { fields, onEveryPost, react } of parts[i].reactions) {
			const candidates = onEveryPost ? appliedFields : changedFields;
			if (candidates.some((field) => fields.includes(field))) react(running[i] as never, core);
		}
	}
}
