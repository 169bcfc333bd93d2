/** Meters of every kind, each before a fresh unit. */
import { KINDS, readKinds } from "./wizard-kinds.js";

readKinds("The page's first steps lead to a readout", KINDS);
