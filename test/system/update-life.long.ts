/** The life of firmware on the bench, in XS. */
import { updateLife } from "./update-life.js";

updateLife("xs");
