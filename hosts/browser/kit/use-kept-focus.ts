/** Keeps the focus when the button that had it disappears from a list. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface KeptFocus {
	/** Element that gets the focus instead; it needs `tabIndex={-1}`. */
	readonly place: RefObject<HTMLDivElement | null>;
	/** Call when a dialog closes. */
	keep(): void;
}

/** Restores the focus whenever `count` changes; undefined: the list has not arrived yet. */
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
