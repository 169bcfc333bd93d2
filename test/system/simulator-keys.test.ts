import { simulatorKeys } from "./simulator-keys.js";

simulatorKeys("node");
simulatorKeys("xs");
