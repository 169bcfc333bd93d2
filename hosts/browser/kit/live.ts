/**
 * The gateway's state and its last readout, which change without the user. The state arrives by events (follow.ts) or
 * is requested. The readout is requested only when the state reports a newer one or a failed attempt, because a large
 * one takes the chip seconds to write. Kept while the page is open.
 */
import { useEffect } from "preact/hooks";
import { addPoint, forgetCurve, points } from "./curve-points.js";
import { type DeviceError, get, LOOK_MS, OFFLINE, READ_MS, reachable } from "./device.js";
import { follow, following } from "./follow.js";
import { advanceLocalTime } from "./format.js";
import { announce } from "./parts.js";
import { importedWh, isLocked, powerOf } from "./power.js";
import type { Readout as FreshReadout, LastReadout, NetworkStatus, Schedule, Status, Timezone } from "./replies.js";
import { loggedIn } from "./session.js";
import { Store } from "./store.js";
import { language, t } from "./text.js";
import { asDeviceError, usePoll } from "./use-device.js";
import { takeOffset, zone } from "./zone.js";

/** A requested readout, or the last one. */
export type Readout = FreshReadout | LastReadout;

/** `status` of a truncated readout. */
export const READOUT_CUT = 2;
export const READOUT_UNCHECKED = 4;

const POLL_MS = 5_000;
/** Interval for data that seldom changes. */
const SLOW_POLL_MS = 30_000;
/** Seconds for which a readout counts as current without a schedule. */
const PRESENT_S = 300;
/** Extra time for a planned readout: for reading the meter, and for a repeated attempt. */
const GRACE_S = 120;
const OLD_LOOK_MS = 60_000;
/** Months count as their longest. */
const PERIODS_S = { minutes: 60, hours: 3600, days: 86_400, months: 31 * 86_400 } as const;

export const status = new Store<Status | undefined>(undefined);
export const network = new Store<NetworkStatus | undefined>(undefined);
export const schedule = new Store<Schedule | undefined>(undefined);
export const readout = new Store<Readout | undefined>(undefined);
/** True while this page waits for a readout that it requested. */
export const reading = new Store(false);
export const readFailure = new Store<DeviceError | undefined>(undefined);
/** True while the last readout is too old, or its age is unknown: it must not be shown as current. */
export const stale = new Store(false);

export interface Power {
	/** Watts; negative: fed into the grid. */
	readonly watts: number;
	/** The value is an average between two readings of the counter. */
	readonly isMean: boolean;
}
export const power = new Store<Power | undefined>(undefined);

/** Arrival of `readout` and `status`, ms of this browser's clock, which continues while a tablet sleeps. */
let readoutAtMs = 0;
let statusAtMs = 0;
/** Time of the last request for `status`, the same clock. */
let askedAtMs = 0;
/** Start of the wait for a readout, the same clock. */
let readingFromMs = 0;
/** Time of the last request for `/last`, the same clock. */
let lookedAtMs = 0;
let readouts = -1;
let meterState = "";

/** Unix time of the gateway's clock in seconds; undefined if it is not set. */
function gatewayNowS(): number | undefined {
	const { value } = status;
	return value?.clock_valid ? value.timestamp + (Date.now() - statusAtMs) / 1000 : undefined;
}

/** Seconds since a moment of the gateway's clock; undefined if the clock is or was not set. */
export function sinceS(timestamp: number): number | undefined {
	const nowS = gatewayNowS();
	return nowS === undefined || timestamp === 0 ? undefined : Math.max(0, nowS - timestamp);
}

/** Seconds within which a scheduled readout is expected; undefined without a schedule. */
export function plannedS(): number | undefined {
	const { value } = schedule;
	return value?.enabled ? value.period_value * PERIODS_S[value.period_unit] : undefined;
}

/** Start of the running readout, for its progress on any page. */
export function readingSinceMs(): number {
	return readingFromMs;
}

function isStale(): boolean {
	const { value } = readout;
	if (value === undefined || value.readings.length === 0) return false;
	if (!reachable.value) return true;
	const planned = plannedS();
	const { schedule_next = 0, schedule_error } = status.value ?? {};
	const nowS = gatewayNowS();
	// Until the schedule has arrived, the time of the next readout tells.
	if (planned === undefined && schedule_next > 0 && schedule_error === "" && nowS !== undefined)
		return nowS > schedule_next + GRACE_S;
	const limitS = planned === undefined ? PRESENT_S : planned + GRACE_S;
	return (sinceS(value.timestamp) ?? (Date.now() - readoutAtMs) / 1000) > limitS;
}

export async function refresh(): Promise<void> {
	if (!loggedIn.value || !reachable.value) return;
	const now = await get<Status>("system/status", { timeoutMs: LOOK_MS });
	askedAtMs = Date.now();
	takeOffset(now.localtime);
	await look(now);
}

/** Takes over a new state of the gateway. */
async function look(now: Status): Promise<void> {
	statusAtMs = Date.now();
	status.set(now);
	// A readout requested by this page is received by its own request.
	if (reading.value) return;
	const { meter_readouts, meter_state } = now;
	const isSame = meter_readouts === readouts && (meter_state === meterState || meter_state === "reading");
	// The count restarts with the gateway and may be equal by chance, so an old readout is requested again.
	const isOld = isStale() && Date.now() - lookedAtMs > OLD_LOOK_MS;
	if (!isSame || isOld || readout.value === undefined) {
		lookedAtMs = Date.now();
		take(await get<Readout>(`iec62056/last?lang=${language}`));
	}
	readouts = meter_readouts;
	meterState = meter_state;
	stale.set(isStale());
}

/** Requests each value separately: a missing one does not affect the others. */
async function refreshSlowly(): Promise<void> {
	if (!loggedIn.value || !reachable.value) return;
	const into = <T>(path: string, put: (value: T) => void) => get<T>(path, { timeoutMs: LOOK_MS }).then(put, () => {});
	await into<NetworkStatus>("network/status", (value) => network.set(value));
	await into<Timezone>("system/timezone", ({ timezone }) => zone.set(timezone));
	await into<Schedule>("iec62056/schedule", (value) => schedule.set(value));
}

follow(status, (news) => {
	const before = status.value;
	if (before === undefined) return;
	const { timestamp = before.timestamp } = news;
	// Events have no local time, so it is calculated for their timestamp.
	const localtime = advanceLocalTime(before.localtime, timestamp - before.timestamp);
	look({ ...before, ...news, localtime }).catch(() => undefined);
});

/** Reads the meter after a click. The result is in the stores, and a screen reader announces it. */
export async function readNow(): Promise<boolean> {
	if (reading.value) return false;
	readingFromMs = Date.now();
	reading.set(true);
	readFailure.set(undefined);
	announce(t("read.running"));
	const before = status.value?.meter_readouts ?? 0;
	try {
		take(await get<Readout>(`iec62056/read?lang=${language}`, { timeoutMs: READ_MS, lane: "meter" }));
		// This readout has arrived already and need not be fetched.
		readouts = before + 1;
		meterState = "ok";
		announce(t("read.done"));
		return true;
	} catch (reason) {
		readFailure.set(asDeviceError(reason));
		announce(t("read.failed"));
		return false;
	} finally {
		reading.set(false);
		refresh().catch(() => undefined);
	}
}

function take(next: Readout): void {
	const before = readout.value;
	readout.set(next);
	const isNew = before?.timestamp !== next.timestamp || before.readings.length !== next.readings.length;
	if (before !== undefined && !isNew && next.timestamp !== 0) return;
	readoutAtMs = Date.now();
	// The gateway finished a readout that this page had given up.
	if (readFailure.value?.code === OFFLINE) readFailure.set(undefined);
	if (next.readings.length === 0) return;
	const watts = powerOf(next.readings);
	// Without a clock the arrival time is used, if the readout arrived while this page was open.
	const arrivedMs = before === undefined ? (points.value.at(-1)?.atMs ?? readoutAtMs) : readoutAtMs;
	const atMs = next.timestamp * 1000 || arrivedMs;
	// A meter that waits for its PIN sends whole kWh only: their difference is no power.
	const shown = addPoint({ atMs, watts, wh: isLocked(next) ? undefined : importedWh(next.readings) });
	power.set(shown === undefined ? undefined : { watts: shown, isMean: watts === undefined });
	stale.set(isStale());
}

/** Keeps the stores fresh while the page is visible. Use it once. */
export function useLive(): void {
	usePoll(async () => {
		if (!following.value || Date.now() - askedAtMs >= SLOW_POLL_MS) await refresh();
	}, POLL_MS);
	usePoll(refreshSlowly, SLOW_POLL_MS);
	useEffect(() => {
		const all = async () => {
			await refresh();
			await refreshSlowly();
		};
		const again = (isThere: boolean) => {
			stale.set(isStale());
			// The gateway may have restarted.
			readouts = -1;
			if (isThere) all().catch(() => undefined);
		};
		again(true);
		const timer = setInterval(() => stale.set(isStale()), 1_000);
		const ends = [loggedIn.watch(again), reachable.watch(again)];
		return () => {
			clearInterval(timer);
			for (const end of ends) end();
		};
	}, []);
}

/** Forgets the readings at logout, so that the next user does not see them. */
export function forgetSeen(): void {
	forgetCurve();
	readouts = -1;
	for (const store of [status, network, schedule, readout, power, readFailure]) store.set(undefined);
}
