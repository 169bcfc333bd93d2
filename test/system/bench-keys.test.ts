/** The development keys of the bench, with both of its engines. */
import { benchKeys } from "./bench-keys.js";

benchKeys("node");
benchKeys("xs");
