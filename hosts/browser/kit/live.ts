/**
 * What changes by itself: the state of the gateway, and its last readout, which is only fetched when the state tells
 * that there is a newer one (a large one takes the chip seconds to write). Kept for as long as the page is open.
 */
import { useEffect } from "preact/hooks";
import type { Point } from "./curve.js";
import { type DeviceError, get, loggedIn, READ_MS, reachable } from "./device.js";
import { importedWh, powerOf } from "./power.js";
import type { Readout as FreshReadout, LastReadout, Status } from "./replies.js";
import { Store } from "./store.js";
import { language } from "./text.js";
import { asDeviceError, usePoll } from "./use-device.js";

/** One that was asked for, or the last one. */
export type Readout = FreshReadout | LastReadout;

/** `status` of a readout (decision 20). */
export const READOUT_CUT = 2;

const POLL_MS = 5_000;
/** Of the curve; older ones are thinned out. */
const POINTS_LIMIT = 400;

export const status = new Store<Status | undefined>(undefined);
export const readout = new Store<Readout | undefined>(undefined);
/** When `readout` came here, ms since the page was opened. */
export const readoutAt = new Store(0);
/** Set while this page waits for a readout that it has asked for. */
export const reading = new Store(false);
export const readFailure = new Store<DeviceError | undefined>(undefined);

export interface Power {
	/** Watts; negative: fed into the grid. */
	readonly watts: number;
	/** It is the average between two readings of the counter. */
	readonly isMean: boolean;
}
export const power = new Store<Power | undefined>(undefined);
export const points = new Store<readonly Point[]>([]);

let readouts = -1;
let counter: { readonly wh: number; readonly seconds: number } | undefined;

/** `isTaken`: the last readout is here already. */
export async function refresh(isTaken = false): Promise<void> {
	if (!loggedIn.value || !reachable.value) return;
	// A running readout holds the queue: only `/last` goes past it.
	if (reading.value) return;
	const now = await get<Status>("system/status");
	status.set(now);
	if (!isTaken) {
		if (now.meter_readouts === readouts && readout.value !== undefined) return;
		take(await get<Readout>(`iec62056/last?lang=${language}`, { overtake: true }));
	}
	readouts = now.meter_readouts;
}

/** Reads the meter; what comes of it stands in the stores. */
export async function readNow(): Promise<boolean> {
	if (reading.value) return false;
	reading.set(true);
	readFailure.set(undefined);
	let isTaken = false;
	try {
		take(await get<Readout>(`iec62056/read?lang=${language}`, { timeoutMs: READ_MS }));
		isTaken = true;
		return true;
	} catch (reason) {
		readFailure.set(asDeviceError(reason));
		return false;
	} finally {
		reading.set(false);
		refresh(isTaken).catch(() => undefined);
	}
}

function take(next: Readout): void {
	const before = readout.value;
	readout.set(next);
	const isNew = before?.timestamp !== next.timestamp || before.readings.length !== next.readings.length;
	if (before !== undefined && !isNew && next.timestamp !== 0) return;
	readoutAt.set(performance.now());
	const watts = powerOf(next.readings);
	const wh = importedWh(next.readings);
	// Without a clock the moment of arrival has to do.
	const seconds = next.timestamp || performance.now() / 1000;
	const mean = watts === undefined ? meanSince(wh, seconds) : undefined;
	if (wh !== undefined) counter = { wh, seconds };
	const shown = watts ?? mean;
	if (shown === undefined || next.readings.length === 0) return;
	power.set({ watts: shown, isMean: watts === undefined });
	points.set(thinned([...points.value, { atMs: Date.now(), value: shown }]));
}

/** Watts on average since the counter was read before. */
function meanSince(wh: number | undefined, seconds: number): number | undefined {
	if (counter === undefined || wh === undefined || seconds - counter.seconds < 1) return undefined;
	return ((wh - counter.wh) * 3600) / (seconds - counter.seconds);
}

function thinned(all: readonly Point[]): readonly Point[] {
	return all.length <= POINTS_LIMIT ? all : all.filter((_, index) => index % 2 === 0 || index > POINTS_LIMIT / 2);
}

/** Keeps the stores fresh while the page is seen; to be used once. */
export function useLive(): void {
	usePoll(() => void refresh().catch(() => undefined), POLL_MS);
	useEffect(() => {
		refresh().catch(() => undefined);
		return loggedIn.watch((isIn) => isIn && refresh().catch(() => undefined));
	}, []);
}
