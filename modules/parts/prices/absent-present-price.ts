/** Replaces present-price.ts in a firmware without prices. */

export function currencyOf(): string {
	return "";
}

export function costPerHour(): number {
	return Number.NaN;
}
