/** What is known of a newer firmware, and where one is looked for: of the settings and the build, for whoever shows it. */
import type { ConfigStore } from "../config/store.js";
import type { HostInfo } from "../io/host.js";
import { UPGRADE_CHECK_ENABLED, UPGRADE_FOUND_VERSION, UPGRADE_URL } from "./fields.js";
import { isNewer } from "./version.js";

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

/** Version of the newest firmware that was found, if it is newer than the running one; else empty. */
export function upgradeVersionOf(config: UpgradeConfig, { firmwareVersion }: UpgradeInfo): string {
	const found = config.get(UPGRADE_FOUND_VERSION);
	return config.get(UPGRADE_CHECK_ENABLED) && isNewer(found, firmwareVersion) ? found : "";
}
