/** Failures of outgoing connections, with their codes and messages. */
/** Values of `retcode` in the reply to a test of an output. */
export const RETCODE_OK = 0;
export const RETCODE_REFUSED = 1;
export const RETCODE_NO_NAME = 2;
export const RETCODE_NO_CONNECTION = 3;
export const RETCODE_TLS = 4;
export const RETCODE_URL = 5;
export const RETCODE_MEMORY = 6;

export interface OutputFailure {
	readonly code: string;
	readonly retcode: number;
	/** Failure and remedy, in one or two sentences. */
	readonly message: string;
}

export function outputFailure(code: string, retcode: number, message: string): OutputFailure {
	return Object.freeze({ code, retcode, message });
}

const NO_CONNECTION = outputFailure(
	"connection_lost",
	RETCODE_NO_CONNECTION,
	"The connection was lost. The gateway will retry; if it happens again, check the network and the server.",
);

/** Failures, in the order of CLIENT_… in io/client.ts. */
const FAILURES: readonly (OutputFailure | undefined)[] = Object.freeze([
	undefined,
	outputFailure(
		"closed",
		RETCODE_NO_CONNECTION,
		"The server has closed the connection. Check the port, and whether it speaks TLS there.",
	),
	NO_CONNECTION,
	outputFailure(
		"no_such_name",
		RETCODE_NO_NAME,
		"The name of the server is not known in this network. Check it, or use its IP address.",
	),
	outputFailure(
		"unreachable",
		RETCODE_NO_CONNECTION,
		"No answer from that address and port. Check both, and that the server is running.",
	),
	outputFailure(
		"timeout",
		RETCODE_NO_CONNECTION,
		"The server did not answer in time. Check address and port, and whether it is in the same network.",
	),
	outputFailure(
		"no_memory",
		RETCODE_MEMORY,
		"There is not enough memory for a secure connection at the moment. The gateway will retry.",
	),
	outputFailure(
		"tls_failed",
		RETCODE_TLS,
		"A secure connection could not be made. Check that the server offers TLS 1.2 at this port.",
	),
	outputFailure(
		"certificate_untrusted",
		RETCODE_TLS,
		"The server's certificate is not trusted. Store its certificate here, or that of its authority.",
	),
	outputFailure(
		"certificate_wrong_name",
		RETCODE_TLS,
		"The server's certificate is for another name. Use the name in the certificate.",
	),
	outputFailure(
		"certificate_expired",
		RETCODE_TLS,
		"The server's certificate has expired or is not valid yet. Renew it, and check the clock of the gateway.",
	),
	outputFailure(
		"client_certificate",
		RETCODE_TLS,
		"The server admits only clients with a certificate that it trusts. For MQTT turn on client_cert, and let the broker trust the certificate of this gateway.",
	),
]);

export function connectFailure(reason: number): OutputFailure {
	return FAILURES[reason] ?? NO_CONNECTION;
}
