/**
 * `npm run release`: puts a version into one folder (docs/release.md): each board's signed firmware file and parts, the
 * page that installs them, the SBOM, and checksums. Exit code 2 for a bad command line, 1 for other errors.
 */
import { main } from "./release/program.js";

process.exitCode = await main(process.argv.slice(2), console);
