/** With the engine that starts faster. */
import { updateLife } from "./update-life.js";

updateLife("node");
