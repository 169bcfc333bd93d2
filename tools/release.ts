/**
 * `npm run release`: writes a version into one folder (docs/release.md): signed firmware file and parts of each board,
 * the page that installs them, the SBOM, and checksums. Exit code 2 for a bad command line, 1 for other errors.
 */
import { main } from "./release/program.js";

process.exitCode = await main(process.argv.slice(2), console);
