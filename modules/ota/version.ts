/** Versions of the firmware: `<major>.<minor>.<build>`, maybe with a suffix. */

/** By the three numbers of both, whatever stands behind them. */
export function isNewer(version: string, present: string): boolean {
	for (let i = 0; i < 3; i++) {
		const difference = numberIn(version, i) - numberIn(present, i);
		if (difference !== 0) return difference > 0;
	}
	return false;
}

/** The third number of `<major>.<minor>.<build>`, maybe with a suffix; 0 where there is none. */
export function buildNumber(version: string): number {
	return numberIn(version, 2);
}

function numberIn(version: string, index: number): number {
	const text = version.split(".", 3)[index] ?? "";
	let number = 0;
	// What is no digit ends it, as the hyphen of a suffix does.
	for (let i = 0; text.charAt(i) >= "0" && text.charAt(i) <= "9"; i++) number = number * 10 + Number(text.charAt(i));
	return number;
}
