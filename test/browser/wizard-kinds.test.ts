/** Of the kinds of meters in wizard-kinds.ts one that has most steps; `npm run test:long` has them all. */
import { KINDS, readKinds } from "./wizard-kinds.js";

readKinds(
	"The page's first steps lead to a readout",
	KINDS.filter(({ isQuick }) => isQuick),
);
