/**
 * Wall-clock times as numbers. The number is the Unix time (ms) at which UTC has the same day and time. Therefore
 * Date's UTC functions can count days, months and years across clock changes. Moments, on the other hand, are Unix
 * times in seconds.
 */

/** Converts a moment to wall-clock time. `Intl` must know `timeZone`. */
export function wallClockOf(moment: number, timeZone: string): number {
	// The Swedish date format equals the format of ISO 8601.
	const format = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone });
	return Date.parse(`${format.format(moment * 1000).replace(" ", "T")}Z`);
}

/**
 * Returns a moment at which the wall clock shows this time. If the clock shows it twice, returns one of the two
 * moments.
 */
export function momentOf(wallMs: number, timeZone: string): number {
	const offsetAt = (ms: number) => wallClockOf(Math.floor(ms / 1000), timeZone) - ms;
	return Math.floor((wallMs - offsetAt(wallMs - offsetAt(wallMs))) / 1000);
}

/** Returns the moment as wall-clock time with its offset (ISO 8601): `2026-10-25T02:00:00+02:00`. */
export function stampOf(moment: number, timeZone: string): string {
	const wallMs = wallClockOf(moment, timeZone);
	const minutes = Math.round(wallMs / 60_000 - moment / 60);
	const two = (number: number) => String(Math.floor(number)).padStart(2, "0");
	const ahead = Math.abs(minutes);
	return `${new Date(wallMs).toISOString().slice(0, 19)}${minutes < 0 ? "-" : "+"}${two(ahead / 60)}:${two(ahead % 60)}`;
}
