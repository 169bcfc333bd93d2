/** Firmware versions: `<major>.<minor>.<build>`, with an optional suffix. */

/** Returns true if `version` is newer. Only the numbers are compared, not the suffixes. */
export function isNewer(version: string, present: string): boolean {
	for (let i = 0; i < 3; i++) {
		const difference = numberIn(version, i) - numberIn(present, i);
		if (difference !== 0) return difference > 0;
	}
	return false;
}

/** Returns the third number of a version; 0 if it is missing. */
export function buildNumber(version: string): number {
	return numberIn(version, 2);
}

function numberIn(version: string, index: number): number {
	const text = version.split(".", 3)[index] ?? "";
	let number = 0;
	for (let i = 0; text.charAt(i) >= "0" && text.charAt(i) <= "9"; i++) number = number * 10 + Number(text.charAt(i));
	return number;
}
