/** What the build tells the firmware (tools/sdk/esp32.ts): a module of the Moddable SDK, and one that it makes. */
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

/** The board has a Zigbee coprocessor. A constant: what is imported for a radio alone is in no other board's image. */
declare const HAS_RADIO: boolean;
