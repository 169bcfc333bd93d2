/** Each operation of the API, by plain HTTP, against the whole gateway as an access point. */
import { walkPlainChecks } from "../api/walk-order-checks.js";
import { operationChecks } from "./operations.js";
import { wholeSuite } from "./suite.js";

const OPTIONS = { engine: "xs", mode: "ap", isAhead: true } as const;

wholeSuite("The whole gateway as an access point", OPTIONS, operationChecks, walkPlainChecks);
