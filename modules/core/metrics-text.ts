/** Writes metrics in the Prometheus text format 0.0.4. */

/** Returns the lines HELP and TYPE of a metric. The type is counter if the name ends in `_total`, otherwise gauge. */
export function head(name: string, help: string): string {
	return `# HELP ${name} ${help}\n# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}\n`;
}

/**
 * Returns the lines of a metric with one value, including HELP and TYPE; "" if `value` is undefined. `labels` are
 * inserted unchanged and must have braces.
 */
export function sample(name: string, help: string, value: number | undefined, labels = ""): string {
	return value === undefined ? "" : `${head(name, help)}${name}${labels} ${value}\n`;
}

export function label(name: string, value: string): string {
	const escaped = value.split("\\").join("\\\\").split('"').join('\\"').split("\n").join("\\n");
	return `${name}="${escaped}"`;
}
