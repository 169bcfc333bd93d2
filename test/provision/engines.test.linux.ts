import { byRun } from "../runs.js";
import { provisionOn } from "./engines.js";

for (const engine of byRun({ test: ["node", "xs"], linux: ["linux"] })) provisionOn(engine);
