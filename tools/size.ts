/**
 * `npm run size`: what the firmware takes in the flash of an ESP32, part by part, against the size of its slot; built
 * with the Moddable SDK, without ESP-IDF. `-- --json` writes the same for a machine. Ends with 1 where it doesn't fit,
 * where the SDK's linker warns, and without the SDK.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSDK, ROOT } from "./sdk/sdk.js";
import { type Built, buildImage } from "./size/build.js";
import { readImage } from "./size/image.js";
import { asTable, type Report, reportOf } from "./size/report.js";

function build(): Built {
	const sdk = findSDK();
	const folder = mkdtempSync(join(tmpdir(), "gateway-size-"));
	try {
		process.stderr.write("Building for the ESP32, without its C …\n");
		return buildImage(ROOT, sdk, folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function measure(): Report {
	const { image, order, resources, warnings } = build();
	return reportOf(readImage(image, order), resources, warnings);
}

function main(args: readonly string[]): number {
	if (args.some((arg) => arg !== "--json")) {
		console.error("Usage: npm run size [-- --json]");
		return 2;
	}
	try {
		const report = measure();
		process.stdout.write(args.length > 0 ? `${JSON.stringify(report, null, "\t")}\n` : asTable(report));
		return report.leftBytes < 0 || report.warnings.length > 0 ? 1 : 0;
	} catch (error) {
		console.error((error as Error).message);
		return 1;
	}
}

process.exitCode = main(process.argv.slice(2));
