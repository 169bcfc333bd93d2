/** Time zone of the gateway, in which the page shows all times. */
import { Store, useStore } from "./store.js";

/** Name of the zone in the tz database. "" means UTC. Undefined until the gateway has sent it. */
export const zone = new Store<string | undefined>(undefined);
/** Offset in minutes east of UTC. Used if the zone has no name. */
export const offset = new Store(0);

/** Stores the offset that a `localtime` of the API states (ISO 8601). */
export function takeOffset(localtime: string): void {
	const match = /([+-])(\d\d):(\d\d)$/.exec(localtime);
	const minutes = match === null ? 0 : Number(match[2]) * 60 + Number(match[3]);
	offset.set(match?.[1] === "-" ? -minutes : minutes);
}

interface Zone {
	/** Name of the zone for `Intl`. */
	readonly timeZone: string;
	/** Name of the zone for people. */
	readonly zoneName: string;
}

const UTC: Zone = { timeZone: "UTC", zoneName: "UTC" };

/**
 * Returns the zone with this offset. All browsers know names with the POSIX sign (`Etc/GMT-1`). There are no such names
 * for offsets with parts of an hour, so UTC is used for these.
 */
function byOffset(minutes: number): Zone {
	if (minutes === 0 || minutes % 60 !== 0) return UTC;
	const hours = minutes / 60;
	return {
		timeZone: `Etc/GMT${hours < 0 ? "+" : "-"}${Math.abs(hours)}`,
		zoneName: `UTC${hours < 0 ? "−" : "+"}${Math.abs(hours)}`,
	};
}

function byName(name: string): Zone {
	try {
		const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name || "UTC" }).resolvedOptions();
		return { timeZone, zoneName: (name || "UTC").replace(/_/g, " ") };
	} catch {
		return UTC;
	}
}

/** True if moments can be calculated: by the zone's name, or until it has arrived by an offset of whole hours. */
export function useIsZoneKnown(): boolean {
	const isWhole = useStore(offset) % 60 === 0;
	return useStore(zone) !== undefined || isWhole;
}

export function useZone(): Zone {
	const name = useStore(zone);
	const minutes = useStore(offset);
	return name === undefined ? byOffset(minutes) : byName(name);
}
