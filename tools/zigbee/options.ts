/** The command line of the Zigbee simulator. */
import { choice, count, defined, flag, parseWords, text, UsageError, type Words } from "../meter/words.js";
import { BUILDS, type Build, type CoprocessorOptions } from "./coprocessor.js";
import type { Faults } from "./faults.js";

/** The usual port of gateways with Ethernet. */
export const COORDINATOR_PORT = 6638;

export const HELP = `A Zigbee network without radios: two coprocessors (TI ZNP) that hear each other.

  npm run zigbee -- [options]

One is for the gateway (npm start -- --zigbee PATH), on a new pseudo-terminal, or with --device on a TCP port; the other for a
coordinator (npm run coordinator, Zigbee2MQTT, ZHA), on a TCP port. The first line says where:
"zigbee PATH tcp://127.0.0.1:PORT".

  --coordinator PORT  the coordinator's TCP port (default ${COORDINATOR_PORT}, or any that is free where that is taken; 0: any)
  --device PORT       a TCP port for the gateway instead of a pseudo-terminal; 0: any
  --address ADDRESS   where both listen (default 127.0.0.1)
  --nv FILE           keeps what both remember, over restarts
  --blank             the coordinator's is a fresh chip; by default it has the network that npm run coordinator uses
  --log               each frame of both, on stderr

Faults of the gateway's coprocessor:
  --silent            nobody answers
  --lost N            the first N answers never come
  --late MS           each answer comes this much later
  --garbage N         N bytes of noise before each frame
  --piece N           N bytes at a time
  --crash S           it starts anew every S seconds
  --build NAME        ${Object.keys(BUILDS).join(", ")} (default 3.x.0)
  --bindings RxC      rows of the binding table, and clusters in each (default 1x4)
  --confirm LIST      what becomes of the first frames that it sends: statuses in hex, e.g. e9,cd,0
  --refuse LIST       what it answers first when it is to send: statuses in hex
  --no-key            it is let into a network, but never given the key
  --leave-restarts    it starts anew as soon as it has left, not after five seconds
  --poll MS           an end device asks its parent so often until its host says otherwise (default 1000)
  --kept MS           a parent keeps what an end device does not ask for so long (default 8000)

  --quiet             nothing on stderr
  --help              this text
`;

const PORT_LIMIT = 65_535;
const MS_LIMIT = 600_000;
const SECONDS_LIMIT = 86_400;

export interface ZigbeeOptions {
	/** Undefined: COORDINATOR_PORT, or any free port. */
	readonly coordinatorPort?: number;
	/** Undefined: a pseudo-terminal. */
	readonly devicePort?: number;
	readonly address: string;
	readonly nv?: string;
	readonly isBlank: boolean;
	readonly logs: boolean;
	readonly faults: Partial<Faults>;
	readonly chip: Pick<CoprocessorOptions, "build" | "bindings" | "boundClusters" | "pollMs">;
	/** Undefined: never. */
	readonly crashMs?: number;
	readonly keptMs?: number;
	readonly quiet: boolean;
}

/** Throws UsageError. Undefined if only help was requested. */
export function parseOptions(args: string[]): ZigbeeOptions | undefined {
	const values = parseWords(args, WORDS);
	if (values.help) return undefined;
	const crash = count(values, "crash", SECONDS_LIMIT, 1);
	const [, rows, clusters] = /^(\d{1,2})x(\d{1,2})$/.exec(values.bindings ?? "1x4") ?? [];
	if (rows === undefined) throw new UsageError("--bindings takes ROWSxCLUSTERS, such as 1x4.");
	return defined({
		coordinatorPort: count(values, "coordinator", PORT_LIMIT),
		devicePort: count(values, "device", PORT_LIMIT),
		address: values.address ?? "127.0.0.1",
		nv: values.nv,
		isBlank: values.blank ?? false,
		logs: values.log ?? false,
		faults: defined({
			silent: values.silent,
			lostAnswers: count(values, "lost", MS_LIMIT),
			lateMs: count(values, "late", MS_LIMIT),
			garbage: count(values, "garbage", 200),
			pieceBytes: count(values, "piece", 255, 1),
			confirms: statuses(values, "confirm"),
			refusals: statuses(values, "refuse"),
			keyExchangeFails: values["no-key"],
			leaveRestarts: values["leave-restarts"],
		}),
		chip: defined({
			build: choice(values, "build", Object.keys(BUILDS)) as Build | undefined,
			bindings: Number(rows),
			boundClusters: Number(clusters),
			pollMs: count(values, "poll", MS_LIMIT),
		}),
		crashMs: crash === undefined ? undefined : crash * 1000,
		keptMs: count(values, "kept", MS_LIMIT),
		quiet: values.quiet ?? false,
	});
}

function statuses(values: Values, name: "confirm" | "refuse"): number[] | undefined {
	const list = values[name];
	if (list === undefined) return undefined;
	if (!/^[0-9a-f]{1,2}(,[0-9a-f]{1,2})*$/i.test(list))
		throw new UsageError(`--${name} takes statuses in hex, such as e9,cd,0.`);
	return list.split(",").map((status) => Number.parseInt(status, 16));
}

const WORDS = {
	coordinator: text,
	device: text,
	address: text,
	nv: text,
	blank: flag,
	log: flag,
	silent: flag,
	lost: text,
	late: text,
	garbage: text,
	piece: text,
	crash: text,
	build: text,
	bindings: text,
	confirm: text,
	refuse: text,
	"no-key": flag,
	"leave-restarts": flag,
	poll: text,
	kept: text,
	quiet: flag,
	help: flag,
} as const;
type Values = Words<typeof WORDS>;
