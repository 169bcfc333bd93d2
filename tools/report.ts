/** `npm run report`: makes the key for diagnostic reports, and opens diagnostic reports. */
import { main } from "./report/program.js";

process.exitCode = await main(process.argv.slice(2), console);
