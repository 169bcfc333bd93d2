/** Runs engines.ts with `npm start` and both its engines. */
import { engines } from "./engines.js";

engines("node");
engines("xs");
