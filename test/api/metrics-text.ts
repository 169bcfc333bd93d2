/** A strict reader of Prometheus' text exposition format 0.0.4 (prometheus.io, "Exposition formats"). */
import assert from "node:assert/strict";

export interface Sample {
	readonly name: string;
	readonly labels: Readonly<Record<string, string>>;
	/** Value as unparsed text. */
	readonly value: string;
}

const HELP = /^# HELP ([a-zA-Z_:][\w:]*) (\S.*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const ESCAPED: Readonly<Record<string, string>> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

function labelsOf(text: string): Record<string, string> {
	const labels: Record<string, string> = {};
	LABEL.lastIndex = 0;
	while (LABEL.lastIndex < text.length) {
		const match = LABEL.exec(text);
		assert.ok(match, `labels: ${text}`);
		assert.ok(!(match[1] in labels), `twice: ${text}`);
		labels[match[1]] = match[2].replaceAll(/\\./g, (pair) => ESCAPED[pair]);
	}
	return labels;
}

/**
 * All samples of a text. Each metric must have HELP, TYPE and its samples in this order, uninterrupted. Only counters
 * may end in `_total`, only times are described as times, and series must be unique.
 */
export function readMetrics(text: string): Sample[] {
	assert.ok(text.endsWith("\n") && !text.includes("\r") && !text.includes("\n\n"), JSON.stringify(text.slice(-80)));
	const samples: Sample[] = [];
	const names = new Set<string>();
	const series = new Set<string>();
	let current = "";
	let isTyped = false;
	for (const line of text.slice(0, -1).split("\n")) {
		const help = HELP.exec(line);
		const type = TYPE.exec(line);
		if (help) {
			assert.ok(!names.has(help[1]), `${line}: the lines of this metric are not together`);
			assert.ok(current === "" || isTyped, `${current} has no type`);
			assert.equal(help[2].startsWith("Time "), help[1].endsWith("_timestamp_seconds"), line);
			names.add(help[1]);
			current = help[1];
			isTyped = false;
		} else if (type) {
			assert.deepEqual([type[1], isTyped], [current, false], line);
			assert.equal(type[2], current.endsWith("_total") ? "counter" : "gauge", line);
			isTyped = true;
		} else {
			const match = SAMPLE.exec(line);
			assert.ok(match, `not a line of the format: ${line}`);
			const [, name, labels = "", value] = match;
			assert.ok(isTyped && name === current, `${line}: not below the HELP and TYPE of its metric`);
			const sample = { name, labels: labelsOf(labels), value };
			const key = JSON.stringify([name, Object.entries(sample.labels).sort()]);
			assert.ok(!series.has(key), `${line}: twice`);
			series.add(key);
			samples.push(sample);
		}
	}
	return samples;
}
