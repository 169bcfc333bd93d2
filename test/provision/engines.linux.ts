import { provisionOn } from "./engines.js";

provisionOn("linux");
