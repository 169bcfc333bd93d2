/** Keeps the keyboard focus on the page when a list loses the button that had the focus. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface KeptFocus {
	/** Element that gets the focus instead; it needs `tabIndex={-1}`. */
	readonly place: RefObject<HTMLDivElement | null>;
	/** Call this when a dialog closes. */
	keep(): void;
}

/**
 * Restores the focus whenever `count`, the length of the list, changes. `count` is undefined until the list has
 * arrived.
 */
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
