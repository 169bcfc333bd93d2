import { updateLife } from "./update-life.js";

updateLife("linux");
