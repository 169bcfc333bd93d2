/**
 * The line that reports an exception. A line that begins with `fault: ` fails the running test, unless the test expects
 * it (test/faults.ts).
 */

/** Returns `fault: PART: ERROR`. The stack follows, if the error has one. */
export function faultLine(part: string, error: unknown): string {
	return `fault: ${part}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/**
 * True for an exception that the language throws for a mistake in our code. Others may be refusals of the host, such as
 * that of a port in use.
 */
export function isMistake(error: unknown): boolean {
	return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

/** Returns a fault's line for a mistake, and `PART: MESSAGE` for a refusal of the host. */
export function refusalLine(part: string, error: unknown): string {
	if (isMistake(error)) return faultLine(part, error);
	return `${part}: ${error instanceof Error ? error.message : String(error)}`;
}
