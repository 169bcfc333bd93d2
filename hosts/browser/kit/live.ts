/**
 * The gateway's state and its last readout. The state arrives through events (follow.ts) or by polling. The readout is
 * requested only when the state reports a newer readout or a failed attempt, because the chip needs seconds to write a
 * large readout. Both stay in memory while the page is open.
 */
import { useEffect } from "preact/hooks";
import { announce } from "./components.js";
import { addPoint, forgetCurve, points } from "./curve-points.js";
import { type DeviceError, get, OFFLINE, QUICK_TIMEOUT_MS, READ_MS, reachable } from "./device.js";
import { follow, following } from "./follow.js";
import { advanceLocalTime } from "./format.js";
import { apparentOf, importedWh, isLocked, powerOf } from "./power.js";
import type { Readout as FreshReadout, LastReadout, NetworkStatus, Schedule, Status, Timezone } from "./replies.js";
import { loggedIn } from "./session.js";
import { Store, useStore } from "./store.js";
import { language, t } from "./text.js";
import { asDeviceError, usePoll } from "./use-device.js";
import { takeOffset, zone } from "./zone.js";

/** A readout that this page has requested, or the last readout that the gateway has. */
export type Readout = FreshReadout | LastReadout;

/** Value of `status` in a readout that was truncated. */
export const READOUT_CUT = 2;
export const READOUT_UNCHECKED = 4;

const POLL_MS = 5_000;
const SLOW_POLL_MS = 30_000;
/** Age until which a readout counts as current if there is no schedule. */
const PRESENT_S = 300;
/** Time by which a planned readout may be late, because reading the meter and a repeated attempt take time. */
const GRACE_S = 120;
const OLD_RELOAD_MS = 60_000;
/** Lengths of the schedule's units. A month counts as 31 days. */
const PERIODS_S = { minutes: 60, hours: 3600, days: 86_400, months: 31 * 86_400 } as const;

export const status = new Store<Status | undefined>(undefined);
export const network = new Store<NetworkStatus | undefined>(undefined);
export const schedule = new Store<Schedule | undefined>(undefined);
export const readout = new Store<Readout | undefined>(undefined);
/** True while this page waits for a readout that it has requested. */
export const reading = new Store(false);
export const readFailure = new Store<DeviceError | undefined>(undefined);
/** True if the last readout is too old to be shown as current, or its age is unknown. */
export const stale = new Store(false);

export interface Power {
	/** Power in W or VA. It is negative if power is fed into the grid. */
	readonly watts: number;
	/** VA if the meter sends apparent power only. */
	readonly unit: "W" | "VA";
	/** True if the power is the average between two counter readings. */
	readonly isMean: boolean;
}
export const power = new Store<Power | undefined>(undefined);

/** Time at which the readout arrived, by this browser's clock. This clock continues while a tablet sleeps. */
let readoutAtMs = 0;
let statusAtMs = 0;
let statusRequestedAtMs = 0;
let readingFromMs = 0;
let lastRequestedAtMs = 0;
let readouts = -1;
let meterState = "";

/** Returns the gateway's time, or undefined if its clock is not set. */
function gatewayNowS(): number | undefined {
	const { value } = status;
	return value?.clock_valid ? value.timestamp + (Date.now() - statusAtMs) / 1000 : undefined;
}

/** Returns the seconds by which the gateway's clock is ahead of this device's, or undefined if it is not set. */
export function clockAheadS(): number | undefined {
	const nowS = gatewayNowS();
	return nowS && nowS - Date.now() / 1000;
}

/**
 * Returns the seconds since the timestamp. Returns undefined if the gateway's clock is not set, or was not set at that
 * time.
 */
export function sinceS(timestamp: number): number | undefined {
	const nowS = gatewayNowS();
	return nowS === undefined || timestamp === 0 ? undefined : Math.max(0, nowS - timestamp);
}

/** Returns the time within which the next readout comes, or undefined if there is no schedule. */
export function plannedS(): number | undefined {
	const { value } = schedule;
	return value?.enabled ? value.period_value * PERIODS_S[value.period_unit] : undefined;
}

/** Returns the start of the running readout, so that any page can show its progress. */
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
	// Until the schedule has arrived, `schedule_next` in the state is used.
	if (planned === undefined && schedule_next > 0 && schedule_error === "" && nowS !== undefined)
		return nowS > schedule_next + GRACE_S;
	const limitS = planned === undefined ? PRESENT_S : planned + GRACE_S;
	return (sinceS(value.timestamp) ?? (Date.now() - readoutAtMs) / 1000) > limitS;
}

export async function refresh(): Promise<void> {
	if (!loggedIn.value || !reachable.value) return;
	const now = await get<Status>("system/status", { timeoutMs: QUICK_TIMEOUT_MS });
	statusRequestedAtMs = Date.now();
	takeOffset(now.localtime);
	await applyStatus(now);
}

/** Requests the last readout if it has changed. */
async function applyStatus(now: Status): Promise<void> {
	statusAtMs = Date.now();
	status.set(now);
	// If this page has requested a readout, the readout arrives as the reply to that request.
	if (reading.value) return;
	const { meter_readouts, meter_state } = now;
	const isSame = meter_readouts === readouts && (meter_state === meterState || meter_state === "reading");
	// The gateway counts readouts from 0 again after a restart. The new count may by chance equal the old one.
	const isOld = isStale() && Date.now() - lastRequestedAtMs > OLD_RELOAD_MS;
	if (!isSame || isOld || readout.value === undefined) {
		lastRequestedAtMs = Date.now();
		take(await get<Readout>(`iec62056/last?lang=${language}`));
	}
	readouts = meter_readouts;
	meterState = meter_state;
	stale.set(isStale());
}

/** Requests data that rarely change. They are separate requests, so that a failed one does not affect the others. */
async function refreshSlowly(): Promise<void> {
	if (!loggedIn.value || !reachable.value) return;
	const into = <T>(path: string, put: (value: T) => void) =>
		get<T>(path, { timeoutMs: QUICK_TIMEOUT_MS }).then(put, () => {});
	await into<Timezone>("system/timezone", ({ timezone }) => zone.set(timezone));
	await into<NetworkStatus>("network/status", (value) => network.set(value));
	await into<Schedule>("iec62056/schedule", (value) => schedule.set(value));
}

follow(status, (news) => {
	const before = status.value;
	if (before === undefined) return;
	const { timestamp = before.timestamp } = news;
	// Events contain no local time, so it is calculated here.
	const localtime = advanceLocalTime(before.localtime, timestamp - before.timestamp);
	applyStatus({ ...before, ...news, localtime }).catch(() => undefined);
});

/** Reads the meter, and announces the result to screen readers. */
export async function readNow(): Promise<boolean> {
	if (reading.value) return false;
	readingFromMs = Date.now();
	reading.set(true);
	readFailure.set(undefined);
	announce(t("read.running"));
	const before = status.value?.meter_readouts ?? 0;
	try {
		take(await get<Readout>(`iec62056/read?lang=${language}`, { timeoutMs: READ_MS, lane: "meter" }));
		// When the state counts this readout, it need not be fetched again.
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
	// Without a valid power, the last one must not stay, even if the readout is the same.
	const isExpired = hasExpired(next);
	if (isExpired) power.set(undefined);
	const isNew = before?.timestamp !== next.timestamp || before.readings.length !== next.readings.length;
	if (before !== undefined && !isNew && next.timestamp !== 0) return;
	readoutAtMs = Date.now();
	// The gateway has finished a readout. If the reply to this page's own request was lost, this no longer matters.
	if (readFailure.value?.code === OFFLINE) readFailure.set(undefined);
	stale.set(isStale());
	if (next.readings.length === 0 || isExpired) return;
	const active = powerOf(next.readings);
	const watts = active ?? apparentOf(next.readings);
	// If the gateway's clock is not set, the arrival time is used, but only if the readout arrived while this page was
	// open.
	const arrivedMs = before === undefined ? (points.value.at(-1)?.atMs ?? readoutAtMs) : readoutAtMs;
	const atMs = next.timestamp * 1000 || arrivedMs;
	// A meter that waits for its PIN sends whole kWh, from which no power can be calculated.
	const shown = addPoint({ atMs, watts, wh: isLocked(next) ? undefined : importedWh(next.readings) });
	const unit = active === undefined && watts !== undefined ? "VA" : "W";
	power.set(shown === undefined ? undefined : { watts: shown, isMean: watts === undefined, unit });
}

/** Returns true if the gateway considers powers, voltages and currents too old. */
export function hasExpired(last: Readout): boolean {
	return "momentary_valid" in last && !last.momentary_valid;
}

/** Returns true if the meter waits for its PIN. Until then it sends neither power nor exact counters. */
export function useLocked(): boolean {
	const last = useStore(readout);
	return last !== undefined && isLocked(last);
}

/** Names of the parts that this page lacks (tools/page/omissions.ts), separated by blanks. */
declare const LACKING: string;

/**
 * Returns a function that tells whether both the page and the firmware have a part or protocol. No name may contain
 * another name.
 */
export function useHasPart(): (name: string) => boolean {
	const now = useStore(status);
	return (name) => !LACKING.includes(name) && !now?.without?.includes(name);
}

/** Keeps the state and the readout up to date. Only one component may use it. */
export function useLive(): void {
	usePoll(async () => {
		if (!following.value || Date.now() - statusRequestedAtMs >= SLOW_POLL_MS) await refresh();
	}, POLL_MS);
	usePoll(refreshSlowly, SLOW_POLL_MS);
	useEffect(() => {
		const all = async () => {
			await refresh();
			await refreshSlowly();
		};
		const again = (isThere: boolean) => {
			stale.set(isStale());
			// The gateway may have restarted in the meantime, so its count of readouts is unknown.
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

/** Forgets all readings, so that the next user does not see them. */
export function forgetSeen(): void {
	forgetCurve();
	readouts = -1;
	for (const store of [status, network, schedule, readout, power, readFailure]) store.set(undefined);
}
