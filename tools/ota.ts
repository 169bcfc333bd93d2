/**
 * `npm run ota`: makes keys and firmware files (docs/firmware-files.md), checks files, and updates the simulator. Exit
 * code 2 for a bad command line, 1 for a rejected file and other errors.
 */
import { main } from "./ota/program.js";

process.exitCode = await main(process.argv.slice(2), console);
