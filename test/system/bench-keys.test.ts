/** The development keys of the simulator, with both of its engines. */
import { benchKeys } from "./bench-keys.js";

benchKeys("node");
benchKeys("xs");
