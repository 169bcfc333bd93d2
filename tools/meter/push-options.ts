/** The command line of the meter simulator for meters that send SML or DLMS/COSEM by themselves. */
import type { PushFraming } from "./push-telegrams.js";
import { SML_HELP, SML_WORDS, type SMLOptions, smlOptions } from "./sml-options.js";
import { BAUD_RATES, choice, count, defined, flag, oneOf, parseWords, text, UsageError } from "./words.js";

export const PUSH_HELP = `A smart meter that sends by itself, in eight bits, at the end of a serial line.

  npm run meter -- --protocol sml [options]
  npm run meter -- --protocol dlms-push [options]

Without --port it opens a pseudo-terminal and prints its path as the first line: "meter /dev/pts/N".
Without --telegram it has the moving values of a household.

  --port PATH         a serial port (8N1) instead of a pseudo-terminal
  --telegram FILE     send these bytes: raw, or hex text (name ends in .hex)
${SML_HELP}  --framing NAME      dlms-push: hdlc (default), mbus or wrapper
  --baud N            300 to 19200, or 115200 (default 9600; mbus 2400)
  --push-seconds N    from one telegram to the next (default 2)
  --baud-pace         pseudo-terminal: as slow as the real line, and garbage for a reader at the wrong speed
  --quiet             no log (on stderr)
  --help              this text

For ASCII telegrams, the ones that the gateway can read: npm run meter -- --mode D
`;

export interface PushProgramOptions {
	isSML: boolean;
	port?: string;
	telegram?: string;
	framing: PushFraming;
	sml?: SMLOptions;
	baud: number;
	pushMs: number;
	pace: boolean;
	quiet: boolean;
}

const PROTOCOLS = ["sml", "dlms-push"];

export function wantsPush(args: readonly string[]): boolean {
	return PROTOCOLS.some(
		(word) =>
			args.includes(`--protocol=${word}`) || args.some((arg, i) => arg === word && args[i - 1] === "--protocol"),
	);
}

/** Throws UsageError. Undefined when only the help was asked for. */
export function parsePushOptions(args: string[]): PushProgramOptions | undefined {
	const values = parseWords(args, WORDS);
	if (values.help) return undefined;
	const isSML = choice(values, "protocol", PROTOCOLS) === "sml";
	if (values["baud-pace"] && values.port !== undefined)
		throw new UsageError("--baud-pace is for the pseudo-terminal: a real port has its own speed.");
	if (isSML && values.framing !== undefined) throw new UsageError("--framing is for --protocol dlms-push.");
	const sml = smlOptions(values);
	const ofSML = (Object.keys(SML_WORDS) as (keyof typeof SML_WORDS)[]).find((name) => values[name] !== undefined);
	if (!isSML && ofSML !== undefined) throw new UsageError(`--${ofSML} is for --protocol sml.`);
	const framing = (choice(values, "framing", ["hdlc", "mbus", "wrapper"]) ?? "hdlc") as PushFraming;
	return defined({
		isSML,
		port: values.port,
		telegram: values.telegram,
		framing,
		sml: isSML ? sml : undefined,
		baud: oneOf(values, "baud", [...BAUD_RATES, 115_200]) ?? (framing === "mbus" ? 2400 : 9600),
		pushMs: (count(values, "push-seconds", 86_400, 1) ?? 2) * 1000,
		pace: values["baud-pace"] ?? false,
		quiet: values.quiet ?? false,
	});
}

const WORDS = {
	protocol: text,
	port: text,
	telegram: text,
	framing: text,
	...SML_WORDS,
	baud: text,
	"push-seconds": text,
	"baud-pace": flag,
	quiet: flag,
	help: flag,
} as const;
