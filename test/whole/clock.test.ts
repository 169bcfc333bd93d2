/** The clock of the whole gateway, with the program of `npm start`. */
import { clockEvents } from "./events.js";

clockEvents("the whole gateway", { engine: "xs" });
