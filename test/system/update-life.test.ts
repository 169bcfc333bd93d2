/** The life of firmware in the simulator, with the engine that starts sooner. */
import { updateLife } from "./update-life.js";

updateLife("node");
