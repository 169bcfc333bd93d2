/**
 * Selects the page that is shown. The hash of the address begins with its name, except while the user is asked about
 * unsaved changes.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { TextKey } from "../text/all.js";
import type { IconName } from "./components.js";
import { forgetUnsaved, isUnsaved, leaveBy } from "./unsaved.js";

export interface Place {
	readonly name: string;
	readonly label: TextKey;
	readonly icon: IconName;
	/** Parts of the firmware that the page needs. If the firmware lacks all of them, the page is hidden. */
	readonly parts?: readonly string[];
}

/** Pages in the order of the menu. The name of a page is the hash of its address. */
export const PLACES: readonly Place[] = [
	{ name: "dashboard", label: "nav.dashboard", icon: "bolt" },
	{ name: "use", label: "nav.use", icon: "bars" },
	{ name: "readings", label: "nav.readings", icon: "list" },
	{ name: "meter", label: "nav.meter", icon: "meter" },
	{ name: "network", label: "nav.network", icon: "wifi" },
	{ name: "zigbee", label: "nav.zigbee", icon: "zigbee", parts: ["zigbee"] },
	{ name: "hub", label: "nav.hub", icon: "hub" },
	{ name: "batteries", label: "nav.batteries", icon: "battery", parts: ["live-meter"] },
	{ name: "security", label: "nav.security", icon: "lock" },
	{ name: "events", label: "nav.events", icon: "clock" },
	{ name: "system", label: "nav.system", icon: "gear" },
	{ name: "upkeep", label: "nav.upkeep", icon: "tray" },
];
/** Pages of a display, which has only a read-only token. */
export const DISPLAY_PLACES = PLACES.slice(0, 3);
export const WIZARD = "setup";

/** Returns the name of the page that the address names. */
export function placeNow(): string {
	const [name] = location.hash.replace(/^#\/?/, "").split("/");
	return name === WIZARD || PLACES.some((place) => place.name === name) ? name : PLACES[0].name;
}

export function usePlace(): string {
	const [place, setPlace] = useState(placeNow);
	const shown = useRef(place);
	useEffect(() => {
		const follow = () => {
			const next = placeNow();
			if (next === shown.current) return;
			if (isUnsaved()) {
				// Until the user has answered, the address must name the page that is shown.
				history.replaceState(null, "", `#/${shown.current}`);
				leaveBy(() => {
					forgetUnsaved();
					location.hash = `#/${next}`;
				});
				return;
			}
			shown.current = next;
			setPlace(next);
		};
		addEventListener("hashchange", follow);
		// The address may have changed since the page was first drawn.
		follow();
		return () => removeEventListener("hashchange", follow);
	}, []);
	return place;
}
