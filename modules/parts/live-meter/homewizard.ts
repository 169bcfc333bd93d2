/**
 * HomeWizard P1 meter, local API v1 (api-documentation.homewizard.com): `GET /api`, `GET /api/v1/data`, `GET` and `PUT
 * /api/v1/system`, `PUT /api/v1/identify`. Powers are in W, positive for import and negative for export; counters are in
 * kWh. Members whose value is missing are left out; they are never null.
 */

import { METHOD_PUT } from "../../http/request.js";
import {
	LIVE_AMPERES_L1,
	LIVE_EXPORT,
	LIVE_HERTZ,
	LIVE_IMPORT,
	LIVE_POWER,
	LIVE_POWER_L1,
	LIVE_VOLTS_L1,
} from "../../live-meter/live-values.js";
import { decimal, ID_SMALL, kilo, message, whole } from "../../live-meter/message.js";
import { dialect, page, service } from "./dialect.js";
import { LIVE_HOMEWIZARD } from "./fields.js";
import { beginData } from "./homewizard-meter.js";

const PRODUCT = "HWE-P1";
const NAME = "P1 meter";
const FIRMWARE = "4.19";

const DEVICE = message(
	`{"product_type":"${PRODUCT}","product_name":"${NAME}","serial":"`,
	ID_SMALL,
	`","firmware_version":"${FIRMWARE}","api_version":"v1"}`,
);

/** The values below take 768 bytes at most, and the members before them as many with four meters on M-Bus. */
const DATA_ROOM = 1700;

const DATA = message(
	',"active_power_w":',
	whole(LIVE_POWER),
	',"active_power_l1_w":',
	whole(LIVE_POWER_L1),
	',"active_power_l2_w":',
	whole(LIVE_POWER_L1 + 1),
	',"active_power_l3_w":',
	whole(LIVE_POWER_L1 + 2),
	',"active_voltage_l1_v":',
	decimal(LIVE_VOLTS_L1, 1),
	',"active_voltage_l2_v":',
	decimal(LIVE_VOLTS_L1 + 1, 1),
	',"active_voltage_l3_v":',
	decimal(LIVE_VOLTS_L1 + 2, 1),
	',"active_current_l1_a":',
	decimal(LIVE_AMPERES_L1, 3),
	',"active_current_l2_a":',
	decimal(LIVE_AMPERES_L1 + 1, 3),
	',"active_current_l3_a":',
	decimal(LIVE_AMPERES_L1 + 2, 3),
	',"active_frequency_hz":',
	decimal(LIVE_HERTZ, 2),
	',"total_power_import_kwh":',
	kilo(LIVE_IMPORT),
	',"total_power_import_t1_kwh":',
	kilo(LIVE_IMPORT + 1),
	',"total_power_import_t2_kwh":',
	kilo(LIVE_IMPORT + 2),
	',"total_power_export_kwh":',
	kilo(LIVE_EXPORT),
	',"total_power_export_t1_kwh":',
	kilo(LIVE_EXPORT + 1),
	',"total_power_export_t2_kwh":',
	kilo(LIVE_EXPORT + 2),
	"}",
);

/** The gateway has no cloud. A request that turns it on gets this reply, too, as a meter's does. */
const SYSTEM = message('{"cloud_enabled":false}');
/** Time for which the light blinks, as that of the meter does, ms. */
const IDENTIFY_MS = 5000;

export const HOMEWIZARD = dialect({
	name: LIVE_HOMEWIZARD.name,
	enabled: LIVE_HOMEWIZARD,
	maxAgeMs: 15_000,
	pages: [
		page("/api", DEVICE, 192, false),
		page("/api/v1/data", DATA, DATA_ROOM, true, { begin: beginData }),
		page("/api/v1/system", SYSTEM, 32, false),
		page("/api/v1/system", SYSTEM, 32, false, { method: METHOD_PUT }),
		page("/api/v1/identify", message('{"identify":"ok"}'), 32, false, {
			method: METHOD_PUT,
			act: ({ light }) => light?.identifying(true, IDENTIFY_MS),
		}),
	],
	// Paths of meters with API v2, and of other devices of this maker. The others belong to the gateway's own API.
	places: ["/api/v1/telegram", "/api/v1/state", "/api/v1/batteries"],
	services: [
		service("_hwenergy._tcp", message("p1meter-", ID_SMALL), [
			message("api_enabled=1"),
			message("path=/api/v1"),
			message("serial=", ID_SMALL),
			message(`product_name=${NAME}`),
			message(`product_type=${PRODUCT}`),
		]),
	],
});
