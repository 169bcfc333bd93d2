/** The command line of `npm run emulate`. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { BOARDS, type Board, findBoard } from "../../hosts/esp32/boards.js";

export const USAGE = `Usage: npm run emulate -- --board NAME [options]

Builds the firmware of a board for Espressif's QEMU and runs it there, with a simulated meter at its UART. docs/emulator.md
says what a run can show and what it cannot.

  --board NAME      the board; the emulator's Ethernet replaces that of the board, if it has any
  --meter OPTIONS   the simulated meter, by the options of npm run meter, such as --meter "--protocol p1"; none: no meter is
                    at the UART (default: the meter of npm start)
  --settings FILE   JSON object of API paths and bodies, which are posted in this order after the start, such as
                    {"meter/protocol": {"protocol": "sml"}}
  --https-port N    port of this computer for HTTPS; 0: any free port (default 8443)
  --http-port N     port of this computer for HTTP; 0: any free port (default 8080)
  --state DIR       keeps the flash there between runs (default: a new unit each time)
  --rebuild         builds the firmware again, even if no source has changed
  --no-build        runs the firmware that was built last
  --out DIR         folder of the build (default .build/esp32)
  --quiet           prints only the line "ready …" and errors
  --help            prints this text

Boards: ${BOARDS.map(({ name }) => name).join(", ")}
`;

const NO_METER = "none";
const DEFAULT_METER = ["--protocol", "iec", "--profile", "programming"];
const NOT_FOR_METER = ["--port", "--socket", "--help"];

export type Building = "stale" | "always" | "never";

/** API paths and bodies to post after the start, in order. */
export type Settings = readonly (readonly [path: string, body: object])[];

export interface EmulateOptions {
	readonly board: Board;
	readonly meter: readonly string[] | undefined;
	readonly settings: Settings;
	/** Port of the HTTPS server; 0: any free port. `httpPort` is the same for HTTP. */
	readonly httpsPort: number;
	readonly httpPort: number;
	readonly state: string | undefined;
	readonly building: Building;
	readonly out: string | undefined;
	readonly quiet: boolean;
}

export function parseOptions(args: readonly string[]): EmulateOptions | undefined {
	const { values } = parseArgs({
		args: joinMeter(args),
		strict: true,
		allowPositionals: false,
		options: {
			board: { type: "string" },
			meter: { type: "string" },
			settings: { type: "string" },
			"https-port": { type: "string", default: "8443" },
			"http-port": { type: "string", default: "8080" },
			state: { type: "string" },
			rebuild: { type: "boolean", default: false },
			"no-build": { type: "boolean", default: false },
			out: { type: "string" },
			quiet: { type: "boolean", default: false },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) return undefined;
	if (values.board === undefined) throw new Error("--board is missing: the board that is emulated.");
	if (values.rebuild && values["no-build"]) throw new Error("--rebuild and --no-build contradict each other.");
	const httpsPort = toPort("--https-port", values["https-port"]);
	const httpPort = toPort("--http-port", values["http-port"]);
	if (httpPort === httpsPort && httpPort !== 0) throw new Error("--https-port and --http-port are two ports.");
	const { state, out, quiet } = values;
	for (const [name, path] of Object.entries({ state, out }))
		if (path === "") throw new Error(`--${name} needs a path.`);
	return {
		board: findBoard(values.board),
		meter: toMeter(values.meter),
		settings: values.settings === undefined ? [] : readSettings(values.settings),
		httpsPort,
		httpPort,
		state,
		building: values.rebuild ? "always" : values["no-build"] ? "never" : "stale",
		out,
		quiet,
	};
}

/** Joins `--meter` and its value, which begins with "--" and would be taken for another option. */
function joinMeter(args: readonly string[]): string[] {
	const index = args.indexOf("--meter");
	if (index < 0 || index + 1 === args.length) return [...args];
	return [...args.slice(0, index), `--meter=${args[index + 1]}`, ...args.slice(index + 2)];
}

/** Splits the value at blanks outside quotes. Adds `--baud-pace`, so that characters take time on the line. */
function toMeter(value: string | undefined): readonly string[] | undefined {
	if (value === NO_METER) return undefined;
	const words = value === undefined ? DEFAULT_METER : wordsOf(value);
	const names = words.map((word) => word.split("=")[0]);
	const refused = NOT_FOR_METER.find((name) => names.includes(name));
	if (refused !== undefined) throw new Error(`--meter takes no ${refused}: the meter is at the emulated UART.`);
	return names.includes("--baud-pace") ? words : ["--baud-pace", ...words];
}

function wordsOf(text: string): string[] {
	return (text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
		word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"),
	);
}

function toPort(name: string, value: string): number {
	const port = Number(value);
	if (!/^\d+$/.test(value) || port > 65_535) throw new Error(`${name} is a number from 0 to 65535, not "${value}".`);
	return port;
}

function readSettings(path: string): Settings {
	let members: unknown;
	try {
		members = JSON.parse(readFileSync(path, "utf8"));
	} catch (error) {
		throw new Error(`--settings: ${path} can't be read as JSON (${(error as Error).message}).`);
	}
	const isObject = (value: unknown): value is object =>
		typeof value === "object" && value !== null && !Array.isArray(value);
	if (!isObject(members)) throw new Error(`--settings: ${path} is not a JSON object.`);
	return Object.entries(members).map(([name, body]) => {
		if (/^[a-z][a-z0-9/_-]*$/.test(name) && isObject(body)) return [name, body] as const;
		throw new Error(`--settings: "${name}" in ${path} is not an API path with a JSON object as its body.`);
	});
}
