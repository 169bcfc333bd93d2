/**
 * Part of the power that a client with a share gets. Such a client, for example a battery, is an integral controller:
 * it adds each value that it gets to its own power. Several clients act on one meter, and the meter shows their effect
 * only in its next value. With share s, interval T between the meter's values and age a of the last value, the part for
 * each second is
 *
 *     s / T / (1 + a / T)²
 *
 * The integral of this over a is s. So a client that asks often gets half of its share until the next value is due, and
 * at most its whole share if the next value never comes. If the client did not ask for some time before the value came,
 * that time counts too.
 */

/**
 * Power below which some batteries do not react, W. A part with less power is withheld until it has grown to this
 * power, or to the whole power if that is less.
 */
const WORTH_W = 40;

/**
 * Times that determine a part, ms: age of the meter's last value, interval between its values, and time since the
 * client's last part above 0.
 */
export interface Moment {
	readonly ageMs: number;
	readonly everyMs: number;
	readonly sinceMs: number;
}

/** Returns the part for a share, both 0 to 1; 0 if the part is withheld. `power` is in W. */
export function partOf(share: number, power: number, { ageMs, everyMs, sinceMs }: Moment): number {
	const watts = Math.abs(power);
	const collected = Math.min(1, (share * sinceMs) / everyMs);
	const part = Math.min(collected / (1 + ageMs / everyMs) ** 2, Math.max(share, WORTH_W / watts));
	return collected < 1 && part * watts < WORTH_W ? 0 : part;
}
