/** Replaces settings.ts in a firmware that lacks some meter protocols. Requests can't choose these protocols. */

import { UNSUPPORTED } from "../../../api/errors.js";
import type { Exchange } from "../../../api/exchange.js";
import { putsOf, type SettingsTable, settingsOf } from "../../../api/settings.js";
import type { Field } from "../../../config/schema.js";
import { isOmitted } from "../../../product/omitted.js";
import { CONTROL, IEC62056, METER_PROTOCOL, PROTOCOL_FIELDS } from "../fields.js";
import { permitsGPIOs } from "./lines.js";

const acceptProtocol: NonNullable<SettingsTable["accept"]> = (exchange, values) => {
	const protocol = values.get(METER_PROTOCOL);
	if (rejectsMissing(exchange, METER_PROTOCOL, protocol) || !permitsGPIOs(exchange, values)) return undefined;
	return putsOf(PROTOCOL_FIELDS, values);
};

export const PROTOCOL_SETTINGS = settingsOf(PROTOCOL_FIELDS, [METER_PROTOCOL.name], { accept: acceptProtocol });
export const IEC62056_SETTINGS = settingsOf(IEC62056.fields);
export const CONTROL_SETTINGS = settingsOf(CONTROL.fields);

/**
 * Returns true if the request chooses a missing protocol. A backup may contain such a protocol: it is stored, and
 * readouts then fail with a message that names the reason.
 */
function rejectsMissing(exchange: Exchange<never>, { name }: Field, protocol = ""): boolean {
	if (exchange.within !== "" || !isOmitted(protocol)) return false;
	exchange.fail(501, UNSUPPORTED, `This firmware was built without the protocol ${protocol}.`, name);
	return true;
}
