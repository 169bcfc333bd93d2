/** What the build tells the firmware (tools/build.ts), as the module of the Moddable SDK that carries it. */
declare module "mc/config" {
	const config: {
		/** As `--board` names it. */
		readonly board: string;
		/** `<major>.<minor>.<build>` */
		readonly version: string;
		/** When this build was made, Unix time in milliseconds. */
		readonly builtUtcMs: number;
	};
	export default config;
}
