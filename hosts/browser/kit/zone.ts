/** The gateway's time zone, in which the page shows every time, and names it: not the one of this browser. */
import { Store, useStore } from "./store.js";

/**
 * A name of the tz database; "" for UTC; undefined until the gateway has sent it, and on displays, where it does not.
 */
export const zone = new Store<string | undefined>(undefined);
/** Minutes east of UTC at this moment, by the offset of the gateway's local time: for want of a name. */
export const offset = new Store(0);

/** `localtime` of the API: ISO 8601 with its offset. */
export function takeOffset(localtime: string): void {
	const match = /([+-])(\d\d):(\d\d)$/.exec(localtime);
	const minutes = match === null ? 0 : Number(match[2]) * 60 + Number(match[3]);
	offset.set(match?.[1] === "-" ? -minutes : minutes);
}

interface Zone {
	/** For `Intl`. */
	readonly timeZone: string;
	/** For people. */
	readonly zoneName: string;
}

const UTC: Zone = { timeZone: "UTC", zoneName: "UTC" };

/** Names with the sign that POSIX gives them: all browsers know those. Parts of an hour have none. */
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
