import { cable } from "./cable.js";

cable("linux");
