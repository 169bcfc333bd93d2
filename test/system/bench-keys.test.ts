import { benchKeys } from "./bench-keys.js";

benchKeys("node");
benchKeys("xs");
