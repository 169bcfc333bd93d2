import { sendingMeters } from "./sending-meters.js";

sendingMeters("xs", { "a P1 port at 115200 Bd": 3, "a ciphered P1 port at 115200 Bd": 3 });
