/** `npm run benchmark`: compares the gateway with lower bounds, which are the wire, a bare loop and a bare handler. */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { measureDLMS } from "./benchmark/dlms-readout.js";
import { measureLatency } from "./benchmark/latency.js";
import { measurePage } from "./benchmark/page-load.js";
import { measureReadouts } from "./benchmark/readout-time.js";
import { format, progress, type Section } from "./benchmark/report.js";
import { measureRequestCPU } from "./benchmark/request-cpu.js";
import { measureRequests } from "./benchmark/requests.js";
import { measureSlots } from "./benchmark/slots.js";
import { measureStack } from "./benchmark/stack-depths.js";
import { measureSteps } from "./benchmark/steps.js";

const HELP = `Usage: npm run benchmark -- [options]

  --only PARTS   letters of the parts to run (default: all)
                   a  time of a whole readout against the wire's limit
                   b  steps of XS for each character of a telegram, and for a request
                   c  slots of XS in use after a collection
                   d  requests per second, compared with a bare node:https handler
                   e  first load of the web page against the wire's limit
                   f  DLMS readouts: time, turns, steps, use of AES-GCM
                   g  processor time of a small request in the firmware on Linux, compared with the Moddable SDK's own server
                   h  time from a telegram's last character to its values in the event stream, by MQTT and in the dialects
                   i  deepest chains of calls in the firmware on Linux, with everything on
  --quick        fewer and shorter measurements: five minutes instead of thirty
  --json FILE    also writes the numbers to FILE as JSON
  --help         prints this text
`;

const PARTS: readonly { letter: string; measure: (isQuick: boolean) => Promise<Section> }[] = [
	{ letter: "a", measure: measureReadouts },
	{ letter: "b", measure: measureSteps },
	{ letter: "c", measure: measureSlots },
	{ letter: "d", measure: measureRequests },
	{ letter: "e", measure: measurePage },
	{ letter: "f", measure: measureDLMS },
	{ letter: "g", measure: measureRequestCPU },
	{ letter: "h", measure: measureLatency },
	{ letter: "i", measure: measureStack },
];

function readOptions() {
	const { values } = parseArgs({
		options: {
			only: { type: "string", default: "abcdefghi" },
			quick: { type: "boolean", default: false },
			json: { type: "string" },
			help: { type: "boolean", default: false },
		},
	});
	if (!/^[a-i]+$/.test(values.only)) throw new Error(`--only takes letters from a to i, not "${values.only}".`);
	return values;
}

async function run({ only, quick, json }: ReturnType<typeof readOptions>): Promise<void> {
	const sections: Section[] = [];
	for (const { letter, measure } of PARTS) {
		if (!only.includes(letter)) continue;
		progress(`(${letter})`);
		const section = await measure(quick);
		process.stdout.write(`${format(section)}\n`);
		sections.push(section);
	}
	if (json === undefined) return;
	const machine = { node: process.version, processor: cpus()[0]?.model ?? "", cores: cpus().length };
	const report = { date: new Date().toISOString(), quick, machine, sections };
	writeFileSync(json, `${JSON.stringify(report, undefined, "\t")}\n`);
}

let options: ReturnType<typeof readOptions>;
try {
	options = readOptions();
} catch (error) {
	process.stderr.write(`${(error as Error).message}\n${HELP}`);
	process.exit(2);
}
if (options.help) process.stdout.write(HELP);
else {
	await run(options).catch((error: Error) => {
		process.stderr.write(`${error.stack}\n`);
		process.exit(1);
	});
}
