/** The life of firmware in the simulator, in XS. */
import { updateLife } from "./update-life.js";

updateLife("xs");
