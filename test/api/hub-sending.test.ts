/** The bench, with both engines. */
import { hubSending } from "./hub-sending.js";

hubSending("node");
hubSending("xs");
