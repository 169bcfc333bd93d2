import { networkServices } from "./network-services.js";

networkServices("linux");
