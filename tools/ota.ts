/**
 * `npm run ota`: keys that sign firmware, firmware files (docs/firmware-files.md), what stands in one, and what a gateway
 * would say of it; and an update of the simulator. Ends with 2 for a bad command line, with 1 when a file is refused and for all else that is wrong.
 */
import { main } from "./ota/program.js";

process.exitCode = await main(process.argv.slice(2), console);
