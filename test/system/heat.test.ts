/** Meters of heat, at the speed of their line: `npm run meter` on a paced pseudo-terminal, the gateway with either engine. */
import { heatMeters } from "./heat.js";

heatMeters("node");
heatMeters("xs");
