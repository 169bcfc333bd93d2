/**
 * `npm run ota`: makes keys and firmware files (docs/firmware-files.md), checks firmware files, and updates the
 * simulator.
 */
import { main } from "./ota/program.js";

process.exitCode = await main(process.argv.slice(2), console);
