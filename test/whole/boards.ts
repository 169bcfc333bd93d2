/** Each operation of the API against the firmware on Linux as boards have it. */
import type { Composition } from "./compositions.js";
import { operationChecks } from "./operations.js";
import { wholeSuite } from "./suite.js";

export function boardChecks({ boards, options }: Composition): void {
	wholeSuite(`The firmware of ${boards.join(", ")}`, options, operationChecks);
}
