/**
 * everHome EcoTracker, local HTTP interface: `GET /v1/json`. All numbers are integers. Powers are in W, positive for
 * import and negative for export. Counters are in Wh, and `agePower` is in ms. `powerAvg` is the mean of the last
 * minute. Clients find the device through `_everhome._tcp`, and they confuse devices that have the same serial number.
 */

import { LIVE_EXPORT, LIVE_IMPORT, LIVE_POWER, LIVE_POWER_L1 } from "../../live-meter/live-values.js";
import { ID_CAPITALS, message, whole } from "../../live-meter/message.js";
import { SHOWN_AGE, SHOWN_AVERAGE } from "../../live-meter/shown-values.js";
import { dialect, page, service } from "./dialect.js";
import { LIVE_ECOTRACKER } from "./fields.js";

const VALUES = message(
	'{"power":',
	whole(LIVE_POWER),
	',"powerAvg":',
	whole(SHOWN_AVERAGE),
	',"agePower":',
	whole(SHOWN_AGE),
	',"powerPhase1":',
	whole(LIVE_POWER_L1),
	',"powerPhase2":',
	whole(LIVE_POWER_L1 + 1),
	',"powerPhase3":',
	whole(LIVE_POWER_L1 + 2),
	',"energyCounterIn":',
	whole(LIVE_IMPORT),
	',"energyCounterInT1":',
	whole(LIVE_IMPORT + 1),
	',"energyCounterInT2":',
	whole(LIVE_IMPORT + 2),
	',"energyCounterOut":',
	whole(LIVE_EXPORT),
	"}",
);

export const ECOTRACKER = dialect({
	name: LIVE_ECOTRACKER.name,
	enabled: LIVE_ECOTRACKER,
	// This limit is long, because the message states the age of the values, and some clients send a request only every 13
	// s.
	maxAgeMs: 30_000,
	pages: [page("/v1/json", VALUES, 384)],
	places: ["/v1/"],
	services: [
		service(
			"_everhome._tcp",
			message("ecotracker-", ID_CAPITALS),
			// Clients recognise the product by its number in `productid`.
			[message("serial=", ID_CAPITALS), message("productid=1137")],
			true,
		),
	],
});
