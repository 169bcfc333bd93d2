/**
 * `npm run release`: writes everything about a version into one folder (docs/release.md): signed firmware file and
 * flash contents of each board, the page that installs them, the SBOM, and checksums. The exit code is 2 after a bad
 * command line, and 1 after other errors.
 */
import { main } from "./release/program.js";

process.exitCode = await main(process.argv.slice(2), console);
