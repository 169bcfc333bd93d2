/** The life of firmware on the bench, with the engine that starts sooner. */
import { updateLife } from "./update-life.js";

updateLife("node");
