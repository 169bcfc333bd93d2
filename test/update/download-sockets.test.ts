/** Installations from a server, by the simulator in XS. */
import { downloads } from "./downloads.js";

downloads("xs");
