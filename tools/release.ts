/**
 * `npm run release`: all that is published of a version, in one folder: for each board the signed firmware file and the parts
 * for a new unit, the page that installs them from a browser, what is inside (SBOM), and check sums (docs/release.md). A bad
 * command line ends it with 2, all else that is wrong with 1.
 */
import { main } from "./release/program.js";

process.exitCode = await main(process.argv.slice(2), console);
