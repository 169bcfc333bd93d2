import { provisionOn } from "./engines.js";

provisionOn("node");
provisionOn("xs");
