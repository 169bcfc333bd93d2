/** Command line of the Zigbee simulator. */
import { choice, count, defined, flag, parseWords, text, UsageError, type Words } from "../meter/words.js";
import { BUILDS, type Build, type CoprocessorOptions } from "./coprocessor.js";
import type { Faults } from "./faults.js";

/** Port that gateways with Ethernet usually have. */
export const COORDINATOR_PORT = 6638;

export const HELP = `A Zigbee network without radios: two coprocessors (TI ZNP) that hear each other.

  npm run zigbee -- [options]

The gateway's coprocessor (npm start -- --zigbee PATH) is on a new pseudo-terminal, or with --device on a TCP port; that of a
coordinator (npm run coordinator, Zigbee2MQTT, ZHA) is on a TCP port. The first line printed names both:
"zigbee PATH tcp://127.0.0.1:PORT".

  --coordinator PORT  the coordinator's TCP port (default ${COORDINATOR_PORT}, or a free one if it is in use; 0: a free one)
  --device PORT       a TCP port for the gateway instead of a pseudo-terminal; 0: a free one
  --address ADDRESS   address on which both listen (default 127.0.0.1)
  --nv FILE           stores the memory of both across restarts
  --blank             the coordinator's coprocessor is a new chip; by default it has the network of npm run coordinator
  --log               prints each frame of both on stderr

Faults of the gateway's coprocessor:
  --silent            the coprocessor answers nothing
  --lost N            the first N answers are lost
  --late MS           each answer is delayed by MS milliseconds
  --garbage N         N bytes of noise before each frame
  --piece N           sends its output in pieces of N bytes
  --crash S           the coprocessor restarts every S seconds
  --build NAME        ${Object.keys(BUILDS).join(", ")} (default 3.x.0)
  --bindings RxC      rows of the binding table, and clusters in each (default 1x4)
  --confirm LIST      delivery results reported for the first frames: statuses in hex, e.g. e9,cd,0
  --refuse LIST       answers to the first requests to send a frame: statuses in hex
  --no-key            the coprocessor can join a network, but does not receive the network key
  --leave-restarts    the coprocessor restarts as soon as it has left the network, not after five seconds
  --poll MS           interval at which an end device polls its parent until its host sets another (default 1000)
  --kept MS           time for which a parent stores a frame for an end device that does not poll (default 8000)

  --quiet             prints nothing on stderr
  --help              prints this text
`;

const PORT_LIMIT = 65_535;
const MS_LIMIT = 600_000;
const SECONDS_LIMIT = 86_400;

export interface ZigbeeOptions {
	/** Port of the coordinator. Default: COORDINATOR_PORT, or any free port. */
	readonly coordinatorPort?: number;
	/** Port of the device. Default: a pseudo-terminal. */
	readonly devicePort?: number;
	readonly address: string;
	readonly nv?: string;
	readonly isBlank: boolean;
	readonly logs: boolean;
	readonly faults: Partial<Faults>;
	readonly chip: Pick<CoprocessorOptions, "build" | "bindings" | "boundClusters" | "pollMs">;
	readonly crashMs?: number;
	readonly keptMs?: number;
	readonly quiet: boolean;
}

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
