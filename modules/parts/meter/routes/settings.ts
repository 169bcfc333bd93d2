/** Routes for meter settings that need no code besides their schema: protocol, IEC 62056-21, simulator, log. */

import { putsOf, settingsOf } from "../../../api/settings.js";
import { CONTROL, IEC62056, METER_PROTOCOL, PROTOCOL_FIELDS } from "../fields.js";
import { permitsGPIOs } from "./lines.js";

export const PROTOCOL_SETTINGS = settingsOf(PROTOCOL_FIELDS, [METER_PROTOCOL.name], {
	accept: (exchange, values) => (permitsGPIOs(exchange, values) ? putsOf(PROTOCOL_FIELDS, values) : undefined),
});
export const IEC62056_SETTINGS = settingsOf(IEC62056.fields);
export const CONTROL_SETTINGS = settingsOf(CONTROL.fields);
