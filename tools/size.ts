/**
 * `npm run size`: what the firmware takes in the flash of an ESP32, part by part, against the size of its slot; built
 * with the Moddable SDK, without ESP-IDF. `-- --json` writes the same for a machine. Ends with 1 where it doesn't fit,
 * where the SDK's linker warns, and without the SDK.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSDK } from "./sdk/sdk.js";
import { buildImage } from "./size/build.js";
import { readImage } from "./size/image.js";
import { asTable, type Report, reportOf } from "./size/report.js";

async function measure(): Promise<Report> {
	const sdk = findSDK();
	const folder = mkdtempSync(join(tmpdir(), "gateway-size-"));
	try {
		process.stderr.write("Building for the ESP32, without its C …\n");
		const { image, ...others } = await buildImage(sdk, folder);
		return reportOf({ image: readImage(image), ...others });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function main(args: readonly string[]): Promise<number> {
	if (args.some((arg) => arg !== "--json")) {
		console.error("Usage: npm run size [-- --json]");
		return 2;
	}
	try {
		const report = await measure();
		process.stdout.write(args.length > 0 ? `${JSON.stringify(report, null, "\t")}\n` : asTable(report));
		return report.leftBytes < 0 || report.warnings.length > 0 ? 1 : 0;
	} catch (error) {
		console.error((error as Error).message);
		return 1;
	}
}

process.exitCode = await main(process.argv.slice(2));
