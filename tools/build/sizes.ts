/** Flash and memory that a linked firmware takes, as esp_idf_size reports them. */
import { spawnSync } from "node:child_process";

/** Static memory in bytes. The heap gets the remaining memory. */
export interface Memory {
	readonly iram: number;
	/** Bytes of initialised and of zeroed data. */
	readonly dram: number;
}

/** Regions of internal memory. On some chips, code and data share one region. */
const INTERNAL = /^(?:IRAM|DRAM|DIRAM)$/;
const CODE = /text|vectors/;

/** Reads the output of `esp_idf_size --format json2`. */
export function readMemory(text: string): Memory {
	const layout: unknown = JSON.parse(text).layout;
	const regions = Array.isArray(layout) ? layout.filter(({ name }) => INTERNAL.test(name)) : [];
	if (regions.length === 0) throw new Error("esp_idf_size reports no memory inside the chip.");
	let iram = 0;
	let dram = 0;
	for (const { name, parts } of regions)
		for (const [part, { size }] of Object.entries<{ size: number }>(parts)) {
			if (!Number.isSafeInteger(size)) throw new Error(`esp_idf_size reports no size of ${part} in ${name}.`);
			if (CODE.test(part)) iram += size;
			else dram += size;
		}
	return { iram, dram };
}

export const SIZE_ADVICE =
	'esp_idf_size is missing, so the use of memory is not shown. It comes with ESP-IDF: "$IDF_PATH/install.sh" installs it, then\n' +
	'. "$IDF_PATH/export.sh"';

export function hasSizes(): boolean {
	return spawnSync("python", ["-m", "esp_idf_size", "--help"], { stdio: "ignore" }).status === 0;
}

export function measureMemory(map: string): Memory {
	const args = ["-m", "esp_idf_size", "--format", "json2", map];
	const { status, stdout, stderr, error } = spawnSync("python", args, { encoding: "utf8" });
	if (status !== 0) throw new Error(`esp_idf_size has failed: ${error?.message ?? stderr.trim()}`);
	return readMemory(stdout);
}
