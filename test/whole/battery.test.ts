/** Each operation of the API against the whole gateway on batteries. */
import { operationChecks } from "./operations.js";
import { wholeSuite } from "./suite.js";

const OPTIONS = { engine: "xs", isAhead: true, args: ["--supply", "battery"] } as const;

wholeSuite("The whole gateway on batteries", OPTIONS, operationChecks);
