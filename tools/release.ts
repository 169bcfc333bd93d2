/**
 * `npm run release`: puts everything published of a version into one folder: for each board the signed firmware file
 * and the parts for a new unit, the page that installs them from a browser, the SBOM, and checksums (docs/release.md).
 * Exit code 2 for a bad command line, 1 for other errors.
 */
import { main } from "./release/program.js";

process.exitCode = await main(process.argv.slice(2), console);
