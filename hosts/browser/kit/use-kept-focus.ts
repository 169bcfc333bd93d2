/** The focus, where the button that had it is gone from a list. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface KeptFocus {
	/** For the element that then takes the focus; it needs `tabIndex={-1}`. */
	readonly place: RefObject<HTMLDivElement | null>;
	/** To be called where a dialog closes. */
	keep(): void;
}

/** Looks after it whenever `count` changes; undefined: the list has not come yet. */
export function useKeptFocus(count: number | undefined): KeptFocus {
	const place = useRef<HTMLDivElement>(null);
	const before = useRef<number | undefined>(undefined);
	const keep = () => {
		setTimeout(() => document.activeElement === document.body && place.current?.focus());
	};
	useEffect(() => {
		if (before.current !== undefined) keep();
		before.current = count;
	}, [count]);
	return { place, keep };
}
