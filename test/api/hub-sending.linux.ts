import { hubSending } from "./hub-sending.js";

hubSending("linux");
