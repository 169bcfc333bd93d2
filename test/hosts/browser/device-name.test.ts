import assert from "node:assert/strict";
import { deviceName } from "../../../hosts/browser/kit/device-name.js";

const AGENTS = [
	["Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"],
	["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
	[
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36",
		"Samsung on Android",
	],
	[
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
		"Safari on iOS",
	],
	[
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
		"Chrome on iOS",
	],
	[
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
		"Edge on macOS",
	],
	[
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
		"Chrome on Windows",
	],
	[
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
		"Chrome on ChromeOS",
	],
	["", "Browser"],
] as const;

describe("hosts/browser/kit/device-name", () => {
	it("names browser, system and month in at most 32 printable ASCII characters", () => {
		for (const [agent, name] of AGENTS) {
			assert.equal(deviceName(agent, new Date("2026-11-26T12:00:00Z")), `${name}, Nov 2026`);
			for (let month = 0; month < 12; month++)
				assert.match(deviceName(agent, new Date(Date.UTC(2026, month, 15))), /^[ -~]{1,32}$/);
		}
	});
});
