/** The gateway's time zone, in which the page shows every time, and names it: not the one of this browser. */
import { Store, useStore } from "./store.js";

/** A name of the tz database; "" for UTC; undefined until the gateway has told. */
export const zone = new Store<string | undefined>(undefined);

/** What `Intl` takes for it; UTC where this browser does not know it. */
function known(name: string | undefined): string {
	try {
		return new Intl.DateTimeFormat("en", { timeZone: name || "UTC" }).resolvedOptions().timeZone;
	} catch {
		return "UTC";
	}
}

/** For `Intl`, and with spaces for people. */
export function useZone(): { readonly timeZone: string; readonly zoneName: string } {
	const timeZone = known(useStore(zone));
	return { timeZone, zoneName: timeZone.replace(/_/g, " ") };
}
