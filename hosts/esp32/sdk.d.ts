/** Values that the build passes to the firmware (tools/sdk/esp32.ts). */
declare module "mc/config" {
	const config: {
		/** `<major>.<minor>.<build>` */
		readonly version: string;
		/** Build time, Unix ms. */
		readonly builtUtcMs: number;
	};
	export default config;
}

declare module "gateway/board" {
	/** The only row of boards.ts that is compiled in. */
	export const BOARD: import("./boards.js").Board;
}

declare module "gateway/release" {
	/** Choices of the firmware's publisher (`--release`). Keys are strings, because strings stay in flash. */
	export const RELEASE: {
		/**
		 * Public keys that may sign updates: points in hex (P256_POINT_LENGTH bytes). If empty, this build accepts no
		 * update.
		 */
		readonly updateKeys: readonly string[];
		/** Key ids, 8 bytes in hex. */
		readonly revokedKeys: readonly string[];
		/** Public key for diagnostic reports: a point in hex, or empty. */
		readonly reportKey: string;
		readonly settingsKeys: string;
		/** URL that announces newer firmware, or empty. */
		readonly upgradeUrl: string;
		readonly securityLevel: number;
	};
}

/**
 * True if the board has a Zigbee coprocessor. It is a constant, so that images for other boards leave out code for a
 * radio.
 */
declare const HAS_RADIO: boolean;
declare const HAS_ETHERNET: boolean;
