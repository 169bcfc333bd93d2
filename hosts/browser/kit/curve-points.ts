/** The points of the overview's curve. They are values that this tab has received, and they survive a reload. */
import type { Point } from "./curve.js";
import { Store } from "./store.js";

/** Limit of points. If there are more, older points are thinned out. */
const POINTS_LIMIT = 400;
/** Key in `sessionStorage`. The value has at most about 8 KB. */
const STORAGE_KEY = "curve";

/** A value that was received: Unix time in ms, power in W, imported minus exported energy in Wh. */
interface Seen {
	readonly atMs: number;
	readonly watts: number | undefined;
	readonly wh: number | undefined;
}

interface Kept {
	readonly points: readonly Point[];
	/** Last counter reading, from which the mean power until the next reading is calculated. */
	readonly counter?: { readonly wh: number; readonly atMs: number } | undefined;
}

let kept = read();
export const points = new Store<readonly Point[]>(kept.points);

function read(): Kept {
	try {
		const { points, counter } = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "");
		return { points: points.map(([atMs, value]: readonly number[]) => ({ atMs, value })), counter };
	} catch {
		return { points: [] };
	}
}

function keep(next: Kept): void {
	kept = next;
	const { points: all, counter } = next;
	points.set(all);
	try {
		const pairs = all.map(({ atMs, value }) => [atMs, Math.round(value * 10) / 10]);
		sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ points: pairs, counter }));
	} catch {
		// If the storage is full or unavailable, the curve does not survive a reload.
	}
}

/**
 * Adds a point. Returns its power in W. If the meter sends no power, this is the mean power since the previous readout.
 * If the same readout is added again, for example after a reload, nothing changes.
 */
export function addPoint({ atMs, watts, wh }: Seen): number | undefined {
	const { counter } = kept;
	const last = kept.points.at(-1);
	if (last?.atMs === atMs) return last.value;
	const value = watts ?? meanSince(counter, wh, atMs);
	// Later points are dropped, because the clock may have been set back.
	const before = kept.points.filter((point) => point.atMs < atMs);
	keep({
		points: value === undefined ? before : thinned([...before, { atMs, value }]),
		counter: wh === undefined ? counter : { wh, atMs },
	});
	return value;
}

export function forgetCurve(): void {
	kept = { points: [] };
	points.set([]);
	sessionStorage.removeItem(STORAGE_KEY);
}

/** Returns the mean power in W since the previous counter reading. */
function meanSince(counter: Kept["counter"], wh: number | undefined, atMs: number): number | undefined {
	if (counter === undefined || wh === undefined || atMs - counter.atMs < 1000) return undefined;
	return ((wh - counter.wh) * 3_600_000) / (atMs - counter.atMs);
}

function thinned(all: readonly Point[]): readonly Point[] {
	return all.length <= POINTS_LIMIT ? all : all.filter((_, index) => index % 2 === 0 || index > POINTS_LIMIT / 2);
}
