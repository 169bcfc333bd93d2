/**
 * Values that the build passes to the firmware (tools/sdk/esp32.ts): one module of the Moddable SDK and one generated
 * module.
 */
declare module "mc/config" {
	const config: {
		/** `<major>.<minor>.<build>` */
		readonly version: string;
		/** When this build was made, Unix time in milliseconds. */
		readonly builtUtcMs: number;
	};
	export default config;
}

declare module "gateway/board" {
	/** The board that this firmware is for: its own row of boards.ts, and no other. */
	export const BOARD: import("./boards.js").Board;
}

declare module "gateway/release" {
	/** Choices of the publisher of this firmware (`--release`). They are texts because texts stay in flash. */
	export const RELEASE: {
		/** Public keys that may sign updates: points in hex (P256_POINT_LENGTH bytes). None: this build takes no update. */
		readonly updateKeys: readonly string[];
		/** Ids of keys that may not any more, 8 bytes in hex. */
		readonly revokedKeys: readonly string[];
		/** Public key that seals diagnostic reports: a point in hex; empty for none. */
		readonly reportKey: string;
		/** Address that announces newer firmware; empty for none. */
		readonly upgradeUrl: string;
		readonly securityLevel: number;
	};
}

/** The board has a Zigbee coprocessor. A constant: what is imported for a radio alone is in no other board's image. */
declare const HAS_RADIO: boolean;
/** The board has an Ethernet port, likewise. */
declare const HAS_ETHERNET: boolean;
