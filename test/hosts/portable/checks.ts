/** All portable checks of the host contract. */
import { basicChecks } from "./basic-checks.js";
import { buttonChecks } from "./button-checks.js";
import { certificateChecks } from "./certificate-checks.js";
import { frozen } from "./check.js";
import { clientChecks } from "./client-checks.js";
import { coprocessorChecks } from "./coprocessor-checks.js";
import { cryptoChecks } from "./crypto-checks.js";
import { flashChecks } from "./flash-checks.js";
import { networkChecks } from "./network-checks.js";
import { serialChecks } from "./serial-checks.js";
import { settingsChecks } from "./settings-checks.js";
import { tlsChecks } from "./tls-checks.js";
import { tlsClientChecks } from "./tls-client-checks.js";
import { udpChecks } from "./udp-checks.js";
import { updateChecks } from "./update-checks.js";

export const checks = frozen([
	...basicChecks,
	...cryptoChecks,
	...certificateChecks,
	...serialChecks,
	...coprocessorChecks,
	...networkChecks,
	...tlsChecks,
	...udpChecks,
	...buttonChecks,
	...clientChecks,
	...tlsClientChecks,
	...flashChecks,
	...settingsChecks,
	...updateChecks,
]);
