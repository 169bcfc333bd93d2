/** In the place of part.ts in a firmware without prices. */
import { absentPart, keptEntry } from "../absent.js";

export const PRICES = absentPart({ name: "prices", entries: Object.freeze([keptEntry("prices", 23)]) }, ["prices"]);
