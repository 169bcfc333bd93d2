/** Lines of Prometheus' text format 0.0.4. */

/** What stands before the lines of a metric. Names that end in `_total` are counters, others gauges. */
export function head(name: string, help: string): string {
	return `# HELP ${name} ${help}\n# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}\n`;
}

/** A metric of one line; "" where there is no value. `labels` as they stand in the line, with their braces. */
export function sample(name: string, help: string, value: number | undefined, labels = ""): string {
	return value === undefined ? "" : `${head(name, help)}${name}${labels} ${value}\n`;
}

/** A label; backslash, quote and the end of a line are escaped in it. */
export function label(name: string, value: string): string {
	const escaped = value.split("\\").join("\\\\").split('"').join('\\"').split("\n").join("\\n");
	return `${name}="${escaped}"`;
}
