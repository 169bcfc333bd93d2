/** The gateway's time zone, in which the page shows every time. */
import { Store, useStore } from "./store.js";

/** Name in the tz database; "" for UTC; undefined until the gateway has sent it. */
export const zone = new Store<string | undefined>(undefined);
/** Minutes east of UTC; used if the zone has no name. */
export const offset = new Store(0);

/** Takes the offset from a `localtime` of the API (ISO 8601). */
export function takeOffset(localtime: string): void {
	const match = /([+-])(\d\d):(\d\d)$/.exec(localtime);
	const minutes = match === null ? 0 : Number(match[2]) * 60 + Number(match[3]);
	offset.set(match?.[1] === "-" ? -minutes : minutes);
}

interface Zone {
	/** Name for `Intl`. */
	readonly timeZone: string;
	/** Name for people. */
	readonly zoneName: string;
}

const UTC: Zone = { timeZone: "UTC", zoneName: "UTC" };

/**
 * Uses names with the POSIX sign (`Etc/GMT-1`), which all browsers know. Offsets with parts of an hour have no such
 * name; UTC is used for them.
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

export function useZone(): Zone {
	const name = useStore(zone);
	const minutes = useStore(offset);
	return name === undefined ? byOffset(minutes) : byName(name);
}
