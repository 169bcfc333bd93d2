/** Command line of the meter simulator for heat and water meters: Kamstrup's KMP, and M-Bus. */
import { MBUS_BAUD, type MBusMeterOptions } from "./mbus-meter.js";
import { BAUD_RATES, choice, count, defined, flag, oneOf, parseWords, text, UsageError } from "./words.js";

export const HEAT_HELP = `A heat meter that answers requests, at the end of a serial line.

  npm run meter -- --protocol kmp [options]
  npm run meter -- --protocol mbus [options]

Without --port it opens a pseudo-terminal and prints its path as the first line: "meter /dev/pts/N".
Without --telegram it has the moving values of a heating circuit.

  --port PATH         a serial port (kmp: 8N2; mbus: 8E1) instead of a pseudo-terminal
  --socket PATH       an emulator's serial port instead: a Unix socket; the meter waits until the emulator has made it
  --telegram FILE     mbus: answer with this frame, from 68 to 16: raw, or hex text (name ends in .hex)
  --address N         mbus: primary address (default 1)
  --slaves N          mbus: number of slaves with addresses from --address on (default 1)
  --idents LIST       mbus: identification numbers of the slaves, with commas between them
  --medium NAME       mbus: heat (default) or water
  --two-frames        mbus: the telegram has a second frame
  --sleeps            mbus: the meter must be woken up, as one with a battery and an optical port
  --ignore-fcb        mbus: the meter sends its present values each time, and ignores the frame count bit
  --baud N            mbus: 300 to 19200 (default 2400)
  --silence N         no answer to the first N requests
  --wrong-check N     the first N answers have a wrong CRC or checksum
  --baud-pace         pseudo-terminal: as slow as the real line, and garbage for a reader at the wrong speed
  --quiet             does not log on stderr
  --help              prints this text
`;

export const HEAT_PROTOCOLS = ["kmp", "mbus"] as const;
export type HeatProtocol = (typeof HEAT_PROTOCOLS)[number];
/** Codes of the media (EN 13757-3, table 3). */
const MEDIA: Readonly<Record<string, number>> = { heat: 4, water: 7 };

export interface HeatProgramOptions extends Pick<MBusMeterOptions, "sleeps" | "ignoresCountBit"> {
	protocol: HeatProtocol;
	port?: string;
	telegram?: string;
	address: number;
	slaves: number;
	idents?: readonly number[];
	medium: number;
	isLong: boolean;
	baud: number;
	silence?: number;
	wrongCheck?: number;
	pace: boolean;
	quiet: boolean;
}

export function wantsHeat(args: readonly string[]): boolean {
	return HEAT_PROTOCOLS.some(
		(word) =>
			args.includes(`--protocol=${word}`) || args.some((arg, i) => arg === word && args[i - 1] === "--protocol"),
	);
}

export function parseHeatOptions(args: string[]): HeatProgramOptions | undefined {
	const values = parseWords(args, WORDS);
	if (values.help) return undefined;
	const protocol = choice(values, "protocol", HEAT_PROTOCOLS) as HeatProtocol;
	if (values["baud-pace"] && values.port !== undefined)
		throw new UsageError("--baud-pace is for the pseudo-terminal: a real port has its own speed.");
	const idents = values.idents?.split(",");
	if (idents?.some((ident) => !/^\d{1,8}$/.test(ident)))
		throw new UsageError("--idents has numbers of up to 8 digits, with commas between them.");
	for (const name of OF_MBUS)
		if (protocol !== "mbus" && values[name] !== undefined) throw new UsageError(`--${name} is for --protocol mbus.`);
	return defined({
		protocol,
		port: values.port,
		telegram: values.telegram,
		address: count(values, "address", 250) ?? 1,
		slaves: count(values, "slaves", 16, 1) ?? idents?.length ?? 1,
		idents: idents?.map(Number),
		medium: MEDIA[choice(values, "medium", Object.keys(MEDIA)) ?? "heat"],
		isLong: values["two-frames"] ?? false,
		sleeps: values.sleeps,
		ignoresCountBit: values["ignore-fcb"],
		baud: oneOf(values, "baud", BAUD_RATES) ?? MBUS_BAUD,
		silence: count(values, "silence", 1_000_000),
		wrongCheck: count(values, "wrong-check", 1_000_000),
		pace: values["baud-pace"] ?? false,
		quiet: values.quiet ?? false,
	});
}

const OF_MBUS = [
	"telegram",
	"address",
	"slaves",
	"idents",
	"medium",
	"two-frames",
	"sleeps",
	"ignore-fcb",
	"baud",
] as const;

const WORDS = {
	protocol: text,
	port: text,
	telegram: text,
	address: text,
	slaves: text,
	idents: text,
	medium: text,
	"two-frames": flag,
	sleeps: flag,
	"ignore-fcb": flag,
	baud: text,
	silence: text,
	"wrong-check": text,
	"baud-pace": flag,
	quiet: flag,
	help: flag,
} as const;
