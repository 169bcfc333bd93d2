/** Updates of the simulator in XS. */
import { updateLife } from "./update-life.js";

updateLife("xs");
