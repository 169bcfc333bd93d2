/** Updates of the simulator in Node, the engine that starts faster. */
import { updateLife } from "./update-life.js";

updateLife("node");
