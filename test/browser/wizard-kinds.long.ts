/** Meters of every kind, each before a fresh unit; and some in XS, the firmware's engine. */
import { KINDS, readKinds } from "./wizard-kinds.js";

readKinds("The page's first steps lead to a readout", KINDS);
readKinds(
	"The page's first steps in XS lead to a readout",
	KINDS.filter(({ isInXS }) => isInXS),
	"xs",
);
