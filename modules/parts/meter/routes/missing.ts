/** Objects that a DLMS/COSEM readout lacks, with the reasons. */

import type { MissingCursor } from "../../../cosem/records.js";
import {
	REASON_CLASS_INCONSISTENT,
	REASON_EXCEPTION,
	REASON_NO_SCALER,
	REASON_NO_VALUE,
	REASON_OBJECT_UNAVAILABLE,
	REASON_OBJECT_UNDEFINED,
	REASON_READ_WRITE_DENIED,
	REASON_SCOPE_VIOLATED,
	REASON_TEMPORARY_FAILURE,
	REASON_TOO_LONG,
	REASON_TYPE_UNMATCHED,
	REASON_UNREADABLE,
} from "../../../dlms/reasons.js";
import type { JSONWriter } from "../../../json/writer.js";

interface Reason {
	readonly reason: number;
	readonly code: string;
	readonly message: string;
}

function row(reason: number, code: string, message: string): Reason {
	return Object.freeze({ reason, code, message });
}

const OTHER = row(250, "other_reason", "The meter refused it without a stated reason.");

const REASONS: readonly Reason[] = Object.freeze([
	row(1, "hardware_fault", "The meter reports a hardware fault."),
	row(REASON_TEMPORARY_FAILURE, "temporary_failure", "The meter can't provide it at the moment."),
	row(
		REASON_READ_WRITE_DENIED,
		"read_write_denied",
		"This client may not read it; try another client_address and auth.",
	),
	row(REASON_OBJECT_UNDEFINED, "object_undefined", "The meter has no such object."),
	row(REASON_CLASS_INCONSISTENT, "object_class_inconsistent", "The object is of another class_id."),
	row(REASON_OBJECT_UNAVAILABLE, "object_unavailable", "The object is not available."),
	row(REASON_TYPE_UNMATCHED, "type_unmatched", "The attribute is of another type."),
	row(
		REASON_SCOPE_VIOLATED,
		"scope_of_access_violated",
		"This client may not read it; try another client_address and auth.",
	),
	row(14, "data_block_unavailable", "The meter ended a long answer early."),
	row(15, "long_get_aborted", "The meter ended a long answer early."),
	row(16, "no_long_get_in_progress", "The meter ended a long answer early."),
	row(19, "data_block_number_invalid", "The meter ended a long answer early."),
	row(REASON_NO_VALUE, "no_value", "The object is there, but has no value."),
	row(REASON_UNREADABLE, "unreadable", "The answer could not be understood."),
	row(REASON_TOO_LONG, "too_long", "The value is too long for the gateway."),
	row(REASON_EXCEPTION, "exception", "The meter refused the request."),
	row(REASON_NO_SCALER, "no_scaler", "The value came without its scaler, so its magnitude is unknown."),
]);

function reasonOf(reason: number): Reason {
	for (const known of REASONS) if (known.reason === reason) return known;
	return OTHER;
}

export function writeMissing(writer: JSONWriter, missing: MissingCursor): void {
	const { code, message } = reasonOf(missing.reason);
	writer.beginObject();
	writer.key("obis");
	writer.ascii(missing.text, 0, missing.length);
	writer.key("class_id");
	writer.number(missing.classId);
	writer.key("attribute");
	writer.number(missing.attribute);
	writer.key("reason");
	writer.string(code);
	writer.key("message");
	writer.string(message);
	writer.endObject();
}
