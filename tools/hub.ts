/**
 * `npm run hub`: a stand-in for Home Assistant. Prints `hub URL TOKEN` when it accepts connections. Ends after SIGTERM
 * or SIGINT, and together with its parent process. The exit code is 2 after a bad command line.
 */
import { parseArgs } from "node:util";
import { StandIn } from "./hub/home-assistant.js";

const USAGE = `Usage: npm run hub -- [options]

A stand-in for Home Assistant's REST API, whose page shows what a gateway sends.

  --port N     port for HTTP (default: any free port)
  --quiet      prints only the line "hub URL TOKEN" and errors
  --help       prints this text
`;

function refuse(text: string): never {
	process.stderr.write(`${text}\nnpm run hub -- --help lists the options.\n`);
	process.exit(2);
}

function readPort(): { port: number; quiet: boolean } {
	try {
		const { values } = parseArgs({
			options: {
				port: { type: "string", default: "0" },
				quiet: { type: "boolean", default: false },
				help: { type: "boolean", default: false },
			},
		});
		if (values.help) {
			process.stdout.write(USAGE);
			process.exit(0);
		}
		const port = Number(values.port);
		if (!/^\d+$/.test(values.port) || port > 65_535) refuse(`--port is a number from 0 to 65535, not "${values.port}"`);
		return { port, quiet: values.quiet };
	} catch (error) {
		return refuse((error as Error).message);
	}
}

const { port, quiet } = readPort();
try {
	const hub = await StandIn.start({ port });
	if (!quiet) {
		hub.onState = ({ entity_id, state }, isNew) => {
			process.stderr.write(`${isNew ? "new " : ""}${entity_id} ${state}\n`);
		};
	}
	for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(0));
	process.once("disconnect", () => process.exit(0));
	process.stdout.write(`hub ${hub.url} ${hub.token}\n`);
} catch (error) {
	process.stderr.write(`${(error as Error).message}\n`);
	process.exit(1);
}
