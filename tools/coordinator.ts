/**
 * `npm run coordinator`: a Zigbee coordinator that shows how Zigbee2MQTT would present the gateway (see `--help`). Ends
 * after SIGTERM or SIGINT.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { count, flag, parseWords, text, UsageError } from "./meter/words.js";
import { Coordinator, type CoordinatorEvent } from "./zigbee/coordinator.js";
import { COORDINATOR_PORT } from "./zigbee/options.js";

const HELP = `A Zigbee coordinator that shows the gateway as Zigbee2MQTT would, with zigbee-herdsman and its converters.

  npm run coordinator -- [options]

  --port PORT            the coprocessor: tcp://HOST:PORT or a serial port (default tcp://127.0.0.1:${COORDINATOR_PORT}, which
                         npm start and npm run zigbee use)
  --permit-join SECONDS  lets devices in, up to 254 s
  --ota FILE             offers the firmware file to all devices, and ends when each has installed or refused it
  --leave                tells all devices to leave, and ends
  --folder DIR           folder in which the coordinator stores its devices (default .state/coordinator)
  --json                 prints each event as JSON in a line
  --verbose              prints the log of zigbee-herdsman on stderr
  --help                 prints this text
`;
const JOIN_LIMIT = 254;
/**
 * Folder of the coordinator's state. It is next to that of the simulated coprocessors: if both are deleted, a new unit
 * is also new to its coordinator.
 */
const FOLDER = join(".state", "coordinator");

const WORDS = {
	port: text,
	"permit-join": text,
	ota: text,
	leave: flag,
	folder: text,
	json: flag,
	verbose: flag,
	help: flag,
} as const;

function describe(event: CoordinatorEvent): string {
	switch (event.event) {
		case "started":
			return event.network === "resumed" ? "The network is up." : `The network is up (${event.network}).`;
		case "disconnected":
			return "The coprocessor is gone.";
		case "permit_join":
			return event.seconds === 0 ? "The network is closed." : `Devices may join for ${event.seconds} s.`;
		case "interview":
			return `${event.device}: interview ${event.status}`;
		case "definition":
			return `${event.device}: ${event.vendor} ${event.model} (${event.type}), shown: ${event.exposes.join(", ")}`;
		case "configured":
			return `${event.device}: ${event.problem === "" ? "configured" : `could not be configured: ${event.problem}`}`;
		case "values":
			return `${event.device}: ${Object.entries(event.values)
				.map(([name, value]) => `${name} ${value}`)
				.join(", ")}`;
		case "loading":
			return `${event.device}: ${event.percent} % of the file`;
		case "updated":
			return `${event.device}: ${event.problem === "" ? `updated, ${event.versions}` : `not updated: ${event.problem}`}`;
		default:
			return `${event.device} has ${event.event}`;
	}
}

async function run(args: string[]): Promise<void> {
	const values = parseWords(args, WORDS);
	if (values.help) {
		process.stdout.write(HELP);
		return;
	}
	const seconds = count(values, "permit-join", JOIN_LIMIT) ?? 0;
	const folder = values.folder ?? FOLDER;
	mkdirSync(folder, { recursive: true });
	const coordinator = new Coordinator({
		port: values.port ?? `tcp://127.0.0.1:${COORDINATOR_PORT}`,
		folder,
		onEvent: (event) => {
			process.stdout.write(`${values.json ? JSON.stringify(event) : describe(event)}\n`);
			if (event.event === "disconnected") end(1);
		},
		...(values.verbose ? { onLog: (line: string) => void process.stderr.write(`${line}\n`) } : {}),
	});
	const end = (code: number) => {
		process.exit(code);
	};
	for (const signal of ["SIGTERM", "SIGINT"] as const) {
		process.on(signal, () => void coordinator.stop().finally(() => end(0)));
	}
	process.on("disconnect", () => end(0));
	try {
		await coordinator.start();
		if (seconds > 0) await coordinator.permitJoin(seconds);
		if (values.ota !== undefined && (await coordinator.update(resolve(values.ota))) === 0) end(1);
		if (values.leave) await coordinator.removeAll();
		if (!values.leave && values.ota === undefined) return;
		await coordinator.stop();
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\n`);
		end(1);
	}
	end(0);
}

try {
	await run(process.argv.slice(2));
} catch (error) {
	process.stderr.write(`${(error as Error).message}\n`);
	process.exit(error instanceof UsageError ? 2 : 1);
}
