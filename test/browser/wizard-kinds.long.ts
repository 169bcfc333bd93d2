/** The wizard with a fresh unit and each kind of meter; some of them in XS, the firmware's engine. */
import { KINDS, readKinds } from "./wizard-kinds.js";

readKinds("The wizard leads to a readout", KINDS);
readKinds(
	"The wizard leads to a readout in XS",
	KINDS.filter(({ isInXS }) => isInXS),
	"xs",
);
