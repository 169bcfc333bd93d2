/** Command line of the meter simulator with SML, pushed DLMS/COSEM, TIC, P1 or AMIS. */
import { FORMAT_8E1, type SerialFormat } from "../../modules/io/host.js";
import type { HouseholdReading } from "./household.js";
import { p1Telegram } from "./p1-telegram.js";
import type { PushForm, PushFraming } from "./push-telegrams.js";
import { SML_HELP, SML_WORDS, type SMLOptions, smlOptions } from "./sml-options.js";
import { TIC_BAUD, type TICMode, ticTelegram } from "./tic-telegram.js";
import { choice, count, defined, flag, hex, oneOf, PUSH_BAUD_RATES, parseWords, text, UsageError } from "./words.js";

export const PUSH_HELP = `A smart meter that sends unsolicited telegrams, at the end of a serial line.

  npm run meter -- --protocol sml [options]
  npm run meter -- --protocol dlms-push [options]
  npm run meter -- --protocol tic [options]
  npm run meter -- --protocol p1 [options]
  npm run meter -- --protocol amis [options]

Without --port it opens a pseudo-terminal and prints its path as the first line: "meter /dev/pts/N".
Without --telegram it has the moving values of a household.

  --port PATH         a serial port (8N1; tic: 7E1 within 8N1; amis: 8E1) instead of a pseudo-terminal
  --socket PATH       an emulator's serial port instead: a Unix socket; the meter waits until the emulator has made it
  --telegram FILE     send these bytes: raw, or hex text (name ends in .hex)
${SML_HELP}  --framing NAME      dlms-push: hdlc (default), mbus, wrapper, or p1: a ciphered P1 telegram without a frame
  --security NAME     dlms-push: none (default), encrypt (no tag, as most meters of Austria) or both (default of p1)
  --guek HEX          amis: key (default: that of the specification's example, 00112233445566778899AABBCCDDEEFF)
  --guek HEX, --ak HEX, --system-title HEX, --invocation-counter N   dlms-push: parameters of the encryption
  --dedicated         dlms-push: general-ded-ciphering in place of general-glo-ciphering
  --segment N         dlms-push: bytes of information in a frame
  --blocks            dlms-push in HDLC: general block transfer, --segment bytes in a block
  --without-codes     dlms-push: a list without OBIS codes, as an AM550 in Carinthia sends it
  --replay N          dlms-push: after N pushes the last push is repeated
  --wrong-tag N       dlms-push: one push in N has a wrong tag, or a changed last byte
  --tic-mode NAME     tic: standard (default) or historic
  --even-parity       dlms-push: 8E1 in place of 8N1, as on M-Bus ports; a pseudo-terminal has no parity
  --baud N            not amis: 300 to 19200, 38400, 57600 or 115200 (default 9600; tic historic 1200; mbus 2400;
                      p1, also as framing, 115200)
  --push-seconds N    interval between two telegrams (default 2; p1 and amis 1)
  --call-seconds N    amis: interval of the calls of a meter that no gateway answers (default 60)
  --baud-pace         pseudo-terminal: as slow as the real line, and garbage for a reader at the wrong speed
  --quiet             does not log on stderr
  --help              prints this text

For ASCII telegrams with seven bits and parity: npm run meter -- --mode D
`;

export interface PushProgramOptions {
	protocol: PushProtocol;
	port?: string;
	telegram?: string;
	form: PushForm;
	counter: number;
	/** Number of pushes after which the last one is repeated forever. */
	replay?: number;
	/** On average, one push in this many has a wrong tag. */
	wrongTag?: number;
	sml?: SMLOptions;
	/** Makes the telegram of a protocol without further parameters. */
	telegramOf?: (reading: HouseholdReading) => Uint8Array;
	key?: Uint8Array;
	callMs?: number;
	baud: number;
	format?: SerialFormat;
	pushMs: number;
	pace: boolean;
	quiet: boolean;
}

export const PUSH_PROTOCOLS = ["sml", "dlms-push", "tic", "p1", "amis"] as const;
export type PushProtocol = (typeof PUSH_PROTOCOLS)[number];

export function wantsPush(args: readonly string[]): boolean {
	return PUSH_PROTOCOLS.some(
		(word) =>
			args.includes(`--protocol=${word}`) || args.some((arg, i) => arg === word && args[i - 1] === "--protocol"),
	);
}

export function parsePushOptions(args: string[]): PushProgramOptions | undefined {
	const values = parseWords(args, WORDS);
	if (values.help) return undefined;
	const protocol = choice(values, "protocol", PUSH_PROTOCOLS) as PushProtocol;
	if (values["baud-pace"] && values.port !== undefined)
		throw new UsageError("--baud-pace is for the pseudo-terminal: a real port has its own speed.");
	if (protocol !== "dlms-push" && values.framing !== undefined)
		throw new UsageError("--framing is for --protocol dlms-push.");
	const isSML = protocol === "sml";
	const ofSML = (Object.keys(SML_WORDS) as (keyof typeof SML_WORDS)[]).find((name) => values[name] !== undefined);
	if (!isSML && ofSML !== undefined) throw new UsageError(`--${ofSML} is for --protocol sml.`);
	if (protocol !== "tic" && values["tic-mode"] !== undefined) throw new UsageError("--tic-mode is for --protocol tic.");
	const ticMode = choice(values, "tic-mode", ["standard", "historic"]) as TICMode | undefined;
	const framing = (choice(values, "framing", ["hdlc", "mbus", "wrapper", "p1"]) ?? "hdlc") as PushFraming;
	const security = choice(values, "security", ["none", "encrypt", "both"]) ?? (framing === "p1" ? "both" : "none");
	if (framing === "p1" && security === "none") throw new UsageError("--framing p1 is ciphered.");
	for (const name of ["security", "segment", "blocks", "without-codes", "replay", "wrong-tag", "even-parity"] as const)
		if (protocol !== "dlms-push" && values[name] !== undefined)
			throw new UsageError(`--${name} is for --protocol dlms-push.`);
	const protection = {
		keys: {
			encryption: hex(values, "guek", 16) ?? Buffer.from("000102030405060708090a0b0c0d0e0f", "hex"),
			authentication: hex(values, "ak", 16) ?? Buffer.from("d0d1d2d3d4d5d6d7d8d9dadbdcdddedf", "hex"),
		},
		title: hex(values, "system-title", 8) ?? Buffer.from("4757530000bc614e", "hex"),
		control: security === "both" ? 0x30 : 0x20,
		isDedicated: values.dedicated ?? false,
	};
	const form: PushForm = defined({
		framing,
		size: count(values, "segment", 2000, 8),
		isInBlocks: values.blocks,
		isNameless: values["without-codes"],
		protection: security === "none" ? undefined : protection,
	});
	const isAMIS = protocol === "amis";
	if (isAMIS && values.baud !== undefined) throw new UsageError("--baud is not for --protocol amis.");
	if (!isAMIS && values["call-seconds"] !== undefined) throw new UsageError("--call-seconds is for --protocol amis.");
	const callSeconds = count(values, "call-seconds", 86_400, 1);
	const isP1 = protocol === "p1" || framing === "p1";
	const telegramOfTIC = (reading: HouseholdReading) => ticTelegram(reading, ticMode ?? "standard");
	const ownBaud = ticMode === undefined ? 9600 : TIC_BAUD[ticMode];
	return defined({
		protocol,
		port: values.port,
		telegram: values.telegram,
		form,
		counter: count(values, "invocation-counter", 0xffff_ffff) ?? 1,
		replay: count(values, "replay", 1_000_000, 1),
		wrongTag: count(values, "wrong-tag", 1_000_000, 1),
		sml: isSML ? smlOptions(values) : undefined,
		telegramOf: protocol === "p1" ? p1Telegram : protocol === "tic" ? telegramOfTIC : undefined,
		key: isAMIS ? hex(values, "guek", 16) : undefined,
		callMs: callSeconds === undefined ? undefined : callSeconds * 1000,
		baud: oneOf(values, "baud", PUSH_BAUD_RATES) ?? (framing === "mbus" ? 2400 : isP1 ? 115_200 : ownBaud),
		format: values["even-parity"] || isAMIS ? FORMAT_8E1 : undefined,
		pushMs: (count(values, "push-seconds", 86_400, 1) ?? (isP1 || isAMIS ? 1 : 2)) * 1000,
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
	"tic-mode": text,
	security: text,
	guek: text,
	ak: text,
	"system-title": text,
	"invocation-counter": text,
	dedicated: flag,
	segment: text,
	blocks: flag,
	"without-codes": flag,
	replay: text,
	"wrong-tag": text,
	"even-parity": flag,
	baud: text,
	"push-seconds": text,
	"call-seconds": text,
	"baud-pace": flag,
	quiet: flag,
	help: flag,
} as const;
