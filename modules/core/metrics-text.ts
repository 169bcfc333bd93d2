/** Lines in the Prometheus text format 0.0.4. */

/** Returns the help and type lines. The type is counter for a name that ends in `_total`, otherwise gauge. */
export function head(name: string, help: string): string {
	return `# HELP ${name} ${help}\n# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}\n`;
}

/**
 * Returns the lines of a value, with its help and type; "" if `value` is undefined. `labels`: inserted as is, with
 * braces.
 */
export function sample(name: string, help: string, value: number | undefined, labels = ""): string {
	return value === undefined ? "" : `${head(name, help)}${name}${labels} ${value}\n`;
}

export function label(name: string, value: string): string {
	const escaped = value.split("\\").join("\\\\").split('"').join('\\"').split("\n").join("\\n");
	return `${name}="${escaped}"`;
}
