/** The kind of meter in wizard-kinds.ts with most steps; `npm run test:long` runs all of them. */
import { KINDS, readKinds } from "./wizard-kinds.js";

readKinds(
	"The wizard leads to a readout",
	KINDS.filter(({ isQuick }) => isQuick),
);
