/**
 * Finds out which kind of time the meter's clock shows, and how wrong the clock is. The rows of a profile have the same
 * kind of time as the clock. Some meters send a season or a deviation with each time, from which the kind follows.
 */

import { SEASON_SUMMER, SEASON_UTC, SEASON_WINTER } from "../../meter/profile-rows.js";
import type { ProfileMoment, ProfileSpan } from "../../readout/protocol.js";
import { type Offsets, summerOffset, winterOffset } from "../../time/wall-clock.js";

/**
 * Kinds of time: local time of the time zone (CLOCK_ZONE), winter time of the zone in all seasons (CLOCK_WINTER), UTC.
 */
export const CLOCK_ZONE = 0;
export const CLOCK_WINTER = 1;
export const CLOCK_UTC = 2;

/** Largest error of the clock up to which the kind of time can be recognized, s. */
const SURE_S = 300;

/** Returns the offsets from UTC that apply to the meter's times if they have no season. */
export function offsetsOf(zone: Offsets, kind: number): Offsets {
	if (kind === CLOCK_ZONE) return zone;
	return { offsetMinutes: (utcMs) => (kind === CLOCK_UTC ? 0 : winterOffset(zone, utcMs)) };
}

export function momentOf(zone: Offsets, kind: number, utcS: number): ProfileMoment {
	const offset = offsetsOf(zone, kind).offsetMinutes(utcS * 1000);
	const isSummer = kind === CLOCK_ZONE && offset > winterOffset(zone, utcS * 1000);
	const season = kind === CLOCK_UTC ? SEASON_UTC : isSummer ? SEASON_SUMMER : SEASON_WINTER;
	return { utcS, localS: utcS + offset * 60, season };
}

/** Returns the kind of time that follows from the season of a row, or `kind` if none follows. */
export function kindOfRow(zone: Offsets, kind: number, season: number, utcS: number): number {
	if (season === SEASON_UTC) return CLOCK_UTC;
	if (season === SEASON_SUMMER) return CLOCK_ZONE;
	const isSummer = zone.offsetMinutes(utcS * 1000) > winterOffset(zone, utcS * 1000);
	return season === SEASON_WINTER && isSummer ? CLOCK_WINTER : kind;
}

/**
 * Returns a kind of time for which the clock's error is small. Tries `kind` first, and returns `kind` if the error is
 * large for every kind. Used for times without a season or deviation.
 */
export function kindOfClock(zone: Offsets, kind: number, span: ProfileSpan, nowS: number): number {
	for (const other of [kind, CLOCK_ZONE, CLOCK_WINTER, CLOCK_UTC])
		if (Math.abs(clockErrorOf(zone, other, span, nowS)) <= SURE_S) return other;
	return kind;
}

/** Returns by how many seconds the meter's clock is ahead; NaN if the clock was not read. */
export function clockErrorOf(zone: Offsets, kind: number, span: ProfileSpan, nowS: number): number {
	const { clockDeviation, clockS, clockSeason } = span;
	let offset = -clockDeviation;
	if (clockSeason === SEASON_UTC) offset = 0;
	else if (clockSeason === SEASON_WINTER) offset = winterOffset(zone, nowS * 1000);
	else if (clockSeason === SEASON_SUMMER) offset = summerOffset(zone, nowS * 1000);
	if (!Number.isNaN(offset)) return clockS - offset * 60 - nowS;
	return clockS - offsetsOf(zone, kind).offsetMinutes(nowS * 1000) * 60 - nowS;
}
