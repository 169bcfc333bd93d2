/**
 * `npm run report`: makes the key for diagnostic reports, and opens reports. Exit code 2 for a bad command line, 1 for
 * an incomplete report and other errors.
 */
import { main } from "./report/program.js";

process.exitCode = await main(process.argv.slice(2), console);
