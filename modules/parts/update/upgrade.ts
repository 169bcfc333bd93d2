/** Address and result of the daily check for newer firmware. */
import type { ConfigStore } from "../../config/store.js";
import type { HostInfo } from "../../io/host.js";
import { isNewer } from "../../update/version.js";
import { UPGRADE_CHECK_ENABLED, UPGRADE_FOUND_VERSION, UPGRADE_URL } from "./fields.js";

export type UpgradeConfig = Pick<ConfigStore, "get">;
export type UpgradeInfo = Pick<HostInfo, "board" | "firmwareVersion" | "upgradeUrl">;

const BOARD = "{board}";

/** Returns the address of the release file, with the board's name in it; empty if there is no address. */
export function upgradeURLOf(config: UpgradeConfig, info: UpgradeInfo): string {
	return withBoard(config.get(UPGRADE_URL) || info.upgradeUrl, info.board);
}

export function withBoard(url: string, board: string): string {
	return url.split(BOARD).join(board);
}

export function upgradeVersionOf(config: UpgradeConfig, { firmwareVersion }: UpgradeInfo): string {
	const found = config.get(UPGRADE_FOUND_VERSION);
	return config.get(UPGRADE_CHECK_ENABLED) && isNewer(found, firmwareVersion) ? found : "";
}
