/** Name of the token of this device, made from the browser's user agent, such as `Firefox on Android, Nov 2026`. */

/** Names of browsers. The order matters, because most user agents also contain the names of other browsers. */
const BROWSERS = [
	["Edge", /Edg(e|A|iOS)?\//],
	["Opera", /OPR\//],
	["Samsung", /SamsungBrowser\//],
	["Firefox", /(Firefox|FxiOS)\//],
	["Chrome", /(Chrome|CriOS)\//],
	["Safari", /Safari\//],
] as const;
const SYSTEMS = [
	["Android", /Android/],
	["iOS", /iPhone|iPad|iPod/],
	["Windows", /Windows/],
	["macOS", /Macintosh/],
	["ChromeOS", /CrOS/],
	["Linux", /Linux/],
] as const;

/** Returns at most 32 printable ASCII characters. */
export function deviceName(agent: string, now: Date): string {
	const found = (names: typeof BROWSERS | typeof SYSTEMS) => names.find(([, pattern]) => pattern.test(agent))?.[0];
	const system = found(SYSTEMS);
	const month = new Intl.DateTimeFormat("en", { month: "short", year: "numeric" }).format(now);
	return `${found(BROWSERS) ?? "Browser"}${system === undefined ? "" : ` on ${system}`}, ${month}`;
}
