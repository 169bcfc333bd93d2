/** ESP-IDF settings of a build for a chip: those of the SDK, overridden by those of the gateway. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BOARDS, type Chip } from "../../hosts/esp32/boards.js";
import { IDF_TAG } from "../../tools/doctor/checks.js";
import { sdkconfigOf } from "../../tools/sdk/esp32.js";

export const CHIPS: readonly Chip[] = [...new Set(BOARDS.map(({ chip }) => chip))];

/** Values by name without CONFIG_: "y", "n", a number or a quoted text. */
export type Settings = ReadonlyMap<string, string>;

/** Groups of alternatives: switching one on switches the others off. */
const CHOICES = [
	/^ESP_SYSTEM_PANIC_/,
	/^BOOTLOADER_LOG_LEVEL_/,
	/^LOG_DEFAULT_LEVEL_/,
	/^ESP_COREDUMP_ENABLE_TO_/,
	/^ESP_CONSOLE_(?:NONE|UART_DEFAULT|USB_\w+)$/,
	/^FREERTOS_CHECK_STACKOVERFLOW_/,
];

/** The Moddable SDK's settings for a chip; mcconfig appends the gateway's settings. */
export function sdkDefaultsOf(sdk: string, chip: Chip): string {
	const folder = join(sdk, "build", "devices", "esp32", `xsProj-${chip}`);
	const files = ["sdkconfig.defaults", "sdkconfig.defaults.release"].map((name) => join(folder, name));
	return files.map((file) => `${readFileSync(file, "utf8")}\n`).join("");
}

/** Lines of a development build, by default for the first board with the chip, as passed to ESP-IDF. */
export function linesFor(sdk: string, chip: Chip, board = BOARDS.find((one) => one.chip === chip)!): string {
	return sdkDefaultsOf(sdk, chip) + sdkconfigOf({ board, production: false, version: "1.2.3" });
}

/** Reads lines NAME=value; a later line replaces an earlier one. */
export function readSettings(text: string): Settings {
	const settings = new Map<string, string>();
	for (const [, unset, name, value] of text.matchAll(/^(?:# CONFIG_(\w+) is not set|CONFIG_(\w+)=(.*))$/gm)) {
		if (unset !== undefined) {
			settings.set(unset, "n");
			continue;
		}
		const choice = value === "y" ? CHOICES.find((pattern) => pattern.test(name!)) : undefined;
		for (const other of settings.keys()) if (choice?.test(other)) settings.set(other, "n");
		settings.set(name!, value!);
	}
	return settings;
}

export interface Difference {
	readonly name: string;
	/** The values as text: "esp32 8192, esp32c3 5744". */
	readonly values: string;
}

/**
 * Settings with different values on two chips. `missing` stands for a missing value; if undefined, settings that a chip
 * lacks are omitted.
 */
export function differences(chips: ReadonlyMap<Chip, Settings>, missing?: string): Difference[] {
	const names = new Set([...chips.values()].flatMap((settings) => [...settings.keys()]));
	return [...names].sort().flatMap((name) => {
		const values = [...chips].flatMap(([chip, settings]): [Chip, string][] => {
			const value = settings.get(name) ?? missing;
			return value === undefined ? [] : [[chip, value]];
		});
		if (new Set(values.map(([, value]) => value)).size < 2) return [];
		return [{ name, values: values.map(([chip, value]) => `${chip} ${value}`).join(", ") }];
	});
}

/** Paths of ESP-IDF's Kconfig files in components with a matching name. */
function kconfigFiles(idf: string, pattern: RegExp): string[] {
	const components = join(idf, "components");
	return readdirSync(components, { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.flatMap(({ name }) => readdirSync(join(components, name)).map((file) => join(components, name, file)))
		.filter((path) => pattern.test(path))
		.sort();
}

/** Every name that a Kconfig file of ESP-IDF defines. */
export function kconfigNames(idf: string): Set<string> {
	const names = new Set<string>();
	const all = readdirSync(join(idf, "components"), { recursive: true, encoding: "utf8" });
	const files = all.filter((path) => /(?:^|\/)Kconfig[\w.-]*$/.test(path)).map((path) => join("components", path));
	for (const file of ["Kconfig", ...files])
		for (const [, name] of readFileSync(join(idf, file), "utf8").matchAll(/^[ \t]*(?:menu)?config[ \t]+(\w+)/gm))
			names.add(name!);
	return names;
}

/**
 * All settings of a chip including ESP-IDF's defaults, by its program kconfgen. Throws an Error with that program's
 * output.
 */
export function effectiveSettings(idf: string, chip: Chip, lines: string): Settings {
	const folder = mkdtempSync(join(tmpdir(), "gateway-settings-"));
	try {
		const write = (name: string, text: string): string => {
			writeFileSync(join(folder, name), text);
			return join(folder, name);
		};
		const sources = (pattern: RegExp) => kconfigFiles(idf, pattern).map((path) => `source "${path}"\n`);
		const environment = {
			IDF_PATH: idf,
			IDF_TARGET: chip,
			IDF_TOOLCHAIN: "gcc",
			IDF_ENV_FPGA: "",
			IDF_VERSION: IDF_TAG.slice(1),
			IDF_INIT_VERSION: IDF_TAG.slice(1),
			IDF_MINIMAL_BUILD: "OFF",
			COMPONENT_KCONFIGS_SOURCE_FILE: write("kconfigs.in", sources(/\/Kconfig$/).join("")),
			COMPONENT_KCONFIGS_PROJBUILD_SOURCE_FILE: write("projbuild.in", sources(/\/Kconfig\.projbuild$/).join("")),
			COMPONENT_SDKCONFIG_RENAMES: "",
		};
		const output = join(folder, "sdkconfig.json");
		const args = [
			...["-m", "kconfgen", "--kconfig", join(idf, "Kconfig"), "--sdkconfig-rename", join(idf, "sdkconfig.rename")],
			...["--config", join(folder, "sdkconfig"), "--defaults", write("sdkconfig.defaults", lines)],
			...["--dont-write-deprecated", "--output", "json", output],
			...Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
		];
		const { status, stderr, error } = spawnSync("python", args, { encoding: "utf8" });
		if (status !== 0) throw new Error(`kconfgen has failed: ${error?.message ?? stderr}`);
		const values: Record<string, unknown> = JSON.parse(readFileSync(output, "utf8"));
		const word = (value: unknown) => (typeof value === "boolean" ? (value ? "y" : "n") : String(value));
		return new Map(Object.entries(values).map(([name, value]) => [name, word(value)]));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
