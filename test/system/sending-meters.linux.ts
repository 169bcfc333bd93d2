/** Meters that send unsolicited data to the firmware on Linux. */
import { sendingMeters } from "./sending-meters.js";

sendingMeters("linux", {
	"a P1 port at 115200 Bd": 10,
	"a ciphered P1 port at 115200 Bd": 8,
	"ciphered push in blocks": 8,
	"ciphered push in M-Bus": 5,
	"a ciphered list without codes": 5,
	SML: 8,
	TIC: 5,
});
