/**
 * Failures of an MQTT session, in the order of END_… in session.ts. Failures to connect are in
 * publish/connect-failures.ts.
 */
import {
	type OutputFailure,
	outputFailure,
	RETCODE_NO_CONNECTION,
	RETCODE_REFUSED,
	RETCODE_URL,
} from "../publish/connect-failures.js";
import { END_REFUSED_ACCESS, END_REFUSED_ID, END_REFUSED_LOGIN, END_REFUSED_VERSION } from "./session.js";

const LOST = outputFailure(
	"broker_closed",
	RETCODE_NO_CONNECTION,
	"The broker has closed the connection. Check its log: it may be stopping, another client may use the same serial number, or this user may not publish to these topics.",
);

/** Failures that only the owner can resolve. The next attempt is made after an hour, or when the settings change. */
const NEEDS_OWNER = Object.freeze([END_REFUSED_VERSION, END_REFUSED_ID, END_REFUSED_LOGIN, END_REFUSED_ACCESS]);

const FAILURES: readonly OutputFailure[] = Object.freeze([
	LOST,
	outputFailure("refused_version", RETCODE_REFUSED, "The broker does not accept MQTT 3.1.1. Allow that version there."),
	outputFailure(
		"refused_id",
		RETCODE_REFUSED,
		"The broker refuses this client. Allow its identifier (the serial number), and a keep-alive of 60 s.",
	),
	outputFailure("refused_busy", RETCODE_REFUSED, "The broker is not available at the moment. The gateway will retry."),
	outputFailure(
		"refused_login",
		RETCODE_REFUSED,
		"The broker refuses the user name or the password. Enter both again.",
	),
	outputFailure(
		"refused_access",
		RETCODE_REFUSED,
		"The broker does not let this user in. Check user and password, and the permissions of that user.",
	),
	outputFailure(
		"no_mqtt",
		RETCODE_REFUSED,
		"The server there does not speak MQTT 3.1.1. Check the port: usually 1883, or 8883 with mqtts://.",
	),
	outputFailure(
		"silent",
		RETCODE_NO_CONNECTION,
		"The broker does not answer. The gateway will retry; check the port, and whether the broker is overloaded.",
	),
	outputFailure(
		"closed_unanswered",
		RETCODE_REFUSED,
		"The broker closed the connection without an answer. A TLS port needs mqtts://, any other mqtt://. If the broker wants a client certificate, turn on client_cert. A broker must permit retained messages and QoS 1.",
	),
	LOST,
]);

export const BAD_URL = outputFailure("bad_url", RETCODE_URL, "url is not the address of a broker. Set it again.");
export const NO_CERTIFICATE = outputFailure(
	"certificate_missing",
	RETCODE_URL,
	"mqtts:// needs the certificate of the broker or of its authority. Store it again.",
);
export const NO_NETWORK = outputFailure(
	"no_network",
	RETCODE_NO_CONNECTION,
	"The gateway is in no network. See its network settings.",
);
/** Returns the failure for an END_… other than END_WELL. */
export function sessionFailure(end: number): OutputFailure {
	return FAILURES[end] ?? LOST;
}

/** Returns true if an early retry would be useless and could lock the account. */
export function needsOwner(end: number): boolean {
	return NEEDS_OWNER.includes(end);
}
