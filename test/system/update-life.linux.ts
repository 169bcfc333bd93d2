/** The life of firmware on Linux. */
import { updateLife } from "./update-life.js";

updateLife("linux");
