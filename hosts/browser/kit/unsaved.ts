/**
 * Protects unsaved input. It is lost only after the user has agreed, both within the page and when the tab is closed.
 */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Store } from "./store.js";

const open = new Set<object>();
const unsaved = new Store(false);
/** True during an upload, which would stop if the user left the page. */
export const uploading = new Store(false);
/** Action that waits until the user has answered the question "leave without saving?". */
export const leaving = new Store<(() => void) | undefined>(undefined);

// The listener is registered only while there is unsaved input. Browsers exclude pages with such a listener from the
// back/forward cache.
const warn = (event: Event) => event.preventDefault();
unsaved.watch((is) => (is ? addEventListener("beforeunload", warn) : removeEventListener("beforeunload", warn)));

export function useUnsaved(isChanged: boolean): void {
	const { current } = useRef({});
	useLayoutEffect(() => {
		if (isChanged) open.add(current);
		else open.delete(current);
		unsaved.set(open.size > 0);
	}, [isChanged]);
	useLayoutEffect(
		() => () => {
			open.delete(current);
			unsaved.set(open.size > 0);
		},
		[],
	);
}

export function isUnsaved(): boolean {
	return unsaved.value;
}

export function forgetUnsaved(): void {
	open.clear();
	unsaved.set(false);
}

/** Performs the action immediately, or after the user has agreed to lose unsaved input. */
export function leaveBy(act: () => void): void {
	if (unsaved.value) leaving.set(act);
	else act();
}
