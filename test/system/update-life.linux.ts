/** Updates of the firmware on Linux. */
import { updateLife } from "./update-life.js";

updateLife("linux");
