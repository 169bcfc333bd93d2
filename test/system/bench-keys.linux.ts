import { benchKeys } from "./bench-keys.js";

benchKeys("linux");
