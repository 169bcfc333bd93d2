/** The firmware of the boards with a radio, joined to a coordinator. */
import { boardChecks } from "./boards.js";
import { compositions } from "./compositions.js";

for (const composition of compositions()) if (composition.options.hasRadio) boardChecks(composition);
