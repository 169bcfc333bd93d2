/** What was typed and is not saved yet: nobody leaves it behind without being asked, in the page or by closing the tab. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Store } from "./store.js";

const open = new Set<object>();
/** Whether there is something. */
const unsaved = new Store(false);
/** What would be lost is not typed: a file on its way to the gateway. */
export const uploading = new Store(false);
/** What waits for the answer to "leave without saving?". */
export const leaving = new Store<(() => void) | undefined>(undefined);

// Only while there is something: a page that listens is not kept by browsers for their way back.
const warn = (event: Event) => event.preventDefault();
unsaved.watch((is) => (is ? addEventListener("beforeunload", warn) : removeEventListener("beforeunload", warn)));

/** For who holds what is typed. */
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

/** What was typed does not count any more. */
export function forgetUnsaved(): void {
	open.clear();
	unsaved.set(false);
}

/** Does it at once, or when the user has said that what was typed may go. */
export function leaveBy(act: () => void): void {
	if (unsaved.value) leaving.set(act);
	else act();
}
