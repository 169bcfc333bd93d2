/** `npm start` with both engines. */
import { engines } from "./engines.js";

engines("node");
engines("xs");
