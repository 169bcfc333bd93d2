/** Command line of the meter simulator for IEC 62056-21. */
import type { MeterFaults } from "./faults.js";
import { HEAT_PROTOCOLS } from "./heat-options.js";
import {
	DEFAULT_PERIOD,
	DEFAULT_ROWS,
	PROFILE_FAULTS,
	PROFILE_FORMS,
	PROFILE_PLACES,
	type ProfileOptions,
} from "./iec-programming.js";
import { PUSH_PROTOCOLS } from "./push-options.js";
import type { MeterMode } from "./telegram.js";
import {
	BAUD_RATES,
	choice,
	count,
	defined,
	flag,
	moment,
	oneOf,
	PUSH_BAUD_RATES,
	parseWords,
	text,
	UsageError,
	type Words,
} from "./words.js";

export const HELP = `A smart meter at the end of a serial line, for trying the gateway without one.

  npm run meter -- [options]

Without --port it opens a pseudo-terminal and prints its path as the first line: "meter /dev/pts/N".
Without --telegram it is a household's three-phase meter with moving values.

  --port PATH         a serial port (7E1) instead of a pseudo-terminal
  --socket PATH       an emulator's serial port instead: a Unix socket; the meter waits until the emulator has made it
  --telegram FILE     send this transmission: identification line, then block; raw, or hex text (name ends in .hex)
  --mode A|B|C|D      mode of IEC 62056-21 (default: the mode of the telegram; without a telegram, C)
  --baud N            without a telegram: the rate that the identification proposes (default 9600); mode D: the rate
                      of the pushes (default 2400)
  --push-seconds N    mode D: interval between two pushes (default 3; 0: without a pause)
  --parity-bits on|off  mode D on a pseudo-terminal: send the parity bit (default off); other modes follow the reader
  --address A         device address, up to 32 of 0-9 A-Z a-z and blank: answers this address and the general sign-on;
                      /WORD: answers the sign-on /WORD! and no other
  --time ISO          without a telegram: time of the meter's clock at the start (default: the computer's time)
  --battery           sleeps until woken by NUL characters
  --reaction MS       pause before an answer (default 200, or 20 if the third letter of the maker's code is lower case;
                      5 on a pseudo-terminal without --baud-pace)
  --baud-pace         pseudo-terminal: as slow as the real line, and garbage for a reader at the wrong speed
  --profile PLACE     where load profile P.01 is: none (default), readout (without a telegram), or programming, which means that
                      it must be requested in programming mode
  --profile-period N  minutes between two rows (default 15); --profile-rows N: number of rows (default 400)
  --profile-counters  the rows have counters, from which the gateway can fill its history; not for a profile in the readout
  --profile-season S  season digit in front of times: 0 winter, 1 summer, 2 UTC (default), none
  --profile-form NAME plain (default), bare-heads: header lines after the first have no address; value-lines: one value in each line
  --profile-lines N   number of lines in a part, when R6 requests the profile in parts (default 10)
  --profile-password TEXT  password that the reader must send (P1) before the meter sends the profile
  --profile-tries N   number of wrong passwords after which the right one is refused too (default 3; 0: from the start)
  --protocol NAME     iec (default), dlms, ${PUSH_PROTOCOLS.join(", ")}, ${HEAT_PROTOCOLS.join(" or ")}; npm run meter -- --protocol dlms --help
                      lists its options

Faults:
  --echo              sends back everything received
  --noise N           N characters of noise before the identification and after the BCC
  --wrong-bcc N       the first N blocks have a wrong BCC
  --silence N         no answer to the first N sign-ons
  --late MS           each answer is delayed by MS milliseconds
  --cut N             the block stops after N characters
  --lie BAUD          the meter switches to BAUD, whatever rate its identification proposes
  --no-stx, --no-bcc  the block has no STX; the block has neither ETX nor BCC
  --ack-line          sends ACK CR LF before STX
  --profile-wrong-bcc N  the first N answers in programming mode have a wrong BCC
  --profile-fault NAME  error, error-alone, nak, silence, break: reply to the request for the profile; no-programming: refuses
                      programming mode; no-clock: does not give its time there; r6-only: refuses R5; no-season: refuses times
                      with a season; long-answer: sends all rows, whatever is requested; password-error, password-nak, password-silence,
                      password-demand (P0 once more): reply to a wrong password, instead of ending the session
  --damage N          flips a bit in one of N characters; --seed N determines which (default 1)

  --quiet             does not log the session on stderr
  --help              prints this text
`;

export interface MeterOptions {
	port?: string;
	telegram?: string;
	mode?: MeterMode;
	baud?: number;
	/** Time of the meter's clock at the start, Unix ms. */
	utcMs?: number;
	pushMs: number;
	parityBits: boolean;
	address?: string;
	battery: boolean;
	reactionMs?: number;
	pace: boolean;
	echo: boolean;
	profile: ProfileOptions;
	faults: MeterFaults;
	seed: number;
	quiet: boolean;
}

const COUNT_LIMIT = 1_000_000;
/** Limit of rows: more than a year of quarter hours. */
const ROWS_LIMIT = 40_000;

export function parseOptions(args: string[]): MeterOptions | undefined {
	const values = parseWords(args, WORDS);
	if (values.help) return undefined;
	choice(values, "protocol", ["iec", "dlms"]);
	if (values["baud-pace"] && values.port !== undefined) {
		throw new UsageError("--baud-pace is for the pseudo-terminal: a real port has its own speed.");
	}
	if (values.address !== undefined && !/^(\/[0-9A-Za-z #]{1,31}|[0-9A-Za-z ]{1,32})$/.test(values.address)) {
		throw new UsageError("--address takes 1 to 32 of 0-9, A-Z, a-z and blank, or / and a sign-on.");
	}
	const mode = choice(values, "mode", ["A", "B", "C", "D"]) as MeterMode | undefined;
	const baud = oneOf(values, "baud", mode === "D" ? PUSH_BAUD_RATES : BAUD_RATES);
	if (baud !== undefined && values.telegram !== undefined && mode !== undefined && mode !== "D") {
		throw new UsageError(
			"--baud and --telegram go together in mode D only: in other modes the telegram states its rate.",
		);
	}
	const pushSeconds = count(values, "push-seconds", 86_400) ?? 3;
	if (pushSeconds === 0 && !values["baud-pace"] && values.port === undefined) {
		throw new UsageError("--push-seconds 0 needs --baud-pace: without it a push takes no time at all.");
	}
	return defined({
		port: values.port,
		telegram: values.telegram,
		mode,
		baud,
		utcMs: moment(values, "time"),
		pushMs: pushSeconds * 1000,
		parityBits: choice(values, "parity-bits", ["on", "off"]) === "on",
		address: values.address,
		battery: values.battery ?? false,
		reactionMs: count(values, "reaction", 60_000),
		pace: values["baud-pace"] ?? false,
		echo: values.echo ?? false,
		profile: parseProfile(values),
		faults: parseFaults(values),
		seed: count(values, "seed", 0xffff_ffff) ?? 1,
		quiet: values.quiet ?? false,
	});
}

function parseProfile(values: Values): ProfileOptions {
	const season = choice(values, "profile-season", ["0", "1", "2", "none"]);
	const digit = season === "none" ? "" : season;
	const rows = count(values, "profile-rows", ROWS_LIMIT, 1);
	const period = count(values, "profile-period", 1440, 1);
	const stored = { rows: rows ?? DEFAULT_ROWS, periodS: 60 * (period ?? DEFAULT_PERIOD) };
	const seasonAt = () => ({ minutes: 0, digit: digit ?? "2" });
	const counters = values["profile-counters"] ? { stored, seasonAt } : {};
	return defined({
		place: choice(values, "profile", PROFILE_PLACES) as ProfileOptions["place"],
		period,
		rows,
		season: digit,
		...counters,
		password: values["profile-password"],
		tries: count(values, "profile-tries", 100),
		lines: count(values, "profile-lines", 1000, 1),
		wrongBCC: count(values, "profile-wrong-bcc", COUNT_LIMIT),
		fault: choice(values, "profile-fault", PROFILE_FAULTS) as ProfileOptions["fault"],
		form: choice(values, "profile-form", PROFILE_FORMS) as ProfileOptions["form"],
	}) as ProfileOptions;
}

function parseFaults(values: Values): MeterFaults {
	return defined({
		noise: count(values, "noise", 1000),
		wrongBCC: count(values, "wrong-bcc", COUNT_LIMIT),
		silence: count(values, "silence", COUNT_LIMIT),
		lateMs: count(values, "late", 60_000),
		cut: count(values, "cut", COUNT_LIMIT),
		lieBaud: oneOf(values, "lie", BAUD_RATES),
		noSTX: values["no-stx"] ?? false,
		noBCC: values["no-bcc"] ?? false,
		damage: count(values, "damage", COUNT_LIMIT),
		ackLine: values["ack-line"] ?? false,
	});
}

const WORDS = {
	port: text,
	telegram: text,
	mode: text,
	baud: text,
	"push-seconds": text,
	time: text,
	"parity-bits": text,
	address: text,
	battery: flag,
	reaction: text,
	"baud-pace": flag,
	profile: text,
	"profile-period": text,
	"profile-rows": text,
	"profile-counters": flag,
	"profile-season": text,
	"profile-password": text,
	"profile-tries": text,
	"profile-lines": text,
	"profile-wrong-bcc": text,
	"profile-fault": text,
	"profile-form": text,
	protocol: text,
	echo: flag,
	noise: text,
	"wrong-bcc": text,
	silence: text,
	late: text,
	cut: text,
	lie: text,
	"no-stx": flag,
	"no-bcc": flag,
	"ack-line": flag,
	damage: text,
	seed: text,
	quiet: flag,
	help: flag,
} as const;
type Values = Words<typeof WORDS>;
