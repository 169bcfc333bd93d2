/** The firmware of the boards without a radio. */
import { boardChecks } from "./boards.js";
import { compositions } from "./compositions.js";

for (const composition of compositions()) if (!composition.options.hasRadio) boardChecks(composition);
