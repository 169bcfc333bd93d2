/** What is known of a newer firmware, and where one is looked for: of the settings and the build, for whoever shows it. */
import type { ConfigStore } from "../config/store.js";
import { UPGRADE_CHECK_ENABLED, UPGRADE_FOUND_VERSION, UPGRADE_URL } from "./fields.js";
import type { HostInfo } from "../io/host.js";

export type UpgradeConfig = Pick<ConfigStore, "get">;
export type UpgradeInfo = Pick<HostInfo, "board" | "firmwareVersion" | "upgradeUrl">;

/** In an address: where the board's name stands. */
const BOARD = "{board}";

/** The address, with this board's name in it; empty: nowhere. */
export function upgradeURLOf(config: UpgradeConfig, info: UpgradeInfo): string {
	return withBoard(config.get(UPGRADE_URL) || info.upgradeUrl, info.board);
}

export function withBoard(url: string, board: string): string {
	return url.split(BOARD).join(board);
}

/** Of the newest firmware that was found, where that is newer than the running one; else empty. */
export function upgradeVersionOf(config: UpgradeConfig, { firmwareVersion }: UpgradeInfo): string {
	const found = config.get(UPGRADE_FOUND_VERSION);
	return config.get(UPGRADE_CHECK_ENABLED) && isNewer(found, firmwareVersion) ? found : "";
}

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
