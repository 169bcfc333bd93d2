/** Route `system/upgrade/install`: installs the newer version that the check has found. */
import { BUSY, UNSUPPORTED } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import type { Firmware } from "../firmware.js";

/** Starts the download. The progress and the result are in `system/status`. */
export function postInstall(exchange: Exchange<Firmware | undefined>): void {
	const refusal = exchange.part?.install() ?? UNSUPPORTED;
	if (refusal === "") exchange.empty();
	else if (refusal === UNSUPPORTED) {
		exchange.fail(501, UNSUPPORTED, "This gateway can't download updates now: send it the file.");
	} else if (refusal === BUSY) {
		exchange.response.header("Retry-After", "10");
		exchange.fail(503, BUSY, "Another update is under way, or the firmware that runs is on trial; retry later.");
	} else exchange.fail(409, refusal, "No newer firmware is known. The gateway looks for one once a day.");
}
