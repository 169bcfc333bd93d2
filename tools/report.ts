/**
 * `npm run report`: the key that diagnostic reports are sealed for, and what stands in one. Ends with 2 for a bad command
 * line, with 1 for a report that is not whole and for all else that is wrong.
 */
import { main } from "./report/program.js";

process.exitCode = await main(process.argv.slice(2), console);
