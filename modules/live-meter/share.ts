/**
 * Part of the power that a client with a share gets. Such a client is an integral controller: it adds each value to its
 * own power. Several of them act on one meter, which shows their effect only in its next value. With share s, interval
 * T of the values and age a, the part for each second is
 *
 *     s / T / (1 + a / T)²
 *
 * The integral of this over a is s. A client that asks often gets half of its share until the next value is due, and at
 * most all of its share if the next value never comes. Time before the value counts too if the client did not ask then.
 */

/**
 * Power below which some batteries do not react, W. A part with less power is put off until it has grown to this, or to
 * all of the power.
 */
const WORTH_W = 40;

/** The moment of a request, ms: age of the values, interval of the values, and time since the last part above 0. */
export interface Moment {
	readonly ageMs: number;
	readonly everyMs: number;
	readonly sinceMs: number;
}

/** Returns the part for a share, both 0 to 1; 0 if the part is put off. `power` in W. */
export function partOf(share: number, power: number, { ageMs, everyMs, sinceMs }: Moment): number {
	const watts = Math.abs(power);
	const collected = Math.min(1, (share * sinceMs) / everyMs);
	const part = Math.min(collected / (1 + ageMs / everyMs) ** 2, Math.max(share, WORTH_W / watts));
	return collected < 1 && part * watts < WORTH_W ? 0 : part;
}
