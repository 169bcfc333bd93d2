/** The points of the overview's line. Those that this tab has received survive a reload. */

import { Store } from "./store.js";
import type { Point } from "./trace.js";

/** Limit of points. If there are more, older points are thinned out. */
const POINTS_LIMIT = 400;
/** Key in `sessionStorage`. The value has at most about 8 KB. */
const STORAGE_KEY = "curve";

/** A mean power covers at least this many steps of the counter, so that it is right to 5 per cent. */
const STEPS_LEAST = 20;
/** The mean power of a longer time says little about the present, ms. */
const MEAN_LIMIT_MS = 3_600_000;
/** Resolutions that counters have, Wh. */
const STEPS_WH = [1000, 100, 10, 1, 0.1];

/** A value that was received: Unix time in ms, power in W or VA, imported minus exported energy in Wh. */
interface Seen {
	readonly atMs: number;
	readonly watts: number | undefined;
	readonly wh: number | undefined;
}

interface Kept {
	readonly points: readonly Point[];
	/** Counter reading with which the present mean begins. */
	readonly counter?: { readonly wh: number; readonly atMs: number } | undefined;
	/** Time that the last mean covers, ms. */
	readonly spanMs?: number;
}

let kept = read();
export const points = new Store<readonly Point[]>(kept.points);
/** The power of the history's quarter hours. Each point is in the middle of its quarter hour. */
export const past = new Store<readonly Point[]>([]);
/** Cost or yield of the present power in an hour, in words; "" if it is unknown. */
export const rate = new Store("");

function read(): Kept {
	try {
		const { points, ...others } = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "");
		return { points: points.map(([atMs, value]: readonly number[]) => ({ atMs, value })), ...others };
	} catch {
		return { points: [] };
	}
}

function keep(next: Kept): void {
	kept = next;
	const { points: all, ...others } = next;
	points.set(all);
	try {
		const pairs = all.map(({ atMs, value }) => [atMs, Math.round(value * 10) / 10]);
		sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ points: pairs, ...others }));
	} catch {
		// If the storage is full or unavailable, the curve does not survive a reload.
	}
}

/**
 * Adds a point. Returns its power. If the meter sends no power, this is the mean of the counter since an earlier readout;
 * it is returned again until the next one, for at most the time that it covers. If the same readout is added again, for
 * example after a reload, nothing changes.
 */
export function addPoint({ atMs, watts, wh }: Seen): number | undefined {
	const { counter, spanMs = 0 } = kept;
	const last = kept.points.at(-1);
	if (last?.atMs === atMs) return last.value;
	// Later points are dropped, because the clock may have been set back.
	const before = kept.points.filter((point) => point.atMs < atMs);
	const mean = watts === undefined ? meanSince(counter, wh, atMs) : undefined;
	const value = watts ?? mean;
	const sinceMs = atMs - (counter?.atMs ?? atMs);
	const goesOn = mean === undefined && sinceMs > 0 && sinceMs < MEAN_LIMIT_MS;
	keep({
		points: value === undefined ? before : thinned([...before, { atMs, value }]),
		counter: wh === undefined || goesOn ? counter : { wh, atMs },
		spanMs: mean === undefined ? spanMs : sinceMs,
	});
	const isRecent = watts === undefined && last !== undefined && atMs > last.atMs && atMs - last.atMs <= spanMs;
	return value ?? (isRecent ? last.value : undefined);
}

export function forgetCurve(): void {
	kept = { points: [] };
	points.set([]);
	past.set([]);
	rate.set("");
	sessionStorage.removeItem(STORAGE_KEY);
}

/**
 * Returns the mean power in W since a counter reading. Returns undefined if the counter has moved by too few steps, or
 * if too much time has passed. A counter can be coarser than its digits: its step is the largest that both readings have.
 */
function meanSince(counter: Kept["counter"], wh: number | undefined, atMs: number): number | undefined {
	if (counter === undefined || wh === undefined) return undefined;
	const ms = atMs - counter.atMs;
	const movedWh = wh - counter.wh;
	const hasStep = (step: number) =>
		[wh, counter.wh].every((one) => Math.abs(one / step - Math.round(one / step)) < 1e-6);
	const stepWh = STEPS_WH.find(hasStep) ?? 0;
	const isEnough = ms >= 1000 && ms <= MEAN_LIMIT_MS && movedWh !== 0 && Math.abs(movedWh) >= STEPS_LEAST * stepWh;
	return isEnough ? (movedWh * 3_600_000) / ms : undefined;
}

function thinned(all: readonly Point[]): readonly Point[] {
	return all.length <= POINTS_LIMIT ? all : all.filter((_, index) => index % 2 === 0 || index > POINTS_LIMIT / 2);
}
