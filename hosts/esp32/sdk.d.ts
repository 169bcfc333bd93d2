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
	/** The only row of boards.ts that is compiled into the firmware. */
	export const BOARD: import("./boards.js").Board;
}

declare module "gateway/release" {
	/** Choices of the firmware's publisher (`--release`). Keys are hex strings, because XS keeps strings in flash. */
	export const RELEASE: {
		/**
		 * Public keys that may sign updates: points in hex (P256_POINT_LENGTH bytes). If empty, this build accepts no
		 * update.
		 */
		readonly updateKeys: readonly string[];
		/** Ids of revoked keys, 8 bytes each in hex. */
		readonly revokedKeys: readonly string[];
		/** Public key for diagnostic reports: a point in hex, or empty. */
		readonly reportKey: string;
		readonly settingsKeys: string;
		/** URL at which newer firmware is announced, or empty. */
		readonly upgradeUrl: string;
		readonly securityLevel: number;
	};
}

/**
 * True if the board has a Zigbee coprocessor. This is a constant, so that firmware for other boards leaves out the code
 * for a coprocessor.
 */
declare const HAS_RADIO: boolean;
declare const HAS_ETHERNET: boolean;
/** As `timeServers` of HostInfo. */
declare const TIME_SERVERS: string;
